"""Changes of two writers in one text, compared with `git merge-file`."""

from __future__ import annotations

from random import Random

import pytest

from editcore.host.documents.store import merge_texts
from editcore.text.three_way import beside


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "wanted"),
    [
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        ("a\nb\nc\n", "A\nb\nc\n", "x\na\nb\nc\n", "x\nA\nb\nc\n"),
        ("a\nb\n", "A\nb\n", "z\nb\n", None),
        ("a\nb\n", "x\na\nb\n", "y\na\nb\n", None),
        ("a\nb", "A\nb", "a\nb\n", "A\nb\n"),
        ("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"),
        ("", "x\n", "", "x\n"),
    ],
)
def test_what_two_writers_changed_is_in_one_text(base: str, mine: str, theirs: str, wanted: str | None) -> None:
    assert beside(base, mine, theirs) == wanted


def test_two_insertions_at_one_place_both_stay_where_that_is_wanted() -> None:
    assert beside("a\nb\n", "a\nx\nb\n", "a\ny\nb\n", inserts=True) == "a\ny\nx\nb\n"


def _text(rng: Random, lines: list[str]) -> str:
    lines = list(lines)
    for _ in range(rng.randint(0, 2)):
        at = rng.randint(0, len(lines))
        lines[at : at + rng.randint(0, 2)] = [rng.choice("ABCD") for _ in range(rng.randint(0, 2))]
    return "".join(line + "\n" for line in lines)


def test_where_git_merges_cleanly_so_does_this_or_refuses() -> None:
    rng, n_merged = Random(0), 0
    for _ in range(150):
        lines = [rng.choice("abcdef") for _ in range(rng.randint(0, 9))]
        base, mine, theirs = "".join(f"{line}\n" for line in lines), _text(rng, lines), _text(rng, lines)
        assert beside(base, mine, base) == mine
        assert beside(base, base, theirs) == theirs
        found, git = beside(base, mine, theirs), merge_texts(base, theirs, mine)
        if found is not None and git.is_clean:
            n_merged += 1
            assert found == git.text
    assert n_merged > 80
