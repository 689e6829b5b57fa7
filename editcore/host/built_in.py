"""A built-in tool: its id, description and parameters, and how it is made for a host and an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from editcore.errors import ToolError, WorkspaceError, check_installed
from editcore.host.host import Agent, Host
from editcore.host.parameters import declaration
from editcore.host.tool import Context, Effect, Result, Tool, refusal

Parameters = TypeVar("Parameters")

Factory = Callable[[Host, Agent], Tool[Any] | None]
"""Makes a tool for an agent, or returns None where the host lacks what it works with. May raise."""


@dataclass(frozen=True, slots=True)
class BuiltIn(Generic[Parameters]):
    """A factory for tools whose declaration is known before one is made."""

    id: str
    description: str
    parameters: type[Parameters]
    run: Callable[[Host, Context, Parameters], Result]
    is_offered: Callable[[Host], bool] = lambda _: True
    """Whether the host has what the tool works with."""
    effect: Effect = "edits"
    keep: Literal["head", "tail"] = "head"
    """Which end of an output that is too long the model gets."""
    packages: tuple[str, ...] = ()
    """Modules of the extra `tools` that it imports when it runs."""
    refused: Callable[[str, ToolError | WorkspaceError], Result] = refusal
    """Makes the result for an error."""
    files: Callable[[Parameters], Iterable[str]] | None = None
    """The paths of the files and directories that a call touches; None where they are not known beforehand."""
    parameters_for: Callable[[Host], type[Parameters]] | None = None
    """Makes the parameters, where they depend on the host."""
    description_for: Callable[[Host], str] | None = None
    """Makes the description, where it depends on the host."""

    @property
    def declaration(self) -> dict[str, Any]:
        """The tool as model APIs take it: `name`, `description`, `input_schema`."""
        return declaration(self.id, self.description, self.parameters)

    def parameters_of(self, host: Host) -> type[Parameters]:
        """The parameters of the tool in a host."""
        return self.parameters_for(host) if self.parameters_for else self.parameters

    def __call__(self, host: Host, _: Agent) -> Tool[Parameters] | None:
        """The tool, or None where the host lacks what it works with. Raises UsageError where a package is missing."""
        if not self.is_offered(host):
            return None
        check_installed(*self.packages, extra="tools", needed_by=self.id)

        def run(context: Context, read: Parameters) -> Result:
            return self.run(host, context, read)

        return Tool(
            self.id,
            self.description_for(host) if self.description_for else self.description,
            self.parameters_of(host),
            run,
            keep=self.keep,
            refused=self.refused,
            files=self.files,
            effect=self.effect,
        )
