"""`invalid`: the answer to a call that is not possible, for the model to try again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result


@dataclass(frozen=True, slots=True)
class Parameters:
    """A call, and what is wrong with it."""

    tool: Annotated[str, Meta(description="The name that was called.")]
    error: Annotated[str, Meta(description="What is wrong with the call.")]


def _run(host: Host, context: Context, params: Parameters) -> Result:  # noqa: ARG001
    message = f"Invalid call of {params.tool}: {params.error}."
    return Result("Invalid call", " ".join(message.split()), {"tool": params.tool}, is_error=True)


INVALID = BuiltIn(
    "invalid", "Do not call this: it answers calls that are not possible.", Parameters, _run, files=lambda _: ()
)
