"""Text after `@@`, hunks and sections out of order or repeated, and files that a patch adds, deletes or moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from random import Random

from corpora.diff_hunks import HunkNumbers
from corpora.mutators.clean_edit import CleanPatch, Damaged, given, n_places, needs, text_of
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.patch.file_headers import with_added, with_move
from corpora.mutators.patch_lines import END, PatchText, both_mutators, diff_mutators, envelope_mutators, render_patch
from corpora.mutators.spans import indentation, share_by_degree
from corpora.mutators.words import invented_statement, similar_text
from editcore.types import File

# Text after `@@` that is no range of lines: a line above the hunk, a part of it, or a line that no file has.


def _unique_lines_above(patch: PatchText) -> dict[int, list[str]]:
    """For each hunk header, the unique nonblank lines between the hunk before it and the hunk."""
    found = {}
    for number, hunk in enumerate(patch.hunks):
        lines = patch.file(hunk[0]).content.split("\n")
        before = patch.hunks[number - 1] if number else ()
        same = before and patch.lines[before[0]].file == patch.lines[hunk[0]].file
        first = max((patch.lines[index].source_line for index in before), default=0) if same else 0
        numbers = patch.lines[hunk[0]].numbers
        above = lines[first : numbers.source_start - 1] if numbers else []
        counts = Counter(line.strip() for line in lines)
        found[hunk[0]] = [line for line in above if line.strip() and counts[line.strip()] == 1]
    return found


def _with_anchors(patch: PatchText, form: str, random: Random) -> Damaged | None:
    """The patch with a line above each hunk in the hunk's header; None if the patch might then look cut off."""
    anchors = {index: random.choice(above).strip() for index, above in _unique_lines_above(patch).items() if above}
    lines = {index: form.format(line) for index, line in anchors.items()}
    return None if patch.lines[-1].kind == "-" else patch.with_lines(lines)


