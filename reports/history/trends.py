"""The rates of each strategy over the nights of a history, and the samples that turned from one night to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from reports.history.nights import History
from reports.measurements.interval import Estimate, percent
from reports.measurements.table import MATCH_RATE, SAMPLES, WRONG_RATE
from reports.runs.frames import frame
from reports.statistics.summary import Summary, run_summaries

_BARS = "▁▂▃▄▅▆▇█"
_LEAST_SPAN = 0.02
"""Difference of rates that a sparkline shows from bottom to top at least, so that a flat line looks flat."""
_MOST_BARS = 60


@dataclass(frozen=True, slots=True)
class NightRates:
    """The rates of one strategy on one night, as `editgauge table` defines them; None over no samples."""

    night: str
    n_samples: int
    match_rate: Estimate | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Estimate | None
    """Wrong edits / all labelled samples."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The rates of one strategy, night by night; nights without it are left out."""

    strategy: str
    nights: tuple[NightRates, ...]

    def line(self, *, width: int = 0) -> str:
        """The trend as one line: a sparkline of each rate, with its value on the last night; the name to a width."""
        last = self.nights[-1]
        match = sparkline([one.match_rate.value if one.match_rate else None for one in self.nights])
        wrong = sparkline([one.wrong_rate.value if one.wrong_rate else None for one in self.nights])
        rates = f"match {match} {rate_text(last.match_rate):<22}  wrong {wrong} {rate_text(last.wrong_rate)}"
        return f"{self.strategy:<{width}}  {rates}"


@dataclass(frozen=True, slots=True)
class NightTurned:
    """The samples whose verdict under one strategy is another than on the last night that had them."""

    strategy: str
    night: str
    changes: tuple[tuple[str, str, str], ...]
    """Sample id, verdict before, verdict on this night; by id."""


Nightly = dict[str, list[Summary]]
"""Night -> summaries of its strategies, the earliest night first."""


def summarised(history: History) -> Nightly:
    """The summaries of all nights."""
    return {night: run_summaries(history.night(night)) for night in history.nights()}


def trends(nightly: Nightly) -> list[Trend]:
    """The trends of all strategies of the nights, by name."""
    found: dict[str, list[NightRates]] = {}
    for night, summaries in nightly.items():
        for one in summaries:
            found.setdefault(one.strategy, []).append(NightRates(night, one[SAMPLES], one[MATCH_RATE], one[WRONG_RATE]))
    return [Trend(strategy, tuple(found[strategy])) for strategy in sorted(found)]


def turned(history: History, strategies: Sequence[str]) -> list[NightTurned]:
    """The samples that turned on each night, by night and then by strategy; a night without any is left out."""
    before: dict[str, pd.Series[str]] = {}
    found = []
    for night in history.nights():
        outcomes = frame(history.night(night), "outcomes", "sample_id", "strategy", "verdict")
        for strategy in strategies:
            mine = outcomes[outcomes["strategy"] == strategy]
            now = mine.drop_duplicates("sample_id").set_index("sample_id")["verdict"].astype(str)
            if not len(now):
                continue
            if strategy in before:
                both = pd.concat([before[strategy], now], axis=1, join="inner", keys=["before", "now"])
                other = both[both["before"] != both["now"]].sort_index()
                columns = (list(map(str, other.index)), other["before"].tolist(), other["now"].tolist())
                changes = tuple(zip(*columns, strict=True))
                if changes:
                    found.append(NightTurned(strategy, night, changes))
            before[strategy] = now.combine_first(before[strategy]) if strategy in before else now
    return found


def rate_text(rate: Estimate | None) -> str:
    """A rate with its 95 % interval: `91.2 % (90.1-92.2)`."""
    if rate is None:
        return "-"
    return f"{percent(rate.value)} ({100 * rate.low:.1f}-{100 * rate.high:.1f})"


def sparkline(values: Sequence[float | None]) -> str:
    """The last values as bars from the lowest to the highest of them; a dot where there is none."""
    shown = values[-_MOST_BARS:]
    known = [value for value in shown if value is not None]
    if not known:
        return "·" * len(shown)
    low, high = min(known), max(known)
    span = max(high - low, _LEAST_SPAN)
    # Where the span is widened, a flat line stays in the middle.
    low -= (span - (high - low)) / 2
    top = len(_BARS) - 1
    return "".join("·" if value is None else _BARS[round((value - low) / span * top)] for value in shown)
