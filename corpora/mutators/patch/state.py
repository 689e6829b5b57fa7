"""Files that have changed since the patch was written: edited, copied, or already patched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutator, envelope_mutator, n_places
from corpora.mutators.search_lines import pick_share
from corpora.mutators.words import renamed
from editcore.types import File


def already_applied(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch was applied before, and its old lines are nowhere any more."""
    files = patch.clean.target
    stand = any(n_places(files[at].content, old) for at, old in patch.old_lines_by_hunk())
    return None if stand else patch.stale(files, "already_applied")


def removed_lines_gone(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines to be removed are gone, and no equal ones are left; degree is the share of them."""
    found = [n for n in patch.indexes("-") if patch.lines[n].text[1:].strip()]
    return _after_deletion(patch, pick_share(found, degree, random))


def context_gone(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The lines at a change are gone; degree 2 includes blank lines.

    In a hunk, the context next to a change was deleted, with what was to be removed there.
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
    """The patch after these lines were deleted from the files; None where one equal to one of them is left."""
    gone = {(patch.lines[n].file, patch.lines[n].source_line) for n in lines}
    before = []
    for number, file in enumerate(patch.clean.before):
        kept = (text for at, text in enumerate(file.content.split("\n"), 1) if (number, at) not in gone)
        before.append(File(file.path, "\n".join(kept)))
    texts = [(before[patch.lines[n].file].content, patch.lines[n].text[1:]) for n in lines]
    if not any(text.strip() and not n_places(content, [text]) for content, text in texts):
        return None
    return patch.stale(tuple(before), "line_gone")


def lines_rewritten(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines of the hunks have other names by now; degree is the share of context lines.

    All lines to be removed have other names: another edit gave them.
    """
    lines = patch.indexes(" ", "-")
    picked = sorted({*pick_share(lines, degree, random), *patch.indexes("-")})
    others = {n: renamed(patch.lines[n].text[1:], random) for n in picked}
    before = patch.clean_with_lines(others).before
    removed = ((before[patch.lines[n].file].content, patch.lines[n].text[1:]) for n in patch.indexes("-"))
    gone = any(text.strip() and not n_places(content, [text]) for content, text in removed)
    return patch.stale(before, "stale") if gone else None


def two_equal(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The old lines of a last hunk were copied; degree is the number of copies.

    They are at the end of the hunk's file too, and nothing tells the copies apart. Those of a hunk above another one
    would be told apart by the order of the hunks.
    """
    by_file = {patch.lines[hunk[0]].file: hunk for hunk in patch.hunks}
    hunk = random.choice(list(by_file.values()))
    return patch.stale(_with_copies(patch, patch.clean.before, hunk, degree), "two_equal")


def two_equal_diff(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The old lines of a last hunk were copied, and the diff has no numbers; degree is the number of copies."""
    text, stale = patch.text_without_counts(lambda _: "@@"), two_equal(patch, degree, random)
    return None if stale is None or text == patch.text else replace(stale, patch=text)


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
    *both_mutators(already_applied, truth="refuse", degrees=(1,)),
    *both_mutators(removed_lines_gone, truth="refuse"),
    *both_mutators(context_gone, truth="refuse", degrees=(1, 2)),
    *both_mutators(lines_rewritten, truth="refuse"),
    envelope_mutator(two_equal, name="two_equal_envelope", truth="refuse"),
    diff_mutator(two_equal_diff, truth="refuse"),
    diff_mutator(two_equal_right_number, absorber="strict"),
)
