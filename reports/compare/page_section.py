"""The section of a run's page that compares it with a baseline: gate, table, and turned samples with both diffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from reports.compare.comparison import Comparison, StrategyCompared, Turn
from reports.compare.gate import Failure
from reports.compare.wording import LEGEND, Group, columns, groups, notes, sentence, side_texts, verdict_text
from reports.history.nights import NIGHT
from reports.views import html_diff
from reports.views.tables import Column

_MOST = 100
"""Samples of each turn on the page."""
_CHARACTERS = 12_000
"""Length at which a diff is cut."""


@dataclass(frozen=True, slots=True)
class TurnedSample:
    """A sample that turned, for the page."""

    sample_id: str
    turn: str
    strategies: Sequence[str]
    sides: list[tuple[str, Markup | None]]
    """For the baseline and the run: the outcome as text, and the diff of a wrong edit."""


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """A comparison, for the page."""

    base: str
    sentence: str
    failures: Sequence[Failure] | None
    """None without a gate."""
    columns: Sequence[Column[StrategyCompared]]
    rows: list[list[tuple[str, float | None]]]
    legend: str
    notes: list[str]
    """Caveats, one sentence each."""
    groups: dict[str, list[TurnedSample]]
    """Turn -> the samples shown."""
    n_left_out: dict[str, int]
    """Turn -> number of samples that are not shown."""


def comparison_section(comparison: Comparison, failures: Sequence[Failure] | None) -> ComparisonSection:
    """The section of a comparison and the failures of its gate."""
    shown = columns(comparison)
    turned = groups(comparison, n_diffs=_MOST)
    by_turn = {turn: [one for one in turned if one.first.turn == turn] for turn in Turn}
    return ComparisonSection(
        base=comparison.base.name.removeprefix(NIGHT),
        sentence=sentence(comparison),
        failures=failures,
        columns=shown,
        rows=[
            [(column.text(one), column.number(one) if column.number else None) for column in shown]
            for one in comparison.strategies
        ],
        legend=LEGEND,
        notes=list(notes(comparison)),
        groups={turn.value: [_turned_sample(one) for one in some[:_MOST]] for turn, some in by_turn.items() if some},
        n_left_out={turn.value: max(0, len(some) - _MOST) for turn, some in by_turn.items()},
    )


def _turned_sample(group: Group) -> TurnedSample:
    turn = f"{verdict_text(group.first.base)} → {verdict_text(group.first.run)}"
    return TurnedSample(group.first.sample_id, turn, group.strategies, list(_sides(group)))


def _sides(group: Group) -> Iterator[tuple[str, Markup | None]]:
    for (text, _), edit in zip(side_texts(group), (group.base_edit, group.run_edit), strict=True):
        if edit is None:
            yield text, None
        else:
            yield text, html_diff.diff_html(edit.expected, edit.given, first_line=edit.line, limit=_CHARACTERS)
