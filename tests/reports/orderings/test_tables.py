"""Studies and curves as they are printed: every number is there, and every row is a line."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reports.orderings.curves import draw_curve
from reports.orderings.study import Aim, Curve, Scored, Study, curve, study
from reports.orderings.tables import print_curve, print_study
from tests.reports.orderings.made import Case, case
from tests.reports.views.terminal import Terminal

DRAWN = case("CW-", "CC-", "WC-", "-C-", "WW-", "C--", "-W-", "W--", "UU-", labels="aaaaararu")


@pytest.fixture
def studied() -> Study:
    table = replace(DRAWN.table, n_failed=3, n_not_followed=2)
    return study(table, ["a", "b", "c"], Aim(1.5), n_folds=3)


def _curve(drawn: Case = DRAWN) -> Curve:
    variants = [(0.25, "c"), (0.5, "b")]
    return curve(drawn.table, ["a", "b"], replacer="b", parameter="p", variants=variants, aim=Aim(1.5))


def _printed(found: Study | Curve) -> list[str]:
    stream = io.StringIO()
    print_study(found, file=stream) if isinstance(found, Study) else print_curve(found, file=stream)
    return stream.getvalue().splitlines()


def _rows(lines: list[str], title: str) -> list[list[str]]:
    """The cells of the table below a title."""
    start = lines.index(title)
    end = lines.index("", start)
    return [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in lines[start + 3 : end]]


def _cells(one: Scored, name: str | None = None) -> list[str]:
    counts = [str(n) for n in (one.correct, one.wrong, one.missed, one.refused)]
    return [name or " > ".join(one.order), *counts]


def _some(samples: tuple[str, ...]) -> str:
    if not samples:
        return "-"
    return f"{len(samples)}: {samples[0]}" + (", ..." if len(samples) > 1 else "")


def test_a_narrow_terminal_keeps_the_score_and_which_of_two_is_better(
    studied: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    print_study(studied, file=stream)
    heads = [line.split() for line in re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()]
    assert ["order", "correct", "wrong", "score"] in heads
    assert ["first", "second", "better", "worse"] in heads


@pytest.mark.parametrize("variable", ["COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"])
def test_in_a_pipe_every_row_is_a_line_with_every_number(
    studied: Study, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "20")
    lines = _printed(studied)
    assert "\x1b" not in "".join(lines)
    assert "…" not in "".join(lines)
    leading = _rows(lines, "best orderings")
    wanted = [*map(_cells, studied.best), _cells(studied.reference, "the reference")]
    assert [row[:5] for row in leading] == wanted
    for row, one in zip(leading, studied.best, strict=False):
        assert row[7:] == [f"{one.score:g}", "0 ns", str(one.n_equal)]
        assert row[6].startswith(f"{100 * one.wrong / studied.n_labelled:.1f} % (")
    front = _rows(lines, "Pareto front: most correct for each number of wrong edits")
    assert [row[:5] for row in front] == [_cells(one) for one in studied.pareto]
    worth = _rows(lines, "reference order: the worth of each replacer at its place")
    assert [row[:5] for row in worth] == [
        [one.replacer, str(one.gain), str(one.harm), f"{one.correct_without:+d}", f"{one.wrong_without:+d}"]
        for one in studied.marginal
    ]
    assert [row[5:] for row in worth] == [[_some(one.saves), _some(one.spoils)] for one in studied.marginal]
    pairs = _rows(
        lines, "pairs whose order matters: samples that the first decides and the second would decide better or worse"
    )
    assert sorted(row[:4] for row in pairs) == sorted(
        [one.first, one.second, str(len(one.better)), str(len(one.worse))] for one in studied.clashes
    )


def test_what_there_is_to_say_beside_the_tables_is_said(studied: Study) -> None:
    lines = _printed(studied)
    assert lines[0].startswith("Best where a wrong edit costs 1.5: ")
    assert lines[2] == (
        "15 orderings of 3 replacers; 8 labelled samples (0 with several edits); "
        "8 repositories, counting a sample without one as one; "
        "score = correct - 1.5 x wrong; 3 left out, since a replacer crashed or timed out; "
        "2 left out, since their edits lead to too many texts."
    )
    (rank,) = [line for line in lines if line.startswith("The reference order ranks")]
    assert rank.startswith(f"The reference order ranks {studied.rank} of 15: ")
    assert rank.endswith("(a > b > c)")
    assert "Without effect in the reference order: c." in lines
    found = studied.cross_validation
    assert found
    assert f"{found.correct} correct, {found.wrong} wrong, score {found.score:g}" in lines[-1]
    assert f"optimism {found.loss:g}, gain over the reference {found.gain:+g}" in lines[-1]


def test_what_is_not_known_is_a_dash_or_a_sentence() -> None:
    wide = case("C---------", "UUUUUUUUUU", labels="ru")
    lines = _printed(study(wide.table, ["a"], Aim()))
    assert "The reference order (a) scores 1." in lines
    assert _rows(lines, "best orderings")[-1][1:] == ["1", "0", "0", "0", "-", "0.0 % (0.0-79.3)", "1", "-", "-"]
    assert lines[-1] == "Too few repositories for cross-validation."


def test_more_pairs_than_are_shown_are_told_of() -> None:
    pairs = combinations(range(6), 2)
    words = ["".join("C" if n == first else "W" if n == second else "-" for n in range(6)) for first, second in pairs]
    found = study(case(*words).table, list("abcdef"), Aim())
    assert len(found.clashes) == 15
    lines = _printed(found)
    title = "pairs whose order matters: samples that the first decides and the second would decide better or worse"
    assert len(_rows(lines, title)) == 12
    assert "3 more pairs: see --json." in lines


def test_the_names_of_samples_cannot_move_the_cursor() -> None:
    table = replace(DRAWN.table, samples=tuple(f"[red]\x1b[2J\n{name}" for name in DRAWN.table.samples))
    printed = "\n".join(_printed(study(table, ["a", "b"], Aim())))
    assert "\x1b" not in printed
    assert "[red]\\x1b[2J\\ns0" in printed


def test_a_curve_is_a_row_a_value_and_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    found = _curve()
    lines = _printed(found)
    rows = _rows(lines, "b: p")
    assert len(rows) == len(found.settings) == 2
    for row, setting in zip(rows, found.settings, strict=True):
        mark = "*" if setting.value == found.chosen else ""
        alone, inside = setting.alone, setting.in_order
        assert row[:5] == [
            f"{mark}{setting.value:g}",
            *map(str, (alone.correct, alone.wrong, inside.correct, inside.wrong)),
        ]
        assert row[5].startswith(f"{100 * inside.correct / found.n_to_apply:.1f} % (")
        assert row[7] == f"{inside.score:g}"
    ties = f"({found.chosen_low:g} to {found.chosen_high:g} cannot be told from it, by repository)"
    assert lines[-1].startswith(f"Best value if a wrong edit costs 1.5: p {found.chosen:g} {ties}")
    assert lines[-1].endswith(
        f"{found.reference.correct} correct, {found.reference.wrong} wrong, score {found.reference.score:g}."
    )


@pytest.mark.parametrize("drawn", [DRAWN, case("CWU", clusters=[0], labels="u")])
def test_a_curve_is_drawn_beside_the_run(tmp_path: Path, drawn: Case) -> None:
    svg, png = draw_curve(tmp_path, _curve(drawn))
    assert (svg.name, png.name) == ("sweep-b-p.svg", "sweep-b-p.png")
    assert "b: p" in svg.read_text()
    ElementTree.parse(svg)
    assert png.read_bytes().startswith(b"\x89PNG")
