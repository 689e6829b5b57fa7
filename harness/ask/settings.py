"""The settings of an asking: what a replies file is about. Only the amount that is asked may grow."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING

from editcore.errors import UsageError
from harness.ask.clients.client import Request, Sampling
from harness.ask.formats import Style
from harness.ask.tasks import Level, Task, tasks

if TYPE_CHECKING:
    from harness.ask.questions import Question

_GROWING = ("words", "n_tasks", "n_repeats", "rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked, whom, and how. Repairs have no tasks: their questions come from the refused edits of a corpus."""

    source: str = ""
    """Source of the tasks; empty for repairs, like all fields about tasks."""
    levels: tuple[Level, ...] = ()
    seed: int = 0
    model: str
    api: str
    address: str
    """URL of the server."""
    style: Style = "text"
    sampling: Sampling
    words: Mapping[str, str]
    """Name of a format, or of a shape of repair -> hash of its template."""
    n_tasks: int = 0
    n_repeats: int
    rules: tuple[str, ...] = ()
    """Strategies whose refusals are sent back to the model."""

    def tasks(self) -> Iterator[Task]:
        """Draw the tasks; each call draws the same ones. Raises UsageError."""
        return islice(tasks(self.source, levels=self.levels, seed=self.seed), self.n_tasks)

    def request(self, question: Question) -> Request:
        """The request that a client sends for a question."""
        return question.request(self.model, self.sampling)

    def key(self, question: Question) -> str:
        """Hash of everything that can change a reply: server, every word, tool, sampling, repetition, refusing rule.

        Two rules can refuse a reply with the same message. Their questions still have two keys: the second replies are
        two draws.
        """
        request = asdict(self.request(question))
        parts = {"address": self.address, "api": self.api, "request": request, "repeat": question.repeat}
        text = json.dumps({**parts, "rule": question.rule}, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def joined(self, other: Settings) -> Settings:
        """These settings with the growth of the newer `other`. Raises UsageError if another field differs."""
        for one in fields(self):
            old, new = getattr(self, one.name), getattr(other, one.name)
            if one.name not in _GROWING and old != new:
                several = "; `editgauge answer` takes several files" if self.source else ""
                raise UsageError(
                    f"The replies file was begun with another {one.name}: {old}, not {new}",
                    f"Ask with the same settings, or name another -o{several}.",
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
