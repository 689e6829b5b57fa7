"""Properties of every mutator of search text, for any file."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from corpora.mutators import TEXT_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, Damaged, n_places
from corpora.mutators.mutator import Mutator

MUTATORS: tuple[Mutator[CleanEdit], ...] = TEXT_MUTATORS

_NAMES = st.sampled_from(["path", "max_size", "load_all", "self", "Reader", "x1", "limit", "fetchRow"])
_LINES = st.one_of(
    st.builds("{} = {} + {}".format, _NAMES, _NAMES, st.integers(0, 999)),
    st.builds("if not {} == {!r}:".format, _NAMES, st.text('ab-é \\n"$<&', max_size=5)),
    st.builds("return {}({}, {})".format, _NAMES, _NAMES, _NAMES),
    st.builds("{}  # {} the {} and so on...".format, _NAMES, _NAMES, _NAMES),
    st.sampled_from(["", "}", "pass", "x", "else:", "\treturn True", "a  b"]),
)
_INDENTED = st.builds(lambda depth, line: "    " * depth + line if line else "", st.integers(0, 3), _LINES)


@st.composite
def _edits(draw: st.DrawFn) -> CleanEdit:
    """An edit of some lines, or of a part of them, of a file that looks like code."""
    before, old, after = (draw(st.lists(_INDENTED, min_size=low, max_size=8)) for low in (0, 1, 0))
    new = draw(st.lists(_INDENTED, max_size=4))
    head, tail = "".join([line + "\n" for line in before]), "".join(["\n" + line for line in after])
    text = "\n".join(old)
    cut = draw(st.integers(0, 2)) if draw(st.booleans()) and len(text) > 4 else 0
    start, end = len(head) + cut, len(head) + len(text) - cut
    assume(text[cut : len(text) - cut].strip() and text[cut : len(text) - cut] != "\n".join(new))
    path = draw(st.sampled_from(["a.py", "b/c.ts", "Makefile", "d.lua"]))
    return CleanEdit(path, head + text + tail, start, end, "\n".join(new))


@pytest.mark.parametrize("mutator", MUTATORS, ids=lambda mutator: mutator.name)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(clean=_edits(), seed=st.integers(0, 9))
def test_damage_is_certain(mutator: Mutator[CleanEdit], clean: CleanEdit, seed: int) -> None:
    for degree in mutator.degrees:
        damaged = mutator.damaged(clean, degree, Random(seed))
        assert damaged == mutator.damaged(clean, degree, Random(seed))
        if damaged is not None:
            _check(mutator, clean, damaged)


def _check(mutator: Mutator[CleanEdit], clean: CleanEdit, damaged: Damaged) -> None:
    assert damaged.edits is not None
    (written,), (now,) = damaged.edits, damaged.before
    search, new = written.old_string, written.new_string
    assert bool(search) is (mutator.name != "empty_find")
    unchanged = (now.content, search, new) == (clean.content, clean.old, clean.new)
    assert unchanged is (mutator.name == "exact")
    if damaged.target is not None:
        assert mutator.truth != "refuse"
        assert (damaged.reason, damaged.twin) == (None, None)
        (target,) = damaged.target
        assert target.path == now.path == clean.path
        if mutator.absorber == "simple":
            assert target.content == now.content.replace(search, new)
            assert written.replace_all or now.content.count(search) == 1
        elif mutator.name.startswith("intent_"):  # It draws what is meant there.
            assert now.content == clean.content
            _check_span(clean, target.content)
        elif now.content == clean.content:
            assert target.content == clean.target
        return
    assert mutator.truth in ("refuse", "drift")
    assert damaged.reason
    if damaged.twin is None:
        is_contradiction = mutator.name.startswith("contradiction_")
        assert is_contradiction or mutator.name in ("identical", "empty_find", "blank_find")
        return
    (seen,), (right,) = damaged.twin
    assert seen.content.count(search) == 1
    assert right.content == seen.content.replace(search, new)
    assert now.content != seen.content
    if damaged.reason == "two_equal":
        assert _n_windows(now.content, search) > 1
    elif damaged.reason == "stitched":
        assert search not in now.content
    elif mutator.truth == "refuse" and damaged.reason != "contradiction":
        assert search not in now.content
        assert not all(n_places(now.content, [line]) for line in search.split("\n") if line.strip())


def _check_span(clean: CleanEdit, target: str) -> None:
    """Nothing but the span of the edit may differ from the file."""
    assert target.startswith(clean.content[: clean.start])
    assert target.endswith(clean.content[clean.end :])


def _n_windows(content: str, search: str) -> int:
    """The number of places at which the lines of a search text occur, whitespace at their ends ignored."""
    lines, wanted = ([line.strip() for line in text.split("\n")] for text in (content, search))
    return sum(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))
