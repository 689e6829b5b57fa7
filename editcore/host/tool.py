"""What a tool is: a function that a model calls, with a schema for its parameters, and the result of a call.

`Tool.execute` never raises for what a model sent or a disk did: it returns a `Result` with `is_error`, whose output is
one line for the model to act on. Exceptions from the host's own callbacks propagate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from editcore.errors import Cancelled, ToolError, WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.parameters import declaration, read
from editcore.host.permissions import PermissionRequest, is_allowed_by_default
from editcore.host.truncation import Outputs
from editcore.quoting import shown
from editcore.text.encodings import shown as shown_bytes
from editcore.types import Reason

Parameters = TypeVar("Parameters")
Effect = Literal["reads", "edits", "runs"]
"""What a call can do: it changes nothing; it changes files; it does what it is given, whatever that is."""
CANCELLED = "cancelled"
"""`metadata["reason"]` of a call that was cancelled."""


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
    """The result of a call."""

    title: str
    """A heading for a list of calls: the path, or what was done."""
    output: str
    """The text for the model."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Data for a user interface; JSON values."""
    attachments: tuple[Attachment, ...] = ()
    is_error: bool = False
    """Nothing was done. `metadata["reason"]` is then a `Reason`, or "cancelled", where one applies."""


def ignore_metadata(title: str, metadata: Mapping[str, Any]) -> None:
    """The default of `Context.on_metadata`."""


@dataclass(frozen=True, slots=True)
class Context:
    """The caller of a tool, and its callbacks, which may be called from other threads."""

    session_id: str = "session"
    """Which files were read is recorded per session."""
    message_id: str = ""
    agent: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Settings for tools: `bypass_external_directory`, `chat_id`, `turn_id`, ..."""
    on_metadata: Callable[[str, Mapping[str, Any]], None] = ignore_metadata
    """Called with the title and metadata so far, while a tool runs."""
    on_ask: Callable[[PermissionRequest], bool | str] = is_allowed_by_default
    """Called before a tool acts, in a thread of its own; returns whether it may, or one of the request's choices."""
    on_known: Callable[[PermissionRequest], bool] = lambda _: False
    """Whether `on_ask` answers a request at once, without asking anybody: files then stay locked meanwhile."""
    cancellation: Cancellation = field(default_factory=Cancellation)
    """`context.cancellation.cancel()`, from any thread, ends the calls that were made with this context."""

    def ask(self, request: PermissionRequest) -> None:
        """Ask for a permission. Raises ToolError where it is refused, and Cancelled where the call is cancelled."""
        answer = self._answer(request)
        if not answer or isinstance(answer, str):
            what = ", ".join(map(shown, request.patterns[:3]))
            raise ToolError(
                f"The permission {request.permission} was refused for {what}: nothing was done. "
                "Continue without it, or ask the user.",
                reason=Reason.NOT_ALLOWED,
            )

    def knows(self, request: PermissionRequest) -> bool:
        """Whether the answer is there without asking anybody. That of the default always is."""
        return self.on_ask is is_allowed_by_default or self.on_known(request)

    def choose(self, request: PermissionRequest) -> str | None:
        """Ask a question with choices. Returns the one chosen, or None where the answer is no or anything else."""
        answer = self._answer(request)
        return answer if isinstance(answer, str) and answer in request.choices else None

    def _answer(self, request: PermissionRequest) -> bool | str:
        self.cancellation.check()
        # The default answers at once; whoever else is asked may take any time.
        is_default = self.on_ask is is_allowed_by_default
        answer = self.on_ask(request) if is_default else self.cancellation.outcome(lambda: self.on_ask(request))
        self.cancellation.check()
        return answer


def refusal(tool: str, error: ToolError | WorkspaceError) -> Result:
    """The result for an error."""
    reason = {} if error.reason is None else {"reason": str(error.reason)}
    return Result(tool, error.message, {**reason, **getattr(error, "metadata", {})}, is_error=True)


def cancelled(tool: str) -> Result:
    """The result for a call that was cancelled."""
    return Result(tool, f"{tool}: the call was cancelled: nothing was done.", {"reason": CANCELLED}, is_error=True)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Parameters]):
    """A tool, made for one host and agent."""

    id: str
    """Letters, digits, `_` and `-`, as model APIs require."""
    description: str
    """Written for the model."""
    parameters: type[Parameters]
    """A frozen dataclass with one field per parameter; `msgspec.Meta` gives its description and bounds."""
    run: Callable[[Context, Parameters], Result]
    """Runs the call. ToolError and WorkspaceError become the result."""
    outputs: Outputs = field(default_factory=Outputs)
    """Where an output that is too long for the model is kept."""
    has_task: bool = False
    """Whether the agent has a `task` tool, to which it can give long outputs."""
    keep: Literal["head", "tail"] = "head"
    """Which end of an output that is too long the model gets."""
    refused: Callable[[str, ToolError | WorkspaceError], Result] = refusal
    """Makes the result for an error. For tools whose results have a format of their own."""
    files: Callable[[Parameters], Iterable[str]] | None = None
    """The paths of the files and directories that a call touches; None where they are not known beforehand."""
    effect: Effect = "runs"

    @property
    def declaration(self) -> dict[str, Any]:
        """The tool as model APIs take it: `name`, `description`, `input_schema`."""
        return declaration(self.id, self.description, self.parameters)

    def execute(self, context: Context, params: object) -> Result:
        """Check the parameters, run the tool, and shorten an output that is too long."""
        try:
            context.cancellation.check()
            result = self.run(context, read(self.id, self.parameters, params))
        except Cancelled:
            return cancelled(self.id)
        except (ToolError, WorkspaceError) as error:
            return self.refused(self.id, error)
        # Lines of a file may hold bytes that are no text.
        shortened = self.outputs.shortened(shown_bytes(result.output), keep=self.keep, has_task=self.has_task)
        metadata = {**result.metadata, "truncated": not shortened.is_whole}
        if shortened.path is not None:
            metadata["output_path"] = str(shortened.path)
        return replace(result, output=shortened.text, metadata=metadata)
