"""The server of the tools, and a call of one: in a thread, with progress, cancellation and the user's permission.

In the versions of the protocol with a handshake the server asks the client while the call waits. From 2026-07-28 on a
server cannot ask: the call ends with its question, and the client sends it again with the answer. Nothing is lost by
that, because tools ask before they act.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import TaskGroup
from anyio.lowlevel import current_token
from mcp import types
from mcp.server import Server, ServerRequestContext

from editcore import __version__
from editcore.host.cancellation import Cancellation
from editcore.host.registry import Step
from editcore.host.tools import Agent, Context, PermissionRequest, Registry, Result
from editcore.quoting import first_line
from harness.mcp.answers import answer, declared
from harness.mcp.permissions import answer_of, answer_schema, key_of, question
from harness.mcp.sessions import Session, Sessions

_log = logging.getLogger(__name__)
_LONGEST_PROGRESS = 200


class _Unanswered(Exception):
    """A question that only the client's next request can answer."""

    def __init__(self, request: PermissionRequest) -> None:
        super().__init__(request.permission)
        self.request = request


class Call:
    """One call of a tool."""

    def __init__(
        self, request: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, session: Session
    ) -> None:
        self._request, self._params, self._session = request, params, session
        self._arguments = params.arguments or {}
        self._cancellation = Cancellation()
        self._answers: dict[str, str] = dict(session.kept(params.request_state))
        self._responses: Mapping[str, Any] = params.input_responses or {}
        self._token = current_token()
        self._group: TaskGroup
        self._progress_out, self._progress_in = anyio.create_memory_object_stream[str](1)

    async def run(
        self, registry: Registry, agent: Agent, limiter: anyio.CapacityLimiter
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run the call. If the client cancels it, end it and then be cancelled."""
        context = Context(
            session_id=self._session.id, agent=agent.name, extra={"chat_id": self._session.id},
            on_metadata=self._progressed, on_ask=self._ask,
            on_known=lambda request: self._session.permissions.known(request) is not None,
            cancellation=self._cancellation,
        )  # fmt: skip
        name = registry.id_of(agent, self._params.name)
        step = registry.step(agent, name, context, self._arguments)
        with self._progress_out, self._progress_in:
            async with self._session.turn(step), anyio.create_task_group() as group:
                self._group = group
                group.start_soon(self._cancel_when_cancelled)
                group.start_soon(self._report_progress)
                done = await to_thread.run_sync(self._done, name, step, limiter=limiter)
                group.cancel_scope.cancel()
        if isinstance(done, PermissionRequest):
            return self._asked(done)
        return answer(name, done)

    def _done(self, name: str, step: Step) -> Result | PermissionRequest:
        """The result of the call, or a question that must be answered first. In a thread."""
        recording = self._session.recording
        sent = recording.sent(name, self._arguments) if recording else None
        try:
            result = step.run()
        except _Unanswered as error:
            return error.request
        except Exception as error:
            _log.exception("the tool %.80r failed", name)
            what = first_line(f"{type(error).__name__}: {error}", limit=300)
            return Result(name, f"{name:.80}: it failed inside ({what}). Try something else.", is_error=True)
        if recording and sent:
            recording.done(sent, result)
        elif recording:
            recording.showed(name, self._arguments, result)
        return result

    async def _cancel_when_cancelled(self) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            self._cancellation.cancel()  # Has no effect on a finished call.

    # Progress.

    def _progressed(self, title: str, metadata: Mapping[str, Any]) -> None:
        lines = str(metadata.get("output", "")).strip().splitlines()
        from_thread.run_sync(self._offer, (lines[-1] if lines else title)[:_LONGEST_PROGRESS], token=self._token)

    def _offer(self, message: str) -> None:
        """Queue a message, unless the client has not taken the last one yet."""
        try:
            self._progress_out.send_nowait(message.encode("utf-8", "backslashreplace").decode())
        except (anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            return

    async def _report_progress(self) -> None:
        n = 0
        async for message in self._progress_in:
            n += 1
            await self._request.session.report_progress(n, message=message)

    # Permissions.

    def _ask(self, request: PermissionRequest) -> bool | str:
        """Ask for a permission: True if the user gives it, or the user's choice. In a thread."""
        permissions = self._session.permissions
        known = permissions.known(request)
        if known is not None:
            return known
        if not self._can_ask():
            return False
        if self._request.session.can_send_request:
            asked: Future[str] = Future()
            from_thread.run_sync(self._group.start_soon, self._elicit, request, asked, token=self._token)
            return permissions.take(request, asked.result())
        key = key_of(request)
        if key not in self._answers:
            response = self._responses.get(key)
            if not isinstance(response, types.ElicitResult):
                raise _Unanswered(request)
            self._answers[key] = answer_of(response.action, response.content, request)
        return permissions.take(request, self._answers[key])

    def _can_ask(self) -> bool:
        """True if the client can show a form to its user."""
        declared = self._request.session.client_capabilities
        elicitation = declared.elicitation if declared else None
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    async def _elicit(self, request: PermissionRequest, asked: Future[str]) -> None:
        """Ask the client. Any failure counts as a no."""
        found = "no"
        try:
            response = await self._request.session.elicit_form(
                question(request), answer_schema(request), self._request.request_id
            )
            found = answer_of(response.action, response.content, request)
        except Exception as error:
            _log.warning("the client could not be asked: %s", first_line(str(error), limit=300))
        finally:
            asked.set_result(found)

    def _asked(self, request: PermissionRequest) -> types.InputRequiredResult:
        """The question as the result of the call. The client sends the call again with the answer."""
        form = types.ElicitRequestFormParams(message=question(request), requested_schema=answer_schema(request))
        return types.InputRequiredResult(
            input_requests={key_of(request): types.ElicitRequest(params=form)},
            request_state=self._session.keep(self._answers),
        )


_INVALID = "invalid"
_MOST_THREADS = 16
"""Most calls that run at a time; the others wait."""
_SESSION_HEADER = "mcp-session-id"
_INSTRUCTIONS = (
    "Tools for the files of one project. Paths are absolute or relative to its root. Read a file before you edit it; "
    "a refused edit changes nothing, and its text says what to send instead."
)


def tools_server(registry: Registry, agent: Agent, sessions: Sessions) -> Server[Any]:
    """A server that offers an agent's tools. Each connection is a session of its own."""
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
        "editgauge", version=__version__, title="editgauge tools", instructions=_INSTRUCTIONS, on_list_tools=list_tools,
        on_call_tool=call_tool,
    )  # fmt: skip
    server.middleware.clear()  # The package's own middleware sends traces to wherever the environment says.
    return server


def _connection(request: ServerRequestContext[Any, Any]) -> str:
    """Name of the connection: over HTTP the session's id, which the transport has checked; empty over stdio."""
    return "" if request.request is None else str(request.request.headers.get(_SESSION_HEADER, ""))


def _client(request: ServerRequestContext[Any, Any]) -> str:
    params = request.session.client_params
    return params.client_info.name[:200] if params else ""
