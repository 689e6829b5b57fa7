"""Drills: targets whose trials are not texts to try but things to go through: faults, races, growth, a history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Orders:
    """How a drill is asked for."""

    seconds: float | None = None
    """Wall time after which no new trial begins; None is until all are done."""
    runs: int | None = None
    """Trials at most; None is as many as the drill has."""
    seed: int = 0
    repo: Path | None = None
    """The git repository whose history is replayed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing gone through."""

    group: str
    """What it is a trial of; trials are counted by it."""
    what: str
    """Which one: enough to do it again by hand."""
    broken: str | None = None
    """One line on what did not hold; None where all did."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What was measured, by name; the largest of a group is shown."""
    n: int = 1
    """How many tries it stands for."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A target of trials of its own."""

    name: str
    summary: str
    """One line."""
    run: Callable[[Orders], Iterator[Trial]]
