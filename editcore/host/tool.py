"""Tools: functions that a model calls, with a schema for their parameters, permissions, and the result of a call.

`Tool.execute` never raises for what a model sent or a disk did. It returns a `Result` with `is_error`, whose output
is one line for the model to act on. Exceptions from the host's own callbacks propagate.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from editcore.errors import Cancelled, ToolError, WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.parameters import declaration, read
from editcore.host.truncation import Outputs
from editcore.quoting import shown
from editcore.text.encodings import shown as shown_bytes
from editcore.types import Reason

EXTERNAL_DIRECTORY = "external_directory"
"""The permission for paths outside the project."""
BYPASS = "bypass_external_directory"
"""A key of `Context.extra`; if it is true, `external_directory` is not asked for."""
_WILDCARDS = "*?["
CONFLICT = "conflict"
"""The permission for an edit that overlaps others' changes since the session read the file."""
_DENIED_BY_DEFAULT = (EXTERNAL_DIRECTORY, CONFLICT, "bash")
"""Permissions for actions that can reach outside the project, or lose somebody's work."""


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A question to the host: may a tool do this?"""

    permission: str
    """`edit`, `bash`, `external_directory`, `conflict`, `read`, `task`, ..."""
    patterns: tuple[str, ...]
    """The paths, commands or globs in question."""
    always: tuple[str, ...] = ()
    """The patterns that the answer "always allow" would cover."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Values to show with the question: a diff, a command. `filepath` is the absolute path in question; several are
    joined by commas. `parentDir` is the absolute path of the directory that `external_directory` is asked for.
    """
    choices: tuple[str, ...] = ()
    """Answers other than yes and no: `skip`, `force`, `manual` for `conflict`. Any other answer refuses."""


def is_allowed_by_default(request: PermissionRequest) -> bool:
    """The answer of a context without `on_ask`: yes, but not to `external_directory`, `bash` and `conflict`."""
    return request.permission not in _DENIED_BY_DEFAULT


def always_of(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns that "always allow" can cover. A pattern with wildcards is left out: it would cover other paths."""
    return tuple(one for one in patterns if not any(character in one for character in _WILDCARDS))


def outside_request(path: str, directory: str) -> PermissionRequest:
    """The request for an absolute path outside the project, links resolved. It covers the directory of the path."""
    pattern = os.path.join(directory, "*")
    always = (pattern,) if always_of((directory,)) else ()
    return PermissionRequest(EXTERNAL_DIRECTORY, (pattern,), always, {"filepath": path, "parentDir": directory})


def unknown_request(words: tuple[str, ...]) -> PermissionRequest:
    """The request for paths that are known only when a script runs. It covers any path, and has no "always allow"."""
    return PermissionRequest(EXTERNAL_DIRECTORY, ("*",), (), {"filepath": " ".join(words)})


Parameters = TypeVar("Parameters")
Effect = Literal["reads", "edits", "runs"]
"""The most that a call can do: change nothing; change files; anything."""
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file sent to the model in addition to the text."""

    id: str
    type: str
    """`image` or `file`."""
    mime: str
    url: str
    """A `data:` URL with the bytes, or a `file:` URL."""


@dataclass(frozen=True, slots=True)
class Result:
    title: str
    """A heading for a list of calls: a path, or what was done."""
    output: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Data for a user interface; JSON values."""
    attachments: tuple[Attachment, ...] = ()
    is_error: bool = False
    """True if nothing was done. `metadata["reason"]` is then a `Reason`, or "cancelled", if one applies."""

    @property
    def is_refused(self) -> bool:
        """True also if nothing was left to do: the file has the change already, which is no error."""
        return self.is_error or "reason" in self.metadata


