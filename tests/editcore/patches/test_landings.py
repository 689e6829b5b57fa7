"""Where edits land, and where those that are refused come close: ranges, lines, tiers, notes and candidates."""

from __future__ import annotations

import pytest

from editcore import (
    Applied,
    EditResult,
    Landing,
    Match,
    Reason,
    Rejected,
    apply_begin_patch,
    apply_search_replace,
    apply_unified_diff,
    insert_lines,
    replace,
    replace_lines,
)

APP = "host = a\nport = 1\nmode = dev\nlog = off\n"
NAMES = "--- a/app.cfg\n+++ b/app.cfg\n"


def landings(result: EditResult) -> tuple[Landing, ...]:
    assert isinstance(result, Applied), result
    return result.landings


def notes(result: EditResult) -> tuple[str, ...]:
    assert isinstance(result, Applied), result
    return result.notes


def found(result: EditResult, text: str) -> list[str]:
    """The texts at the candidates of a refusal."""
    assert isinstance(result, Rejected), result
    assert {match.replacer for match in result.candidates} <= {"hunk"}
    return [text[match.start : match.end] for match in result.candidates]


def test_inserted_lines_land_at_a_point() -> None:
    assert insert_lines("a\nb\n", 1, "x") == Applied("a\nx\nb\n", (Match(2, 2, "insert"),), "insert")
    assert insert_lines("a", 1, "x") == Applied("a\nx", (Match(1, 1, "insert"),), "insert")
    assert insert_lines("a\n", 0, "") == Rejected(
        Reason.EMPTY, "content is empty: give the lines to insert; a line feed alone is a blank line."
    )


@pytest.mark.parametrize(
    ("text", "line", "end_line", "range_of_them"),
    [("a\nbb\nc\n", 1, 2, (0, 5)), ("a\nbb\nc\n", 2, 2, (2, 5)), ("a\nbb\nccc", 2, 3, (2, 8)), ("a\n", 1, 1, (0, 2))],
)
def test_replaced_lines_are_a_range_with_their_line_feeds(
    text: str, line: int, end_line: int, range_of_them: tuple[int, int]
) -> None:
    result = replace_lines(text, line, end_line, "x")
    assert isinstance(result, Applied)
    assert (result.matches, result.replacer) == ((Match(*range_of_them, "lines"),), "lines")


@pytest.mark.parametrize(("line", "end_line"), [(0, 1), (2, 1), (2, 3)])
def test_lines_that_are_not_there_are_refused_with_their_number(line: int, end_line: int) -> None:
    assert replace_lines("a\nb\n", line, end_line, "x") == Rejected(
        Reason.NOT_FOUND,
        f"There are no lines {line} to {end_line}: the file has 2; give a first and a last one within it.",
    )


def test_hunks_land_at_a_line_by_a_tier_with_a_note() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: app.cfg\n@@\n-host = a\n+host = b\n"
        "@@ \n-  log = off\n+  log = on\n*** End Patch\n"
    )
    assert landings(apply_begin_patch({"app.cfg": APP}, patch)) == (
        Landing("app.cfg", 1, 1, "exact"),
        Landing("app.cfg", 2, 4, "trimmed", ("re-indented",)),
    )
    assert landings(apply_begin_patch({"app.cfg": APP}, patch, reading="codex")) == (
        Landing("app.cfg", 1, 1, "exact"),
        Landing("app.cfg", 2, 4, "trimmed"),
    )


def test_hunks_by_number_land_with_their_offset_and_fuzz() -> None:
    moved = f"{NAMES}@@ -2,2 +2,2 @@\n mode = dev\n-log = off\n+log = on\n"
    fuzzy = f"{NAMES}@@ -3,2 +3,2 @@\n mode = x\n-log = off\n+log = on\n"
    assert landings(apply_unified_diff({"app.cfg": APP}, moved, strictness="offset")) == (
        Landing("app.cfg", 1, 3, "exact", ("offset 1",)),
    )
    assert landings(apply_unified_diff({"app.cfg": APP}, fuzzy, strictness="fuzz")) == (
        Landing("app.cfg", 1, 4, "fuzz", ("fuzz 1",)),
    )


def test_only_what_is_compared_by_degrees_is_less_than_alike() -> None:
    def similarity(content: str, old: str) -> tuple[str | None, float]:
        result = replace(content, old, "x", cascade="reference")
        assert isinstance(result, Applied)
        return result.replacer, result.matches[0].similarity

    assert similarity("in\n\nout\n", "in\n \t\nout") == ("line_trimmed", 1.0)
    assert similarity("in\nab\nout\n", "in\nax\nout") == ("block_anchor", 0.5)


