"""Edits of several tasks: where they are by now, and which of them touch the same lines."""

from __future__ import annotations

import random

import pytest

from editcore.host.workspace.conflicts import RESOLUTIONS, Decision, LineEdit, Tracker


def _edit(task: str, start: int, end: int, content: str = "x\n", seen: int = 0, path: str = "a.py") -> LineEdit:
    return LineEdit(path, task, start, end, content, seen)


def _lines(edit: LineEdit) -> tuple[int, int]:
    return edit.start_line, edit.end_line


@pytest.mark.parametrize(
    ("content", "n_lines"), [("", 0), ("x", 1), ("x\n", 1), ("x\ny", 2), ("x\ny\n", 2), ("\n", 1), ("\n\n", 2)]
)
def test_the_lines_of_a_content_are_counted(content: str, n_lines: int) -> None:
    assert _edit("a", 1, 1, content).n_lines == n_lines


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 1), (-1, -1)])
def test_a_region_has_to_be_one(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="are not a range of lines"):
        _edit("a", start, end)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ((1, 3), (4, 6), False),
        ((1, 3), (3, 6), True),
        ((2, 2), (1, 9), True),
        ((4, 3), (4, 3), True),  # Two insertions at one place.
        ((4, 3), (5, 4), False),
        ((4, 3), (4, 6), False),  # Before the region.
        ((5, 4), (4, 6), True),  # Inside.
        ((7, 6), (4, 6), False),  # After it.
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
        ((10, 12), "1\n2\n3\n4\n5\n", (20, 22), (22, 24)),
        ((10, 12), "", (20, 22), (17, 19)),
        ((10, 12), "1\n", (2, 3), (2, 3)),
        ((10, 9), "1\n2\n", (10, 10), (12, 12)),
        ((10, 9), "1\n2\n", (9, 9), (9, 9)),
        ((10, 12), "1\n", (13, 12), (11, 10)),
        ((10, 12), "1\n", (10, 9), (10, 9)),
        # Overlapped: round what is there now.
        ((10, 14), "1\n2\n", (12, 16), (10, 13)),
        ((12, 16), "1\n2\n", (10, 14), (10, 13)),
        ((10, 14), "", (11, 12), (10, 9)),
        # An insertion stays one, below what is there now.
        ((10, 14), "1\n2\n", (12, 11), (12, 11)),
        ((10, 9), "1\n2\n", (10, 9), (12, 11)),
    ],
)
def test_an_edit_moves_with_what_others_write(
    written: tuple[int, int], content: str, edit: tuple[int, int], now: tuple[int, int]
) -> None:
    tracker = Tracker()
    assert tracker.record_written(_edit("a", *written, content)) == tracker.version("a.py") == 1
    assert _lines(tracker.position(_edit("b", *edit))) == now


def test_files_have_nothing_to_do_with_each_other() -> None:
    tracker = Tracker()
    tracker.record_written(_edit("a", 1, 9))
    other = _edit("b", 1, 9, path="b.py")
    assert tracker.conflicts(other) == ()
    assert tracker.position(other) == other
    assert tracker.version("b.py") == 0


def test_what_was_written_since_is_a_conflict_and_what_was_seen_is_none() -> None:
    tracker = Tracker()
    tracker.record_written(_edit("a", 10, 12, "1\n2\n3\n4\n5\n"))
    tracker.record_written(_edit("a", 1, 0, "top\n", seen=1))
    late = _edit("c", 12, 14, "z\n")
    (conflict,) = tracker.conflicts(late)
    assert _lines(conflict.first) == (11, 15)  # As it stands now, below the line at the top.
    assert tracker.conflicts(_edit("c", 11, 15, seen=2)) == ()
    assert tracker.conflicts(_edit("a", 12, 14)) == ()  # Its own work.


def test_an_edit_without_conflict_is_allowed_whatever_the_resolution() -> None:
    for resolution in RESOLUTIONS:
        tracker = Tracker()
        tracker.record_written(_edit("a", 1, 1, "1\n2\n"))
        decision = tracker.settle(_edit("b", 5, 5), resolution=resolution)
        assert decision.is_allowed
        assert _lines(decision.edit) == (6, 6)
        assert decision.conflicts == ()


def test_an_edit_in_conflict_is_skipped_forced_or_shown_in_both_versions() -> None:
    tracker, mine = Tracker(), _edit("b", 2, 3, "mine\n")
    tracker.record_written(_edit("a", 1, 2, ""))
    tracker.record_written(_edit("c", 3, 3, "theirs"))
    skipped, forced, shown = (tracker.settle(mine, resolution=one) for one in RESOLUTIONS)
    assert skipped == Decision(False, tracker.position(mine), shown.conflicts)
    assert forced == Decision(True, tracker.position(mine), shown.conflicts)
    assert not shown.is_allowed
    assert shown.with_markers == (
        "<<<<<<< a\n=======\nmine\n>>>>>>> b\n\n<<<<<<< c\ntheirs\n=======\nmine\n>>>>>>> b\n"
    )


def test_there_are_three_resolutions() -> None:
    with pytest.raises(ValueError, match="choose from skip, force, manual"):
        Tracker().settle(_edit("a", 1, 1), resolution="ask")  # type: ignore[arg-type]


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
            tracker, text = Tracker(), list(lines)
            for edit in rng.sample(edits, len(edits)):
                decision = tracker.settle(edit)
                assert decision.is_allowed
                first, last = _lines(decision.edit)
                text[first - 1 : last] = edit.content.splitlines(keepends=True)
                tracker.record_written(edit)
            results.add("".join(text))
        assert len(results) == 1
