"""Plots of a run: match rate against wrong rate, latencies, and deciding replacers in each cascade.

Figures are made by matplotlib's object interface, not pyplot, so no global state changes; equal numbers give equal
bytes. Colours are Okabe and Ito's palette for colour-blind readers, and every difference in colour is one in shape or
hatching too.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from reports.measurements.table import LONGEST, MATCH_RATE, P50, P90, P99, WRONG_RATE
from reports.runs.manifest import write_atomically
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import Decided, deciders
from reports.statistics.grid import Rows
from reports.statistics.summary import Summary, summarised
from reports.views.tables import duration, visible

INK = "#1d2127"
RULE = "#d5d9df"
CASCADE, REPLACER, OTHER = "#0072b2", "#e69f00", "#009e73"
RIGHT, WRONG, UNKNOWN = "#0072b2", "#d55e00", "#9aa1ab"

_MARKS = {
    "cascade": ("s", CASCADE),
    "replacer": ("o", REPLACER),
    "unified_diff": ("^", OTHER),
    "begin_patch": ("D", "#cc79a7"),
    "search_replace": ("v", "#56b4e9"),
    "peer": ("P", "#6b7280"),
    "agent": ("X", "#d55e00"),
    "tier": ("p", "#8c564b"),
    "tool": ("*", "#b8a800"),
}
_OTHER_MARK = ("^", OTHER)
_BESIDE_TITLE = 3
"""Number of families whose legend fits beside a title."""
_IN_FULL_SIZE = 7
"""Number of families whose legend fits above a plot in full size."""
_WIDTH = 9.0
_MOST_NAMED = 30
"""With more points, only strategies that no other one of their family beats are named and have intervals."""
_LONGEST_NAME = 40
"""Characters of a bar's name; names of agents and models may be whole sentences."""
STYLE: Any = {
    "axes.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.8,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "editgauge",
}


def rates(summaries: Sequence[Summary]) -> Figure:
    """Match rate against wrong rate: one point for each strategy, with both intervals."""
    drawn = [summary for summary in summaries if summary[MATCH_RATE] and summary[WRONG_RATE]]
    if not drawn:
        return _nothing_measured()
    with mpl.rc_context(STYLE):
        figure = _figure(5.6, layout=None)
        # The legend is beside the title, or above it if it is long.
        families = {_family(summary.strategy) for summary in drawn}
        axes = figure.add_axes((0.075, 0.1, 0.905, 0.82 if len(families) <= _BESIDE_TITLE else 0.76))
        named = drawn if len(drawn) <= _MOST_NAMED else [one for one in drawn if _is_unbeaten(one, drawn)]
        for summary in drawn:
            _draw_rate(axes, summary, faintly=summary not in named)
        axes.set_xlabel(
            "wrong rate: wrong edits / labelled samples (further left is safer)"
            if named == drawn
            else "wrong rate (further left is safer); named: what no other of its family beats in both rates"
        )
        axes.set_title("match rate: correct / samples labelled apply (higher finds more)", loc="left", fontsize=10)
        axes.set_xlim(left=0, right=max(0.01, 1.05 * max(rate.high for s in drawn if (rate := s[WRONG_RATE]))))
        axes.set_ylim(_ceiling_and_floor(drawn))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        _label_points(axes, drawn, named)
        _legend_of_families(axes, families)
    return figure


def _is_unbeaten(summary: Summary, drawn: Sequence[Summary]) -> bool:
    """True if no other strategy of its family is at least as good in both rates, and better in one."""
    return not any(
        _point(other)[0] <= _point(summary)[0]
        and _point(other)[1] >= _point(summary)[1]
        and _point(other) != _point(summary)
        for other in drawn
        if _family(other.strategy) == _family(summary.strategy)
    )


def _point(summary: Summary) -> tuple[float, float]:
    """Wrong rate and match rate of a strategy that has both."""
    wrong, found = summary[WRONG_RATE], summary[MATCH_RATE]
    assert wrong
    assert found
    return wrong.value, found.value


def _draw_rate(axes: Axes, summary: Summary, *, faintly: bool) -> None:
    x, y = summary[WRONG_RATE], summary[MATCH_RATE]
    if not (x and y):
        return
    marker, colour = _MARKS.get(_family(summary.strategy), _OTHER_MARK)
    if not faintly:
        axes.plot([x.low, x.high], [y.value, y.value], color=colour, linewidth=1.2, alpha=0.7, zorder=2)
        axes.plot([x.value, x.value], [y.low, y.high], color=colour, linewidth=1.2, alpha=0.7, zorder=2)
    axes.plot(
        [x.value],
        [y.value],
        marker=marker,
        color=colour,
        markersize=6 if faintly else 8,
        markeredgecolor="white",
        alpha=0.5 if faintly else 1.0,
        clip_on=False,
        zorder=3,
    )


