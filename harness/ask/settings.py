"""The settings of an asking: what a replies file is about. Only how much is asked may grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice

from editcore.errors import UsageError
from harness.ask.clients.client import Sampling
from harness.ask.formats import Style
from harness.ask.tasks import Level, Task, tasks

_GROWING = ("words", "n_tasks", "n_repeats", "rules")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked, whom, and how."""

    source: str
    levels: tuple[Level, ...]
    seed: int
    model: str
    api: str
    address: str
    style: Style
    sampling: Sampling
    words: Mapping[str, str]
    """Format -> the hash of its template."""
    n_tasks: int
    n_repeats: int
    rules: tuple[str, ...] = ()
    """The strategies whose refusals are sent back."""

    def tasks(self) -> Iterator[Task]:
        """The tasks, drawn again each time. Raises UsageError."""
        return islice(tasks(self.source, levels=self.levels, seed=self.seed), self.n_tasks)

    def joined(self, other: Settings) -> Settings:
        """The settings of both, of which `other` are the new ones. Raises UsageError where they do not go together."""
        for one in fields(self):
            old, new = getattr(self, one.name), getattr(other, one.name)
            if one.name not in _GROWING and old != new:
                raise UsageError(
                    f"The replies file was begun with another {one.name}: {old}, not {new}",
                    "Ask with the same settings, or name another -o; `editgauge answer` takes several files.",
                )
        for name, mark in self.words.items():
            if other.words.get(name, mark) != mark:
                raise UsageError(
                    f"The words of {name} have changed since the replies file was begun", "Name another -o."
                )
        return replace(
            other,
            words={**self.words, **other.words},
            n_tasks=max(self.n_tasks, other.n_tasks),
            n_repeats=max(self.n_repeats, other.n_repeats),
            rules=tuple(dict.fromkeys((*self.rules, *other.rules))),
        )
