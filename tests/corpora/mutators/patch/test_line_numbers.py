"""Insertions and replaced lines by number."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.mutators.clean_edit import CleanEdit, Damaged
from corpora.mutators.mutator import Mutator
from corpora.mutators.patch.line_numbers import MUTATORS
from editcore import Applied, EditResult
from editcore.patches.line_edits import insert_lines, replace_lines
from editcore.types import File
from tests.corpora.mutators.small_edit import damaged

_FILE = "a = 1\nb = 2\nc = 3\nd = 4\n"
_CRLF = _FILE.replace("\n", "\r\n")
_EDIT = CleanEdit("a.py", _FILE, 6, 17, "x = 7")
"""Lines 2 and 3."""


def _applied(mutator: Mutator[CleanEdit], damaged: Damaged, files: tuple[File, ...]) -> EditResult:
    (file,) = files
    assert damaged.patch is not None
    assert damaged.line is not None
    if damaged.end_line is None:
        assert mutator.format == "insert"
        return insert_lines(file.content, damaged.line, damaged.patch)
    assert mutator.format == "line_range"
    return replace_lines(file.content, damaged.line, damaged.end_line, damaged.patch)


@pytest.mark.parametrize(
    ("name", "patch", "line", "end_line", "before", "target"),
    [
        ("insert_crlf_text", "x = 7\r\n", 3, None, _FILE, "a = 1\nb = 2\nc = 3\nx = 7\nd = 4\n"),
        ("insert_crlf_file", "x = 7\n", 3, None, _CRLF, "a = 1\r\nb = 2\r\nc = 3\r\nx = 7\r\nd = 4\r\n"),
        ("insert_unended_text", "x = 7", 3, None, _FILE, "a = 1\nb = 2\nc = 3\nx = 7\nd = 4\n"),
        ("insert_at_top", "x = 7\n", 0, None, _FILE, "x = 7\na = 1\nb = 2\nc = 3\nd = 4\n"),
        ("insert_at_minus_one", "x = 7\n", -1, None, _FILE, "a = 1\nb = 2\nc = 3\nd = 4\nx = 7\n"),
        ("insert_after_unended_line", "x = 7\n", 4, None, _FILE[:-1], "a = 1\nb = 2\nc = 3\nd = 4\nx = 7"),
        ("insert_past_end", "x = 7\n", 5, None, _FILE, None),
        ("insert_below_minus_one", "x = 7\n", -2, None, _FILE, None),
        ("insert_empty_text", "", 3, None, _FILE, None),
        ("insert_off", "x = 7\n", 4, None, _FILE, "a = 1\nb = 2\nc = 3\nd = 4\nx = 7\n"),
        (
            "insert_of_older_view", "x = 7\n", 3, None,
            "trace_field(packet_55)\na = 1\nb = 2\nc = 3\nd = 4\n",
            "trace_field(packet_55)\na = 1\nb = 2\nx = 7\nc = 3\nd = 4\n",
        ),
        ("insert_repeats_line", "c = 3\nx = 7\n", 3, None, _FILE, "a = 1\nb = 2\nc = 3\nc = 3\nx = 7\nd = 4\n"),
        ("range_crlf_text", "x = 7\r\n", 2, 3, _FILE, "a = 1\nx = 7\nd = 4\n"),
        ("range_crlf_file", "x = 7\n", 2, 3, _CRLF, "a = 1\r\nx = 7\r\nd = 4\r\n"),
        ("range_unended_text", "x = 7", 2, 3, _FILE, "a = 1\nx = 7\nd = 4\n"),
        ("range_reversed", "x = 7\n", 3, 2, _FILE, None),
        ("range_past_end", "x = 7\n", 2, 3, "a = 1\nb = 2\n", None),
        ("range_from_zero", "x = 7\n", 0, 3, _FILE, None),
        ("range_off", "x = 7\n", 3, 4, _FILE, "a = 1\nb = 2\nx = 7\n"),
    ],
)  # fmt: skip
def test_the_damage_is_this(
    name: str, patch: str, line: int, end_line: int | None, before: str, target: str | None
) -> None:
    found = damaged(name, clean=_EDIT)
    assert (found.patch, found.line, found.end_line) == (patch, line, end_line)
    assert [file.content for file in found.before] == [before]
    assert (None if found.target is None else found.target[0].content) == target


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("insert_past_end", [5, 7, 9]), ("insert_below_minus_one", [-2, -4, -6]), ("range_from_zero", [0, -2, -4])],
)
def test_degree_is_how_far_a_number_is_off(name: str, numbers: list[int]) -> None:
    assert [damaged(name, degree, clean=_EDIT).line for degree in (1, 3, 5)] == numbers


_LINE = st.text("ab =#é", max_size=8)


@pytest.mark.parametrize("mutator", MUTATORS, ids=lambda mutator: mutator.name)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(pieces=st.tuples(*[st.lists(_LINE, min_size=1, max_size=5) for _ in range(4)]), seed=st.integers(0, 9))
def test_damage_is_certain(mutator: Mutator[CleanEdit], pieces: tuple[list[str], ...], seed: int) -> None:
    before, old, after, new = ("\n".join(lines) for lines in pieces)
    start = len(before) + 1
    clean = CleanEdit("a.ts", f"{before}\n{old}\n{after}\n", start, start + len(old), new)
    for degree in mutator.degrees:
        found = mutator.damaged(clean, degree, Random(seed))
        assert found == mutator.damaged(clean, degree, Random(seed))
        if found is not None:
            _check(mutator, found)


def _check(mutator: Mutator[CleanEdit], damaged: Damaged) -> None:
    assert damaged.edits is None
    result = _applied(mutator, damaged, damaged.before)
    if damaged.target is not None:
        assert mutator.truth != "refuse"
        assert isinstance(result, Applied)
        assert result.content == damaged.target[0].content
        return
    assert mutator.truth == "refuse"
    assert damaged.reason
    assert not isinstance(result, Applied)
    if damaged.twin is not None:
        seen, right = damaged.twin
        twin = _applied(mutator, damaged, seen)
        assert isinstance(twin, Applied)
        assert twin.content == right[0].content
