"""Hunks that stand once are replaced in the text just as the general way replaces them."""

from __future__ import annotations

from random import Random

import pytest

from editcore import EditResult, apply_begin_patch, apply_unified_diff
from editcore.patches import sections
from editcore.patches.placing.policy import Policy
from editcore.patches.placing.splicing import spliced
from editcore.types import FilePatch, Hunk

EXACT = Policy(tiers=("exact",))


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