def test_blocks_land_at_a_line_by_a_replacer() -> None:
    text = (
        "app.cfg\n<<<<<<< SEARCH\nport = 1\n=======\nport = 2\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\n  log = off\n=======\nlog = on\n>>>>>>> REPLACE\n"
        "new.cfg\n<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE\n"
    )
    assert landings(apply_search_replace({"app.cfg": APP}, text, cascade="reference")) == (
        Landing("app.cfg", 1, 2, "simple"),
        Landing("app.cfg", 2, 4, "line_trimmed"),
        Landing("new.cfg", 3, 1, "created"),
    )


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (f"{NAMES}@@ -9 +9 @@\n-port = 1\n+port = 2\n", ()),
        (f"{NAMES}@@ -9 +9 @@\n-port = 1\n+port = 2\n".replace("\n", "\r\n"),
         ("carriage returns of the patch itself were dropped",)),
        (f"{NAMES}@@ -9 +9 @@\n-port = 1\n+port = 2\n".replace("\n", "\n> ").removesuffix("> ").replace("---", "> ---"),
         ("quotation marks before each line were dropped",)),
        (f"\n{NAMES}@@ -9 +9 @@\n-port = 1\n+port = 2\n".replace("\n", "\n\t").removesuffix("\t"),
         ("the indentation of the whole patch was dropped",)),
        ("@@ -9 +9 @@\n-port = 1\n+port = 2\n", ("file headers were missing",)),
        ("--- a/app.cfg\n@@ -9 +9 @@\n-port = 1\n+port = 2\n", ("one of the two file headers was missing",)),
        (f"{NAMES}@@ -9 +9 @@\n-port = 1\n+port = 2\n{NAMES}@@ -9 +9 @@\n-log = off\n+log = on\n",
         ("the file header stood before each hunk",)),
        ("--- /src/x/app.cfg\n+++ /src/x/app.cfg\n@@ -9 +9 @@\n-port = 1\n+port = 2\n",
         ("directories before the path were dropped",)),
        (f"{NAMES}@@ -9,2 +9,2 @@\nhost = a\n-port = 1\n+port = 2\n", ("context lines lacked their leading space",)),
        (f"{NAMES}@@ -9 +9 @@\n host = a\n@@ -9 +9 @@\n-port = 1\n+port = 2\n",
         ("a hunk that changes nothing was passed over",)),
    ],
)  # fmt: skip
def test_what_was_tolerated_in_a_diff_is_noted_once(patch: str, expected: tuple[str, ...]) -> None:
    assert notes(apply_unified_diff({"app.cfg": APP}, patch)) == expected


CHANGE = "-port = 1\n+port = 2\n"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@\n{CHANGE}*** End Patch\n", ()),
        (f"*** Update File: app.cfg\n@@\n{CHANGE}*** End Patch\n", ("'*** Begin Patch' is missing",)),
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@\n{CHANGE}", ("'*** End Patch' is missing",)),
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@\n{CHANGE[:-1]}*** End Patch",
         ("the end marker was glued to the last line",)),
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@ -9 +9 @@\n{CHANGE}*** End Patch\n",
         ("line numbers were taken as hints",)),
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@\nhost = a\n{CHANGE}mode = dev\n*** End Patch\n",
         ("context lines lacked their leading space",)),
        (f"*** Begin Patch\n*** Update File: app.cfg\n@@\n{CHANGE}*** End Patch\n".replace("\n", "\\n"),
         ("read as one JSON string",)),
    ],
)  # fmt: skip
def test_what_was_overlooked_in_an_envelope_is_noted_once(patch: str, expected: tuple[str, ...]) -> None:
    assert notes(apply_begin_patch({"app.cfg": APP}, patch)) == expected


TWICE = "a\n  x = 1\nb\n\n  x = 1\nc\n"


@pytest.mark.parametrize(
    ("header", "end", "line", "note"),
    [
        ("@@", "*** End of File\n", 5, "placed at the end of the file"),
        ("@@ b", "", 5, "placed by its @@ line"),
        ("@@ -5 +5 @@", "", 5, "placed by its line number"),
    ],
)
def test_the_hint_that_decided_is_noted(header: str, end: str, line: int, note: str) -> None:
    text = TWICE.removesuffix("c\n") if end else TWICE
    patch = f"*** Begin Patch\n*** Update File: f\n{header}\n-  x = 1\n+  x = 2\n{end}*** End Patch\n"
    assert landings(apply_begin_patch({"f": text}, patch)) == (Landing("f", 1, line, "exact", (note,)),)