def ignore_metadata(title: str, metadata: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The caller of a tool, and its callbacks, which may be called from other threads."""

    session_id: str = "session"
    """The ledger records the files that a session has read."""
    message_id: str = ""
    agent: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Settings for tools: `bypass_external_directory`, `chat_id`, `turn_id`, ..."""
    on_metadata: Callable[[str, Mapping[str, Any]], None] = ignore_metadata
    """Called with the title and metadata so far, while a tool runs."""
    on_ask: Callable[[PermissionRequest], bool | str] = is_allowed_by_default
    """Called before a tool acts, in a thread of its own. Returns True to allow it, or one of the request's choices."""
    on_known: Callable[[PermissionRequest], bool] = lambda _: False
    """True if `on_ask` answers a request at once, without asking anybody. The files then stay locked meanwhile."""
    cancellation: Cancellation = field(default_factory=Cancellation)
    """`context.cancellation.cancel()`, from any thread, ends the calls that were made with this context."""

    def ask(self, request: PermissionRequest) -> None:
        """Ask for a permission. Raises ToolError if it is refused, and Cancelled if the call is cancelled."""
        answer = self._answer(request)
        if not answer or isinstance(answer, str):
            what = ", ".join(map(shown, request.patterns[:3]))
            raise ToolError(
                f"The permission {request.permission} was refused for {what}: nothing was done. "
                "Continue without it, or ask the user.",
                reason=Reason.NOT_ALLOWED,
            )

    def knows(self, request: PermissionRequest) -> bool:
        """True if the answer needs nobody to be asked. The default `on_ask` asks nobody."""
        return self.on_ask is is_allowed_by_default or self.on_known(request)

    def choose(self, request: PermissionRequest) -> str | None:
        """Ask a question with choices. Returns the chosen one; None for any other answer."""
        answer = self._answer(request)
        return answer if isinstance(answer, str) and answer in request.choices else None

    def _answer(self, request: PermissionRequest) -> bool | str:
        self.cancellation.check()
        # The default answers at once. Any other function may take long: a cancellation must not wait for it.
        is_default = self.on_ask is is_allowed_by_default
        answer = self.on_ask(request) if is_default else self.cancellation.outcome(lambda: self.on_ask(request))
        self.cancellation.check()
        return answer


def refusal(tool: str, error: ToolError | WorkspaceError) -> Result:
    reason = {} if error.reason is None else {"reason": str(error.reason)}
    return Result(tool, error.message, {**reason, **getattr(error, "metadata", {})}, is_error=True)


def cancelled(tool: str) -> Result:
    return Result(tool, f"{tool}: the call was cancelled: nothing was done.", {"reason": CANCELLED}, is_error=True)


@dataclass(frozen=True, slots=True)
class Declared(Generic[Parameters]):
    """What is known of a tool before it is made for a host and an agent."""

    id: str
    """Letters, digits, `_` and `-`, as model APIs require."""
    description: str
    """Written for the model."""
    parameters: type[Parameters]
    """A frozen dataclass with one field per parameter; `msgspec.Meta` gives its description and bounds."""
    _: KW_ONLY
    keep: Literal["head", "tail", "all"] = "head"
    """The end of a long output that the model gets; `all` if the tool itself heeds the limits."""
    refused: Callable[[str, ToolError | WorkspaceError], Result] = refusal
    """Makes the result for an error; for tools whose results have a format of their own."""
    files: Callable[[Parameters], Iterable[str]] | None = None
    """The paths of the files and directories that a call touches; None if they are not known beforehand."""
    effect: Effect = "edits"
    entry: tuple[str, ...] = ()
    """Keys of the result's metadata for a user interface. If there are any, it gets an entry for each call, and one
    for its result.
    """

    @property
    def declaration(self) -> dict[str, Any]:
        """The tool as model APIs take it: `name`, `description`, `input_schema`."""
        return declaration(self.id, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class Tool(Declared[Parameters]):
    """A tool, made for one host and agent."""

    run: Callable[[Context, Parameters], Result]
    """Runs the call. ToolError and WorkspaceError become the result."""
    outputs: Outputs = field(default_factory=Outputs)
    """The directory for outputs that are too long for the model."""
    has_task: bool = False
    """True if the agent has a tool `task`, which can search long outputs for it."""
    effect: Effect = field(default="runs", kw_only=True)

    def execute(self, context: Context, params: object) -> Result:
        """Check the parameters, run the tool, and shorten an output that is too long.

        A tool with an `entry` reports the call and its result, whatever the result.
        """
        if not self.entry:
            return self._executed(context, params)
        context.on_metadata(self.id, {"entry": "call", "tool": self.id, "params": params})
        result = cancelled(self.id)
        try:
            result = self._executed(context, params)
        finally:
            found = {"error": result.output, **result.metadata} if result.is_error else result.metadata
            shown = {key: found[key] for key in self.entry if key in found}
            ended = {"entry": "result", "tool": self.id, "ok": not result.is_error, "changed_paths": [], **shown}
            context.on_metadata(result.title, ended)
        return result

    def _executed(self, context: Context, params: object) -> Result:
        try:
            context.cancellation.check()
            result = self.run(context, read(self.id, self.parameters, params))
        except Cancelled:
            return cancelled(self.id)
        except (ToolError, WorkspaceError) as error:
            return self.refused(self.id, error)
        # Lines of a file may contain bytes that are no text, as lone surrogates.
        output = shown_bytes(result.output)
        if self.keep == "all":
            return replace(result, output=output, metadata={**result.metadata, "truncated": False})
        shortened = self.outputs.shortened(output, keep=self.keep, has_task=self.has_task)
        metadata = {**result.metadata, "truncated": not shortened.is_whole}
        if shortened.path is not None:
            metadata["output_path"] = str(shortened.path)
        return replace(result, output=shortened.text, metadata=metadata)
