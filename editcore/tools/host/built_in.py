"""A tool that is not ready yet: what it is called and takes, and how it is made for a host and an agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from editcore.errors import ToolError, WorkspaceError, check_installed
from editcore.tools.host.host import Agent, Host
from editcore.tools.host.parameters import declaration
from editcore.tools.host.tool import Context, Result, Tool, refusal

Parameters = TypeVar("Parameters")

Factory = Callable[[Host, Agent], Tool[Any] | None]
"""Makes a tool for an agent; None where the host has nothing for it to work with. May raise."""


@dataclass(frozen=True, slots=True)
class BuiltIn(Generic[Parameters]):
    """A factory that can say beforehand what it makes."""

    id: str
    description: str
    parameters: type[Parameters]
    run: Callable[[Host, Context, Parameters], Result]
    is_offered: Callable[[Host], bool] = lambda _: True
    keep: Literal["head", "tail"] = "head"
    """Which part of an output that is too long goes to the model."""
    packages: tuple[str, ...] = ()
    """Modules of the extra `tools` that it imports when it runs."""
    refused: Callable[[str, ToolError | WorkspaceError], Result] = refusal
    """The result where something went wrong."""

    @property
    def declaration(self) -> dict[str, Any]:
        """In the shape that model APIs take: `name`, `description`, `input_schema`."""
        return declaration(self.id, self.description, self.parameters)

    def __call__(self, host: Host, _: Agent) -> Tool[Parameters] | None:
        """The tool, or None where the host lacks what it works with. Raises UsageError where a package is missing."""
        if not self.is_offered(host):
            return None
        check_installed(*self.packages, extra="tools", needed_by=self.id)

        def run(context: Context, read: Parameters) -> Result:
            return self.run(host, context, read)

        return Tool(self.id, self.description, self.parameters, run, keep=self.keep, refused=self.refused)
