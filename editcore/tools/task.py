"""`task`: work handed to another agent, which the host runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.host import Host, Task
from editcore.tools.host.tool import Context, PermissionRequest, Result


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is to be done, and by whom."""

    description: Annotated[str, Meta(description="The task in three to five words.", min_length=1)]
    prompt: Annotated[str, Meta(description="All that the other agent needs to know.", min_length=1)]
    agent: Annotated[str, Meta(description="The name of the agent that is to do it.", min_length=1)]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    assert host.task  # Without it the tool is not offered.
    context.ask(PermissionRequest("task", (params.agent,), (params.agent,), asdict(params)))
    context.on_metadata(params.description, {"agent": params.agent})
    output = host.task(context, Task(params.description, params.prompt, params.agent))
    return Result(params.description, output, {"agent": params.agent})


TASK = BuiltIn(
    "task",
    "Hands work to another agent, which starts with nothing but the prompt, and gives back what it found.",
    Parameters,
    _run,
    is_offered=lambda host: host.task is not None,
)