def part_of_line_above(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The first words of a line from above the hunk follow @@; degree is the number of words left out."""
    others: dict[int, str | None] = {}
    for index, above in _unique_lines_above(patch).items():
        words = [line.split() for line in above if len(line.split()) > 1]
        if words:
            chosen = random.choice(words)
            others[index] = "@@ " + " ".join(chosen[: max(len(chosen) - degree, 1)])
    return patch.with_lines(others)


def stacked_lines_above(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Two lines from above the hunk, the first without indentation, each after an @@."""
    others: dict[int, str | None] = {}
    for index, above in _unique_lines_above(patch).items():
        flush = [at for at, line in enumerate(above) if not indentation(line)]
        inner = [line for line in above[flush[0] :] if indentation(line)] if flush else []
        if inner:
            others[index] = f"@@ {above[flush[0]].strip()}\n@@ {random.choice(inner).strip()}"
    return patch.with_lines(others)


def line_that_is_nowhere(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line that no file has follows @@."""
    return patch.with_lines({n: "@@ " + invented_statement(patch.file(n).path, random) for n in patch.indexes("@@")})


def first_line_repeated(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The first line of each hunk also follows @@."""
    first = {hunk[0]: patch.lines[hunk[1]] for hunk in patch.hunks}
    lines = {n: f"@@ {line.text[1:].strip()}" for n, line in first.items() if line.kind == " " and line.text.strip()}
    return patch.with_lines(lines)


def _texts(patch: PatchText, lines: list[int]) -> list[str]:
    return [patch.lines[n].text for n in lines]


def hunk_doubled(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """A hunk that would not apply twice is repeated in a row; degree is the number of repetitions."""
    hunk = random.choice(patch.hunks)
    needs(_applies_once(patch, hunk))
    return patch.with_lines({hunk[-1]: "\n".join(_texts(patch, [hunk[-1], *hunk * degree]))})


def _applies_once(patch: PatchText, hunk: list[int]) -> bool:
    """True if the old lines of a hunk occur nowhere in the result."""
    return not n_places(patch.clean.target[patch.lines[hunk[0]].file].content, patch.old_lines(hunk))


def section_doubled(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The section of a file is repeated at the end; it would not apply twice."""
    file = random.choice(sorted({line.file for line in patch.lines} - {-1}))
    section = [n for n, line in enumerate(patch.lines) if line.file == file]
    needs(all(_applies_once(patch, hunk) for hunk in patch.hunks if patch.lines[hunk[0]].file == file))
    last = max(n for n, line in enumerate(patch.lines) if line.file >= 0)
    return patch.with_lines({last: "\n".join(_texts(patch, [last, *section]))})


def crossed_files(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The headers of two files are swapped; the hunks of each are nowhere in the other."""
    first, *others = sorted({line.file for line in patch.lines} - {-1})
    needs(others)
    other = others[0]
    files = {first: patch.clean.before[other], other: patch.clean.before[first]}
    meant = [hunk for hunk in patch.hunks if patch.lines[hunk[0]].file in files]
    needs(not any(n_places(files[patch.lines[hunk[0]].file].content, patch.old_lines(hunk)) for hunk in meant))
    one, two = ([n for n in patch.indexes("file") if patch.lines[n].file == file] for file in (first, other))
    swapped = dict(zip([*one, *two], _texts(patch, [*two, *one]), strict=True))
    return patch.refused(patch.text_with(dict(swapped)), "wrong_file")


def hunks_out_of_order(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Hunks are in another order than in the file; degree is the share of them that moved down."""
    by_file = groupby(patch.hunks, key=lambda hunk: patch.lines[hunk[0]].file)
    runs = [run for run in (list(hunks) for _, hunks in by_file) if len(run) > 1]
    needs(runs)
    run = random.choice(runs)
    moved = share_by_degree(len(run) - 1, degree)
    turned = [*run[moved:], *run[:moved]]
    others: dict[int, str | None] = dict.fromkeys(n for hunk in run for n in hunk)
    return patch.with_lines(others | {run[0][0]: "\n".join(_texts(patch, [n for one in turned for n in one]))})


def contradicting_hunks(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A hunk is repeated with other added lines."""
    hunks = [hunk for hunk in patch.hunks if {"-", "+"} <= {patch.lines[n].kind for n in hunk}]
    needs(hunks)
    hunk = random.choice(hunks)
    added = [n for n in hunk if patch.lines[n].kind == "+"]
    other = given(similar_text(text_of(_texts(patch, added)), 2, random))
    texts = dict(zip(added, other.split("\n")[:-1], strict=True))
    again = [texts.get(n, patch.lines[n].text) for n in hunk]
    return patch.refused(patch.text_with({hunk[-1]: "\n".join([patch.lines[hunk[-1]].text, *again])}), "overlap")


def against_result(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A hunk is split in two; the second is written against the result of the first."""
    return _split_hunk(patch, random, against_result=True)


def _split_hunk(patch: PatchText, random: Random, *, against_result: bool) -> Damaged | None:
    found = [(hunk, gap) for hunk in patch.hunks for gap in _inner_context_runs(patch, hunk)]
    needs(found)
    hunk, gap = random.choice(found)
    first, second = hunk[1 : hunk.index(gap[-1]) + 1], hunk[hunk.index(gap[0]) :]
    above: list[int] = []
    if against_result:
        # The second hunk has the lines that the first one adds directly above the shared context.
        above = [n for n in first if n < gap[0]]
        above = above[next((at + 1 for at in range(len(above) - 1, -1, -1) if patch.lines[above[at]].kind == " "), 0) :]
        above = [n for n in above if patch.lines[n].kind == "+"]
        needs(above)
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


def reversed_(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch is reversed: it leads from the files after to the files before.

    The old lines of its hunks occur nowhere in the files before.
    """
    back = given(render_patch(CleanPatch(patch.clean.target, patch.clean.before), patch.format))
    needs(not any(n_places(patch.clean.before[at].content, old) for at, old in back.old_lines_by_hunk()))
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


# Files that a patch also adds, deletes or moves, where that is impossible or misspelt.

_PATH = "notes_for_review.md"
_DELETED_LINES = ("Old notes", "to be deleted")
_EXISTING = File(_PATH, "# Notes\n\nNot to be lost.\n")


def file_renamed(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A file was renamed since the patch was written."""
    changed = random.choice(sorted({line.file for line in patch.lines} - {-1}))
    before = tuple(
        File(_renamed(file.path), file.content) if at == changed else file for at, file in enumerate(patch.clean.before)
    )
    return patch.stale(before, "no_such_file")


def _renamed(path: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    return f"{stem}_v2.{suffix}" if dot and "/" not in suffix else f"{path}_v2"


def added_over_existing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file that exists by now, with other content."""
    text = with_added(patch, _PATH)
    new = File(_PATH, "planted = True\nprint(planted)\n")
    twin = (patch.clean.before, (*patch.clean.target, new))
    return Damaged((*patch.clean.before, _EXISTING), None, patch=text, twin=twin, reason="exists")


def deleted_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file that is gone by now."""
    gone = File(_PATH, text_of(_DELETED_LINES))
    twin = ((*patch.clean.before, gone), patch.clean.target)
    return Damaged(patch.clean.before, None, patch=_with_deleted(patch), twin=twin, reason="no_such_file")


def deleted_grown(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The patch also deletes a file, line by line, that has grown; degree is the number of added lines."""
    more = text_of(invented_statement(_PATH, random) for _ in range(degree))
    seen, now = File(_PATH, text_of(_DELETED_LINES)), File(_PATH, text_of(_DELETED_LINES) + more)
    twin = ((*patch.clean.before, seen), patch.clean.target)
    return Damaged((*patch.clean.before, now), None, patch=_with_deleted(patch), twin=twin, reason="stale")


def _with_deleted(patch: PatchText) -> str:
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: f"*** Delete File: {_PATH}\n{END}"})
    lines = ["-" + line for line in _DELETED_LINES]
    return patch.text + text_of([f"--- a/{_PATH}", "+++ /dev/null", f"@@ -1,{len(lines)} +0,0 @@", *lines])


def moved_onto_existing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also moves the last file to the path of a file that exists by now."""
    last = patch.lines[patch.indexes("file")[-1]].file
    moved = tuple(File(_PATH, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    twin = (patch.clean.before, moved)
    before = (*patch.clean.before, _EXISTING)
    return Damaged(before, None, patch=with_move(patch, _PATH), twin=twin, reason="exists")


def moved_to_itself(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The last file is moved to its own path."""
    path = patch.file(patch.indexes("file")[-1]).path
    return patch.damaged(with_move(patch, random.choice(("", "./")) + path))


def moved_after_hunks(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The line that moves the last file is below its hunks."""
    last = patch.lines[patch.indexes("file")[-1]].file
    moved = tuple(File(_PATH, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    text = patch.text_with({len(patch.lines) - 1: f"*** Move to: {_PATH}\n{END}"})
    return patch.damaged(text, clean=CleanPatch(patch.clean.before, moved))


def added_without_plus(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file whose lines have no plus sign."""
    lines = ("first = 1", "second = 2")
    return _with_add_section(patch, [f"*** Add File: {_PATH}", *lines], text_of(lines))


def added_blank_bare(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file whose blank lines have no plus sign; degree is their number."""
    blank = [""] * degree
    return _with_add_section(
        patch, [f"*** Add File: {_PATH}", "+first = 1", *blank, "+last = 2"], text_of(["first = 1", *blank, "last = 2"])
    )


def created(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch also adds a file, with a keyword that the format lacks."""
    head = random.choice(("*** Create File:", "*** New File:", "*** Write File:"))
    return _with_add_section(patch, [f"{head} {_PATH}", "+first = 1"], "first = 1\n")


def _with_add_section(patch: PatchText, section: Sequence[str], content: str) -> Damaged | None:
    text = patch.text_with({len(patch.lines) - 1: "\n".join([*section, END])})
    return patch.damaged(text, clean=CleanPatch(patch.clean.before, (*patch.clean.target, File(_PATH, content))))


def deleted_with_lines(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file and lists its lines."""
    lines = ["-" + line for line in _DELETED_LINES]
    text = patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Delete File: {_PATH}", *lines, END])})
    before = (*patch.clean.before, File(_PATH, text_of(_DELETED_LINES)))
    return Damaged(before, patch.clean.target, patch=text)


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(
        named("line_above", "A line from above the hunk follows @@, without its indentation.",
              lambda patch, _degree, random: _with_anchors(patch, "@@ {}", random)),
        absorbers=("tolerant", "codex"),
    ),
    *both_mutators(
        named("line_above_closed", "A line from above the hunk is between two @@.",
              lambda patch, _degree, random: _with_anchors(patch, "@@ {} @@", random)),
        truth="tolerate", absorbers=("tolerant", "lenient"),
    ),
    *envelope_mutators(
        named("line_above_unspaced", "A line from above the hunk follows @@ without a space.",
              lambda patch, _degree, random: _with_anchors(patch, "@@{}", random)),
        part_of_line_above,
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(stacked_lines_above, absorber="lenient"),
    *both_mutators(line_that_is_nowhere, first_line_repeated, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(hunk_doubled, section_doubled, truth="tolerate"),
    *both_mutators(crossed_files, truth="refuse"),
    *both_mutators(hunks_out_of_order, truth="tolerate", absorbers=(None, "lenient")),
    *both_mutators(contradicting_hunks, truth="refuse"),
    *both_mutators(
        named("shared_context", "A hunk is split in two that share the context between them.",
              lambda patch, _degree, random: _split_hunk(patch, random, against_result=False)),
        against_result,
        truth="tolerate",
    ),
    *both_mutators(reversed_, truth="refuse"),
    *envelope_mutators(blocks_of_another_format, truth="tolerate"),
    *both_mutators(file_renamed, added_over_existing, deleted_missing, moved_onto_existing, truth="refuse"),
    *diff_mutators(deleted_grown, truth="refuse"),
    *both_mutators(moved_to_itself, truth="tolerate", absorbers=("strict", "strict")),
    *envelope_mutators(added_without_plus, created, truth="tolerate"),
    *envelope_mutators(moved_after_hunks, truth="tolerate", absorber="lenient"),
    *envelope_mutators(deleted_with_lines, truth="tolerate"),
    *envelope_mutators(added_blank_bare, truth="tolerate", absorber="lenient"),
    *envelope_mutators(
        named("added_empty", "The patch also adds a file without lines.",
              lambda patch, *_: _with_add_section(patch, [f"*** Add File: {_PATH}"], "")),
        absorber="strict",
    ),
)  # fmt: skip
