"""The server of the tools, what it declares, and a call: in a thread, with progress, cancellation and permission.

In the versions of the protocol with a handshake the server asks the client while the call waits. From 2026-07-28 on a
server cannot ask: the call ends with its question, and the client sends it again with the answer. Nothing is lost by
that, because tools ask before they act.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Annotated, Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import TaskGroup
from anyio.lowlevel import current_token
from mcp import types
from mcp.server import Server, ServerRequestContext
from msgspec import Meta

from editcore import __version__
from editcore.host.cancellation import Cancellation
from editcore.host.parameters import schema
from editcore.host.registry import Step
from editcore.host.tool import Effect
from editcore.host.tools import TOOLS, Agent, Attachment, Context, PermissionRequest, Registry, Result, Tool
from editcore.quoting import first_line
from harness.mcp.sessions import Session, Sessions, answer_of, answer_schema, key_of, question

# Tools as the protocol declares them, and the results of their calls.

_ANNOTATIONS: Mapping[Effect, types.ToolAnnotations] = {
    "reads": types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
    "edits": types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
    "runs": types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
}
_MOST_FILES = 100
_MOST_DIAGNOSTICS = 20


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """The change of one file."""

    path: str
    additions: Annotated[int, Meta(description="Lines added.")]
    deletions: Annotated[int, Meta(description="Lines removed.")]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error in a file after the edit."""

    path: str
    line: Annotated[int, Meta(description="1-based.")]
    column: Annotated[int, Meta(description="1-based, in code points.")]
    message: str


@dataclass(frozen=True, slots=True)
class Structured:
    """The structured result of a tool that edits files."""

    title: Annotated[str, Meta(description="The file, or what was done.")]
    output: Annotated[str, Meta(description="The text of the result, as in the content.")]
    reason: Annotated[str, Meta(description="Why nothing was changed.")] = ""
    replacer: Annotated[str, Meta(description="The replacer or tier that found the text.")] = ""
    files: Annotated[list[ChangedFile], Meta(description="The files that were changed.")] = field(default_factory=list)
    diagnostics: Annotated[list[Diagnostic], Meta(description="Errors after the edit.")] = field(default_factory=list)
    notes: Annotated[list[str], Meta(description="How the edit was taken.")] = field(default_factory=list)


_OUTPUT_SCHEMA = schema(Structured)


def declared(tool: Tool[Any]) -> types.Tool:
    """Declaration of a tool: schemas of its parameters and of its structured result, and its possible effect."""
    effect = effect_of(tool.id)
    return types.Tool(
        name=tool.id, description=tool.description, input_schema=tool.declaration["input_schema"],
        output_schema=_OUTPUT_SCHEMA if effect == "edits" else None, annotations=_ANNOTATIONS[effect],
    )  # fmt: skip


def effect_of(id: str) -> Effect:
    """Possible effect of a call of a tool. A tool that is not built in may do anything."""
    return TOOLS[id].effect if id in TOOLS else "runs"


def answer(id: str, result: Result) -> types.CallToolResult:
    """Result of a call: its text and attachments. An edit's result also has a structure, without any file's text."""
    content: list[types.ContentBlock] = [types.TextContent(text=_valid(result.output))]
    content += map(_attached, result.attachments)
    structured = dict(_structured(result)) if effect_of(id) == "edits" else None
    return types.CallToolResult(content=content, structured_content=structured, is_error=result.is_error)


def _structured(result: Result) -> Iterator[tuple[str, Any]]:
    yield "title", _valid(result.title)
    yield "output", _valid(result.output)
    found = result.metadata
    for name in ("reason", "replacer"):
        if found.get(name):
            yield name, str(found[name])
    if files := found.get("filediffs"):
        names = ("additions", "deletions")
        yield "files", [{"path": one["file"], **{name: one[name] for name in names}} for one in files[:_MOST_FILES]]
    if diagnostics := found.get("diagnostics"):
        flat = [{"path": path, **one} for path, errors in diagnostics.items() for one in errors]
        yield "diagnostics", flat[:_MOST_DIAGNOSTICS]
    if notes := found.get("notes"):
        yield "notes", list(map(_valid, notes))


def _attached(attachment: Attachment) -> types.ContentBlock:
    data = attachment.url.partition(",")[2]
    if attachment.type == "image":
        return types.ImageContent(data=data, mime_type=attachment.mime)
    blob = types.BlobResourceContents(uri=f"editgauge:{attachment.id}", mime_type=attachment.mime, blob=data)
    return types.EmbeddedResource(resource=blob)


def _valid(text: str) -> str:
    """The text with lone surrogates escaped, because the protocol is UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


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
