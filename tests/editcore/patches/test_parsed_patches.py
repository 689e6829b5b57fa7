"""What parsing a patch yields, field by field: lines, where they stand in the patch, hints, and what was overlooked."""

from __future__ import annotations

import pytest

from editcore.errors import PatchError
from editcore.patches.reading.envelope import parse_codex, parse_strict
from editcore.patches.reading.lenient import parse_lenient
from editcore.patches.reading.unified_strict import Parsed, parse_counted
from editcore.patches.reading.unified_tolerant import parse_tolerant
from editcore.text.line_index import folded, right_trimmed
from editcore.types import FilePatch, Hunk

DIFF = """\
--- a/app.cfg
+++ b/app.cfg
@@ -1,2 +1,3 @@ main
 host = a
-port = 1
+port = 2
+time = 3
@@ -4 +5 @@
-log = off
\\ No newline at end of file
+log = on
"""
FIRST = (" host = a", "-port = 1", "+port = 2", "+time = 3")
SECOND = ("-log = off", "+log = on")


@pytest.mark.parametrize("parse", [parse_counted, parse_tolerant])
def test_a_diff(parse: type[Parsed]) -> None:
    found = parse(DIFF, ("app.cfg",)).sections
    hunks = (
        Hunk(FIRST, 3, (), 1, 2, 1, 3),
        Hunk(SECOND, 8, (), 4, 1, 5, 1, source_no_newline=True),
    )
    assert found == [FilePatch("update", "app.cfg", 1, None, hunks)]


@pytest.mark.parametrize(
    ("header", "anchors", "numbers"),
    [
        ("@@", (), None),
        ("@@ @@", (), None),
        ("@@ @@ main", ("main",), None),
        ("@@ main @@", (), None),
        ("@@ @@ main @@ x", ("main @@ x",), None),
        ("@@ @@ -5 +5", ("-5 +5",), None),
        ("@@ -5 +6", (), (5, 1, 6, 1)),
        ("@@ -5,9 +6,9 @@ main", (), (5, 9, 6, 9)),
        ("@@-5 +6@@", (), (5, 1, 6, 1)),
    ],
)
def test_the_header_of_a_hunk_in_a_tolerated_diff(
    header: str, anchors: tuple[str, ...], numbers: tuple[int, int, int, int] | None
) -> None:
    found = numbers or (None, None, None, None)
    text = f"--- a/app.cfg\n+++ b/app.cfg\n{header}\n-a\n+b\n"
    (section,) = parse_tolerant(text, ("app.cfg",)).sections
    assert section.hunks == (Hunk(("-a", "+b"), 3, anchors, *found),)


def test_a_tolerated_diff_without_names() -> None:
    found = parse_tolerant("@@ -1 +1 @@\n-a\n+b\n", ("app.cfg",))
    assert found == Parsed(
        [FilePatch("update", "app.cfg", 1, None, (Hunk(("-a", "+b"), 1, (), 1, 1, 1, 1),))],
        ("file headers were missing",),
    )


def test_the_sections_of_a_file_whose_header_stands_before_each_hunk_begin_at_the_first() -> None:
    names = "--- a/app.cfg\n+++ b/app.cfg\n"
    found = parse_tolerant(f"{names}@@ -1 +1 @@\n-a\n+b\n{names}@@ -2 +2 @@\n-c\n+d\n", ("app.cfg",))
    (section,) = found.sections
    assert (section.patch_line, [hunk.patch_line for hunk in section.hunks]) == (1, [3, 8])


