"""Measurements: lists of edits of which one fails, and how a rate is written."""

from __future__ import annotations

from collections import Counter

import pytest

from reports.measurements.interval import percent
from reports.measurements.measurement import Counts, Kind
from reports.measurements.table import FAILED_LISTS, HALF_MADE, LIST_LEFT


def counts(**left: int) -> Counts:
    kinds = {Kind("refused", None, None, None, None, None, word): n for word, n in left.items()}
    return Counts("a/b", kinds=Counter(kinds | {Kind("correct", None, None, None, "bytes", None): 7}))


def test_all_that_changed_the_file_are_half_made() -> None:
    some = counts(nothing=5, first_edits=1, other_edits=2, cut_off=3, something_else=4)
    assert (HALF_MADE.of(some), FAILED_LISTS.of(some)) == (10, 15)
    assert LIST_LEFT.of(some) == {
        "nothing": 5, "first_edits": 1, "other_edits": 2, "cut_off": 3, "something_else": 4,
    }  # fmt: skip
    assert HALF_MADE.of(counts(nothing=5)) == 0


def test_without_such_lists_nothing_is_measured() -> None:
    none = counts()
    assert (HALF_MADE.of(none), FAILED_LISTS.of(none), LIST_LEFT.of(none)) == (None, None, None)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.0, "0.0 %"), (1.0, "100.0 %"), (0.0421, "4.2 %"), (0.0002, "0.02 %"), (0.9999, "99.99 %")],
)
def test_a_small_rate_is_not_written_as_none(rate: float, text: str) -> None:
    assert percent(rate) == text
