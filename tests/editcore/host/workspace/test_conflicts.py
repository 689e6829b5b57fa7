"""Edits of several writers: their current places, and the edits that touch the same lines."""

from __future__ import annotations

import random

import pytest

from editcore.host.workspace.conflicts import LineEdit, Written


def _edit(writer: str, first: int, last: int, content: str = "x\n", seen: int = 0) -> LineEdit:
    return LineEdit(writer, first, last, content, seen)


def _written(*edits: LineEdit) -> Written:
    written = Written()
    for edit in edits:
        written.add(edit)
    return written


def _lines(*edits: LineEdit) -> list[tuple[int, int]]:
    return [(edit.first, edit.last) for edit in edits]


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        pytest.param((1, 3), (4, 6), False, id="below"),
        pytest.param((1, 3), (3, 6), True, id="a shared line"),
        pytest.param((2, 2), (1, 9), True, id="within"),
        pytest.param((4, 3), (4, 3), True, id="two insertions at one place"),
        pytest.param((4, 3), (5, 4), False, id="two insertions at two places"),
        pytest.param((4, 3), (4, 6), False, id="an insertion before the lines"),
        pytest.param((5, 4), (4, 6), True, id="an insertion within the lines"),
        pytest.param((7, 6), (4, 6), False, id="an insertion after the lines"),
    ],
)
def test_regions_overlap_where_they_share_something(
    one: tuple[int, int], other: tuple[int, int], overlap: bool
) -> None:
    first, second = _edit("a", *one), _edit("b", *other)
    assert first.overlaps(second) is overlap
    assert second.overlaps(first) is overlap


@pytest.mark.parametrize(
    ("written", "content", "edit", "now"),
    [
        pytest.param((10, 12), "1\n2\n3\n4\n5\n", (20, 22), (22, 24), id="below more lines"),
        pytest.param((10, 12), "1\n2\n3\n4\n5", (20, 22), (22, 24), id="below lines without a last line feed"),
        pytest.param((10, 12), "\n", (20, 22), (18, 20), id="below a blank line"),
        pytest.param((10, 12), "", (20, 22), (17, 19), id="below a deletion"),
        pytest.param((10, 12), "1\n", (2, 3), (2, 3), id="above"),
        pytest.param((10, 9), "1\n2\n", (10, 10), (12, 12), id="below an insertion"),
        pytest.param((10, 9), "1\n2\n", (9, 9), (9, 9), id="above an insertion"),
        pytest.param((10, 12), "1\n", (13, 12), (11, 10), id="an insertion just below"),
        pytest.param((10, 12), "1\n", (10, 9), (10, 9), id="an insertion just above"),
        # Overlapped: around the lines that are there now.
        pytest.param((10, 14), "1\n2\n", (12, 16), (10, 13), id="over its end"),
        pytest.param((12, 16), "1\n2\n", (10, 14), (10, 13), id="over its start"),
        pytest.param((10, 14), "", (11, 12), (10, 9), id="within a deletion"),
        # An insertion stays one, below the lines that are there now.
        pytest.param((10, 14), "1\n2\n", (12, 11), (12, 11), id="an insertion within"),
        pytest.param((10, 9), "1\n2\n", (10, 9), (12, 11), id="an insertion at an insertion"),
    ],
)
def test_an_edit_moves_with_what_others_write(
    written: tuple[int, int], content: str, edit: tuple[int, int], now: tuple[int, int]
) -> None:
    position = _written(_edit("a", *written, content)).position(_edit("b", *edit))
    assert _lines(position) == [now]
    assert position.seen == 1


def test_what_was_written_since_is_a_conflict_and_what_was_seen_is_none() -> None:
    written = _written(_edit("a", 10, 12, "1\n2\n3\n4\n5\n"), _edit("a", 1, 0, "top\n", seen=1))
    assert _lines(*written.overlapped_by(_edit("c", 12, 14, "z\n"))) == [(11, 15)], "below the line at the top"
    assert written.overlapped_by(_edit("c", 11, 15, seen=2)) == []
    assert written.overlapped_by(_edit("a", 12, 14)) == [], "its own work"


def test_each_edit_that_is_overlapped_is_found() -> None:
    written = _written(_edit("a", 1, 2, ""), _edit("c", 3, 3, "theirs"))
    found = written.overlapped_by(_edit("b", 2, 3, "mine\n"))
    assert [(one.writer, one.content) for one in found] == [("a", ""), ("c", "theirs")]


def test_edits_written_in_any_order_land_on_the_lines_they_were_made_for() -> None:
    """Disjoint edits, each numbered as the file first stood, give one result in every order."""
    rng = random.Random(0)
    for _ in range(300):
        lines = [f"line {n}\n" for n in range(1, 31)]
        edits, at = [], 1
        while at < 28:
            start = at + rng.randint(0, 3)
            end = start + rng.randint(-1, 2)
            content = "".join(f"{start}.{n}\n" for n in range(rng.randint(0 if end >= start else 1, 3)))
            edits.append(_edit(f"task {start}", start, end, content))
            at = max(end, start) + 2
        results = set()
        for _ in range(4):
            written, text = Written(), list(lines)
            for edit in rng.sample(edits, len(edits)):
                assert written.overlapped_by(edit) == []
                at_now = written.position(edit)
                text[at_now.first - 1 : at_now.last] = edit.content.splitlines(keepends=True)
                written.add(edit)
            results.add("".join(text))
        assert len(results) == 1
