"""Plots: all orderings as points, and the rates of a parameter over its values."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from reports.measurements.interval import Interval
from reports.orderings.gains import Orderings
from reports.orderings.study import Curve, Study
from reports.runs.manifest import PLOTS
from reports.views.plots import RIGHT, RULE, STYLE, WRONG, save


def cloud_figure(study: Study, listed: Orderings | None) -> Figure:
    """Match rate against wrong rate of every ordering, with the Pareto front and the reference."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 5.4), layout="constrained", facecolor="none")
        axes = figure.add_subplot()
        found, wrong = max(1, study.n_to_apply), max(1, study.n_labelled)
        if listed is not None:
            counts = np.stack([listed.wrong, listed.correct], axis=1)
            points, n = np.unique(counts, axis=0, return_counts=True)
            axes.scatter(
                points[:, 0] / wrong, points[:, 1] / found, s=4 + 5 * np.log10(n), color=RULE, linewidth=0,
                label=f"{study.n_orderings:,} orderings; larger: more of them",
            )  # fmt: skip
        front = [(one.wrong / wrong, one.correct / found) for one in study.pareto]
        axes.step([x for x, _ in front], [y for _, y in front], where="post", color=RIGHT, linewidth=1.4)
        axes.plot(*zip(*front, strict=True), "o", color=RIGHT, markersize=5, label="Pareto front")
        known = study.reference
        axes.plot(known.wrong / wrong, known.correct / found, "s", color=WRONG, markersize=8, label="the reference")
        axes.set_xlabel("wrong rate: wrong edits / labelled samples (further left is safer)")
        axes.set_title("match rate: correct / samples labelled apply (higher finds more)", loc="left", fontsize=10)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.set_xlim(left=0)
        axes.grid(color=RULE, linewidth=0.6, alpha=0.6)
        axes.set_axisbelow(True)
        axes.legend(loc="lower right", frameon=False, fontsize=9)
    return figure


def draw_cloud(folder: Path, study: Study, listed: Orderings | None) -> list[Path]:
    return _saved(cloud_figure(study, listed), folder / PLOTS / "orderings")


def curve_figure(curve: Curve) -> Figure:
    """Match rate and wrong rate over the values of a parameter, in two panels; the best value is marked."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 5.0), layout="constrained", facecolor="none")
        grid = figure.add_gridspec(2, 1)
        upper = figure.add_subplot(grid[0])
        lower = figure.add_subplot(grid[1], sharex=upper)
        inside = [setting.in_order for setting in curve.settings]
        known = curve.reference
        _draw(
            upper, curve, [one.correct for one in inside], [one.match_interval for one in inside],
            curve.n_to_apply, known.correct, "o", RIGHT,
        )  # fmt: skip
        _draw(
            lower, curve, [one.wrong for one in inside], [one.wrong_interval for one in inside],
            curve.n_labelled, known.wrong, "s", WRONG,
        )  # fmt: skip
        upper.set_title("match rate of the order: correct / samples labelled apply", loc="left", fontsize=10)
        lower.set_title("wrong rate of the order: wrong edits / labelled samples", loc="left", fontsize=10)
        lower.set_xlabel(
            f"{curve.replacer}: {curve.parameter}   (dashed: current value; grey: best value and its ties)"
        )
        upper.tick_params(labelbottom=False)
    return figure


def _draw(
    axes: Axes, curve: Curve, counts: list[int], intervals: list[Interval | None], n: int, known: int,
    marker: str, colour: str,
) -> None:  # fmt: skip
    values = [setting.value for setting in curve.settings]
    rates = [count / max(1, n) for count in counts]
    axes.axvspan(curve.chosen_low, curve.chosen_high, color=RULE, alpha=0.5, linewidth=0)
    axes.axvline(curve.chosen, color="#9aa1ab", linewidth=1.2)
    axes.axhline(known / max(1, n), color=colour, linewidth=0.8, linestyle="--")
    low = [interval[0] if interval else rate for interval, rate in zip(intervals, rates, strict=True)]
    high = [interval[1] if interval else rate for interval, rate in zip(intervals, rates, strict=True)]
    axes.fill_between(values, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(values, rates, marker=marker, color=colour, linewidth=1.4, markersize=5)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)


def draw_curve(folder: Path, curve: Curve) -> list[Path]:
    return _saved(curve_figure(curve), folder / PLOTS / f"sweep-{curve.replacer}-{curve.parameter}")


def _saved(figure: Figure, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "png")]
    for path in paths:
        save(figure, path)
    return paths
