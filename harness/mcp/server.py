"""The server: the tools of a registry, whatever the transport."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import types
from mcp.server import Server, ServerRequestContext

from editcore import __version__
from editcore.host.tools import Agent, Registry
from harness.mcp.answers import declared
from harness.mcp.calls import Call
from harness.mcp.sessions import Sessions

_INVALID = "invalid"
_MOST_THREADS = 16
"""Calls that run at a time; the others wait."""
_SESSION_HEADER = "mcp-session-id"
_INSTRUCTIONS = (
    "Tools for the files of one project. Paths are absolute or relative to its root. Read a file before you edit it; "
    "a refused edit changes nothing, and its text says what to send instead."
)


def tools_server(registry: Registry, agent: Agent, sessions: Sessions) -> Server[Any]:
    """A server that offers an agent's tools; each connection is a session of its own."""
    tools = [declared(tool) for id, tool in registry.tools(agent).items() if id != _INVALID]
    limiter = anyio.CapacityLimiter(_MOST_THREADS)

    async def list_tools(_: ServerRequestContext[Any, Any], __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        request: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        call = Call(request, params, sessions.of(_connection(request), _client(request)))
        return await call.run(registry, agent, limiter)

    server = Server(
        "editgauge",
        version=__version__,
        title="editgauge tools",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.clear()  # The package's own sends traces wherever the environment says.
    return server


def _connection(request: ServerRequestContext[Any, Any]) -> str:
    """The name of the connection: over HTTP the session's id, which the transport has checked; else there is one."""
    return "" if request.request is None else str(request.request.headers.get(_SESSION_HEADER, ""))


def _client(request: ServerRequestContext[Any, Any]) -> str:
    params = request.session.client_params
    return params.client_info.name[:200] if params else ""
