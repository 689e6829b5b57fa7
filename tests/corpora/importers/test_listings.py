"""Diffs and files with line numbers or anchors, and calls that name lines by anchors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.importers.listings import anchored_call, anchored_listing, tagged_files, unified_hunks
from corpora.importers.rebuilding.recorded_diff import apply_recorded
from corpora.importers.session import Read, RecordedDiff
from editcore.anchors import show

# Diffs with numbered lines, made unified.

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


# Calls and listings of anchored formats, as they are in logs.

TEXT = "def f():\n    return 1\n\nprint(f())\n"
LINES = ("def f():", "    return 1", "", "print(f())")
VIEWS = {"hashline_h2": "hashline_h2", "hashline_h2_oh_my_pi": "hashline_h2", "hashline_h4": "hashline_h4"}


@pytest.mark.parametrize(("view", "format"), VIEWS.items())
def test_the_format_of_a_listing_is_that_whose_hashes_its_lines_have(view: str, format: str) -> None:
    listing = anchored_listing(show(TEXT, view, path="a.py"))
    assert listing is not None
    assert (listing.format, listing.first, listing.path) == (format, 1, "a.py" if format == "hashline_h4" else "")
    assert listing.lines[:4] == LINES
    assert listing.is_whole


@pytest.mark.parametrize(
    "output",
    ["", "a.py\nb.py", "1:def f():\n2:    return 1", "1#ZZ:def f():\n2#ZZ:    return 1", "1:zz|def f():",
     "[a.py#12]\n1:x", "[a.py#1234]\nb.py", f"[a.py#1234]\n1:{'x' * 600}"],
)  # fmt: skip
def test_what_has_no_anchors_or_wrong_ones_or_a_line_that_may_be_cut_off_is_no_listing(output: str) -> None:
    assert anchored_listing(output) is None


def test_a_listing_ends_where_its_numbers_do() -> None:
    shown = show(TEXT, "hashline_h2").split("\n")
    listing = anchored_listing("\n".join([*shown[1:3], "", "[Showing lines 2-3 of 4]"]))
    assert listing is not None
    assert (listing.first, listing.lines, listing.rest) == (2, LINES[1:3], "\n[Showing lines 2-3 of 4]")
    assert listing.read("a.py") == Read("a.py", "    return 1\n", 2, whole=False)


@pytest.mark.parametrize(
    ("size", "content", "is_known"),
    [(len(TEXT), TEXT, True), (len(TEXT) - 1, TEXT[:-1], True), (len(TEXT) + 4, TEXT[:-1], False),
     (None, TEXT[:-1], False)],
)  # fmt: skip
def test_how_a_file_of_h4_ends_is_known_by_its_size(size: int | None, content: str, is_known: bool) -> None:
    listing = anchored_listing(show(TEXT, "hashline_h4", path="a.py"))
    assert listing is not None
    assert listing.read("a.py", size) == Read("a.py", content, 1, whole=True, ends_shown=is_known)


CALLS: list[tuple[dict[str, Any], str | None]] = [
    ({"input": "[a.py#1234]\nPUT 1.=1:\n+x\n"}, "hashline_h4"),
    ({"input": "[a.py#1234]\nSWAP 1.=1:\n+x\n"}, None),
    ({"input": "*** Begin Patch\n"}, None),
    ({"path": "a", "edits": [{"set_line": {"anchor": "1:ab", "new_text": "x"}}]}, None),
    ({"path": "a", "edits": [{"op": "append", "lines": ["x"]}]}, "hashline_h2"),
    ({"path": "a", "edits": '[{"loc": "append", "content": ["x"]}]'}, "hashline_h2"),
    ({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}, None),
    ({"path": "a"}, None),
]


@pytest.mark.parametrize(("arguments", "format"), CALLS)
def test_the_format_of_a_call_is_that_of_its_fields(arguments: dict[str, Any], format: str | None) -> None:
    found = anchored_call(arguments, "hashline_h2")
    assert (found[0] if found else None) == format


def test_a_call_is_kept_without_what_the_host_put_beside_it() -> None:
    edits = [{"op": "replace", "pos": "1#ZZ", "lines": ["é"]}]
    format, call = anchored_call({"path": "a", "i": "Fixing it", "edits": edits}, "hashline_h2") or ("", "")
    assert (format, json.loads(call)) == ("hashline_h2", {"path": "a", "edits": edits})
    assert "é" in call
    assert anchored_call({"path": "a", "edits": edits}, None) is None


def test_the_files_of_a_call_of_h4_are_those_of_its_headers() -> None:
    assert tagged_files("[a.py#12ab]\nCUT 1\n[b c.py#00FF] \r\nREM\n+[c#1234]") == [
        ("a.py", "12AB"),
        ("b c.py", "00FF"),
    ]


@given(st.text(alphabet="1#:|[]aAZPM \n", max_size=60), st.integers(0, 9))
def test_any_output_is_a_listing_or_none(output: str, size: int) -> None:
    listing = anchored_listing(output)
    if listing is not None:
        assert listing.read("a", size).first_line == listing.first
