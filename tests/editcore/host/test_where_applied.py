"""The lines of the file that an answer names after an edit."""

from __future__ import annotations

import pytest

from editcore.host.changed_file import where_applied
from editcore.types import Applied, Landing, Match
from tests.editcore.host.conftest import Project

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (TEN.replace("line 3\n", "three\n"), "Edit applied successfully: line 3."),
        (TEN.replace("line 3\n", "a\nb\n"), "Edit applied successfully: lines 3-4."),
        (TEN.replace("line 3\n", ""), "Edit applied successfully: 1 line removed below line 2."),
        (TEN.replace("line 1\nline 2\n", ""), "Edit applied successfully: 2 lines removed at the start."),
        (TEN.replace("line 2", "a\nb").replace("line 9", "c"), "Edit applied successfully: lines 2-3, line 10."),
        (f"{TEN}end", "Edit applied successfully: line 11."),
    ],
)
def test_the_lines_are_those_of_the_file_now(after: str, told: str) -> None:
    assert where_applied(TEN, after, Applied(after)) == [told]


def test_several_places_are_counted_and_the_first_of_many_named() -> None:
    before = "a\nx\n" * 9
    matches = tuple(Match(4 * n, 4 * n + 1, "simple") for n in range(9))
    (told,) = where_applied(before, before.replace("a", "b"), Applied(None, matches, "simple"))
    assert told == (
        "Edit applied successfully in 9 places: line 1, line 3, line 5, line 7, line 9, line 11 and 3 more."
    )


def test_what_was_not_matched_exactly_is_said_with_the_lines_as_they_are() -> None:
    after = TEN.replace("line 3\nline 4", "three\n  four")
    assert where_applied(TEN, after, Applied(after, replacer="indentation")) == [
        "Edit applied successfully: lines 3-4.",
        "The match was not exact, but by indentation. These lines are now:", "3: three", "4:   four",
    ]  # fmt: skip
    landing = Landing("a.py", 1, 3, "trimmed")
    assert where_applied(TEN, after, Applied(after, landings=(landing,)))[1].startswith("The match was not exact, but")


def test_lines_around_are_shown_and_the_middle_of_many_is_not() -> None:
    after = TEN.replace("line 3\n", "line 3\n" + "".join(f"new {n}\n" for n in range(9)))
    _, *shown = where_applied(TEN, after, Applied(after), around=2)
    assert shown == [
        "2: line 2", "3: line 3", "4: new 0", "5: new 1", "...", "11: new 7", "12: new 8", "13: line 4", "14: line 5",
    ]  # fmt: skip


def test_insert_at_shows_the_lines_that_its_own_stand_between(project: Project) -> None:
    project.lay("a.txt", TEN.replace("line 4", "\r\nline 4"))
    result = project.done("insert_at", path="a.txt", line=2, content="new")
    assert result.output == "Edit applied successfully: line 3.\n1: line 1\n2: line 2\n3: new\n4: line 3\n5: "


@pytest.mark.parametrize(
    ("called", "meant"), [("read_file", "read"), ("search_files", "grep"), ("multiedit", "multi_edit")]
)
def test_a_tool_by_another_agents_name_is_answered_with_ours(project: Project, called: str, meant: str) -> None:
    assert f"there is no tool {called!r}, did you mean {meant}? available: " in project.call(called).output


def test_a_patch_that_is_not_found_is_asked_whether_it_meant_the_lines_below_its_anchor(project: Project) -> None:
    project.lay("a.py", "def f():\n    total = 1\n    return total\n\n\ndef g():\n    total = 1\n    return total\n")
    lines = ("*** Update File: a.py", "@@ def g():", "-    totals = 1", "-    return totals", "+    return 1")
    result = project.call("edit_patch", patch="\n".join(("*** Begin Patch", *lines, "*** End Patch")))
    assert "Did you mean lines 7-8 (97% alike): '    total = 1\\\\n    return total'?" in result.output


def test_text_for_an_empty_file_is_no_inexact_match(project: Project) -> None:
    project.lay("empty", "")
    project.call("read", filePath="empty")
    edits = [{"oldString": "", "newString": "a line"}]
    assert "not exact" not in project.call("multi_edit", filePath="empty", edits=edits).output
