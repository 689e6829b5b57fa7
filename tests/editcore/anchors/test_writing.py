"""Calls that are written for a change make it, in every format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editcore import Applied
from editcore.anchors import READINGS, apply_anchored
from editcore.anchors.writing import changes_between, write_call

LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "}", "+x", "-y", "1:a"]), max_size=6)


@given(LINES, LINES)
def test_a_call_that_is_written_makes_the_change_exactly(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    for format in READINGS:
        call = write_call(format, before, changes_between(before, after), path="p")
        result = apply_anchored({"p": before}, call, format, rule="strict")
        if before == after:
            assert not isinstance(result, Applied)
        else:
            assert isinstance(result, Applied), result
            assert result.content == after
