"""`task`: gives work to another agent, which the host runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from editcore.errors import Cancelled
from editcore.host.host import Host, Task
from editcore.host.registry import BuiltIn
from editcore.host.tool import CANCELLED, Context, PermissionRequest, Result


@dataclass(frozen=True, slots=True)
class Parameters:
    """A task, and the agent that does it."""

    description: Annotated[str, Meta(description="The task, in three to five words.", min_length=1)]
    prompt: Annotated[str, Meta(description="Everything that the other agent needs to know.", min_length=1)]
    agent: Annotated[str, Meta(description="The name of the agent that does the task.", min_length=1)]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    context.ask(PermissionRequest("task", (params.agent,), (params.agent,), asdict(params)))
    context.on_metadata(params.description, {"agent": params.agent})
    work = Task(params.description, params.prompt, params.agent)
    try:
        output = context.cancellation.outcome(lambda: _worked(host, context, work))
        context.cancellation.check()
    except Cancelled:
        note = "(cancelled: the answer is not waited for; what the agent had done by then was not undone)"
        return Result(params.description, note, {"agent": params.agent, "reason": CANCELLED}, is_error=True)
    return Result(params.description, output, {"agent": params.agent})


def _worked(host: Host, context: Context, work: Task) -> str:
    assert host.task  # Without it the tool is not offered.
    return host.task(context, work)


TASK = BuiltIn(
    "task",
    "Gives a task to another agent, which knows only the prompt, and returns its answer.",
    Parameters,
    _run,
    effect="runs",
    is_offered=lambda host: host.task is not None,
)