def _ceiling_and_floor(drawn: Sequence[Summary]) -> tuple[float, float]:
    lowest = min(rate.low for summary in drawn if (rate := summary[MATCH_RATE]))
    return max(0.0, lowest - 0.1), 1.03


def _label_points(axes: Axes, drawn: Sequence[Summary], named: Sequence[Summary]) -> None:
    """Write each name as near its point as possible without touching a point or an earlier name."""
    figure = axes.figure
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[arg-type, no-untyped-call]
    points = [axes.transData.transform(_point(summary)) for summary in drawn]
    taken = [Bbox.from_bounds(x - 7, y - 7, 14, 14) for x, y in points]
    for summary, (x, y) in zip(drawn, points, strict=True):
        if summary not in named:
            continue
        label = axes.text(0, 0, summary.strategy, fontsize=9, zorder=4, transform=None, va="center")
        size = label.get_window_extent(renderer)
        box = _free_place(x, y, size.width, size.height, taken, axes.bbox)
        taken.append(box)
        label.set_transform(axes.transAxes)
        left, middle = axes.transAxes.inverted().transform((box.x0, (box.y0 + box.y1) / 2))
        label.set_position((left, middle))
        near_x, near_y = min(max(x, box.x0), box.x1), min(max(y, box.y0), box.y1)
        if (near_x - x) ** 2 + (near_y - y) ** 2 > 18**2:
            ends = axes.transAxes.inverted().transform([(x, y), (near_x, near_y)])
            axes.plot(ends[:, 0], ends[:, 1], transform=axes.transAxes, color=INK, linewidth=0.5, alpha=0.5, zorder=1)


def _free_place(x: float, y: float, width: float, height: float, taken: Sequence[Bbox], inside: Bbox) -> Bbox:
    """The nearest free box for a label: right and left of its point, then above and below, then further away."""
    for distance in range(10, 400, 6):
        for step in range(-distance, distance + 1, 6):
            down = -step
            across = distance if abs(step) < distance else 10
            for left in (x + across, x - across - width):
                box = Bbox.from_bounds(left, y + down - height / 2, width, height)
                fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
                if fits and not any(box.overlaps(other) for other in taken):
                    return box
    return Bbox.from_bounds(x + 10, y - height / 2, width, height)


def _legend_of_families(axes: Axes, families: set[str]) -> None:
    for family in sorted(families):
        marker, colour = _MARKS.get(family, _OTHER_MARK)
        axes.plot([], [], marker=marker, color=colour, linestyle="", markersize=8, label=family)
    above = 1.0 if len(families) <= _BESIDE_TITLE else 1.07
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1, above),
        ncols=len(families),
        frameon=False,
        borderpad=0,
        columnspacing=1.2 if len(families) <= _IN_FULL_SIZE else 0.8,
        fontsize=10 if len(families) <= _IN_FULL_SIZE else 8.5,
        handletextpad=0.2,
    )


def _family(strategy: str) -> str:
    return strategy.partition("/")[0]


