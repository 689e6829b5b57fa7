"""Hunks and sections that are repeated, swapped, out of order, overlapping or reversed."""

from __future__ import annotations

from itertools import groupby
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import (
    HunkNumbers,
    PatchText,
    both_mutators,
    envelope_mutator,
    join_lines,
    n_places,
    render_patch,
)
from corpora.mutators.search_lines import share_by_degree
from corpora.mutators.words import similar_text


def _texts(patch: PatchText, lines: list[int]) -> list[str]:
    return [patch.lines[n].text for n in lines]


def hunk_doubled(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """A hunk that would not apply twice is repeated in a row; degree is the number of repetitions."""
    hunk = random.choice(patch.hunks)
    if not _applies_once(patch, hunk):
        return None
    return patch.with_lines({hunk[-1]: "\n".join(_texts(patch, [hunk[-1], *hunk * degree]))})


def _applies_once(patch: PatchText, hunk: list[int]) -> bool:
    """Whether the old lines of a hunk are nowhere in the result."""
    return not n_places(patch.clean.target[patch.lines[hunk[0]].file].content, patch.old_lines(hunk))


def section_doubled(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The section of a file is repeated at the end; it would not apply twice."""
    file = random.choice(sorted({line.file for line in patch.lines} - {-1}))
    section = [n for n, line in enumerate(patch.lines) if line.file == file]
    if not all(_applies_once(patch, hunk) for hunk in patch.hunks if patch.lines[hunk[0]].file == file):
        return None
    last = max(n for n, line in enumerate(patch.lines) if line.file >= 0)
    return patch.with_lines({last: "\n".join(_texts(patch, [last, *section]))})


def crossed_files(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The headers of two files are swapped; the hunks of each are nowhere in the other."""
    first, *others = sorted({line.file for line in patch.lines} - {-1})
    if not others:
        return None
    other = others[0]
    files = {first: patch.clean.before[other], other: patch.clean.before[first]}
    meant = [hunk for hunk in patch.hunks if patch.lines[hunk[0]].file in files]
    if any(n_places(files[patch.lines[hunk[0]].file].content, patch.old_lines(hunk)) for hunk in meant):
        return None
    one, two = ([n for n in patch.indexes("file") if patch.lines[n].file == file] for file in (first, other))
    swapped = dict(zip([*one, *two], _texts(patch, [*two, *one]), strict=True))
    return patch.refused(patch.text_with(dict(swapped)), "wrong_file")


def hunks_out_of_order(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Hunks are in another order than in the file; degree is the share of them that moved down."""
    by_file = groupby(patch.hunks, key=lambda hunk: patch.lines[hunk[0]].file)
    runs = [run for run in (list(hunks) for _, hunks in by_file) if len(run) > 1]
    if not runs:
        return None
    run = random.choice(runs)
    moved = share_by_degree(len(run) - 1, degree)
    turned = [*run[moved:], *run[:moved]]
    others: dict[int, str | None] = dict.fromkeys(n for hunk in run for n in hunk)
    return patch.with_lines(others | {run[0][0]: "\n".join(_texts(patch, [n for one in turned for n in one]))})


def contradicting_hunks(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A hunk is repeated with other added lines."""
    hunks = [hunk for hunk in patch.hunks if {"-", "+"} <= {patch.lines[n].kind for n in hunk}]
    if not hunks:
        return None
    hunk = random.choice(hunks)
    added = [n for n in hunk if patch.lines[n].kind == "+"]
    other = similar_text(join_lines(_texts(patch, added)), 2, random)
    if other is None:
        return None
    texts = dict(zip(added, other.split("\n")[:-1], strict=True))
    again = [texts.get(n, patch.lines[n].text) for n in hunk]
    return patch.refused(patch.text_with({hunk[-1]: "\n".join([patch.lines[hunk[-1]].text, *again])}), "overlap")


def shared_context(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A hunk is split in two that share the context between."""
    return _split_hunk(patch, random, against_result=False)


def against_result(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A hunk is split in two, the second written against the result of the first."""
    return _split_hunk(patch, random, against_result=True)


def _split_hunk(patch: PatchText, random: Random, *, against_result: bool) -> Damaged | None:
    found = [(hunk, gap) for hunk in patch.hunks for gap in _inner_context_runs(patch, hunk)]
    if not found:
        return None
    hunk, gap = random.choice(found)
    first, second = hunk[1 : hunk.index(gap[-1]) + 1], hunk[hunk.index(gap[0]) :]
    above: list[int] = []
    if against_result:
        above = [n for n in first if n < gap[0]]
        above = above[next((at + 1 for at in range(len(above) - 1, -1, -1) if patch.lines[above[at]].kind == " "), 0) :]
        above = [n for n in above if patch.lines[n].kind == "+"]
        if not above:
            return None
    if patch.format == "unified_diff":
        heads = [f"@@ {_hunk_numbers(patch, first, 0)} @@", f"@@ {_hunk_numbers(patch, second, len(above))} @@"]
    else:
        heads = ["@@", "@@"]
    texts = [heads[0], *_texts(patch, first), heads[1], *(" " + patch.lines[n].text[1:] for n in above)]
    others: dict[int, str | None] = dict.fromkeys(hunk)
    return patch.with_lines(others | {hunk[0]: "\n".join([*texts, *_texts(patch, second)])})


def _inner_context_runs(patch: PatchText, hunk: list[int]) -> list[list[int]]:
    """The runs of context between changes of a hunk."""
    runs = [(kind, list(run)) for kind, run in groupby(hunk[1:], key=lambda n: patch.lines[n].kind == " ")]
    return [run for is_context, run in runs[1:-1] if is_context]


def _hunk_numbers(patch: PatchText, lines: list[int], n_above: int) -> HunkNumbers:
    """The numbers of a hunk of these lines, with `n_above` lines of the result above them as context."""
    kinds = [patch.lines[n].kind for n in lines]
    n_old = len(lines) - kinds.count("+") + n_above
    n_new = len(lines) - kinds.count("-") + n_above
    source = next(patch.lines[n].source_line for n in lines if patch.lines[n].source_line)
    target = next(patch.lines[n].target_line for n in lines if patch.lines[n].target_line)
    return HunkNumbers(source - n_above, n_old, target - n_above, n_new)


def reversed_patch(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch is reversed: it leads from the files after to the files before.

    The old lines of its hunks are nowhere in the files before.
    """
    back = render_patch(CleanPatch(patch.clean.target, patch.clean.before), patch.format)
    if back is None or any(n_places(patch.clean.before[at].content, old) for at, old in back.old_lines_by_hunk()):
        return None
    return patch.refused(back.text, "reversed")


def blocks_of_another_format(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The sections contain search/replace blocks."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        old = [patch.lines[n].text[1:] for n in hunk if patch.lines[n].kind in " -"]
        new = [patch.lines[n].text[1:] for n in hunk if patch.lines[n].kind in " +"]
        others |= dict.fromkeys(hunk)
        others[hunk[0]] = "\n".join(["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"])
    return patch.with_lines(others)


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(hunk_doubled, truth="tolerate"),
    *both_mutators(section_doubled, truth="tolerate", degrees=(1,)),
    *both_mutators(crossed_files, truth="refuse", degrees=(1,)),
    *both_mutators(hunks_out_of_order, truth="tolerate", absorbers=(None, "lenient")),
    *both_mutators(contradicting_hunks, truth="refuse", degrees=(1,)),
    *both_mutators(shared_context, truth="tolerate", degrees=(1,)),
    *both_mutators(against_result, truth="tolerate", degrees=(1,)),
    *both_mutators(reversed_patch, name="reversed", truth="refuse", degrees=(1,)),
    envelope_mutator(blocks_of_another_format, truth="tolerate", degrees=(1,)),
)