def test_the_order_of_the_hunks_as_the_hint_that_decided_is_noted() -> None:
    patch = "*** Begin Patch\n*** Update File: f\n@@\n-b\n+B\n@@\n-  x = 1\n+  x = 2\n*** End Patch\n"
    assert landings(apply_begin_patch({"f": TWICE}, patch))[1] == Landing(
        "f", 2, 5, "exact", ("placed by the order of the hunks",)
    )
    alone = "*** Begin Patch\n*** Update File: f\n@@\n-  x = 1\n+  x = 2\n*** End Patch\n"
    assert landings(apply_begin_patch({"f": TWICE}, alone, on_ambiguous="first")) == (
        Landing("f", 1, 2, "exact", ("the first of several places",)),
    )


def test_a_refusal_shows_the_places_it_comes_close_to() -> None:
    ambiguous = "*** Begin Patch\n*** Update File: f\n@@\n-  x = 1\n+  x = 2\n*** End Patch\n"
    assert found(apply_begin_patch({"f": TWICE}, ambiguous), TWICE) == ["  x = 1", "  x = 1"]
    differs = "*** Begin Patch\n*** Update File: app.cfg\n@@\n port = 1\n mode = x\n-log = off\n*** End Patch\n"
    assert found(apply_begin_patch({"app.cfg": APP}, differs), APP) == ["port = 1\nmode = dev\nlog = off"]
    elsewhere = "*** Begin Patch\n*** Update File: app.cfg\n@@\n nowhere\n-log = off\n*** End Patch\n"
    # Two lines from there on, of which the file has one.
    assert found(apply_begin_patch({"app.cfg": APP}, elsewhere), APP) == ["log = off"]
    nowhere = "*** Begin Patch\n*** Update File: app.cfg\n@@\n-nowhere\n*** End Patch\n"
    assert found(apply_begin_patch({"app.cfg": APP}, nowhere), APP) == []
    uneven = "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n*** End Patch\n"
    assert found(apply_begin_patch({"f": "  a\n      b\n"}, uneven), "  a\n      b\n") == ["  a\n      b"]
    diff = "--- a/f\n+++ b/f\n@@ -9 +9 @@\n-  x = 1\n+  x = 2\n"
    text = TWICE.replace("  x = 1\nc", "y\n  x = 1\nc")
    assert found(apply_unified_diff({"f": text}, diff.replace("9", "4")), text) == ["  x = 1", "  x = 1"]


def test_a_refused_block_shows_the_places_it_comes_close_to() -> None:
    result = apply_search_replace({"f": TWICE}, "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n")
    assert isinstance(result, Rejected)
    assert [(match.start, match.end, match.replacer) for match in result.candidates] == [
        (2, 9, "indentation"),
        (13, 20, "indentation"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "end_line", "content", "result"),
    [
        ("a\nb\n", 1, 1, "x y\n\nz\n", "x y\n\nz\nb\n"),
        ("a\nb\n", 1, 1, "x\r\ny\r\n", "x\ny\nb\n"),
        ("a\r\nb\r\n", 1, 1, "x\ny", "x\r\ny\r\nb\r\n"),
        # A last line without an ending goes by the one above it, and stays without.
        ("a\r\nb", 2, 2, "x\n", "a\r\nx"),
        ("a\nb\r\nc", 3, 3, "x\ny", "a\nb\r\nx\r\ny"),
        ("a\r\nb\nc", 3, 3, "x\ny", "a\r\nb\nx\ny"),
        ("a\r\nb\r\nc", 1, 1, "x", "x\r\nb\r\nc"),
        ("a\nb\r\nc\n", 2, 2, "x", "a\nx\r\nc\n"),
        ("a\r\nb\r", 2, 2, "x", "a\r\nx\r"),
        ("a", 1, 1, "x", "x"),
        ("a\r\nb", 2, 2, "", "a"),
        ("a\r\nb\r\nc", 2, 3, "", "a"),
        ("a\r\nb\r\nc", 2, 2, "", "a\r\nc"),
        ("a\r\nb", 1, 2, "", ""),
        ("a\nb", 2, 2, "", "a"),
    ],
)
def test_replaced_lines_are_those_of_the_content_with_the_line_ending_of_the_file(
    text: str, line: int, end_line: int, content: str, result: str
) -> None:
    outcome = replace_lines(text, line, end_line, content)
    assert isinstance(outcome, Applied)
    assert outcome.content == result
