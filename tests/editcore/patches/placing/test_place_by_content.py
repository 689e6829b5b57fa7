"""Where hunks go: hints, equalities, numbers and the search outward, hunk by hunk."""

from __future__ import annotations

import pytest

from editcore.errors import PatchError
from editcore.patches.placing.place_by_content import place
from editcore.patches.placing.policy import FUZZ, OFFSET, STRICT, ByContent, Format, Hint, Placed, Policy
from editcore.types import FilePatch, Hunk, Reason

ALL = ("exact", "line_endings", "right_trimmed", "trimmed", "folded")


def _by_content(hints: Hint, *, form: Format = Format.ENVELOPE) -> Policy:
    return Policy(form, ByContent(ALL, hints))


LENIENT = _by_content(Hint.ORDER | Hint.NUMBERS)

PETS = [
    "class Cat:",
    "    def run(self):",
    "        go()",
    "",
    "    def stop(self):",
    "        halt()",
    "",
    "class Dog:",
    "    def run(self):",
    "        go()",
    "",
    "    def stop(self):",
    "        halt()",
    "",
    "go()",
    "",
][:-1]


def _place(lines: list[str], policy: Policy, *hunks: Hunk, has_last_newline: bool = True) -> list[Placed]:
    return place(lines, has_last_newline, FilePatch("update", "f", 1, hunks=hunks), policy)


def _hunk(*lines: str, anchors: tuple[str, ...] = (), start: int | None = None) -> Hunk:
    return Hunk(lines, 1, anchors, start)


def _line(lines: list[str], policy: Policy, hunk: Hunk) -> int | str:
    """The 1-based line at which a hunk is placed, or the reason for which it isn't."""
    try:
        return _place(lines, policy, hunk)[0].line + 1
    except PatchError as error:
        return str(error.reason)


RUN = ("     def run(self):", "-        go()", "+        walk()")


@pytest.mark.parametrize(
    ("anchors", "line"),
    [
        ((), "ambiguous"),
        (("class Cat:",), 2),
        (("class Dog:",), 9),
        (("  class   Dog:",), "ambiguous"),
        (("class Dog",), 9),
        (("class D",), "ambiguous"),
        (("    def stop(self):",), "ambiguous"),
        (("class Cat:", "    def run(self):"), 2),
        (("class Dog:", "    def run(self):"), 9),
        # The anchor may be a line of the hunk itself, and a stacked one may stand below the other's block.
        (("class Cat:", "class Dog:"), 9),
        (("class Fish:", "    def run(self):"), "ambiguous"),
        (("class Dog:", "class Cat:"), "ambiguous"),
        (("\ufeff",), "ambiguous"),
    ],
)
def test_an_anchor_means_the_block_it_begins(anchors: tuple[str, ...], line: int | str) -> None:
    assert _line(PETS, LENIENT, _hunk(*RUN, anchors=anchors)) == line


@pytest.mark.parametrize(
    ("anchors", "line"),
    [
        (("class Dog:",), 9),
        (("class Dog:", "    def stop(self):"), 13),
        (("    def stop(self):",), "ambiguous"),
        ((), "ambiguous"),
    ],
)
def test_lines_without_context_go_below_their_anchor(anchors: tuple[str, ...], line: int | str) -> None:
    assert _line(PETS, LENIENT, _hunk("+    x = 1", anchors=anchors)) == line


def test_an_anchor_in_too_many_lines_says_nothing() -> None:
    lines = ["a", "    b"] * 101 + ["    b"]
    assert _line(lines, LENIENT, _hunk("-    b", "+c", anchors=("a",))) == "ambiguous"


def test_a_block_in_too_many_places_is_ambiguous_whatever_the_hints() -> None:
    lines = ["x"] * 5_002
    assert _line(lines, LENIENT, _hunk("-x", "+y", start=1)) == "ambiguous"
    assert _line(lines, LENIENT, Hunk(("-x", "+y"), 1, end_of_file=True)) == "ambiguous"
    with pytest.raises(PatchError, match="more than 5000 places"):
        _place(lines, LENIENT, _hunk("-x", "+y"))


@pytest.mark.parametrize(
    ("start", "line"),
    [
        # Equal places at 1 and 21. The nearer one would be a guess.
        (1, 1),
        (21, 21),
        (2, "ambiguous"),
        (11, "ambiguous"),
        (20, "ambiguous"),
        (900, "ambiguous"),
        (0, "ambiguous"),
        (None, "ambiguous"),
    ],
)
def test_a_number_decides_where_it_is_that_of_a_place(start: int | None, line: int | str) -> None:
    lines = ["x", *(f"line {n}" for n in range(2, 21)), "x"]
    assert _line(lines, LENIENT, _hunk("-x", "+y", start=start)) == line


def test_a_stated_line_with_its_twin_two_lines_away_decides_nothing() -> None:
    assert _line(["x", "a", "x"], LENIENT, _hunk("-x", "+y", start=1)) == "ambiguous"


