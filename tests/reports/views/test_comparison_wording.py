"""A comparison in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reports.compare.comparison import Side, Turn, Turned, compare
from reports.runs.run_folder import RunFolder
from reports.views.comparison_wording import changed_lines, groups, has_diff, lines_about, sentence
from tests.reports.compare.compared import A, B, compared
from tests.twins import RIGHT, write_run


def test_the_same_turn_under_several_strategies_is_told_once(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cc", B: "cc"}, {A: "wm", B: "wm"})
    first, second = groups(found)
    assert first.strategies == second.strategies == [A, B]
    base_edit, run_edit = first.edits
    assert (run_edit and run_edit.expected, base_edit) == (RIGHT, None)
    assert (has_diff(first), has_diff(second)) == (True, False)


def test_both_diffs_are_shown_and_what_has_none_says_so(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "wmx"}, given=RIGHT.replace("return 2", "return 9"))
    text = "\n".join(lines_about(groups(compare(RunFolder(base), RunFolder(write_run(tmp_path / "run", {A: "www"}))))))
    worse, _, changed = text.partition("CHANGED")
    assert "s0001: missed (no_match) -> wrong_edit (text)" in worse
    assert "base: refused (no_match)" in worse
    assert "-    return 1\n+    return 3" in worse
    assert "crashed (ValueError: no)" in worse
    assert "base: wrong, by simple" in changed
    assert changed.index("+    return 9") < changed.index("run: wrong, by simple") < changed.index("+    return 3")


def test_beyond_the_limit_samples_are_named_without_their_diffs(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cccw"}, {A: "wwwc"})
    limited = groups(found, n_diffs=1)
    assert [has_diff(group) for group in limited] == [True, False, False, True]
    text = "\n".join(lines_about(limited))
    assert all(f"s000{i}: " in text for i in range(4))
    assert text.count("+++ b/a.py") == 2
    assert not any(has_diff(group) for group in groups(found, n_diffs=0))


def test_the_sentence_tells_luck_from_more(tmp_path: Path) -> None:
    same = compared(tmp_path / "same", {A: "ccc"}, {A: "ccc"})
    assert sentence(same) == "Nothing turned: cascade/a had the same outcomes on 3 samples."
    base, run = {A: "c" * 20, B: "c" * 20}, {A: "m" * 10 + "c" * 10, B: "m" + "c" * 19}
    found = compared(tmp_path / "other", base, run)
    assert sentence(found) == (
        "10 worse and 0 better of 20 samples, under 2 strategies: cascade/a is significantly worse; "
        "replacer/b is not significantly different."
    )


def test_every_measurement_that_changed_is_named_where_samples_turned(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "ccc", B: "ccc"}, severity="other_tree")
    run = write_run(tmp_path / "run", {A: "cwm", B: "ccc"}, severity="other_tree")
    (line,) = changed_lines(compare(RunFolder(base), RunFolder(run)))
    assert line.startswith(f"{A}: correct 3 -> 1; wrong 0 -> 1; other tree 0 -> 1; missed 0 -> 1; precision ")
    assert "; lines lost 0 -> 2; " in line
    assert "rate 100" not in line.partition("; applied rate")[0], "match rate and wrong rate are in the table"


def test_an_unlabelled_edit_that_is_applied_or_refused_says_which(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cu"}, {A: "cu"})
    applied = replace(found, turned=[Turned("s", A, Turn.CHANGED, _unlabelled("ambiguous"), _unlabelled(None))])
    (line,) = (line for line in lines_about(groups(applied)) if line.startswith("s: "))
    assert line == f"s: unlabelled (ambiguous) -> unlabelled (applied), under {A}"


def _unlabelled(reason: str | None) -> Side:
    return Side("unlabelled", None, reason, None, None)
