"""Drills: trials that are not single inputs, such as growth, faults, races and git histories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Program = Callable[[Sequence[str]], object]
"""The entry point of `editgauge`: takes its arguments, and ends with SystemExit."""


@dataclass(frozen=True, slots=True)
class DrillSettings:
    """How to run a drill."""

    seconds: float | None = None
    """Wall time after which no new trial starts; None: no limit."""
    runs: int | None = None
    """Most trials; None: as many as the drill has."""
    seed: int = 0
    repository: Path | None = None
    """The git repository whose history is applied; None: that of the current folder."""
    program: Program | None = None
    """The program whose commands are run under faults."""
    strategies: tuple[str, ...] = ()
    """Names or globs of the strategies that are asked; none for those of the drill."""
    calls: Path | None = None
    """A file that says how a server's tools are called; None: as our own."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one trial."""

    group: str
    """What is tried; trials are counted by group."""
    what: str
    """Which trial of its group, with enough detail to repeat it by hand."""
    broken: str | None = None
    """One line on what did not hold; None if everything did."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Measurements by name; of each group the largest is shown."""
    n: int = 1
    """The number of tries that this one stands for."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A named series of trials."""

    name: str
    summary: str
    """One line."""
    run: Callable[[DrillSettings], Iterator[Trial]]
    uses: frozenset[str] = frozenset()
    """The settings it uses besides `seconds` and `runs`: `seed`, `repository`, `program`, `strategies`, `calls`."""