def test_numbers_are_shifted_by_what_the_hunk_before_was_off() -> None:
    lines = ["x", *(["pad"] * 29), "one", *(["pad"] * 9), "x"]
    # The first hunk says 1 and stands at 31, so 11 means 41.
    policy = _by_content(Hint.NUMBERS)
    assert _place(lines, policy, _hunk("-one", "+1", start=1), _hunk("-x", "+y", start=11))[1].line == 40
    with pytest.raises(PatchError, match="in 2 places"):
        _place(lines, policy, _hunk("-x", "+y", start=21))


@pytest.mark.parametrize(
    ("guess", "line"), [(1, 3), (3, 3), (4, 3), (5, 7), (6, 7), (7, 7), (9, 7), (10, 13), (99, 13), (0, 3)]
)
def test_the_search_goes_outward_and_prefers_the_lower_of_two_equally_near(guess: int, line: int) -> None:
    lines = ["a", "b", "x", "c", "d", "e", "x", "f", "g", "h", "i", "j", "x"]
    assert _line(lines, OFFSET, _hunk("-x", "+y", start=guess)) == line
    assert _line(lines, STRICT, _hunk("-x", "+y", start=guess)) == (guess if guess in (3, 7) else "no_match")


def test_the_search_goes_on_where_the_nearest_place_is_taken() -> None:
    lines = ["x", "a", "x", "b", "x"]
    placed = _place(lines, OFFSET, _hunk("-x", "+y", start=3), _hunk("-x", "+y", start=1))
    assert [found.line for found in placed] == [2, 4]


@pytest.mark.parametrize(
    ("policy", "hunk", "line"),
    [
        # Fuzz drops outer lines, as many as allowed, and never all there is.
        (FUZZ, _hunk(" ?", " b", "-c", "+C", " d", " ?", start=2), 2),
        (FUZZ, _hunk(" ?", " ?", "-c", "+C", " ?", " ?", start=1), 3),
        (FUZZ, _hunk(" ?", " ?", " ?", "-c", "+C", " ?", " ?", " ?", start=1), "no_match"),
        (FUZZ, _hunk(" ?", "-nope", "+C", start=3), "no_match"),
        # Less context below than above means the end of the file; above than below, its start.
        (OFFSET, _hunk(" b", " c", "-d", "+D", start=2), "no_match"),
        (OFFSET, _hunk(" d", " e", "-f", "+F", start=2), 4),
        (FUZZ, _hunk(" b", " c", "-d", "+D", start=2), 4),
        (OFFSET, _hunk("-b", "+B", " c", " d", start=1), "no_match"),
        (OFFSET, _hunk("-a", "+A", " b", " c", start=1), 1),
        (OFFSET, _hunk("-b", "+B", " c", " d", start=9), 2),
        (STRICT, _hunk(" d", " e", "-f", "+F", start=4), 4),
        (STRICT, _hunk(" b", "-c", "+C", start=2), "no_match"),
        # Lines without context go below the stated one.
        (STRICT, _hunk("+x", start=2), 3),
        (OFFSET, _hunk("+x", start=99), 7),
        (STRICT, _hunk("+x", start=99), "no_match"),
    ],
)
def test_numbers_context_and_the_edges_of_the_file(policy: Policy, hunk: Hunk, line: int | str) -> None:
    assert _line(list("abcdef"), policy, hunk) == line


def test_hunks_must_be_apart_and_where_asked_in_order() -> None:
    lines = list("abcdef")
    first, second = _hunk(" d", "-e", "+E"), _hunk(" b", "-c", "+C")
    assert [found.line for found in _place(lines, LENIENT, first, second)] == [3, 1]
    in_order = _by_content(Hint.ORDER | Hint.NUMBERS, form=Format.DIFF)
    assert [found.line for found in _place(lines, in_order, first, second)] == [3, 1]
    with pytest.raises(PatchError, match="above the one before it"):
        _place(
            [*lines, "x", "b", "c"],
            _by_content(Hint.NUMBERS, form=Format.DIFF),
            first,
            _hunk(" b", "-c", "+C", start=2),
        )
    with pytest.raises(PatchError, match="overlaps hunk 1") as raised:
        _place(lines, LENIENT, first, _hunk("-e", "-f"))
    assert raised.value.reason is Reason.AMBIGUOUS


def test_a_change_that_stands_there_already_is_no_place_for_it_again() -> None:
    assert _line(["a", "b", "c"], LENIENT, _hunk(" a", "+b")) == "identical"
    assert _line(["a", "b", "c"], LENIENT, _hunk(" a", "-x", "+b")) == "identical"
    # Two places of what it would become say nothing.
    assert _line(["a", "b", "a", "b"], LENIENT, _hunk(" a", "-x", "+b")) == "no_match"
