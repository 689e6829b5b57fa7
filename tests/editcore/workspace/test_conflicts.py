"""Edits of several tasks: where they are by now, and which of them touch the same lines."""

from __future__ import annotations

import random

import pytest

from editcore.workspace.conflicts import RESOLUTIONS, Conflict, LineEdit, Tracker


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
    tracker.claim(_edit("a", 1, 9))
    tracker.record_written(_edit("a", 1, 9))
    other = _edit("b", 1, 9, path="b.py")
    assert tracker.claim(other) == ()
    assert tracker.position(other) == other
    assert tracker.version("b.py") == 0


def test_what_was_written_since_is_a_conflict_and_what_was_seen_is_none() -> None:
    tracker = Tracker()
    tracker.record_written(_edit("a", 10, 12, "1\n2\n3\n4\n5\n"))
    tracker.record_written(_edit("a", 1, 0, "top\n", seen=1))
    late = _edit("c", 12, 14, "z\n")
    (conflict,) = tracker.conflicts(late)
    assert conflict.is_written
    assert _lines(conflict.first) == (11, 15)  # As it stands now, below the line at the top.
    assert tracker.conflicts(_edit("c", 11, 15, seen=2)) == ()
    assert tracker.conflicts(_edit("a", 12, 14)) == ()  # Its own work.


def test_an_earlier_claim_is_in_the_way_of_a_later_one_only() -> None:
    tracker = Tracker()
    first, second = _edit("a", 1, 5, "a\n"), _edit("b", 5, 8, "b")
    assert tracker.claim(first) == ()
    (conflict,) = tracker.claim(second)
    assert conflict == Conflict(first, second, False)
    assert conflict.with_markers == "<<<<<<< a\na\n=======\nb\n>>>>>>> b\n"
    assert tracker.claim(first) == ()
    assert tracker.claim(second) == (conflict,)
    tracker.release(first)
    tracker.release(first)
    assert tracker.conflicts(second) == ()


def test_an_edit_without_conflict_is_allowed_whatever_the_resolution() -> None:
    for resolution in RESOLUTIONS:
        tracker = Tracker()
        tracker.record_written(_edit("a", 1, 1, "1\n2\n"))
        decision = tracker.settle(_edit("b", 5, 5), resolution=resolution)
        assert decision.is_allowed
        assert _lines(decision.edit) == (6, 6)
        assert decision.conflicts == ()


def test_skip_gives_the_edit_up() -> None:
    tracker, mine = Tracker(), _edit("b", 2, 3)
    tracker.claim(_edit("a", 1, 2))
    tracker.claim(mine)
    decision = tracker.settle(mine)
    assert not decision.is_allowed
    assert len(decision.conflicts) == 1
    assert decision.with_markers == ""
    assert tracker.settle(_edit("c", 3, 3)).is_allowed  # The skipped claim is gone.


def test_force_gives_up_the_claims_in_the_way_and_no_others() -> None:
    tracker = Tracker()
    lost, kept, mine = _edit("a", 1, 2), _edit("c", 4, 4), _edit("b", 2, 3)
    tracker.claim(lost)
    tracker.claim(kept)
    assert tracker.settle(mine, resolution="force").is_allowed
    tracker.record_written(mine)
    assert [one.first.task_id for one in tracker.conflicts(_edit("d", 1, 9, seen=1))] == ["c"]
    assert tracker.settle(_edit("e", 2, 2), resolution="force").is_allowed  # Over what is written, too.


def test_manual_shows_both_versions_and_keeps_the_claim() -> None:
    tracker, mine = Tracker(), _edit("b", 2, 3, "mine\n")
    tracker.record_written(_edit("a", 1, 2, ""))
    tracker.claim(_edit("c", 3, 3, "theirs"))
    tracker.claim(mine)
    decision = tracker.settle(mine, resolution="manual")
    assert not decision.is_allowed
    assert decision.with_markers == (
        "<<<<<<< a\n=======\nmine\n>>>>>>> b\n\n<<<<<<< c\ntheirs\n=======\nmine\n>>>>>>> b\n"
    )
    assert tracker.conflicts(_edit("d", 3, 3))[-1].first.task_id == "b"


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
