"""What is left of a list of edits of which the second fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.run.losses import FailedList
from reports.runs.rows import ListLeft
from tests.samples import sample

BEFORE = "one\ntwo\nthree\n"
FIRST, OTHERS = "1\ntwo\nthree\n", "1\ntwo\n3\n"
ONE, GONE, THREE = Edit("one", "1"), Edit("four", "4"), Edit("three", "3")


def failing(*edits: Edit, label: str = "refuse") -> Sample:
    return replace(sample(before=BEFORE), label=label, edits=edits)


@pytest.mark.parametrize(
    ("result", "left"),
    [
        (Rejected(Reason.NO_MATCH, "four was not found"), ListLeft.NOTHING),
        (Applied(BEFORE), ListLeft.NOTHING),
        (Applied(FIRST), ListLeft.FIRST_EDITS),
        (Applied(files={"a.py": FIRST}), ListLeft.FIRST_EDITS),
        (Applied(OTHERS), ListLeft.OTHER_EDITS),
        (Applied("1\ntwo\n"), ListLeft.CUT_OFF),
        (Applied(""), ListLeft.CUT_OFF),
        (Applied(files={}), ListLeft.CUT_OFF),
        (Applied("1\n4\n3\n"), ListLeft.SOMETHING_ELSE),
    ],
)
def test_it_is_told_by_the_text_that_is_left(result: EditResult, left: ListLeft) -> None:
    found = FailedList.of(failing(ONE, GONE, THREE))
    assert found is not None
    assert found.left(result) is left


@pytest.mark.parametrize(
    "edits",
    [
        (ONE, GONE),  # What stands before the last is all but the last.
        (GONE, ONE, THREE),  # Nothing stands before the first.
        (ONE, THREE, GONE),
        (ONE, THREE, Edit("two", "2")),  # None fails.
        (ONE, GONE, Edit("five", "5")),
        (ONE, Edit("", "4"), GONE),
    ],
)
def test_a_list_that_does_not_tell_the_ways_apart_is_not_asked(edits: tuple[Edit, ...]) -> None:
    assert FailedList.of(failing(*edits)) is None


def test_only_lists_that_must_be_refused_are_asked() -> None:
    assert FailedList.of(failing(ONE, GONE, THREE, label="unlabelled")) is None
    assert FailedList.of(sample()) is None


def test_an_edit_of_all_places_does_not_fail_where_there_are_several() -> None:
    everywhere = Edit("t", "T", replace_all=True)
    assert FailedList.of(failing(everywhere, GONE, Edit("one", "1"))) is not None
    assert FailedList.of(failing(ONE, Edit("t", "T"), THREE)) is not None
