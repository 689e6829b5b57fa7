"""Patches that were cut off: counts exceed the lines, a line breaks off, or the end is missing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutator, envelope_mutator, join_lines
from corpora.mutators.search_lines import share_by_degree

_NOTES = ("... [truncated]", "[... output truncated ...]", "... (rest omitted)", "<truncated>")


def _text_before(patch: PatchText, line: int, *, rest: str = "") -> str:
    """The text above a line, and `rest` after it."""
    return join_lines(one.text for one in patch.lines[:line]) + rest


def _start_of(text: str, degree: int) -> str:
    """The text without a share of it, by degree; its first character stays."""
    return text[: len(text) - share_by_degree(len(text) - 1, degree)]


def _cut_off(patch: PatchText, lines: list[int], left: Callable[[str], str], random: Random) -> Damaged | None:
    """The patch cut off in one of these lines, of which `left` says what is left; None without a line."""
    if not lines:
        return None
    line = random.choice(lines)
    return patch.refused(_text_before(patch, line, rest=left(patch.lines[line].text)), "truncated")


def _followed(patch: PatchText, kinds: str, by: str) -> list[int]:
    """The lines of some kinds that are directly followed, in their hunk, by a line of other kinds."""
    return [
        n
        for n in patch.indexes(*kinds)
        if patch.lines[n + 1 : n + 2] and patch.lines[n + 1].kind in tuple(by) and patch.lines[n + 1].hunk >= 0
    ]


def cut_within_change(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The text ends within a changed line that is not the last of its hunk; degree is the share of it lost."""
    changed = [n for n in _followed(patch, "-+", " -+") if patch.lines[n].text[1:].strip()]
    return _cut_off(patch, changed, lambda text: _start_of(text.rstrip(), degree), random)


def cut_after_removed(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The text ends after a removed line, with more changes to come."""
    return _cut_off(patch, _followed(patch, "-", "-+"), lambda text: f"{text}\n", random)


def cut_after_added(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The text ends after an added line, with more changes to come."""
    return _cut_off(patch, _followed(patch, "+", "-+"), lambda text: f"{text}\n", random)


def cut_with_note(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The text ends after a changed line, with a note that it was cut off."""
    return _cut_off(patch, _followed(patch, "-+", "-+"), lambda text: f"{text}\n{random.choice(_NOTES)}\n", random)


def cut_in_hunk_header(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The text ends within the @@ line of a later hunk; degree is the share of the line that is lost."""
    return _cut_off(patch, [hunk[0] for hunk in patch.hunks[1:]], lambda text: _start_of(text, degree), random)


def cut_in_file_header(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The text ends within the header of a later file; degree is how much of the line is lost."""
    line = _second_file_header(patch)
    if line is None:
        return None
    text = patch.lines[line].text
    kept = (len(text) - 2, len(text) // 2, 4, 3, 2)[degree - 1]
    return patch.refused(_text_before(patch, line, rest=text[:kept]), "truncated")


def cut_after_file_header(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The text ends after the header of a later file."""
    line = _second_file_header(patch)
    if line is None:
        return None
    return patch.refused(_text_before(patch, next(hunk[0] for hunk in patch.hunks if hunk[0] > line)), "truncated")


def _second_file_header(patch: PatchText) -> int | None:
    first = patch.lines[patch.indexes("file")[0]].file
    return next((n for n in patch.indexes("file") if patch.lines[n].file != first), None)


def cut_before_hunk(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The text ends before a later hunk, without the End Patch marker."""
    later = [hunk[0] for hunk in patch.hunks[1:] if patch.lines[hunk[0] - 1].kind != "file"]
    return _cut_off(patch, later, lambda _: "", random)


def cut_in_last_context(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The text ends in context below the last change; degree is the number of lines lost."""
    *_, last = patch.hunks
    end = next(at for at, n in enumerate(reversed(last)) if patch.lines[n].kind != " ")
    lost = min(degree, end)
    return patch.damaged(_text_before(patch, last[-lost])) if lost else None


def cut_within_last_context(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The text ends within the last context line; degree is the share of it that is lost."""
    line = patch.hunks[-1][-1]
    text = patch.lines[line].text.rstrip()
    if patch.lines[line].kind != " " or not text:
        return None
    return patch.damaged(_text_before(patch, line, rest=_start_of(text, degree)))


def cut_in_end(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The text ends within the End Patch marker; degree is the share of it that is lost."""
    end = len(patch.lines) - 1
    text = patch.lines[end].text
    return patch.damaged(_text_before(patch, end, rest=_start_of(text, degree)))


def head_lost(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The text starts within the first hunk, above a change; other hunks follow."""
    changes = [n for n in patch.hunks[0] if patch.lines[n].kind in ("-", "+")]
    rest = patch.hunks[1:] if patch.format == "unified_diff" else [h for h in patch.hunks if patch.lines[h[0]].file]
    if not rest or not changes:
        return None
    return patch.refused(join_lines(line.text for line in patch.lines[random.choice(changes) :]), "truncated")


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(cut_within_change, truth="refuse"),
    *both_mutators(cut_after_removed, truth="refuse", degrees=(1,)),
    *both_mutators(cut_after_added, truth="refuse", degrees=(1,)),
    *both_mutators(cut_with_note, truth="refuse", degrees=(1,)),
    *both_mutators(cut_in_hunk_header, truth="refuse"),
    *both_mutators(cut_in_file_header, truth="refuse"),
    *both_mutators(cut_after_file_header, truth="refuse", degrees=(1,)),
    *both_mutators(head_lost, truth="refuse", degrees=(1,)),
    envelope_mutator(cut_before_hunk, truth="refuse", degrees=(1,)),
    envelope_mutator(cut_in_end, truth="tolerate"),
    *both_mutators(cut_in_last_context, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1, 2, 3)),
    diff_mutator(cut_within_last_context, truth="tolerate"),
)
