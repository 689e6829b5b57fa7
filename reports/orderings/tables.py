"""A study of orderings, and the curve of a parameter, as tables in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from editcore.quoting import printable
from reports.orderings.choice import Scored
from reports.orderings.study import Study
from reports.orderings.sweep import Curve
from reports.statistics.metrics import percent
from reports.statistics.significance import Interval
from reports.views.tables import ABSENT, duration, print_rows, row_columns

_MOST_PAIRS = 12
"""Pairs of replacers shown; all are in the JSON document."""


def print_study(study: Study, *, file: TextIO | None = None) -> None:
    """Print what there is to say about the orderings, a table a question; no cell is ever cut or wrapped."""
    out = _Out(file or sys.stdout)
    out.line(_about(study))
    out.table("the best", *_scores(study, [*study.best, study.reference], n_equal=True))
    out.line(_rank(study))
    out.table("Pareto front: most correct for each number of wrong edits", *_scores(study, study.pareto))
    out.table(
        "the reference order: what each replacer adds and harms at its place",
        ("replacer", "decides rightly", "wrongly", "correct without it", "wrong without it", "saves", "spoils"),
        [
            (
                one.replacer, str(one.gain), str(one.harm), f"{one.correct_without:+d}", f"{one.wrong_without:+d}",
                _some(one.saves), _some(one.spoils),
            )
            for one in study.marginal
        ],
    )  # fmt: skip
    if study.dead:
        out.line(f"Without effect there: {', '.join(study.dead)}.")
    clashes = sorted(study.clashes, key=lambda one: -len(one.better) - len(one.worse))
    out.table(
        "pairs whose order matters: samples that the first decides, were the second to decide them",
        ("first", "second", "better", "worse", "for example"),
        [
            (one.first, one.second, str(len(one.better)), str(len(one.worse)), printable((one.better or one.worse)[0]))
            for one in clashes[:_MOST_PAIRS]
        ],
    )
    if len(clashes) > _MOST_PAIRS:
        out.line(f"{len(clashes) - _MOST_PAIRS} more pairs are in the JSON document.")
    out.line(_validation(study))


def print_curve(curve: Curve, *, file: TextIO | None = None) -> None:
    """Print a row a value: what the variant does alone, and in the order."""
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
        f"Best at a cost of {curve.aim.wrong_cost:g}: {curve.parameter} {curve.chosen:g} "
        f"(95 % of drawings of repositories: {curve.chosen_low:g} to {curve.chosen_high:g}). "
        f"The reference as it is: {known.correct} correct, {known.wrong} wrong, score {known.score:g}."
    )


def _about(study: Study) -> str:
    left_out = [
        f"{n} left out, {why}"
        for n, why in (
            (study.n_failed, "on which a replacer failed"),
            (study.n_not_followed, "whose edits lead to too many texts"),
        )
        if n
    ]
    counts = [
        f"{study.n_orderings:,} orderings of {len(study.replacers)} replacers",
        f"{study.n_labelled:,} labelled samples ({study.n_several} with several edits)",
        f"{study.n_clusters:,} repositories",
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
    heads = ["correct", "wrong", "missed", "refused", "match rate", "wrong rate", "score"]
    heads += ["time a call", "equal"] if n_equal else []
    found: list[Sequence[str]] = []
    for one in rows:
        cells = [str(one.correct), str(one.wrong), str(one.missed), str(one.refused)]
        cells.append(_rate(one.correct, study.n_to_apply, one.match_interval))
        cells.append(_rate(one.wrong, study.n_labelled, one.wrong_interval))
        cells.append(f"{one.score:g}")
        if n_equal:
            cells.append(duration(round(one.expected_ns)) if one.expected_ns is not None else ABSENT)
            cells.append(f"{one.n_equal:,}" if one.n_equal else ABSENT)
        name = "the reference" if one is study.reference else " > ".join(one.order)
        found.append([name, *cells])
    return ["order", *heads], found


def _rate(n: int, of: int, interval: Interval | None) -> str:
    if not of:
        return ABSENT
    return percent(n / of) + (f" ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})" if interval else "")


def _some(samples: Sequence[str]) -> str:
    return f"{len(samples)}: {printable(samples[0])}{', ...' if len(samples) > 1 else ''}" if samples else ABSENT


def _validation(study: Study) -> str:
    found = study.cross_validation
    if found is None:
        return "Too few repositories to choose on some and score on the others."
    distinct = list(dict.fromkeys(found.orders))
    chosen = " | ".join(" > ".join(order) for order in distinct)
    interval = f" ({found.gain_interval[0]:+.0f} to {found.gain_interval[1]:+.0f})" if found.gain_interval else ""
    return (
        f"Chosen on some repositories and scored on the others ({found.n_folds} folds): {found.correct} correct, "
        f"{found.wrong} wrong, score {found.score:g}; the loss from choosing is {found.loss:g}, the gain over the "
        f"reference {found.gain:+g}{interval}. Chosen: {chosen}."
    )


class _Out:
    """Where tables and lines go."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def line(self, text: str) -> None:
        print(text, file=self._file)

    def table(self, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table, if there is anything in it."""
        if rows:
            print(f"\n{title}", file=self._file)
            print_rows(rows, row_columns(heads, rows), file=self._file)
            print(file=self._file)
