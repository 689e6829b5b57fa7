"""Where edits land, and where those that are refused come close: ranges, lines, tiers, notes and candidates."""

from __future__ import annotations

from itertools import islice

import pytest

from corpora.load import load
from editcore import (
    Applied,
    EditResult,
    Landing,
    Rejected,
    apply_begin_patch,
    apply_search_replace,
    apply_unified_diff,
    replace,
)
from editcore.patches import sections
from harness.conform.conforming import Pair, draws
from harness.run.latency import Stopwatch
from harness.strategies.registry import strategy
from tests.results import applied, refused

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
        result = applied(replace(content, old, "x", cascade="reference"))
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


TWICE = "a\n  x = 1\nb\n\n  x = 1\nc\n"


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
    result = refused(apply_search_replace({"f": TWICE}, "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"))
    assert [(match.start, match.end, match.replacer) for match in result.candidates] == [
        (2, 9, "indentation"),
        (13, 20, "indentation"),
    ]


@pytest.mark.parametrize(
    "rule", ["begin_patch/strict", "begin_patch/lenient", "unified_diff/strict", "unified_diff/tolerant"]
)
def test_hunks_replaced_in_the_text_give_what_placing_by_lines_gives(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = strategy(rule)
    pair = Pair(one, one, Stopwatch(), timeout_s=5)
    samples = [sample for sample in load("house") if one.takes(sample)] + list(islice(draws(pair, 5), 400))
    replaced = [one.apply(sample, None) for sample in samples]
    monkeypatch.setattr(sections, "_MOST_REPLACED", 0)
    assert [one.apply(sample, None) for sample in samples] == replaced
    assert any(isinstance(result, Applied) for result in replaced)
