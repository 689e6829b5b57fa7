"""The drawings of docs/study.md, each once for a light page and once for a dark one.

A part of the page with a drawing writes its two files and gives the lines that show the one that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from docs.cohorts import EXACT, RECOMMENDED, REFERENCE, years
from docs.studies import ROOT, Study
from reports.measurements.interval import Estimate
from reports.measurements.table import MATCH_RATE, WRONG_RATE
from reports.statistics.summary import Summary
from reports.views.plots import STYLE

_FOLDER = ROOT / "docs" / "images"


class _Theme(NamedTuple):
    """The colours of a page."""

    name: str
    ink: str
    faint: str
    blue: str
    orange: str
    grey: str


_THEMES = (
    _Theme("light", "#1d2127", "#d5d9df", "#0072b2", "#d55e00", "#8a929c"),
    _Theme("dark", "#e6e9ee", "#3a414b", "#56b4e9", "#f0a35e", "#7d8590"),
)
Draw = Callable[[Figure, _Theme], None]


def _picture(name: str, words: str, draw: Draw, *, height: float) -> str:
    """Write a drawing in both colours; the lines of Markdown that show it."""
    for theme in _THEMES:
        colours = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
        with mpl.rc_context(STYLE | dict.fromkeys(colours, theme.ink)):
            figure = Figure(figsize=(9.0, height), layout="constrained")
            draw(figure, theme)
            figure.savefig(_FOLDER / f"{name}-{theme.name}.svg", transparent=True, metadata={"Date": None})
    lines = (
        "<picture>",
        f'<source media="(prefers-color-scheme: dark)" srcset="images/{name}-dark.svg">',
        f'<img alt="{words}" src="images/{name}-light.svg">',
        "</picture>",
    )
    return "\n".join(lines) + "\n"


def by_year(study: Study) -> str:
    """What is found and what is got wrong, by the year in which a model came out."""
    found = {year: study.summaries_where(sample_id=ids) for year, ids in years(study).items()}

    def draw(figure: Figure, theme: _Theme) -> None:
        left, right = figure.subplots(1, 2)
        _line(left, found, RECOMMENDED, MATCH_RATE, theme.blue, "o", "cascade/recommended")
        _line(left, found, EXACT, MATCH_RATE, theme.grey, "s", "an exact match")
        _line(right, found, RECOMMENDED, WRONG_RATE, theme.blue, "o", "cascade/recommended")
        _line(right, found, REFERENCE, WRONG_RATE, theme.orange, "^", "nine replacers, no guards")
        left.set_title("found, of the edits to apply", loc="left")
        right.set_title("wrong, of all edits", loc="left")
        for axes in (left, right):
            _dress(axes, theme)
            axes.set_xticks(range(len(found)), [f"models of {year}" for year in found])
            axes.set_xlim(-0.4, len(found) - 0.6)
            axes.legend(frameon=False, loc="lower left" if axes is left else "upper left")
        left.set_ylim(0.6, 1.0)
        right.set_ylim(0, 0.25)

    words = "Match rates and wrong rates by the year of the model, with intervals"
    return _picture("study-years", words, draw, height=3.4)


def _line(
    axes: Axes, found: Mapping[str, Mapping[str, Summary]], strategy: str, rate: Any, colour: str, mark: str, words: str
) -> None:
    """A rate of a strategy in each group, with its interval."""
    estimates: list[Estimate | None] = [one[strategy][rate] for one in found.values()]
    known = [(at, one) for at, one in enumerate(estimates) if one is not None]
    shift = {"o": 0.06, "s": -0.06, "^": -0.06}[mark]
    places = [at + shift for at, _ in known]
    values = [one.value for _, one in known]
    errors = [[one.value - one.low for _, one in known], [one.high - one.value for _, one in known]]
    axes.errorbar(places, values, errors, color=colour, marker=mark, markersize=7, linewidth=2, capsize=3, label=words)


def _dress(axes: Axes, theme: _Theme) -> None:
    axes.grid(axis="y", color=theme.faint, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    axes.tick_params(length=0)


def all_rates(study: Study) -> str:
    """Match rate and wrong rate of every agent and cascade with their intervals, by rising wrong rate."""
    found = [one for one in study.summaries if not one.strategy.startswith("tier/") and one[WRONG_RATE] is not None]
    found.sort(key=lambda one: (-_value(one, WRONG_RATE), _value(one, MATCH_RATE)))

    def draw(figure: Figure, theme: _Theme) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, rate in ((left, MATCH_RATE), (right, WRONG_RATE)):
            for row, one in enumerate(found):
                estimate: Estimate | None = one[rate]
                if estimate is not None:
                    colour = theme.blue if one.strategy.startswith("cascade/") else theme.orange
                    axes.plot([estimate.low, estimate.high], [row, row], color=colour, alpha=0.45, linewidth=2.5)
                    axes.plot([estimate.value], [row], color=colour, marker="o", markersize=5)
            axes.grid(axis="both", color=theme.faint, linewidth=0.6)
            axes.set_axisbelow(True)
            axes.xaxis.set_major_formatter(FuncFormatter(_percent))
            axes.tick_params(length=0)
        left.set_yticks(range(len(found)), [one.strategy for one in found], fontsize=8)
        left.set_ylim(-0.7, len(found) - 0.3)
        left.set_xlim(0.6, 1.0)
        right.set_xlim(0, 0.3)
        left.set_title("found, of the edits to apply", loc="left")
        right.set_title("wrong, of all edits", loc="left")

    words = "Match rate and wrong rate of every agent and cascade on recorded edits, with intervals"
    return _picture("study-rates", words, draw, height=0.6 + 0.185 * len(found))


def _value(one: Summary, rate: Any) -> float:
    estimate: Estimate | None = one[rate]
    return estimate.value if estimate else 0.0


def _percent(value: float, _: object) -> str:
    return f"{100 * value:g} %"


FIGURE_PARTS: Mapping[str, Callable[[Study], str]] = {"byyear": by_year, "allrates": all_rates}
"""Name of a part -> what stands there."""