def latencies(summaries: Sequence[Summary]) -> Figure:
    """Latency of a call on a logarithmic axis: one line for each strategy, from the median to the maximum."""
    drawn = [summary for summary in summaries if summary[P50] is not None]
    if not drawn:
        return _nothing_measured()
    with mpl.rc_context(STYLE):
        figure = _figure(1.1 + 0.32 * len(drawn))
        axes = figure.subplots()
        for row, summary in enumerate(drawn):
            p50, p90, p99, longest = (max(1, ns or 1) for ns in _percentiles(summary))
            colour = _MARKS.get(_family(summary.strategy), _OTHER_MARK)[1]
            axes.plot([p99, longest], [row, row], color=colour, linewidth=1, linestyle=":")
            axes.plot([p90, p99], [row, row], color=colour, linewidth=1.6)
            axes.plot([p50, p90], [row, row], color=colour, linewidth=6, solid_capstyle="butt")
            axes.plot([p50], [row], marker="o", color=colour, markeredgecolor="white", markersize=9)
            axes.plot([p99], [row], marker="|", color=colour, markersize=9, markeredgewidth=1.6)
            axes.plot([longest], [row], marker="x", color=colour, markersize=5)
        axes.set_xscale("log")
        _name_rows(axes, [summary.strategy for summary in drawn])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: _round_duration(ns)))
        axes.grid(axis="x", color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(_KEY, loc="left", fontsize=10)
    return figure


_KEY = "one call:\u2003●\u00a0p50\u2003▬\u00a0to p90\u2003─\u00a0to p99 |\u2003┄\u00a0to the maximum ×"
"""With em spaces: a browser would collapse ordinary ones."""


def _percentiles(summary: Summary) -> tuple[int | None, ...]:
    return summary[P50], summary[P90], summary[P99], summary[LONGEST]


def _round_duration(ns: float) -> str:
    number, _, unit = duration(round(ns)).partition(" ")
    return f"{float(number):g} {unit}"


def decisions(deciders: Mapping[str, Mapping[str, Decided]]) -> Figure:
    """Deciding replacers of each cascade: one bar for each, split into correct, wrong and unlabelled edits."""
    drawn = {name: replacers for name, replacers in deciders.items() if replacers}
    if not drawn:
        return _nothing_measured()
    with mpl.rc_context(STYLE):
        heights = [len(replacers) + 1.2 for replacers in drawn.values()]
        figure = _figure(0.7 + 0.3 * sum(heights))
        panels = figure.subplots(len(drawn), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
        most = max(sum(decided) for replacers in drawn.values() for decided in replacers.values())
        for axes, (cascade, replacers) in zip(panels, drawn.items(), strict=True):
            for row, decided in enumerate(replacers.values()):
                _draw_decided(axes, row, decided)
            _name_rows(axes, list(replacers))
            axes.set_title(cascade, loc="left", fontsize=10, fontweight="bold")
            axes.set_xlim(0, 1.3 * most)
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        panels[-1].set_xlabel("edits decided")
        handles, labels = panels[0].get_legend_handles_labels()
        by_label = dict(zip(labels, handles, strict=True))
        figure.legend(
            by_label.values(), by_label.keys(), loc="outside upper right", ncols=3, frameon=False, borderpad=0
        )
    return figure


def _draw_decided(axes: Axes, row: int, decided: Decided) -> None:
    left = 0
    for n, colour, hatch, label in (
        (decided.n_correct, RIGHT, "", "correct"),
        (decided.n_wrong, WRONG, "////", "wrong"),
        (decided.n_unlabelled, UNKNOWN, "", "not labelled"),
    ):
        axes.barh(
            row, n, left=left, height=0.66, color=colour, hatch=hatch, edgecolor="white", linewidth=0, label=label
        )
        left += n
    judged = decided.n_correct + decided.n_wrong
    note = f"{decided.n_wrong} of {judged} wrong" if judged else "not labelled"
    axes.annotate(note, (left, row), xytext=(6, 0), textcoords="offset points", va="center", fontsize=9)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Label the rows, the first name on top."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.yaxis.set_major_locator(FixedLocator(range(len(names))))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def bars(panels: Mapping[str, Sequence[tuple[str, int]]]) -> Figure:
    """Counts as bars: one panel for each property, its values in the order given."""
    with mpl.rc_context(STYLE):
        heights = [len(values) + 2 for values in panels.values()]
        figure = _figure(0.24 * sum(heights) + 0.4)
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
        for number, (name, values) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[number])
            n_all = sum(n for _, n in values)
            axes.barh(range(len(values)), [n for _, n in values], color=REPLACER, height=0.7)
            for row, (_, n) in enumerate(values):
                axes.annotate(f" {n:,} ({100 * n / n_all:.0f} %)", (n, row), va="center", fontsize=8)
            _name_rows(axes, [_plain(value) for value, _ in values])
            axes.set_title(name, loc="left", fontsize=10)
            axes.xaxis.set_visible(False)
            axes.spines["bottom"].set_visible(False)
            axes.margins(x=0.12)
    return figure


def _plain(name: str) -> str:
    """A name shortened for drawing, with dollar signs escaped: matplotlib would read them as mathematics."""
    return visible(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…").replace("$", r"\$")


def _figure(height: float, *, layout: Literal["constrained"] | None = "constrained") -> Figure:
    return Figure(figsize=(_WIDTH, height), layout=layout, facecolor="none")


def _nothing_measured() -> Figure:
    with mpl.rc_context(STYLE):
        figure = _figure(1.2, layout=None)
        figure.text(0.5, 0.5, "nothing measured", ha="center", va="center", fontsize=12, alpha=0.7)
    return figure


def svg(figure: Figure) -> str:
    """The figure as SVG with text as text, and without date or program version."""
    sink = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context(STYLE):
        figure.savefig(sink, format="svg", metadata=nothing)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()) + "\n"


def save(figure: Figure, path: Path) -> None:
    """Write the figure as SVG or, on a white background, as PNG, by the suffix of the path."""
    if path.suffix == ".svg":
        write_atomically(path, svg(figure).encode())
        return
    sink = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(sink, format="png", dpi=144, facecolor="white", metadata={"Software": None})
    write_atomically(path, sink.getvalue())


def write_plots(run: RunFolder, folder: Path) -> list[Path]:
    """Write the plots of a run into a folder, each as PNG and SVG, and return their paths."""
    grid, found = summarised(run, Rows())
    cascades = {name: by for name, by in deciders(grid).items() if name.startswith("cascade/")}
    figures = {"rates": rates(found), "latencies": latencies(found), "decisions": decisions(cascades)}
    written = [folder / f"{name}{suffix}" for name in figures for suffix in (".png", ".svg")]
    for path in written:
        save(figures[path.stem], path)
    return written