@pytest.mark.parametrize(
    ("old", "new", "path", "notes"),
    [
        ("a/app.cfg", "b/app.cfg", "app.cfg", ()),
        ("i/app.cfg", "i/app.cfg", "app.cfg", ()),
        ("w/app.cfg", "w/app.cfg", "app.cfg", ()),
        ("o/app.cfg", "o/app.cfg", "app.cfg", ()),
        ("c/app.cfg", "c/app.cfg", "app.cfg", ()),
        ("app.cfg", "app.cfg", "app.cfg", ()),
        ("/src/app.cfg", "/src/app.cfg", "app.cfg", ("directories before the path were dropped",)),
        ("`app.cfg`", "'app.cfg'", "app.cfg", ()),
        ("a/X", "b/X", "X", ()),
        ("X", "X", "X", ()),
    ],
)
def test_the_names_of_a_tolerated_diff(old: str, new: str, path: str, notes: tuple[str, ...]) -> None:
    found = parse_tolerant(f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n", ("app.cfg", "X"))
    assert ([section.path for section in found.sections], found.notes) == ([path], notes)


@pytest.mark.parametrize(("name", "path"), [("a/new", "new"), ("b/new", "new"), ("c/new", "c/new"), ("X", "X")])
def test_the_name_of_a_new_file_in_a_tolerated_diff(name: str, path: str) -> None:
    (section,) = parse_tolerant(f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+a\n", ()).sections
    assert (section.action, section.path) == ("add", path)


@pytest.mark.parametrize("kind", ["diff ", "--- ", "+++ ", "@@"])
def test_carriage_returns_are_the_patchs_own_where_every_header_has_one(kind: str) -> None:
    text = "diff --git a/app.cfg b/app.cfg\n" + DIFF
    note = "carriage returns of the patch itself were dropped"
    with_them = text.replace("\n", "\r\n")
    assert parse_tolerant(with_them, ("app.cfg",)).notes == (note,)
    lines = [line.removesuffix("\r") if line.startswith(kind) else line for line in with_them.split("\n")]
    assert parse_tolerant("\n".join(lines), ("app.cfg",)).notes == ()


@pytest.mark.parametrize("indent", ["\t", "    "])
def test_the_indentation_of_a_whole_diff_is_dropped_names_or_no_names(indent: str) -> None:
    for text in (DIFF, DIFF[DIFF.index("@@") :]):
        indented = "".join(indent + line + "\n" for line in text.splitlines())
        assert "the indentation of the whole patch was dropped" in parse_tolerant(indented, ("app.cfg",)).notes


ENVELOPE = """\
*** Begin Patch
*** Add File: new.cfg
+a
+b
*** Update File: app.cfg
*** Move to: moved.cfg
@@ main
 host = a
-port = 1
@@
+end
*** End of File
*** Delete File: old.cfg
*** End Patch
"""


def test_an_envelope() -> None:
    sections = [
        FilePatch("add", "new.cfg", 2, None, (Hunk(("+a", "+b"), 3),)),
        FilePatch(
            "update",
            "app.cfg",
            5,
            "moved.cfg",
            (Hunk((" host = a", "-port = 1"), 7, ("main",)), Hunk(("+end",), 10, end_of_file=True)),
        ),
        FilePatch("delete", "old.cfg", 13),
    ]
    assert parse_strict(ENVELOPE) == sections
    assert parse_codex(ENVELOPE) == sections
    assert parse_lenient(ENVELOPE) == (sections, ())


@pytest.mark.parametrize(
    ("header", "anchors", "start"),
    [
        ("@@", (), None),
        ("@@ main", ("main",), None),
        ("@@main", ("main",), None),
        ("@@ main @@", ("main",), None),
        ("@@ @@", (), None),
        ("@@ ...", (), None),
        ("@@ 5", (), None),
        ("@@ X", ("X",), None),
        ("@@ line 5", (), None),
        ("@@ Lines 5-7", (), None),
        ("@@ lines", ("lines",), None),
        ("@@ -5 +6 @@", (), 5),
        ("@@ -5,2 +6,2 @@ main ", ("main",), 5),
        ("@@ outer\n@@ inner", ("outer", "inner"), None),
    ],
)
def test_the_header_of_a_hunk_in_a_lenient_envelope(header: str, anchors: tuple[str, ...], start: int | None) -> None:
    text = f"*** Begin Patch\n*** Update File: app.cfg\n{header}\n-a\n+b\n*** End Patch\n"
    ((section,), _) = parse_lenient(text)
    assert section.hunks == (Hunk(("-a", "+b"), 3, anchors, start),)


@pytest.mark.parametrize(("lines", "without"), [("-a\n+b\n", True), (" a\n", False), ("+b\n-a\n", False), ("", False)])
def test_the_mark_for_a_missing_line_feed_is_of_the_line_above_it(lines: str, without: bool) -> None:
    text = f"*** Update File: app.cfg\n@@\n{lines}\\ No newline at end of file\n-c\n*** End Patch\n"
    ((section,), _) = parse_lenient(text)
    assert section.hunks[0].target_no_newline is without


def test_a_heredoc_needs_no_more_than_its_own_lines() -> None:
    assert parse_codex("<<EOF\n*** Begin Patch\n*** End Patch\nEOF\n") == []
    with pytest.raises(PatchError, match="The first line of the patch"):
        parse_codex("<<EOF\n*** Begin Patch\nEOF\n")


def test_white_space_is_what_rust_takes_for_it() -> None:
    # Python would cut the information separators off as well.
    assert right_trimmed("a \t\x1c") == "a \t\x1c"
    assert folded("\x1fa\xa0") == "\x1fa"
