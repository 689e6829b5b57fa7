"""Tools beside the edits: `rollback` and `cleanup` of backups, `task` for another agent, `invalid` for bad calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from editcore.errors import Cancelled
from editcore.host.host import Host, Task
from editcore.host.registry import BuiltIn
from editcore.host.tool import CANCELLED, Context, PermissionRequest, Result
from editcore.host.workspace import WRITES_NOTHING, Workspace
from editcore.quoting import shown


@dataclass(frozen=True, slots=True)
class EditedFile:
    path: Annotated[str, Meta(description="The file's path; empty for all files that were edited.")] = ""


def _on_backups(
    id: str, description: str, what: str, work: Callable[[Workspace, str | None], tuple[str, ...]]
) -> BuiltIn[EditedFile]:
    """A tool that restores or removes the backups of one file or of all."""

    def run(host: Host, context: Context, params: EditedFile) -> Result:
        file = host.file(context, params.path) if params.path else host.directory(context, "")
        paths = work(file.workspace, file.path or None)
        named = "\n".join(shown(path, limit=None) for path in paths)
        return Result(id, f"{what}:\n{named}" if paths else "There are no backups.", {"paths": list(paths)})

    def is_offered(host: Host) -> bool:
        return host.backups and host.workspace.mode not in WRITES_NOTHING

    return BuiltIn(id, description, EditedFile, run, is_offered)


ROLLBACK = _on_backups(
    "rollback",
    "Restores a file, or all edited files, to before the first edit; files that were created are deleted. All of them "
    "or none: it is refused if somebody else has written to one of them since.",
    "Restored, as before the first edit",
    Workspace.rollback,
)
CLEANUP = _on_backups(
    "cleanup",
    "Removes the backup of a file, or of all edited files; they can't be rolled back any more.",
    "Backups removed, of",
    Workspace.cleanup,
)


def _run(host: Host, context: Context, params: Task) -> Result:
    context.ask(PermissionRequest("task", (params.agent,), (params.agent,), asdict(params)))
    context.on_metadata(params.description, {"agent": params.agent})
    run = host.task
    assert run is not None  # Without it the tool is not offered.
    try:
        output = context.cancellation.outcome(lambda: run(context, params))
        context.cancellation.check()
    except Cancelled:
        note = "(cancelled: the answer is not waited for; what the agent had done by then was not undone)"
        return Result(params.description, note, {"agent": params.agent, "reason": CANCELLED}, is_error=True)
    return Result(params.description, output, {"agent": params.agent})


TASK = BuiltIn(
    "task",
    "Gives a task to another agent, which knows only the prompt, and returns its answer.",
    Task,
    _run,
    effect="runs",
    is_offered=lambda host: host.task is not None,
)


@dataclass(frozen=True, slots=True)
class InvalidCall:
    tool: Annotated[str, Meta(description="The name that was called.")]
    error: Annotated[str, Meta(description="What is wrong with the call.")]


def _run_invalid(host: Host, context: Context, params: InvalidCall) -> Result:  # noqa: ARG001
    message = f"Invalid call of {params.tool}: {params.error}."
    return Result("Invalid call", " ".join(message.split()), {"tool": params.tool}, is_error=True)


INVALID = BuiltIn(
    "invalid",
    "Do not call this: it answers calls that are not possible.",
    InvalidCall,
    _run_invalid,
    files=lambda _: (),
)
