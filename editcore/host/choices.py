"""Which tools an agent has, by its name and the model it uses: a table, of which the first row that fits decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from editcore.errors import UsageError, did_you_mean
from editcore.host.host import Agent

_EDITS = frozenset({"write", "edit", "multi_edit", "edit_file", "patch_file", "insert_at"})
_PATCHES = frozenset({"edit_patch"})


@dataclass(frozen=True, slots=True)
class Choice:
    """A row of the table: the agents and models that it is for, and the tools that they have."""

    agent: str = "*"
    """A glob of the agent's name."""
    model: str = "*"
    """A glob of `provider/model`; only `*` fits an agent whose model is not known."""
    only: frozenset[str] | None = None
    """The ids of its tools; None for all."""
    without: frozenset[str] = frozenset()
    """Ids of tools that it does not have."""

    def fits(self, agent: Agent) -> bool:
        """Whether the row is for this agent."""
        return fnmatchcase(agent.name, self.agent) and fnmatchcase(agent.model, self.model)

    def offers(self, id: str) -> bool:
        """Whether the agents of the row have a tool."""
        return (self.only is None or id in self.only) and id not in self.without


BY_MODEL: tuple[Choice, ...] = (
    *(Choice(model=model, without=_EDITS) for model in ("*gpt-4.1*", "*gpt-5*", "*codex*")),
    Choice(without=_PATCHES),
)
"""`edit_patch` for models that were trained on its format, and the other editing tools for all others.

Source: OpenAI's GPT-4.1 prompting guide says that GPT-4.1 was trained on the format; Codex uses it with its models.
"""


def check_choices(choices: Iterable[Choice], ids: Iterable[str]) -> None:
    """Raise UsageError where a row names a tool that is not among the ids."""
    known = list(ids)
    for choice in choices:
        for id in sorted((choice.only or frozenset()) | choice.without):
            if id not in known:
                raise UsageError(
                    f"There is no tool {id!r} for a row to name",
                    f"{did_you_mean(id, known)}There are: {', '.join(known)}.",
                )
