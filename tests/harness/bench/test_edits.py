from __future__ import annotations

from collections import Counter

from harness.bench.edits import FOUND, REFUSED, time_edits, written_edits


def test_the_edits_of_a_seed_are_always_the_same_and_stand_nowhere_exactly() -> None:
    made = list(written_edits(40, 3))
    assert made == list(written_edits(40, 3)) != list(written_edits(40, 4))
    assert Counter(edit.kind for edit in made) == {
        "absent": 14,
        "an extra word": 10,
        "indented by two": 8,
        "other spaces": 8,
    }
    assert all(edit.old not in edit.text and 500 <= edit.text.count("\n") <= 2000 for edit in made)


def test_each_edit_is_timed_under_its_kind_and_under_what_became_of_it() -> None:
    n_done: list[int] = []
    times = time_edits(20, 0, n_done.append)
    assert n_done == list(range(1, 21))
    assert len(times[FOUND]) + len(times[REFUSED]) == sum(map(len, times.values())) / 2 == 20
    assert len(times["absent"]) == 7
    assert len(times[FOUND]) >= 6
    assert min(min(seconds) for seconds in times.values()) > 0
