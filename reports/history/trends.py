"""The rates of strategies over the nights of a history, the samples that turned, and the page that is its index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from urllib.parse import quote, urlencode

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from editcore.errors import UsageError
from editcore.quoting import first_line
from reports.history.nights import History, Judged
from reports.measurements.interval import Estimate, percent, rate_with_interval
from reports.measurements.table import MATCH_RATE, SAMPLES, WRONG_RATE
from reports.runs.manifest import NIGHT
from reports.runs.rows import KINDS
from reports.statistics.summary import Summary, headline, run_summaries
from reports.wording import counted

_BARS = "▁▂▃▄▅▆▇█"
_LEAST_SPAN = 0.02
"""The least difference of rates from the bottom to the top of a sparkline, so that a flat line looks flat."""
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
        """One line: a sparkline of each rate and its value on the last night; the name padded to `width`."""
        last = self.nights[-1]
        match = sparkline([one.match_rate.value if one.match_rate else None for one in self.nights])
        wrong = sparkline([one.wrong_rate.value if one.wrong_rate else None for one in self.nights])
        rates = f"match {match} {rate_with_interval(last.match_rate):<22}  wrong {wrong}"
        return f"{self.strategy:<{width}}  {rates} {rate_with_interval(last.wrong_rate)}"


@dataclass(frozen=True, slots=True)
class NightTurned:
    """Samples whose verdict under one strategy differs from the verdict on the last night that had them."""

    strategy: str
    night: str
    changes: tuple[tuple[str, str, str], ...]
    """Sample id, verdict before, verdict on this night; by id."""


Nightly = dict[str, list[Summary]]
"""Night -> summaries of its strategies, the earliest night first."""


def summarised(history: History) -> Nightly:
    return {night: run_summaries(history.run(night)) for night in history.nights()}


def trends(nightly: Nightly) -> list[Trend]:
    found: dict[str, list[NightRates]] = {}
    for night, summaries in nightly.items():
        for one in summaries:
            found.setdefault(one.strategy, []).append(NightRates(night, one[SAMPLES], one[MATCH_RATE], one[WRONG_RATE]))
    return [Trend(strategy, tuple(found[strategy])) for strategy in sorted(found)]


def turned(history: History, strategies: Sequence[str]) -> list[NightTurned]:
    """The samples that turned on each night, by night and then by strategy; nights without any are left out."""
    before: dict[str, pd.Series[str]] = {}
    found = []
    for night in history.nights():
        outcomes = history.run(night).frame("outcomes", "sample_id", "strategy", "verdict")
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


def sparkline(values: Sequence[float | None]) -> str:
    """The last values as bars, scaled from the lowest to the highest; a dot for a missing value."""
    shown = values[-_MOST_BARS:]
    known = [value for value in shown if value is not None]
    if not known:
        return "·" * len(shown)
    low, span = scale(known)
    top = len(_BARS) - 1
    return "".join("·" if value is None else _BARS[round((value - low) / span * top)] for value in shown)


def scale(values: Sequence[float]) -> tuple[float, float]:
    """The lowest value of a drawn line, and the span from there to the highest."""
    low, high = min(values), max(values)
    span = max(high - low, _LEAST_SPAN)
    # Where the span is widened, a flat line stays in the middle.
    return low - (span - (high - low)) / 2, span


# One line for each night, and the nights on which the verdict of a sample changed


@dataclass(frozen=True, slots=True)
class NightOverview:
    """A night in one line: the counts of one strategy, and the gate's result."""

    night: str
    strategy: str | None
    """The reported strategy, the same on all nights that have it; None on a night without outcomes."""
    n_samples: int
    match_rate: Estimate | None
    """Correct edits / samples labelled apply, as in `editgauge table`; None without such samples."""
    wrong_rate: Estimate | None
    """Wrong edits / all labelled samples; None without such samples."""
    is_baseline: bool
    failures: tuple[str, ...]
    """Reasons why the gate failed; empty if it passed or did not apply."""
    not_comparable: str | None
    """The reason why the night could not be compared with the baseline."""

    def line(self) -> str:
        match, wrong = (percent(rate.value) if rate else "-" for rate in (self.match_rate, self.wrong_rate))
        rates = f"match rate {match}, wrong rate {wrong}, {counted(self.n_samples, 'sample')}"
        counts = f"{self.strategy}: {rates}" if self.strategy else "no outcomes"
        marks = ["baseline"] if self.is_baseline else []
        marks += [f"FAILED: {'; '.join(self.failures)}"] if self.failures else []
        marks += [f"not compared: {self.not_comparable}"] if self.not_comparable else []
        return "  ".join([self.night, counts, *marks])


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A night on which the verdict of a sample differs from the night before."""

    strategy: str
    night: str
    before: str | None
    """The verdict of the last night that had the sample; None on the first."""
    verdict: str
    replacer: str | None

    def line(self) -> str:
        by = f" by {self.replacer}" if self.replacer else ""
        return f"{self.night}  {self.strategy}: {self.before or 'first'} -> {self.verdict}{by}"


def overview(history: History, nightly: Nightly) -> list[NightOverview]:
    baseline = history.baseline()
    reported = headline(nightly.get(baseline.night, []) if baseline else next(reversed(nightly.values()), []))
    found = []
    for night, summaries in nightly.items():
        one = next((one for one in summaries if reported and one.strategy == reported.strategy), headline(summaries))
        gated = history.judged(night)
        found.append(
            NightOverview(
                night,
                one.strategy if one else None,
                one[SAMPLES] if one else 0,
                one[MATCH_RATE] if one else None,
                one[WRONG_RATE] if one else None,
                baseline is not None and baseline.night == night,
                tuple(f"{failure.strategy}: {failure.message}" for failure in gated.failures) if gated else (),
                gated.not_comparable if gated else None,
            )
        )
    return found


def verdict_changes(history: History, sample_id: str) -> list[VerdictChange]:
    """The nights on which a sample's verdict changed, by strategy. Raises UsageError for an unknown sample."""
    nights = history.nights()
    rows = pd.concat([_rows_of(history, night, sample_id) for night in nights], ignore_index=True)
    if rows.empty:
        raise UsageError(f"No night of {history.folder} has a sample {sample_id!r}", "Check the id.")
    # An id that two corpora of a run share stands for two samples: each is followed by itself.
    rows["nth"] = rows.groupby(["strategy", "night"]).cumcount()
    rows["place"] = rows["night"].map({night: place for place, night in enumerate(nights)})
    rows = rows.sort_values(["strategy", "nth", "place"])
    rows["before"] = rows.groupby(["strategy", "nth"])["verdict"].shift()
    changed = rows[rows["before"].isna() | (rows["before"] != rows["verdict"])]
    fields = changed[list(VerdictChange.__slots__)].astype(object)
    return [VerdictChange(*row) for row in fields.where(fields.notna(), None).itertuples(index=False)]


