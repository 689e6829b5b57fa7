"""What a measurement is: one figure that a run has for each strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

from reports.measurements.counts import Counts
from reports.measurements.estimate import Estimate, estimated

Value = TypeVar("Value")


class Unit(StrEnum):
    """What a value is a number of, and so how it is written."""

    SHARE = "share"
    """A rate: an `Estimate`, which has its interval and its denominator."""
    COUNT = "count"
    """Outcomes, lines or properties."""
    COUNTS = "counts"
    """Counts by a word: a table of its own, never a cell."""
    NANOSECONDS = "nanoseconds"


class Shown(StrEnum):
    """Whether a table has a column for a measurement."""

    ALWAYS = "always"
    WHERE_ANY = "where any"
    """Where a strategy of the table has any."""
    NEVER = "never"
    """It is in JSON, CSV and DataFrames all the same."""


@dataclass(frozen=True, slots=True)
class Measurement(Generic[Value]):
    """One figure of a strategy in a run, None where the run did not record what it needs or its denominator is 0."""

    name: str
    """What JSON, CSV, DataFrames and the page call it."""
    heading: str
    """Of its column."""
    meaning: str
    """One line, with the denominator where there is one: for docs, the page's terms and a column's help."""
    unit: Unit
    of: Callable[[Counts], Value]
    """How it is counted from the outcomes of one strategy."""
    in_table: Shown = Shown.NEVER
    """In a terminal's table of strategies, and in those that documents quote."""
    on_page: Shown = Shown.NEVER
    """In the page's table of strategies."""
    better: Literal["more", "less"] | None = None
    """Which values are better, where that is certain; the less the better is red in a table if it is not 0."""
    out_of: str | None = None
    """The name of the measurement that it is a part of: written `3 of 22`."""
    sums: tuple[str, ...] = ()
    """Columns of outcomes that hold numbers of which it needs the totals; all have the counts by their words."""
    counts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Columns of outcomes and their values in the outcomes that it counts, so that a number can lead to its samples."""


def share(
    name: str,
    heading: str,
    meaning: str,
    of: Callable[[Counts], tuple[int, int] | None],
    *,
    in_table: Shown = Shown.NEVER,
    on_page: Shown = Shown.NEVER,
    better: Literal["more", "less"] | None = None,
) -> Measurement[Estimate | None]:
    """A rate with its interval, of (successes, denominator); None where that is None or the denominator is 0."""

    def estimate(counts: Counts) -> Estimate | None:
        found = of(counts)
        return estimated(name, counts.strategy, *found, counts.interval(of)) if found and found[1] else None

    return Measurement(name, heading, meaning, Unit.SHARE, estimate, in_table, on_page, better)
