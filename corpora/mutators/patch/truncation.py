"""Patches that were cut off, and files that have changed since the patch was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged, given, n_places, needs, text_of
from corpora.mutators.mutator import Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutators, ends_whole, envelope_mutators
from corpora.mutators.spans import pick_share, share_by_degree
from corpora.mutators.words import renamed
from editcore.types import File

_NOTES = ("... [truncated]", "[... output truncated ...]", "... (rest omitted)", "<truncated>")


def _text_before(patch: PatchText, line: int, *, rest: str = "") -> str:
    """The text above the line with this index, followed by `rest`."""
    return text_of(one.text for one in patch.lines[:line]) + rest


def _start_of(text: str, degree: int) -> str:
    """The text without a share of its end, by degree; its first character stays."""
    return text[: len(text) - share_by_degree(len(text) - 1, degree)]


def _cut_off(patch: PatchText, lines: list[int], left: Callable[[str], str], random: Random) -> Damaged | None:
    """The patch cut off in one of these lines; `left` returns the rest of that line. Unfit without lines."""
    needs(lines)
    line = random.choice(lines)
    return patch.refused(_text_before(patch, line, rest=left(patch.lines[line].text)), "truncated")


def _followed(patch: PatchText, kinds: str, by: str) -> list[int]:
    """The lines of some kinds that are directly followed, in their hunk, by a line of the kinds `by`."""
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
    line = given(_second_file_header(patch))
    text = patch.lines[line].text
    kept = (len(text) - 2, len(text) // 2, 4, 3, 2)[degree - 1]
    return patch.refused(_text_before(patch, line, rest=text[:kept]), "truncated")


def cut_after_file_header(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The text ends after the header of a later file."""
    line = given(_second_file_header(patch))
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
    needs(patch.lines[line].kind == " " and text)
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
    needs(rest and changes)
    return patch.refused(text_of(line.text for line in patch.lines[random.choice(changes) :]), "truncated")


# Files that have changed since the patch was written: edited, copied, or already patched.


def already_applied(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch was applied before, and its old lines occur nowhere any more."""
    files = patch.clean.target
    stand = any(n_places(files[at].content, old) for at, old in patch.old_lines_by_hunk())
    return None if stand else patch.stale(files, "already_applied")


def removed_lines_gone(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines to be removed are gone, and no equal ones are left; degree is the share of them."""
    found = [n for n in patch.indexes("-") if patch.lines[n].text[1:].strip()]
    return _after_deletion(patch, pick_share(found, degree, random))


def context_gone(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The lines at a change are gone; degree 2 includes blank lines.

    In one hunk, the context next to a change was deleted together with the lines to be removed.
    """
    hunk = random.choice(patch.hunks)
    near = [
        n for n in hunk if patch.lines[n].kind == "-" or (patch.lines[n].kind == " " and _is_next_to_change(patch, n))
    ]
    kept = [n for n in near if patch.lines[n].text[1:].strip()]
    return _after_deletion(patch, kept if degree == 1 else near)


def _is_next_to_change(patch: PatchText, line: int) -> bool:
    around = (patch.lines[line - 1].kind, patch.lines[line + 1].kind if line + 1 < len(patch.lines) else "")
    return "-" in around or "+" in around


def _after_deletion(patch: PatchText, lines: Sequence[int]) -> Damaged | None:
    """The patch after these lines were deleted from the files; Unfit if an equal line is left for each of them."""
    gone = {(patch.lines[n].file, patch.lines[n].source_line) for n in lines}
    before = []
    for number, file in enumerate(patch.clean.before):
        kept = (text for at, text in enumerate(file.content.split("\n"), 1) if (number, at) not in gone)
        before.append(File(file.path, "\n".join(kept)))
    texts = [(before[patch.lines[n].file].content, patch.lines[n].text[1:]) for n in lines]
    needs(any(text.strip() and not n_places(content, [text]) for content, text in texts))
    return patch.stale(tuple(before), "line_gone")


def lines_rewritten(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines of the hunks have other names by now; degree is the share of context lines.

    All lines to be removed have other names: another edit changed them.
    """
    lines = patch.indexes(" ", "-")
    picked = sorted({*pick_share(lines, degree, random), *patch.indexes("-")})
    others = {n: renamed(patch.lines[n].text[1:], random) for n in picked}
    before = patch.clean_with_lines(others).before
    removed = ((before[patch.lines[n].file].content, patch.lines[n].text[1:]) for n in patch.indexes("-"))
    gone = any(text.strip() and not n_places(content, [text]) for content, text in removed)
    return patch.stale(before, "stale") if gone else None


def two_equal(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The old lines of a file's last hunk were copied; degree is the number of copies.

    The copies are at the end of the file, and nothing tells them apart. For a hunk with another one below, the order
    of the hunks would tell.
    """
    by_file = {patch.lines[hunk[0]].file: hunk for hunk in patch.hunks}
    hunk = random.choice(list(by_file.values()))
    return patch.stale(_with_copies(patch, patch.clean.before, hunk, degree), "two_equal")


def two_equal_diff(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The old lines of a last hunk were copied, and the diff has no numbers; degree is the number of copies."""
    stale = two_equal(patch, degree, random) if ends_whole(patch) else None
    return None if stale is None else replace(stale, patch=patch.text_with(dict.fromkeys(patch.indexes("@@"), "@@")))


def two_equal_right_number(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The old lines of a hunk occur again, and its number is right; degree is the number of copies."""
    hunk = random.choice(patch.hunks)
    before, target = (_with_copies(patch, files, hunk, degree) for files in (patch.clean.before, patch.clean.target))
    return Damaged(before, target, patch=CleanPatch(before, target).unified())


def _with_copies(patch: PatchText, files: Sequence[File], hunk: Sequence[int], n_copies: int) -> tuple[File, ...]:
    """The files after the old lines of a hunk were copied to the end of its file."""
    copies = "\n".join(["", *patch.old_lines(hunk)] * n_copies) + "\n"
    number = patch.lines[hunk[0]].file
    return tuple(File(file.path, file.content + copies * (at == number)) for at, file in enumerate(files))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(
        cut_within_change, cut_after_removed, cut_after_added, cut_with_note, cut_in_hunk_header, cut_in_file_header,
        cut_after_file_header, head_lost,
        truth="refuse",
    ),
    *envelope_mutators(cut_before_hunk, truth="refuse"),
    *envelope_mutators(cut_in_end, truth="tolerate"),
    *both_mutators(cut_in_last_context, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1, 2, 3)),
    *diff_mutators(cut_within_last_context, truth="tolerate"),
    *both_mutators(already_applied, removed_lines_gone, truth="refuse"),
    *both_mutators(context_gone, truth="refuse", degrees=(1, 2)),
    *both_mutators(lines_rewritten, truth="refuse"),
    *envelope_mutators(two_equal, ending="_envelope", truth="refuse"),
    *diff_mutators(two_equal_diff, truth="refuse"),
    *diff_mutators(two_equal_right_number, absorber="strict"),
)  # fmt: skip