def _rows_of(history: History, night: str, sample_id: str) -> pd.DataFrame:
    """A night's outcomes of one sample; row groups without its id are not read."""
    stored = sample_id.encode("utf-8", "backslashreplace").decode()
    files = ds.dataset(history.run(night).paths("outcomes"), schema=KINDS["outcomes"], format="parquet")
    try:
        found = ds.field("sample_id") == stored
        table = files.to_table(["strategy", "verdict", "replacer"], filter=found, use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(
            f"The outcomes of night {night} cannot be read: {first_line(error)}", "Restore or remove it."
        ) from error
    rows: pd.DataFrame = table.to_pandas().astype(object)
    return rows.assign(night=night)


# The index of a history: one HTML file with its nights, the trend of every strategy, and links to nights' pages.

INDEX = "index.html"
_MOST_NIGHTS = 500
"""Number of listed nights, the latest first; trends include all nights."""
_W, _H = 220, 34
"""Pixels of a trend."""
_STYLE = """
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1.2rem; }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--rule); vertical-align: middle; }
th { color: var(--soft); font-weight: 400; font-size: .84rem; }
.scroll { overflow-x: auto; }
.passed { color: var(--pass); } .failed { color: var(--fail); font-weight: 600; }
svg.trend { display: block; } svg.trend path { fill: none; stroke-width: 1.6; stroke: var(--good); }
svg.trend.wrong path { stroke: var(--bad); }
td.gate { min-width: 16rem; }
td.num, td.night { white-space: nowrap; font-variant-numeric: tabular-nums; }
"""


def index_html(history: History, *, token: str | None = None) -> str:
    """The page of a history with nights; if it is served, with the token of the pages that it links."""
    nightly = summarised(history)
    nights, found = overview(history, nightly), trends(nightly)
    style = files("reports.page").joinpath("script/style.css").read_text(encoding="utf-8") + _STYLE
    title = escape(history.folder.name)
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{style}</style><main><p class=over>editgauge · {len(nights)} nights · {len(found)} strategies</p>",
        f"<h1>{title}</h1>",
        *_strategies(history, found),
        *_nights(history, nights, token),
        "</main></html>",
    ]
    return "\n".join(parts) + "\n"


