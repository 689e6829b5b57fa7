"""A search among the lines near those of a search text, which decides as one among all lines does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.apply import replace
from editcore.cascade import RECOMMENDED, Cascade
from editcore.text.nearby import MOST_OCCURRENCES, sought, stretches
from editcore.text.view import FileView
from editcore.tiers import TIERS
from editcore.types import EditResult

LINES = ["a = limit", "return a", "else:", "", "  ", "}", "go(a, b)", "go(a,  b)", "# a note", "# another note"]
CASCADES = [RECOMMENDED, *(Cascade(tier, tiers=(tier,)) for tier in TIERS)]
FILE = "".join(f"def f{n}(x):\n    return x + {n}\n\n" for n in range(400))


def find(text: str, *lines: str):  # type: ignore[no-untyped-def]
    return sought(text, lines, text.find)


def drawn(rng: Random) -> tuple[str, str, str]:
    """A long file, in which a few lines stand in a few places, and an edit of some of them, written in other ways."""
    lines = [f"line {n}" for n in range(1000)]
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(lines))
        lines[at:at] = [" " * rng.choice((0, 4)) + line for line in rng.choices(LINES, k=rng.randrange(1, 9))]
    at = rng.randrange(len(lines) - 8)
    old = lines[at : at + rng.randrange(1, 9)] if rng.random() < 0.7 else rng.choices(LINES, k=rng.randrange(1, 6))
    old = [" " * rng.choice((0, 0, 0, 2)) + line + rng.choice(("", "", " x")) for line in old if rng.random() < 0.9]
    new = [line + rng.choice(("", "", "", " # new")) for line in old]
    ending = rng.choice(("\n", "\r\n"))
    return ending.join(lines) + ending, "\n".join(old), "\n".join([*new, "added"] if rng.random() < 0.5 else new)


def results(content: str, old: str, new: str) -> list[EditResult]:
    return [replace(content, old, new, cascade=cascade) for cascade in CASCADES]


@given(st.integers(0, 1 << 32))
def test_what_is_near_decides_as_the_whole_file_does(seed: int) -> None:
    rng = Random(seed)
    edits = [drawn(rng) for _ in range(3)]
    near = [results(*edit) for edit in edits]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("editcore.tiers.query.sought", lambda *_: None)
        for edit, found in zip(edits, near, strict=True):
            assert found == results(*edit), edit


def test_tables_are_made_of_the_lines_near_a_place_only() -> None:
    found = find(FILE, "def f200(x):", "return x + 7")
    assert found is not None
    assert found.counts == {"def f200(x):": 1, "return x + 7": 1}
    view = FileView(FILE).around(found.hits, 9)
    assert len(view.all) < 150
    line = view.all.index("def f200(x):")
    assert FILE.startswith("def f200(x):\n", view.start(line))
    assert (view.line_of(view.start(line)), view.line_at(view.start(line))) == (line, 600)


def test_lines_that_are_there_often_are_counted_only() -> None:
    found = find("x\n" * 20 + "y\n", "x", "y")
    assert found is not None
    assert found.counts == {"x": MOST_OCCURRENCES + 1, "y": 1}
    assert found.hits == found.rarest == [(40, 41)]


@pytest.mark.parametrize("lines", [["x"], [f"line {n}" for n in range(21)]], ids=["all often", "many"])
def test_all_lines_are_compared_where_seeking_some_tells_little(lines: list[str]) -> None:
    assert find("x\n" * 20, *lines) is None


def test_a_line_that_is_a_part_of_very_many_is_not_sought() -> None:
    assert find("x = 1\n" * 200, "x") is None


def test_stretches_of_more_than_half_of_the_text_are_no_better_than_all_of_it() -> None:
    assert stretches(FILE, [(0, 12)], 900) is None
    assert stretches(FILE, [], 9) == []
