"""Hunks that stand once are replaced in the text just as the general way replaces them."""

from __future__ import annotations

from itertools import chain
from random import Random

import pytest

from editcore import Applied, EditResult, apply_begin_patch, apply_unified_diff
from editcore.patches import sections
from editcore.patches.placing.policy import ByContent, Format, Hint, Policy
from editcore.patches.placing.splicing import spliced
from editcore.patches.unified_diff import STRICTNESSES
from editcore.types import FilePatch, Hunk

EXACT = Policy(Format.ENVELOPE, ByContent(("exact",), Hint.NONE))


@pytest.mark.parametrize(
    ("text", "hunks", "after"),
    [
        ("a\nb\nc\n", [("-b", "+x", "+y")], "a\nx\ny\nc\n"),
        ("a\nb\nc\n", [("-a",), ("-b", "-c")], ""),
        ("a\nb\nc\nd\n", [(" a", "+x", " b"), ("-d",)], "a\nx\nb\nc\n"),
        ("a\nb", [("-a", "+x")], "x\nb"),
        # What is not as simple: twice, out of order, at a last line without ending, with carriage returns, made before.
        ("a\nb\na\n", [("-a", "+x")], None),
        ("a\nb\n", [("-b", "+x"), ("-a", "+y")], None),
        ("a\nb", [("-b", "+x")], None),
        ("a\r\nb\r\n", [("-b", "+x")], None),
        ("a\nb\n", [("-b", "+x\r")], None),
        ("a\nb\n", [(" a", "+b")], None),
        ("a\nb\n", [("+b",)], None),
        ("aa\nb\n", [("-a", "+x")], None),
    ],
)
def test_a_text_with_its_hunks_replaced(text: str, hunks: list[tuple[str, ...]], after: str | None) -> None:
    section = FilePatch("update", "f", 1, hunks=tuple(Hunk(lines, 1) for lines in hunks))
    found = spliced(text, section, EXACT)
    assert (found[0] if found else None) == after


def _drawn(random: Random) -> tuple[str, str]:
    """A text of few different lines, and hunks made of it, some of them wrong."""
    lines = [random.choice("abcdefgh") for _ in range(random.randint(0, 9))]
    hunks = ""
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(lines))
        hunks += "@@\n"
        for line in lines[at : at + random.randint(0, 3)]:
            hunks += random.choice((f" {line}\n", f"-{line}\n", f" {line}\n+{random.choice('abx')}\n"))
        hunks += random.choice(("", "", "+y\n"))
    return "\n".join(lines) + random.choice(("", "\n", "\n")), hunks


def _numbered(random: Random) -> tuple[str, str]:
    """A text of few different lines, and hunks of it with numbers, most of them right."""
    lines = [random.choice("abc") for _ in range(random.randint(0, 9))]
    hunks, at, shift = "", 0, 0
    for _ in range(random.randint(1, 3)):
        at = random.randint(at, len(lines))
        body: list[str] = []
        for line in lines[at : at + random.randint(0, 4)]:
            body += random.choice(([f" {line}"], [f" {line}"], [f"-{line}"], [f"+{random.choice('abx')}", f" {line}"]))
        body += random.choice(([], [], ["+y"]))
        n_old, n_new = (sum(line[0] != sign for line in body) for sign in "+-")
        start = at + (1 if n_old else 0) + random.choice((0,) * 9 + (1, -1))
        wrong = random.choice(((0, 0),) * 6 + ((0, 1), (2, 0), (1, 1), (0, -1)))
        counted = (max(n + more, 0) for n, more in zip((n_old, n_new), wrong, strict=True))
        starts = (max(start, 0), max(start + shift, 0))
        hunks += "\n".join(("@@ -{},{} +{},{} @@".format(*chain(*zip(starts, counted, strict=True))), *body, ""))
        at, shift = at + n_old, shift + n_new - n_old
    return "\n".join(lines) + random.choice(("", "\n", "\n", "\n")), hunks


def test_the_result_by_number_is_that_of_the_general_way(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    drawn = [_numbered(random) for _ in range(1000)]

    def results() -> list[EditResult]:
        return [
            apply_unified_diff({"f": text}, f"--- a/f\n+++ b/f\n{hunks}", strictness=strictness)
            for text, hunks in drawn
            for strictness in STRICTNESSES
        ]

    quick = results()
    assert sum(isinstance(one, Applied) for one in quick) > 400
    monkeypatch.setattr(sections, "spliced", lambda *_: None)
    assert quick == results()


def test_the_result_is_that_of_the_general_way(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(1)
    drawn = [_drawn(random) for _ in range(300)]

    def results() -> list[EditResult]:
        found: list[EditResult] = []
        for text, hunks in drawn:
            envelope = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
            found += (
                apply_begin_patch({"f": text}, envelope, reading="strict"),
                apply_begin_patch({"f": text}, envelope, reading="lenient"),
            )
            found.append(apply_unified_diff({"f": text}, f"--- a/f\n+++ b/f\n{hunks}"))
        return found

    quick = results()
    monkeypatch.setattr(sections, "spliced", lambda *_: None)
    assert quick == results()
