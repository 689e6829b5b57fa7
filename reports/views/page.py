"""The page of a run: one self-contained HTML file with the table, the plots, and every wrong edit.

Texts written by strategies and models are not trusted: the template escapes everything, and only
`reports.views.html_diff` builds HTML from them itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from editcore.errors import UsageError
from reports.compare.between_wording import cell_text, matrix_legend
from reports.compare.comparison import Comparison
from reports.compare.gate import Failure
from reports.compare.matrix import Matrix, matrix
from reports.compare.page_section import ComparisonSection, comparison_section
from reports.history.fuzz_nights import FuzzNight
from reports.runs.definitions import COURTS, DAMAGES, LINES_LOST, SEVERITIES
from reports.runs.frames import frame
from reports.runs.manifest import Manifest, read_manifest, write_atomically
from reports.runs.parts import outcome_table, wrong_edits
from reports.runs.rows import Damage, WrongEdit
from reports.runs.shared_ids import refuse_shared_ids
from reports.statistics.breakdown import Breakdown, grouped
from reports.statistics.metrics import (
    HEADLINE,
    Decided,
    Summary,
    deciders,
    headline,
    highest_match_rate,
    lowest_wrong_rate,
    percent,
    sentence,
    summaries,
    with_promises,
)
from reports.views import html_diff, plots
from reports.views.tables import ABSENT, columns
from reports.views.wrong_edits import COLUMNS as WRONG_COLUMNS

_BUDGET = 3_500_000
"""Characters of edits and diffs on a page; browsers stay responsive up to about this size."""
_LEAST, _MOST = 1_000, 12_000
"""Characters for the texts of one wrong edit: bounds on its share of the budget."""

_GROUPED_BY = ("mutator", "severity", "truth", "drift", "language", "format", "agent", "model", "repo")
"""Properties for which the page has a breakdown, if the samples differ in them."""
_MOST_GROUPS = 250


@dataclass(slots=True)
class DamageGroup:
    """One wrong edit of a sample, and every strategy that made it."""

    first: WrongEdit
    strategies: dict[str, str | None] = field(default_factory=dict)
    """Strategy -> the replacer that decided."""

    @property
    def by_cascade(self) -> bool:
        return any(strategy.startswith("cascade/") for strategy in self.strategies)

    @property
    def line(self) -> int:
        """1-based line of the right text at which the result first differs."""
        pairs = zip(self.first.expected.split("\n"), self.first.given.split("\n"), strict=False)
        return self.first.line + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    @property
    def done_by(self) -> list[tuple[str, str | None]]:
        """(strategy, deciding replacer), cascades first."""
        return sorted(self.strategies.items(), key=lambda item: not item[0].startswith("cascade/"))


def damage_groups(edits: Iterable[WrongEdit]) -> list[DamageGroup]:
    """Wrong edits, equal ones grouped; those of cascades first, then by kind of damage."""
    groups: dict[tuple[str, ...], DamageGroup] = {}
    for edit in edits:
        key = (edit.sample_id, edit.damage, edit.path, edit.expected, edit.given)
        groups.setdefault(key, DamageGroup(edit)).strategies[edit.strategy] = edit.replacer
    order = {kind.value: place for place, kind in enumerate(_WORST_FIRST)}
    keyed = sorted(
        groups.items(),
        key=lambda item: (not item[1].by_cascade, order.get(item[0][1], len(order)), item[0]),
    )
    return [group for _, group in keyed]


_WORST_FIRST = (
    Damage.UNASKED,
    Damage.PLACE,
    Damage.EXTENT,
    Damage.TEXT,
    Damage.INDENTATION,
    Damage.WHITESPACE,
)
"""From lost code that nobody notices to damage that a formatter repairs."""


def write_page(
    run_folder: Path,
    out_path: Path,
    *,
    comparison: Comparison | None = None,
    failures: Sequence[Failure] | None = None,
    fuzzed: FuzzNight | None = None,
) -> list[Path]:
    """Write the page of a run and its plots, in `plots/` beside it, and return the paths.

    With a comparison, the page begins with it; with a night of fuzzing, the page has a section for it. Equal runs give
    equal bytes.
    """
    manifest = read_manifest(run_folder)
    table = outcome_table(run_folder)
    refuse_shared_ids(run_folder, table)
    order = [used.name for used in manifest.strategies]
    found = with_promises(summaries(table, order=order), manifest.strategies)
    decided = deciders(table)
    groups = damage_groups(wrong_edits(run_folder))
    figures = {
        "rates": plots.rates(found),
        "latencies": plots.latencies(found),
        "decisions": plots.decisions(decided),
    }
    samples = frame(run_folder, "samples")
    judged = frame(run_folder, "outcomes", "sample_id", "strategy", "verdict")
    breakdowns = [grouped(judged, samples, key, strategies=order) for key in _GROUPED_BY] if len(samples) else []
    shown = [one for one in breakdowns if one and _is_worth_showing(one)]
    section = comparison_section(comparison, failures) if comparison else None
    against = matrix(run_folder, [one.strategy for one in found])
    html = _page(manifest, found, decided, groups, figures, shown, against, section, fuzzed)
    # Lone surrogates from a command line cannot be UTF-8.
    write_atomically(out_path, html.encode("utf-8", "backslashreplace"))
    written = [out_path]
    for name, figure in figures.items():
        for suffix in (".png", ".svg"):
            written.append(out_path.parent / "plots" / f"{name}{suffix}")
            plots.save(figure, written[-1])
    return written


def _page(
    manifest: Manifest,
    found: Sequence[Summary],
    decided: dict[str, dict[str, Decided]],
    groups: Sequence[DamageGroup],
    figures: dict[str, Figure],
    broken_down: Sequence[Breakdown],
    against: Matrix,
    section: ComparisonSection | None,
    fuzzed: FuzzNight | None,
) -> str:
    environment = Environment(
        loader=PackageLoader("reports.views"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    limit = min(_MOST, max(_LEAST, _BUDGET // max(1, len(groups)))) // 2
    return environment.get_template("report.html").render(
        manifest=manifest,
        date=_date(manifest),
        facts=list(_facts(manifest)),
        sentence=sentence(found, manifest),
        unbroken=_unbroken,
        cards=_cards(found),
        percent=percent,
        columns=columns(found),
        rows=_rows(found),
        decided=_decided_rows(decided),
        damage_kinds=[kind.value for kind in Damage],
        wrong_columns=WRONG_COLUMNS,
        damages=DAMAGES,
        severities=SEVERITIES,
        courts=COURTS,
        lines_lost=LINES_LOST,
        summaries=found,
        figures={name: _inline(plots.svg(figure), name) for name, figure in figures.items()},
        promises=[used for used in manifest.strategies if used.n_promised],
        breakdowns=broken_down,
        against=against if against.n_pairs else None,
        against_legend=matrix_legend(against),
        cell_text=cell_text,
        section=section,
        fuzzed=fuzzed,
        n_in_percent=lambda estimate: f"{100 * estimate.value:.0f}" if estimate else ABSENT,
        groups=groups,
        n_wrong_edits=sum(len(group.strategies) for group in groups),
        edit_of=lambda group: html_diff.text_html(group.first.edit, limit=limit),
        difference_of=lambda group: html_diff.diff_html(
            group.first.expected, group.first.given, first_line=group.first.line, limit=2 * limit
        ),
    )


def _is_worth_showing(found: Breakdown) -> bool:
    """Whether it has several groups, but few enough to read."""
    return 1 < len(found.groups) <= _MOST_GROUPS


def _printable(value: Any) -> Any:
    """Strings with their invisible characters replaced by code points; HTML of our own unchanged."""
    return html_diff.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _unbroken(text: str) -> Markup:
    """Prose with a no-break space before each per cent sign."""
    return escape(html_diff.visible(text)).replace(" %", "\u00a0%")


def _breakable(name: str) -> Markup:
    """A name with line-break opportunities after `/` and `_`."""
    return Markup("<wbr>").join(re.split(r"(?<=[/_])", html_diff.visible(name)))


def _cards(found: Sequence[Summary]) -> list[tuple[str, Summary, int]]:
    """The strategies shown at the top: (title, strategy, number of others with the same rates)."""
    best = [("lowest wrong rate", lowest_wrong_rate(found)), ("highest match rate", highest_match_rate(found))]
    cards = [(title, equals[0], len(equals) - 1) for title, equals in best if equals]
    first = headline(found)
    if first and first.match_rate and all(first is not summary for _, summary, _ in cards):
        cards.append(("reference cascade" if first.strategy == HEADLINE else "first cascade", first, 0))
    return cards if len(found) > 1 else []


def _rows(found: Sequence[Summary]) -> list[dict[str, Any]]:
    """The cells of the summary table, each with its sort key and the length of its bar."""
    highest = max((s.wrong_rate.value for s in found if s.wrong_rate), default=0.0) or 1.0
    safe, keen = lowest_wrong_rate(found), highest_match_rate(found)
    compared = len(found) > 1
    rows = []
    for summary in found:
        cells = []
        for column in columns(found):
            text, _, interval = column.text(summary).partition(" (")
            number = column.number(summary) if column.number else None
            bar = {"match rate": number, "wrong rate": number and number / highest}.get(column.heading)
            cells.append(
                {
                    "text": text,
                    "interval": interval.rstrip(")").replace("-", "–"),
                    "number": number,
                    "bar": None if bar is None else f"{100 * bar:.1f}%",
                    "heading": column.heading,
                }
            )
        badges = [
            badge
            for badge, best in (("lowest wrong rate", safe), ("highest match rate", keen))
            if compared and summary in best
        ]
        rows.append({"cells": cells, "badges": badges})
    return rows


def _decided_rows(decided: dict[str, dict[str, Decided]]) -> list[dict[str, Any]]:
    rows = []
    for cascade, replacers in decided.items():
        for replacer, n in replacers.items():
            judged = n.n_correct + n.n_wrong
            share = n.n_wrong / judged if judged else None
            rows.append(
                {
                    "cascade": cascade,
                    "replacer": replacer,
                    "n": n,
                    "share": share,
                    "share_text": ABSENT if share is None else percent(share),
                }
            )
    return rows


def _facts(manifest: Manifest) -> Iterable[tuple[str, str]]:
    """(name, value) of the run's inputs and environment."""
    yield "corpora", ", ".join(f"{corpus.name} ({corpus.n_samples:,} samples)" for corpus in manifest.corpora)
    if manifest.n_left_out:
        yield "left out", f"{manifest.n_left_out:,} samples in formats that no strategy takes"
    if manifest.n_bad:
        yield "malformed", f"{manifest.n_bad:,} samples, skipped"
    yield "seed", str(manifest.seed)
    yield "time limit", f"{manifest.timeout_s:g} s a sample"
    yield "took", f"{manifest.wall_ns / 1e9:,.1f} s, of which {manifest.strategy_ns / 1e9:,.1f} s in strategies"
    for key, value in manifest.machine.items():
        yield key.replace("_", " "), _words(value)
    versions: dict[str, list[str]] = {}
    for strategy in manifest.strategies:
        versions.setdefault(strategy.version, []).append(strategy.name)
    for version, names in versions.items():
        yield f"strategies at {version}", ", ".join(names)
    yield "commit", manifest.git_commit or ABSENT
    yield "corpus fingerprint", manifest.corpus_fingerprint or ABSENT
    yield "command", " ".join(manifest.argv)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    return str(value)


