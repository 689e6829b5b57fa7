"""Diffs with numbered lines, made unified."""

from __future__ import annotations

import pytest

from corpora.importers.listings import unified_hunks
from corpora.importers.rebuilding.recorded_diff import apply_recorded
from corpora.importers.session import RecordedDiff

BEFORE = "".join(f"line {n}\n" for n in range(1, 21))
AFTER = BEFORE.replace("line 5\nline 6\n", "five\n").replace("line 15\n", "line 15\nnew\n")
WITH_BARS = """  1|...
  4|line 4
- 5|line 5
- 6|line 6
+ 5|five
  7|line 7
  8|...
 14|line 14
 15|line 15
+15|new
 16|line 16
 17|..."""
WITH_ANCHORS = """    ...
  4#ZZ:line 4
- 5    line 5
- 6    line 6
+ 5#MQ:five
  6#VR:line 7
    ...
 13#KT:line 14
 14#KT:line 15
+15#XJ:new
 16#BY:line 16
    ..."""


@pytest.mark.parametrize("numbered", [WITH_BARS, WITH_ANCHORS])
def test_lines_with_bars_have_old_numbers_and_those_with_anchors_new_ones(numbered: str) -> None:
    assert apply_recorded(RecordedDiff("a", unified_hunks(numbered)), BEFORE) == AFTER


def test_a_line_that_is_an_ellipsis_is_added_or_removed_as_it_is() -> None:
    assert unified_hunks("-1|...\n+1|x\n 2|...") == "@@ -1,1 +1,1 @@\n-...\n+x\n"


def test_the_length_of_anchors_is_that_of_the_blanks_in_their_place() -> None:
    assert unified_hunks(" 1#ZZQK:a\n-2      b\n+2#MQMQ:c") == "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize("text", ["", "...", "no numbers", " 1|only context"])
def test_what_changes_nothing_has_no_hunks(text: str) -> None:
    assert unified_hunks(text) == ""


@pytest.mark.parametrize(
    ("numbered", "before", "after"),
    [
        ("-1 a\n+1 b\n 2 c\n  ...\n 7 h\n-8 i\n", "a\nc\nd\ne\nf\ng\nh\ni\n", "b\nc\nd\ne\nf\ng\nh\n"),
        ("+1 z\n 1 a", "a\n", "z\na\n"),
        ("+1 z", "", "z\n"),
        ("+1 z\n 1 a\n   ...\n+4 y", "a\nb\n", "z\na\nb\ny\n"),
        ("   ...\n  9 i\n+10 \n 10 j\n   ...\n 12 l\n-13 m\n+14 n", "".join(f"{c}\n" for c in "abcdefghijklm"), None),
    ],
)
def test_a_numbered_diff_lands_where_its_numbers_say(numbered: str, before: str, after: str | None) -> None:
    expected = after or "".join(f"{c}\n" for c in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "", "j", "k", "l", "n"])
    assert apply_recorded(RecordedDiff("a.py", unified_hunks(numbered)), before) == expected
