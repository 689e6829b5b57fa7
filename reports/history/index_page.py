"""The index of a history: one HTML file with its nights, the trend of every strategy, and links to nights' pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from urllib.parse import quote, urlencode

from reports.history.nights import History, Judged
from reports.history.trends import NightOverview, Trend, overview, scale, summarised, trends
from reports.measurements.interval import rate_with_interval
from reports.runs.contents import NIGHT

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
