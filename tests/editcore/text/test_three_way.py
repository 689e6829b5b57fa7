"""Changes of two writers in one text, compared with `git merge-file`."""

from __future__ import annotations

from random import Random

import pytest

from editcore.host.documents.store import merge_texts
from editcore.text.lines import with_feeds
from editcore.text.three_way import beside, placed


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


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "wanted"),
    [
        pytest.param("abcde", "abcdE", "xabcde", (6, 6, "e", "E", False), id="below an insertion"),
        pytest.param("abcde", "aBcde", "abcdE", (2, 2, "b", "B", False), id="above a change"),
        pytest.param("abcde", "abXcde", "abcDe", (3, 2, "", "X", False), id="an insertion stays one"),
        pytest.param("abcde", "aBcde", "axyde", (2, 3, "xy", "B", True), id="it stands for all lines of theirs"),
        pytest.param("abcde", "aBcde", "ade", (2, 1, "", "B", True), id="they removed it with its neighbour"),
        pytest.param("abcde", "abXcde", "axde", (3, 2, "x", "X", True), id="an insertion goes below their lines"),
        pytest.param("abcde", "aXbcde", "aybcde", (3, 2, "y", "X", True), id="two insertions at one place"),
        pytest.param("abcde", "aBcDe", "axe", (2, 2, "x", "BcD", True), id="two changes that meet one of theirs"),
        pytest.param("abcde", "aBcde", "aBcde", (2, 2, "B", "B", True), id="the same change"),
    ],
)
def test_a_change_has_its_lines_in_the_text_of_another_writer(
    base: str, mine: str, theirs: str, wanted: tuple[int, int, str, str, bool]
) -> None:
    first, last, there, new, has_met = wanted
    made = placed(*("".join(f"{letter}\n" for letter in letters) for letters in (base, mine, theirs)))
    there, new = ("".join(f"{letter}\n" for letter in letters) for letters in (there, new))
    assert made == [(first, last, there, new, has_met)]


def test_changes_that_meet_nothing_are_made_as_a_merge_makes_them() -> None:
    rng, n_beside = Random(2), 0
    for _ in range(400):
        lines = [rng.choice("abcdef") for _ in range(rng.randint(0, 9))]
        base, mine, theirs = "".join(f"{line}\n" for line in lines), _text(rng, lines), _text(rng, lines)
        changes, wanted = placed(base, mine, theirs), beside(base, mine, theirs)
        assert (wanted is None) is any(one.has_met for one in changes)
        live = with_feeds(theirs)
        for one in reversed(changes):
            live[one.first - 1 : one.last] = [one.mine]
        if wanted is not None:
            n_beside += 1
            assert "".join(live) == wanted
    assert n_beside > 100
