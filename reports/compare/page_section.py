"""What the page of a run says of it against a baseline: the gate, the table, and what turned, with both diffs."""

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
"""Of each turn so many are on the page."""
_CHARACTERS = 12_000
"""Of a diff."""


@dataclass(frozen=True, slots=True)
class TurnedSample:
    """A sample that turned, as the page shows it."""

    sample_id: str
    turn: str
    strategies: Sequence[str]
    sides: list[tuple[str, Markup | None]]
    """Of the baseline and the run: what it came to in words, and how that differs from the right text."""


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """A comparison, as the page shows it."""

    base: str
    sentence: str
    failures: Sequence[Failure] | None
    """None where no gate was asked for."""
    columns: Sequence[Column[StrategyCompared]]
    rows: list[list[tuple[str, float | None]]]
    legend: str
    notes: list[str]
    """What to bear in mind, a sentence each."""
    groups: dict[str, list[TurnedSample]]
    """By turn."""
    n_left_out: dict[str, int]


def comparison_section(comparison: Comparison, failures: Sequence[Failure] | None) -> ComparisonSection:
    """The comparison, in the order in which it is worth reading."""
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
    for (told, _), edit in zip(side_texts(group), (group.base_edit, group.run_edit), strict=True):
        if edit is None:
            yield told, None
        else:
            yield told, html_diff.diff_html(edit.expected, edit.given, first_line=edit.line, limit=_CHARACTERS)
