"""What a tool is: what a model calls, with parameters checked against a schema, and what it gets back.

A tool never raises for what a model sent or a disk did: what went wrong is a `Result` with `is_error`, its output the
one line that the model is to act on. What a host's own callbacks raise goes through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from editcore.errors import ToolError, WorkspaceError
from editcore.quoting import shown
from editcore.tools.host.parameters import declaration, read
from editcore.tools.host.truncation import Outputs
from editcore.types import Reason

Parameters = TypeVar("Parameters")

EXTERNAL_DIRECTORY = "external_directory"
"""The permission to touch what lies outside of the project."""
_NEEDS_A_YES = (EXTERNAL_DIRECTORY, "bash")
"""What can leave the project is refused where there is nobody to ask."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes to the model beside the text."""

    id: str
    type: str
    """`image` or `file`."""
    mime: str
    url: str
    """`data:` with the bytes in it, or `file:`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call came to."""

    title: str
    """For a list of calls: the path, or what was done."""
    output: str
    """What the model reads."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What a user interface shows; values that JSON has."""
    attachments: tuple[Attachment, ...] = ()
    is_error: bool = False
    """Nothing was done; `metadata["reason"]` is then one of `Reason`, where one of them says why."""


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """May a tool do that?"""

    permission: str
    """`edit`, `bash`, `external_directory`, `read`, `task`, ..."""
    patterns: tuple[str, ...]
    """What it is about: paths, commands, globs."""
    always: tuple[str, ...] = ()
    """The patterns that a "yes, always" would cover."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the question shows: a diff, a command."""


def is_allowed_unasked(request: PermissionRequest) -> bool:
    """The answer where there is nobody to ask: yes to all but what can leave the project."""
    return request.permission not in _NEEDS_A_YES


def ignore_metadata(title: str, metadata: Mapping[str, Any]) -> None:
    """Where nobody listens to what a tool says meanwhile."""


@dataclass(frozen=True, slots=True)
class Context:
    """Who calls, and whom a tool can talk to meanwhile. The callbacks may come from other threads."""

    session_id: str = "session"
    """What was read is remembered by session."""
    message_id: str = ""
    agent: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a host tells its tools: `bypass_external_directory`, `chat_id`, `turn_id`, ..."""
    on_metadata: Callable[[str, Mapping[str, Any]], None] = ignore_metadata
    """Title and metadata as they are so far, while a tool works."""
    on_ask: Callable[[PermissionRequest], bool] = is_allowed_unasked
    """Whether a tool may do that."""

    def ask(self, request: PermissionRequest) -> None:
        """Go on only with a yes. Raises ToolError."""
        if not self.on_ask(request):
            what = ", ".join(map(shown, request.patterns[:3]))
            raise ToolError(
                f"The permission {request.permission} was refused for {what}: nothing was done. "
                "Do without it, or ask the user.",
                reason=Reason.NOT_ALLOWED,
            )


def refusal(tool: str, error: ToolError | WorkspaceError) -> Result:
    """What went wrong, in its one line."""
    reason = {} if error.reason is None else {"reason": str(error.reason)}
    return Result(tool, error.message, {**reason, **getattr(error, "metadata", {})}, is_error=True)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Parameters]):
    """A tool that is ready to be called."""

    id: str
    """Letters, digits, `_` and `-`: what model APIs take as a name."""
    description: str
    """Written for the model."""
    parameters: type[Parameters]
    """A frozen dataclass: one field a parameter, with `msgspec.Meta` for its description and bounds."""
    run: Callable[[Context, Parameters], Result]
    """Does the work. May raise ToolError and WorkspaceError, which become the result."""
    outputs: Outputs = field(default_factory=Outputs)
    """Where an output that is too long for a model is kept in whole."""
    has_task: bool = False
    """There is a `task` tool to which long outputs can be given to read."""
    keep: Literal["head", "tail"] = "head"
    """Which part of an output that is too long goes to the model."""
    refused: Callable[[str, ToolError | WorkspaceError], Result] = refusal
    """The result where something went wrong, for tools whose answers have a shape of their own."""

    @property
    def declaration(self) -> dict[str, Any]:
        """In the shape that model APIs take: `name`, `description`, `input_schema`."""
        return declaration(self.id, self.description, self.parameters)

    def execute(self, context: Context, params: object) -> Result:
        """Check the parameters, do the work, cut the output to what a model can read."""
        try:
            result = self.run(context, read(self.id, self.parameters, params))
        except (ToolError, WorkspaceError) as error:
            return self.refused(self.id, error)
        shortened = self.outputs.shortened(result.output, keep=self.keep, has_task=self.has_task)
        metadata = {**result.metadata, "truncated": not shortened.is_whole}
        if shortened.path is not None:
            metadata["output_path"] = str(shortened.path)
        return replace(result, output=shortened.text, metadata=metadata)
