"""Properties of every mutator of patches, for any files, and the results of our own readings of the damage."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.mutators import PATCH_MUTATORS
from corpora.mutators.clean_edit import CleanPatch, Damaged
from corpora.mutators.mutator import Mutator
from corpora.mutators.patch import line_numbers
from corpora.mutators.patch_lines import render_patch
from editcore import Applied, Rejected, apply_begin_patch, apply_unified_diff
from editcore.types import File
from tests.corpora.mutators.patch_text import CLEANS, applied, described, is_right
from tests.corpora.mutators.small_edit import cases

MUTATORS: tuple[Mutator[CleanPatch], ...] = tuple(
    mutator for mutator in PATCH_MUTATORS if mutator not in line_numbers.MUTATORS
)

_KNOWN = {
    **dict.fromkeys(
        [one.name for one in PATCH_MUTATORS if one.name.startswith("contradiction_")],
        "a hunk of which a line of context differs is placed by the others: the drill `oracle` counts how often",
    ),
    "cut_after_added_envelope": "a missing end is forgiven, whatever was lost with it",
    "cut_before_hunk": "the same",
}
"""Mutator -> why the most forgiving reading applies its patches wrongly."""


@pytest.mark.parametrize(("name", "degree", "which", "lines"), cases("patch", 3))
def test_the_damage_is_this(name: str, degree: int, which: str, lines: list[str]) -> None:
    assert described(name, degree, which) == lines


_NAMES = st.sampled_from(["path", "max_size", "load_all", "self.size", "Reader", "limit", "fetchRow"])
_LINES = st.one_of(
    st.builds("{} = {} + {{}}".format, _NAMES, _NAMES),
    st.builds('if {} != "a-b<{{}}>":'.format, _NAMES),
    st.builds("return {}({}, {{}})".format, _NAMES, _NAMES),
    st.builds("{}()  # {{}} the {}, and so on".format, _NAMES, _NAMES),
    st.sampled_from(["", "", "}}", "pass", "- item {}", "\treturn {}"]),
)
_INDENTED = st.builds(lambda depth, line: "    " * depth + line if line else "", st.integers(0, 3), _LINES)


@st.composite
def _files(draw: st.DrawFn, path: str) -> tuple[File, File]:
    """A file that looks like code, before and after one to three changes; nearly all its lines are different."""
    drawn = draw(st.lists(_INDENTED, min_size=4, max_size=24))
    old = [line.format(number) for number, line in enumerate(drawn)]
    new = list(old)
    for at, n_removed, added in draw(
        st.lists(
            st.tuples(st.integers(0, 23), st.integers(0, 3), st.lists(_INDENTED, max_size=3)), min_size=1, max_size=3
        )
    ):
        new[at : at + n_removed] = [line.format(at + 100 * number) for number, line in enumerate(added, 1)]
    return File(path, "\n".join(old) + "\n"), File(path, "\n".join(new) + "\n")


@st.composite
def _patches(draw: st.DrawFn) -> CleanPatch:
    paths = draw(st.sampled_from([("a.py",), ("src/b.ts", "docs/c.md"), ("src/a b.py", "Makefile")]))
    pairs = [draw(_files(path)) for path in paths]
    return CleanPatch(tuple(old for old, _ in pairs), tuple(new for _, new in pairs))


@pytest.mark.slow
@pytest.mark.parametrize("mutator", MUTATORS, ids=lambda mutator: mutator.name)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(clean=_patches(), seed=st.integers(0, 9))
def test_damage_is_certain(mutator: Mutator[CleanPatch], clean: CleanPatch, seed: int) -> None:
    for degree in mutator.degrees:
        damaged = mutator.damaged(clean, degree, Random(seed))
        assert damaged == mutator.damaged(clean, degree, Random(seed))
        if damaged is not None:
            _check(mutator, clean, damaged)


def _check(mutator: Mutator[CleanPatch], clean: CleanPatch, damaged: Damaged) -> None:
    assert damaged.patch
    assert damaged.edits is None
    text = clean.unified() if mutator.format == "unified_diff" else clean.envelope()
    assert (damaged.patch, damaged.before) != (text, clean.before)
    result = applied(mutator, damaged.before, damaged.patch)
    if damaged.target is None:
        assert mutator.truth == "refuse"
        assert damaged.reason
        assert damaged.twin
        seen, right = damaged.twin
        assert seen != right
        assert is_right(applied(mutator, seen, damaged.twin_patch or damaged.patch), right)
        assert isinstance(result, Rejected) or mutator.name in _KNOWN
        return
    assert mutator.truth != "refuse"
    assert damaged.reason is damaged.twin is None
    assert damaged.target != damaged.before
    if mutator.truth == "apply":
        assert is_right(applied(mutator, damaged.before, damaged.patch, mutator.absorber), damaged.target)
        assert is_right(result, damaged.target)
    assert is_right(result, damaged.target) or isinstance(result, Rejected) or mutator.name in _KNOWN


@pytest.mark.parametrize("mutator", [one for one in MUTATORS if one.absorber], ids=lambda mutator: mutator.name)
def test_an_absorber_absorbs_some_damage_at_least(mutator: Mutator[CleanPatch]) -> None:
    degree = mutator.degrees[0]
    # One hunk in a block: of several, those at the margin can't lose what the others lose.
    before = CLEANS["one"].before[0]
    inner = CleanPatch((before,), (replace(before, content=before.content.replace("check(path)", "put(path)")),))
    cleans = (*CLEANS.values(), inner)
    damage = [mutator.damaged(clean, degree, Random(seed)) for clean in cleans for seed in range(5)]
    assert any(
        is_right(applied(mutator, one.before, one.patch or "", mutator.absorber), one.target) for one in damage if one
    )


def test_where_no_context_has_text_there_are_no_markers_to_put_there() -> None:
    before = 'if path != "a-b<0>":\n\n    }\nif fetchRow != "a-b<3>":\n'
    clean = CleanPatch((File("a.py", before),), (File("a.py", "\n"),))
    for mutator in MUTATORS:
        if mutator.name.startswith("markers_in_context"):
            assert all(mutator.damaged(clean, degree, Random(9)) is None for degree in mutator.degrees)


@settings(max_examples=50, deadline=None)
@given(clean=_patches())
def test_a_patch_without_damage_is_right_in_the_strictest_readings(clean: CleanPatch) -> None:
    files = {file.path: file.content for file in clean.before}
    diff, envelope = render_patch(clean, "unified_diff"), render_patch(clean, "begin_patch")
    if diff:
        assert diff.text == clean.unified()
        assert is_right(apply_unified_diff(files, diff.text, strictness="strict"), clean.target)
    if envelope:
        assert is_right(apply_begin_patch(files, envelope.text, reading="strict"), clean.target)
        assert is_right(apply_begin_patch(files, envelope.text, reading="codex"), clean.target)


def test_known_differences_are_these() -> None:
    names = ("cut_after_added_envelope", "cut_before_hunk")
    assert {mutator.format for mutator in MUTATORS if mutator.name in names} == {"begin_patch"}
    assert set(names) <= _KNOWN.keys()
    result = apply_begin_patch({"f": "a\nb\n"}, "*** Begin Patch\n*** Update File: f\n@@\n a\n+x\n")
    assert isinstance(result, Applied)
    assert result.files == {"f": "a\nx\nb\n"}
