"""The protocol over streamable HTTP on this machine, for clients that show a token. Pages of a browser are refused."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from uvicorn.protocols.http.h11_impl import H11Protocol

from editcore.errors import UsageError
from harness.mcp.stdio import LONGEST_MESSAGE

HOST = "127.0.0.1"
PATH = "/mcp"
_MOST_SESSIONS = 64
_MOST_REQUESTS = 256
"""Most connections and requests at a time; the others are answered with status 503."""
_MOST_STRANGERS, _STRANGER_S = 64, 10.0
"""Connections that have not shown the token, and seconds for which one of them is kept."""
_IDLE_S = 30 * 60.0
_LAST_ANSWERS_S = 2

_Client = tuple[Any, ...]
"""The address and port of a connection's other end."""
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


def listening(port: int) -> socket.socket:
    """A socket on this machine's own address; port 0 is any free one. Raises UsageError for a port in use."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be used: {error.strerror or error}", "Name another one, or 0 for any that is free."
        ) from None


async def serve_http(server: Server[Any], listener: socket.socket, token: str) -> None:
    """Serve connections until the process ends. Each connection is a session from its handshake on."""
    port = listener.getsockname()[1]
    names = [f"{HOST}:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    server.middleware.append(_refuse_without_session)
    # Parameters never come in headers. Without this the package lists the tools on each call to look for them.
    server.get_tool_input_schema = lambda _: None
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, max_request_body_size=LONGEST_MESSAGE,
        session_idle_timeout=_IDLE_S, max_sessions=_MOST_SESSIONS,
    )  # fmt: skip
    strangers = Strangers()
    config = uvicorn.Config(
        guarded(app, token, strangers), http=strangers.protocol(), log_level="warning", access_log=False, ws="none",
        lifespan="on", limit_concurrency=_MOST_REQUESTS, timeout_graceful_shutdown=_LAST_ANSWERS_S, server_header=False,
    )  # fmt: skip
    await uvicorn.Server(config).serve(sockets=[listener])


class Strangers:
    """Connections that have not shown the token yet. They are ended after a while, the oldest first if there are many.

    Half-open connections would otherwise take the places of clients with a token.
    """

    def __init__(self) -> None:
        self._waiting: dict[_Client, asyncio.Transport] = {}

    def came(self, client: _Client, transport: asyncio.Transport) -> None:
        self._waiting[client] = transport
        asyncio.get_running_loop().call_later(_STRANGER_S, self._send_away, client, transport)
        if len(self._waiting) > _MOST_STRANGERS:
            oldest = next(iter(self._waiting.items()))
            self._send_away(*oldest)

    def left(self, client: _Client) -> None:
        """Forget a connection that ended, or has shown the token."""
        self._waiting.pop(client, None)

    def _send_away(self, client: _Client, transport: asyncio.Transport) -> None:
        if self._waiting.get(client) is transport:
            del self._waiting[client]
            transport.abort()

    def protocol(self) -> type[H11Protocol]:
        """A protocol of uvicorn that reports new and closed connections."""
        strangers = self

        class Protocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                if self.client:
                    strangers.came(tuple(self.client), transport)

            def connection_lost(self, exc: Exception | None) -> None:
                strangers.left(tuple(self.client or ()))
                super().connection_lost(exc)

        return Protocol


def guarded(app: _App, token: str, strangers: Strangers | None = None) -> _App:
    """The app for requests with the token as bearer; other requests are answered with status 401."""
    wanted = token.encode()

    async def guard(scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, given = shown[0].partition(b" ") if len(shown) == 1 else (b"", b"", b"")
        if scheme.lower() == b"bearer" and hmac.compare_digest(given, wanted):
            if strangers and scope.get("client"):
                strangers.left(tuple(scope["client"]))
            await app(scope, receive, send)
            return
        body = b"A token is needed: send the header 'Authorization: Bearer TOKEN'.\n"
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return guard


async def _refuse_without_session(ctx: ServerRequestContext[Any, Any], call_next: Any) -> Any:
    """Refuse the versions of the protocol without sessions: an agent may edit only what it has read in its session."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        supported = types.UnsupportedProtocolVersionErrorData(
            supported=list(HANDSHAKE_PROTOCOL_VERSIONS), requested=ctx.protocol_version
        )
        raise MCPError(
            code=UNSUPPORTED_PROTOCOL_VERSION,
            message="over HTTP a session is needed, which this version has not: open one with initialize",
            data=supported.model_dump(mode="json"),
        )
    return await call_next(ctx)
