"""What holds for every patch in every reading, whatever the texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore import (
    Applied,
    EditResult,
    Reason,
    Rejected,
    apply_begin_patch,
    apply_search_replace,
    apply_unified_diff,
    unified_diff,
)
from editcore.patches.begin_patch import READINGS
from editcore.patches.reading.envelope import parse_codex, parse_strict
from editcore.patches.reading.lenient import parse_lenient
from editcore.patches.reading.unified_strict import parse_counted
from editcore.patches.reading.unified_tolerant import parse_tolerant
from editcore.patches.unified_diff import STRICTNESSES, Strictness
from editcore.types import FilePatch
from harness.fuzz.generators.writing import rendered_lines
from tests.programs import MISSING, PROGRAMS, run_program
from tests.properties.patch_generators import (
    Change,
    Tree,
    anything,
    changes,
    envelope,
    files,
    repetitive_pairs,
    sections,
    torn_patches,
    trees,
)

Apply = Callable[[Mapping[str, str], str], EditResult]

APPLY: dict[str, Apply] = {
    **{f"begin_patch/{reading}": partial(apply_begin_patch, reading=reading) for reading in READINGS},
    **{f"unified_diff/{strictness}": partial(apply_unified_diff, strictness=strictness) for strictness in STRICTNESSES},
    "search_replace/reference": apply_search_replace,
}
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
BESIDE_PROGRAMS = settings(max_examples=2_000 if THOROUGH else 60)
"""Each example starts a process."""


def _text(result: EditResult, path: str = "f") -> str | None:
    """The file afterwards, or None where the patch was refused."""
    return dict(result.files or {}).get(path) if isinstance(result, Applied) else None


# Round trips


@pytest.mark.parametrize("strictness", STRICTNESSES)
@given(repetitive_pairs(), st.integers(1, 4))
def test_a_diff_of_two_texts_makes_one_of_the_other(
    strictness: Strictness, pair: tuple[str, str], context: int
) -> None:
    before, after = pair
    diff = unified_diff(before, after, path="f", context=context)
    result = apply_unified_diff({"f": before} if before else {}, diff, strictness=strictness)
    if before == after:
        assert isinstance(result, Rejected)
        return
    assert isinstance(result, Applied), result
    assert result.files == ({"f": after} if after else {})


@pytest.mark.parametrize("strictness", STRICTNESSES)
@given(trees())
def test_a_diff_of_several_files_makes_one_tree_of_the_other(strictness: Strictness, tree: Tree) -> None:
    result = apply_unified_diff(tree.before, tree.patch, strictness=strictness)
    if tree.patch:
        assert isinstance(result, Applied), result
        assert result.files == tree.after
    else:
        assert isinstance(result, Rejected)


@pytest.mark.parametrize("name", ["begin_patch/strict", "begin_patch/lenient"])
@given(changes(), st.integers(1, 4))
def test_an_envelope_of_two_texts_makes_one_of_the_other(name: str, change: Change, context: int) -> None:
    if change.before != change.after:
        result = APPLY[name]({"f": change.before}, envelope("f", change.before, change.after, context=context))
        assert _text(result) == change.after, result


@given(changes(), st.integers(1, 4))
def test_codex_makes_the_same_but_for_the_final_line_feed(change: Change, context: int) -> None:
    if change.before != change.after:
        result = APPLY["begin_patch/codex"](
            {"f": change.before}, envelope("f", change.before, change.after, context=context)
        )
        assert _text(result) == change.after.removesuffix(change.ending) + change.ending


# Other programs


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [pytest.param(name, marks=pytest.mark.skipif(name in MISSING, reason=MISSING.get(name, ""))) for name in PROGRAMS],
)
@BESIDE_PROGRAMS
@given(trees())
def test_other_programs_make_the_same_of_our_diffs(program: str, tree: Tree) -> None:
    if tree.patch:
        assert run_program(PROGRAMS[program], tree.before, tree.patch) == (True, tree.after)


# Refusals


@pytest.mark.parametrize("name", ["begin_patch/strict", "begin_patch/lenient"])
@given(changes(), st.integers(1, 3))
def test_an_envelope_is_not_applied_twice(name: str, change: Change, context: int) -> None:
    if change.before != change.after:
        patch = envelope("f", change.before, change.after, context=context)
        again = APPLY[name]({"f": change.after}, patch)
        assert isinstance(again, Rejected), again
        assert again.reason in (Reason.IDENTICAL, Reason.NO_MATCH)


@pytest.mark.parametrize("strictness", STRICTNESSES)
@given(changes(), st.integers(1, 3))
def test_a_diff_is_not_applied_twice(strictness: Strictness, change: Change, context: int) -> None:
    if change.before != change.after:
        diff = unified_diff(change.before, change.after, path="f", context=context)
        again = apply_unified_diff({"f": change.after}, diff, strictness=strictness)
        if strictness != "fuzz":
            assert isinstance(again, Rejected), again
            assert again.reason in (Reason.IDENTICAL, Reason.NO_MATCH)


@pytest.mark.parametrize("name", APPLY)
@given(files, st.one_of(torn_patches(), anything))
def test_no_text_raises_and_a_refusal_says_so_in_one_line(name: str, before: dict[str, str], patch: str) -> None:
    kept = dict(before)
    result = APPLY[name](before, patch)
    assert before == kept
    if isinstance(result, Rejected):
        assert result.message
        assert len(result.message.splitlines()) == 1
        assert len(result.message) < 1_200
        assert result.files is None or name == "begin_patch/codex"
    elif name not in ("begin_patch/codex", "search_replace/reference") and "mode 100" not in patch:
        assert result.files != before


@pytest.mark.parametrize("name", APPLY)
@given(st.data())
def test_a_patch_cut_off_anywhere_does_not_leave_half_a_file(name: str, data: st.DataObject) -> None:
    change = data.draw(changes(endings=("\n",)))
    if change.before == change.after or name.startswith("search"):
        return
    make = envelope if name.startswith("begin") else lambda path, old, new: unified_diff(old, new, path=path)
    patch = make("f", change.before, change.after)
    cut = patch[: data.draw(st.integers(0, len(patch) - 1))]
    result = APPLY[name]({"f": change.before}, cut)
    if isinstance(result, Applied):
        # What it did is a part of the change that ends with a line.
        after = (_text(result) or "").split("\n")
        assert [line for line in after if line and line not in change.before.split("\n")] == [
            line for line in change.after.split("\n") if line in after and line not in change.before.split("\n")
        ]


# What is left alone


def _noisy(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """The lines of a hunk as models write them: blanks at ends, other indentation, a blank too few."""
    kind = draw(st.sampled_from(["none", "right", "right_some", "deeper", "shallower", "lost"]))
    if kind in ("right", "right_some"):
        return [line + "  " if line[0] != "+" and (kind == "right" or draw(st.booleans())) else line for line in lines]
    if kind == "deeper":
        return [line[0] + "  " + line[1:] for line in lines]
    if kind == "shallower" and all(line[1:5] == "    " for line in lines):
        return [line[0] + line[5:] for line in lines]
    if kind == "lost":
        return [line[1:] if line[0] == " " else line for line in lines]
    return lines


@st.composite
def _noisy_patches(draw: st.DrawFn, *, unified: bool) -> tuple[Change, str]:
    change = draw(changes())
    body = unified_diff(change.before.replace("\r", ""), change.after.replace("\r", ""), path="f").split("\n")[2:-1]
    lines: list[str] = []
    hunk: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            lines += [*_noisy(draw, hunk), draw(st.sampled_from([line, "@@", "@@ @@", "@@ ... @@"]))]
            hunk = []
        elif line[0] != "\\":
            hunk.append(line)
    lines = lines[:-1]
    if unified:
        lines = ["--- a/f", "+++ b/f", *lines]
    else:
        lines = ["*** Begin Patch", "*** Update File: f", *lines, "*** End Patch"]
    before, after = draw(st.sampled_from([([], []), (["```diff"], ["```"]), (["Here:", ""], ["", "Done."])]))
    return change, draw(st.sampled_from(["\n", "\r\n"])).join([*before, *lines, *after, ""])


@pytest.mark.parametrize("name", ["begin_patch/lenient", "unified_diff/tolerant"])
@given(st.data())
def test_noise_round_a_change_never_makes_another_change(name: str, data: st.DataObject) -> None:
    change, patch = data.draw(_noisy_patches(unified=name.startswith("unified")))
    result = APPLY[name]({"f": change.before}, patch)
    if isinstance(result, Applied):
        # Context and all other lines are left byte for byte, line endings and final line feed included.
        assert _text(result) == change.after
    else:
        assert result.reason in (Reason.NO_MATCH, Reason.MALFORMED, Reason.AMBIGUOUS, Reason.IDENTICAL)


@given(st.data())
def test_noise_that_has_one_meaning_is_understood(data: st.DataObject) -> None:
    change = data.draw(changes())
    if change.before == change.after:
        return
    patch = envelope("f", change.before, change.after)
    noise: Callable[[str], str] = data.draw(
        st.sampled_from(
            [
                lambda text: text.replace("\n", "\r\n"),
                lambda text: f"```\n{text}```\n",
                lambda text: f"apply_patch <<'EOF'\n{text}EOF\n",
                lambda text: f"I change it:\n\n{text}\nDone.\n",
                lambda text: text.replace("\n@@\n", "\n@@ ... @@\n"),
                lambda text: text.replace("\n@@\n", "\n@@\n@@\n"),
                lambda text: text.replace("\n@@\n", "\n@@ -1,3 +1,3 @@\n"),
                lambda text: text.replace("\n ", "\n"),
                lambda text: text.removesuffix("\n"),
                lambda text: text.replace("\n", "\\n"),
            ]
        )
    )
    assert _text(apply_begin_patch({"f": change.before}, noise(patch))) == change.after


@pytest.mark.parametrize("name", APPLY)
@given(st.data())
def test_the_order_of_sections_for_different_files_does_not_matter(name: str, data: st.DataObject) -> None:
    some = {path: data.draw(changes(endings=("\n",))) for path in ("a", "b", "c")}
    before = {path: change.before for path, change in some.items()}
    texts = []
    for path, change in some.items():
        if change.before == change.after:
            continue
        if name.startswith("begin"):
            texts.append(
                envelope(path, change.before, change.after).removeprefix("*** Begin Patch\n")[: -len("*** End Patch\n")]
            )
        elif name.startswith("unified"):
            texts.append(unified_diff(change.before, change.after, path=path))
        else:
            texts.append(f"./{path}\n<<<<<<< SEARCH\n{change.before}\n=======\n{change.after}\n>>>>>>> REPLACE\n")
    begin, end = ("*** Begin Patch\n", "*** End Patch\n") if name.startswith("begin") else ("", "")
    results = [APPLY[name](before, begin + "".join(order) + end) for order in (texts, texts[::-1])]
    assert [isinstance(result, Applied) for result in results] == [isinstance(results[0], Applied)] * 2
    assert results[0].files == results[1].files


# Parsing


def _bare(patches: list[FilePatch]) -> list[FilePatch]:
    """The sections without the lines of the patch at which they stand."""
    return [
        replace(patch, patch_line=0, hunks=tuple(replace(hunk, patch_line=0) for hunk in patch.hunks))
        for patch in patches
    ]


@given(sections())
def test_a_rendered_envelope_is_parsed_back_by_every_reading(patches: list[FilePatch]) -> None:
    text = "\n".join([*rendered_lines(patches), ""])
    assert _bare(parse_strict(text)) == patches
    assert _bare(parse_codex(text)) == patches
    lenient, notes = parse_lenient(text)
    assert _bare(lenient) == patches
    assert notes == ()


@given(trees())
def test_a_rendered_diff_is_parsed_alike_with_and_without_trust_in_its_numbers(tree: Tree) -> None:
    if tree.patch:
        counted, tolerant = parse_counted(tree.patch, tree.before), parse_tolerant(tree.patch, tree.before)
        assert _bare(tolerant.sections) == _bare(counted.sections)
