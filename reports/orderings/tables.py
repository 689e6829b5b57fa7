"""Studies of orderings and sweeps of parameters as tables in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from editcore.quoting import printable
from reports.measurements.interval import Interval, percent
from reports.orderings.study import Curve, Scored, Study
from reports.views.tables import ABSENT, duration, print_rows, row_columns
from reports.wording import examples

_DROPPED_FIRST = ("equal", "time per call", "refused", "missed", "match rate", "wrong rate", "correct", "wrong")
"""Headings in the order in which a narrow terminal drops them: orders are compared by their score."""
_MOST_PAIRS = 12
"""Number of pairs of replacers shown; the JSON document has all."""


def print_study(study: Study, *, file: TextIO | None = None) -> None:
    """Print a study as tables; cells are never cut or wrapped."""
    out = _Out(file or sys.stdout)
    for line in sentences(study):
        out.line(line)
    out.line(_about(study))
    best = _scores(study, [*study.best, study.reference], n_equal=True)
    out.table("best orderings", *best, dropped_first=_DROPPED_FIRST)
    out.line(_rank(study))
    front = _scores(study, study.pareto)
    out.table("Pareto front: most correct for each number of wrong edits", *front, dropped_first=_DROPPED_FIRST)
    out.table(
        "reference order: the worth of each replacer at its place",
        ("replacer", "decides correctly", "wrongly", "correct without it", "wrong without it", "saves", "spoils"),
        [
            (
                one.replacer, str(one.gain), str(one.harm), f"{one.correct_without:+d}", f"{one.wrong_without:+d}",
                _some(one.saves), _some(one.spoils),
            )
            for one in study.marginal
        ],
    )  # fmt: skip
    if study.dead:
        out.line(f"Without effect in the reference order: {', '.join(study.dead)}.")
    clashes = sorted(study.clashes, key=lambda one: -len(one.better) - len(one.worse))
    out.table(
        "pairs whose order matters: samples that the first decides and the second would decide better or worse",
        ("first", "second", "better", "worse", "example"),
        [
            (one.first, one.second, str(len(one.better)), str(len(one.worse)), printable((one.better or one.worse)[0]))
            for one in clashes[:_MOST_PAIRS]
        ],
        dropped_first=("example",),
    )
    if len(clashes) > _MOST_PAIRS:
        out.line(f"{len(clashes) - _MOST_PAIRS} more pairs: see --json.")
    out.line(_validation(study))


def sentences(study: Study) -> Iterator[str]:
    """The best ordering at this price, the orderings that cannot be told from it, and the shortest of them."""
    if not study.best:
        return
    first = study.best[0]
    yield (
        f"Best where a wrong edit costs {study.aim.wrong_cost:g}: {' > '.join(first.order)}: {first.correct} correct "
        f"({_rate(first.correct, study.n_to_apply, first.match_interval)}), {first.wrong} wrong "
        f"({_rate(first.wrong, study.n_labelled, first.wrong_interval)}), score {first.score:g}; the reference scores "
        f"{study.reference.score:g}."
    )
    tied = [one for one, is_tied in zip(study.best, study.tied, strict=True) if is_tied and one is not first]
    if not tied:
        yield "It is better than every other ordering shown, beyond chance."
        return
    shortest = min([first, *tied], key=lambda one: len(one.order))
    yield (
        f"{len(tied)} of the other {len(study.best) - 1} orderings shown cannot be told from it on these samples"
        + (f"; the shortest is {' > '.join(shortest.order)}." if shortest is not first else ", and none is shorter.")
    )


def print_curve(curve: Curve, *, file: TextIO | None = None) -> None:
    """Print one row for each value: the counts of the variant alone, and in the order."""
    out = _Out(file or sys.stdout)
    rows = []
    for setting in curve.settings:
        alone, inside = setting.alone, setting.in_order
        mark = "*" if setting.value == curve.chosen else ""
        rates = (
            _rate(inside.correct, curve.n_to_apply, inside.match_interval),
            _rate(inside.wrong, curve.n_labelled, inside.wrong_interval),
        )
        counts = (alone.correct, alone.wrong, inside.correct, inside.wrong)
        rows.append((f"{mark}{setting.value:g}", *map(str, counts), *rates, f"{inside.score:g}"))
    out.table(
        f"{curve.replacer}: {curve.parameter}",
        ("value", "alone correct", "wrong", "in order correct", "wrong", "match rate", "wrong rate", "score"),
        rows,
    )
    known = curve.reference
    out.line(
        f"Best value if a wrong edit costs {curve.aim.wrong_cost:g}: {curve.parameter} {curve.chosen:g} "
        f"({curve.chosen_low:g} to {curve.chosen_high:g} cannot be told from it, by repository). "
        f"The reference with the current value: {known.correct} correct, {known.wrong} wrong, score {known.score:g}."
    )


def _about(study: Study) -> str:
    left_out = [
        f"{n} left out, {why}"
        for n, why in (
            (study.n_failed, "since a replacer crashed or timed out"),
            (study.n_not_followed, "since their edits lead to too many texts"),
        )
        if n
    ]
    counts = [
        f"{study.n_orderings:,} orderings of {len(study.replacers)} replacers",
        f"{study.n_labelled:,} labelled samples ({study.n_several} with several edits)",
        f"{study.n_clusters:,} repositories, counting a sample without one as one",
        f"score = correct - {study.aim.wrong_cost:g} x wrong",
        *left_out,
    ]
    return "; ".join(counts) + "."


def _rank(study: Study) -> str:
    known = study.reference
    order = " > ".join(known.order)
    if study.rank is None:
        return f"The reference order ({order}) scores {known.score:g}."
    share = percent((study.rank - 1) / study.n_orderings)
    return f"The reference order ranks {study.rank:,} of {study.n_orderings:,}: {share} score better. ({order})"


def _scores(
    study: Study, rows: Sequence[Scored], *, n_equal: bool = False
) -> tuple[Sequence[str], list[Sequence[str]]]:
    columns: dict[str, Callable[[Scored], str]] = {
        "order": lambda one: "the reference" if one is study.reference else " > ".join(one.order),
        "correct": lambda one: str(one.correct),
        "wrong": lambda one: str(one.wrong),
        "missed": lambda one: str(one.missed),
        "refused": lambda one: str(one.refused),
        "match rate": lambda one: _rate(one.correct, study.n_to_apply, one.match_interval),
        "wrong rate": lambda one: _rate(one.wrong, study.n_labelled, one.wrong_interval),
        "score": lambda one: f"{one.score:g}",
    }
    if n_equal:
        columns["time per call"] = lambda one: duration(None if one.expected_ns is None else round(one.expected_ns))
        columns["equal"] = lambda one: f"{one.n_equal:,}" if one.n_equal else ABSENT
    return list(columns), [[text(one) for text in columns.values()] for one in rows]


def _rate(n: int, of: int, interval: Interval | None) -> str:
    if not of:
        return ABSENT
    return percent(n / of) + (f" ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})" if interval else "")


def _some(samples: Sequence[str]) -> str:
    return f"{len(samples)}: {printable(examples(samples, most=1))}" if samples else ABSENT


def _validation(study: Study) -> str:
    found = study.cross_validation
    if found is None:
        return "Too few repositories for cross-validation."
    distinct = list(dict.fromkeys(found.orders))
    chosen = " | ".join(" > ".join(order) for order in distinct)
    interval = f" ({found.gain_interval[0]:+.0f} to {found.gain_interval[1]:+.0f})"
    return (
        f"Cross-validation over repositories ({found.n_folds} folds): {found.correct} correct, {found.wrong} wrong, "
        f"score {found.score:g}; optimism {found.loss:g}, gain over the reference {found.gain:+g}{interval}. "
        f"Chosen orders: {chosen}."
    )


class _Out:
    def __init__(self, file: TextIO) -> None:
        self._file = file

    def line(self, text: str) -> None:
        print(printable(text), file=self._file)

    def table(
        self, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, dropped_first: Sequence[str] = ()
    ) -> None:
        """Print a table unless it has no rows."""
        if rows:
            print(f"\n{title}", file=self._file)
            print_rows(rows, row_columns(heads, rows), dropped_first=dropped_first, file=self._file)
            print(file=self._file)
