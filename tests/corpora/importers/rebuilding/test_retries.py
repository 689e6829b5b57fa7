"""Retries that are the same change as a failed edit."""

from __future__ import annotations

import pytest

from corpora.importers.rebuilding.labels import same_change
from corpora.importers.session import Attempt
from editcore.types import Edit

TEXT = 'def f():\n\tx = "one"\n\treturn x\n\n\ndef g():\n\ty = 1\n\treturn y\n\n\nend\n'


def edit(old: str, new: str, replace_all: bool = False) -> Attempt:
    return Attempt("k", "str_replace", "a.py", (Edit(old, new, replace_all),))


def patch(*lines: str, file: str = "*** Update File: a.py") -> Attempt:
    return Attempt("k", "begin_patch", patch="\n".join(["*** Begin Patch", file, *lines, "*** End Patch"]))


@pytest.mark.parametrize(
    ("failed", "retried", "proof"),
    [
        (edit('  x = "one"', '\tx = "two"'), edit('\tx = "one"', '\tx = "two"'), "retry"),
        (edit("  y = 1", "  y = 2"), edit("\ty = 1", "\ty = 2"), "retry_repaired"),
        (edit("x = “one”", "x = “two”"), edit('x = "one"', 'x = "two"'), "retry_repaired"),
        (edit("\tq = 0\n\ty = 1", "\tq = 0\n\ty = 2"), edit("\ty = 1", "\ty = 2"), "retry"),
        (edit("\ty = 1\n\treturn q", "\treturn q"), edit("\ty = 1\n", ""), "retry"),
        (edit("\ty = 1\n\tq", "\ty = 1\n\tz\n\tq"), edit("\ty = 1\n", "\ty = 1\n\tz\n"), None),
        (edit("  y = 1\n", "  y = 1\n\tz\n"), edit("\ty = 1\n", "\ty = 1\n\tz\n"), "retry"),
        (edit("\treturn x", "\treturn 0"), edit("\treturn x\n\n", "\treturn 0\n\n"), "retry"),
        (edit("\treturn", "\treturn 0"), edit("\treturn x\n", "\treturn 0\n"), None),
        (edit("\treturn y", "\treturn 0"), edit("\treturn x", "\treturn 0"), None),
        (edit("\n\n", "\n"), edit("\n\n\n", "\n"), None),
        (edit("", "z"), edit("end", "z"), None),
        (edit("q", "z"), edit("end", "z"), None),
        (edit("end ", "ending\n"), edit("end", "ended\n"), None),
        (edit("end", "z\nend"), edit("y", "z\ny"), None),
        (edit(" end", " z", True), edit("end", "z", True), None),
        (edit(" end", " z"), edit("end\n", "z\nz\n"), None),
    ],
    ids=[
        "blanks of the find",
        "blanks of both",
        "quotes",
        "context that is not there",
        "removal with other context",
        "insertion under the same line, and a line that is not there",
        "insertion under the same line",
        "wider retry",
        "other line removed",
        "same new text elsewhere",
        "blank lines",
        "no find",
        "another find",
        "other new text",
        "insertion elsewhere",
        "all places",
        "more lines",
    ],
)
def test_the_same_change_is_told_by_its_lines_and_their_place(
    failed: Attempt, retried: Attempt, proof: str | None
) -> None:
    assert same_change(failed, retried, [TEXT]) == proof


def test_lines_that_stand_in_several_places_prove_nothing_unless_their_neighbours_tell() -> None:
    text = "a\nx\nb\nx\nc\n"
    assert same_change(edit("x ", "z"), edit("x", "z"), [text]) is None
    assert same_change(edit("b\nx\nq", "b\nz\nq"), edit("b\nx\nc", "b\nz\nc"), [text]) == "retry"
    assert same_change(edit("a\nx\nq", "a\nz\nq"), edit("b\nx\nc", "b\nz\nc"), [text]) is None


def test_several_edits_are_the_same_if_all_their_changes_are() -> None:
    both = Attempt("k", "str_replace", "a.py", (Edit("\ty = 1", "\ty = 2"), Edit("end", "END")))
    drifted = Attempt("k", "str_replace", "a.py", (Edit("  y = 1", "\ty = 2"), Edit("end", "END")))
    assert same_change(drifted, both, [TEXT]) == "retry"
    assert same_change(drifted, edit("\ty = 1", "\ty = 2"), [TEXT]) is None
    assert same_change(edit("  y = 1", "\ty = 2"), both, [TEXT]) is None


def test_a_patch_is_the_same_whatever_else_it_shows() -> None:
    failed = patch("@@ def h():", " \tq = 0", "-\ty = 1", "+\ty = 2")
    assert same_change(failed, patch("@@", "-\ty = 1", "+\ty = 2", " \treturn y"), [TEXT]) == "retry"
    assert same_change(failed, patch("@@", "-\ty = 1", "+\ty = 3"), [TEXT]) is None
    other_file = patch("-\ty = 1", "+\ty = 2", file="*** Update File: b.py")
    assert same_change(failed, other_file, [TEXT]) is None


def test_a_patch_that_also_removes_a_file_is_another_one() -> None:
    failed = patch("-\ty = 1", "+\ty = 2")
    assert same_change(failed, patch("-\ty = 1", "+\ty = 2", "*** Delete File: b.py"), [TEXT]) is None


def test_lines_inserted_by_a_patch_have_the_place_of_their_neighbours() -> None:
    wrong = patch("@@", " wrong", " def g():", "+\tz = 0", " \ty = 1")
    assert same_change(wrong, patch("@@", " def g():", "+\tz = 0", " \ty = 1"), [TEXT]) is None
    failed = patch("@@", "  def g():", "+\tz = 0", "   y = 1")
    assert same_change(failed, patch("@@", " def g():", "+\tz = 0", " \ty = 1"), [TEXT]) == "retry"
    assert same_change(failed, patch("@@", " def f():", "+\tz = 0", ' \tx = "one"'), [TEXT]) is None


def test_new_files_of_patches_need_no_place() -> None:
    failed = patch("+n", "*** Update File: a.py", "-  y = 1", "+\ty = 2", file="*** Add File: n.py")
    retried = patch("+n", "*** Update File: a.py", "-\ty = 1", "+\ty = 2", file="*** Add File: n.py")
    assert same_change(failed, retried, [TEXT]) == "retry"


def test_edits_of_another_kind_are_never_the_same() -> None:
    insert = Attempt("k", "insert", "a.py", patch="z\n", line=1)
    assert same_change(insert, insert, [TEXT]) is None
    assert same_change(Attempt("k", "str_replace", "a.py"), edit("end", "z"), [TEXT]) is None


def test_removed_lines_that_look_like_headers_are_lines() -> None:
    diff = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1 @@\n--- note\n x\n"
    attempt = Attempt("k", "unified_diff", patch=diff)
    assert same_change(attempt, attempt, ["-- note\nx\n"]) == "retry"