def _date(manifest: Manifest) -> str:
    """The time of the run, or SOURCE_DATE_EPOCH (https://reproducible-builds.org); never the current time."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if epoch:
            moment = datetime.fromtimestamp(int(epoch), UTC)
        else:
            moment = datetime.fromisoformat(manifest.finished or manifest.created).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        if not epoch:
            return manifest.finished or manifest.created
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch!r}, not a number of seconds", "Unset it, or use `date +%s`."
        ) from None
    return f"{moment:%Y-%m-%d %H:%M} UTC"


_SVG_START = re.compile(r".*?(?=<svg )", re.DOTALL)
_SVG_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_SVG_ID = re.compile(r'((?<=\sid=")|(?<=url\(#)|(?<=href="#))')


_PAINT = {plots.INK: "currentColor", plots.RULE: "var(--rule)", plots.CASCADE: "var(--good)"}


def _inline(svg: str, name: str) -> Markup:
    """An SVG for inclusion in the page: with unique ids, and with text and grid in the page's colours."""
    svg = _SVG_START.sub("", svg, count=1)
    svg = _SVG_STYLE.sub("", svg)
    svg = _SVG_ID.sub(f"{name}-", svg)
    for colour, replacement in _PAINT.items():
        svg = svg.replace(colour, replacement)
    # Safe as HTML: matplotlib escapes the strategies' names.
    return Markup(svg)