def _strategies(history: History, found: Sequence[Trend]) -> Iterator[str]:
    """A row for each strategy: both rates over the nights, on the last one, and the gate's result there."""
    yield "<h2>Strategies</h2><div class=scroll><table><tr><th>strategy<th>match rate<th>on the last night"
    yield "<th>wrong rate<th>on the last night<th>gate"
    for trend in found:
        match = _line([one.match_rate.value if one.match_rate else None for one in trend.nights], "match")
        wrong = _line([one.wrong_rate.value if one.wrong_rate else None for one in trend.nights], "wrong")
        last = trend.nights[-1]
        gate = _gate(history, last.night, trend.strategy)
        yield (
            f"<tr><td>{escape(trend.strategy)}<td>{match}<td class=num>{escape(rate_with_interval(last.match_rate))}"
            f"<td>{wrong}<td class=num>{escape(rate_with_interval(last.wrong_rate))}<td class=gate>{gate}"
        )
    yield "</table></div>"


def _gate(history: History, night: str, strategy: str) -> str:
    judged = history.judged(night) or Judged(None)
    if failures := judged.messages(strategy):
        return f"<span class=failed>failed</span> {escape('; '.join(failures))}"
    return "<span class=passed>passed</span>" if judged.is_comparable else "-"


def _line(values: Sequence[float | None], name: str) -> str:
    """A rate over the nights as an SVG line, scaled from its lowest to its highest value."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    low, span = scale(known)
    step = (_W - 4) / max(len(values) - 1, 1)
    points, pen = list[str](), "M"
    for at, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        points.append(f"{pen}{2 + at * step:.1f} {_H - 3 - (value - low) / span * (_H - 6):.1f}")
        pen = "L"
    said = f"{name} rate from {100 * min(known):.1f} % to {100 * max(known):.1f} % over {len(values)} nights"
    return (
        f'<svg class="trend {name}" width={_W} height={_H} viewBox="0 0 {_W} {_H}" role=img aria-label="{said}">'
        f'<title>{said}</title><path d="{" ".join(points)}"/></svg>'
    )


def _nights(history: History, nights: Sequence[NightOverview], token: str | None) -> Iterator[str]:
    """A row for each night, the latest first, linked to its page if there is one; all have one if served."""
    yield "<h2>Nights</h2><div class=scroll><table><tr><th>night<th>strategy<th>match rate<th>wrong rate"
    yield "<th>samples<th>gate"
    for one in list(reversed(nights))[:_MOST_NIGHTS]:
        name, page = escape(one.night), "report.html" if token is None else f"?{urlencode({'token': token})}"
        has_page = token is not None or (history.night(one.night) / page).is_file()
        link = f'<a href="nights/{escape(quote(NIGHT + one.night))}/{escape(page)}">{name}</a>' if has_page else name
        marks = ["baseline"] if one.is_baseline else []
        marks += [f"<span class=failed>failed</span> {escape('; '.join(one.failures))}"] if one.failures else []
        marks += [f"not compared: {escape(one.not_comparable)}"] if one.not_comparable else []
        rates = "".join(
            [f"<td class=num>{escape(rate_with_interval(rate))}" for rate in (one.match_rate, one.wrong_rate)]
        )
        yield f"<tr><td class=night>{link}<td>{escape(one.strategy or '-')}{rates}<td class=num>{one.n_samples:,}"
        yield f"<td class=gate>{', '.join(marks)}"
    yield "</table></div>"
    if len(nights) > _MOST_NIGHTS:
        n = len(nights) - _MOST_NIGHTS
        yield f"<p class=note>{n:,} earlier nights: <code>editgauge history</code> lists them.</p>"
