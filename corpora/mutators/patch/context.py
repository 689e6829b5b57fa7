"""Context that differs from the file: misspelt, elided, invented, out of date, shortened or missing."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutator, envelope_mutator, n_places
from corpora.mutators.search_lines import pick
from corpora.mutators.words import another_name, invented_statement, replace_tokens, tokens


def _misspelt(patch: PatchText, lines: list[int], n: int, random: Random) -> Damaged | None:
    """The patch with two letters swapped in each of n lines."""
    names = [
        (line, name) for line in lines for name in tokens(patch.lines[line].text, "name") if _can_be_misspelt(name[0])
    ]
    others: dict[int, str | None] = {}
    for line, name in pick(names, n, random):
        slips = [at for at in range(len(name[0]) - 1) if name[0][at] != name[0][at + 1]]
        at = random.choice(slips)
        word = name[0][:at] + name[0][at + 1] + name[0][at] + name[0][at + 2 :]
        others[line] = replace_tokens(patch.lines[line].text, [(name, word)])
    return patch.with_lines(others)


def _can_be_misspelt(name: str) -> bool:
    return len(name) > 3 and len(set(name)) > 1


def typo_in_outer_context(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The first line of one hunk is misspelt; at least two more context lines follow it."""
    first = [hunk[1] for hunk in patch.hunks if len(hunk) > 4 and all(patch.lines[n].kind == " " for n in hunk[1:4])]
    named = [n for n in first if any(_can_be_misspelt(name[0]) for name in tokens(patch.lines[n].text, "name"))]
    return _misspelt(patch, pick(named, 1, random), 1, random)


def typo_in_context(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Words of context lines are misspelt; degree is their number."""
    return _misspelt(patch, patch.indexes(" "), degree, random)


def typo_in_removed(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Words of removed lines are misspelt; degree is their number."""
    return _misspelt(patch, patch.indexes("-"), degree, random)


def _inner_context(patch: PatchText) -> list[int]:
    """The context lines between two others."""
    context = set(patch.indexes(" "))
    return [n for n in sorted(context) if {n - 1, n + 1} <= context]


def context_skipped(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines between others are missing, though counted; degree is their number."""
    inside = [n for n in _inner_context(patch) if patch.lines[n].text.strip()]
    gone = set(pick(inside, degree, random))
    for hunk in patch.hunks:
        if gone & set(hunk) and n_places(
            patch.file(hunk[0]).content, patch.old_lines([n for n in hunk if n not in gone])
        ):
            return None  # What is left stands somewhere too.
    return patch.with_lines(dict.fromkeys(gone))


def context_elided(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Inner context lines are replaced by dots; degree is their number."""
    dots = random.choice((" ...", "...", " # ...", " // ... existing code ..."))
    return patch.with_lines(dict.fromkeys(pick(_inner_context(patch), degree, random), dots))


def removed_elided(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Removed lines between the first and the last are replaced by dots."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        removed = [n for n in hunk if patch.lines[n].kind == "-"]
        if len(removed) > 2 and removed[-1] - removed[0] == len(removed) - 1:
            others |= dict.fromkeys(removed[1:-1]) | {removed[1]: random.choice(("-...", "...", "-    # ..."))}
    return patch.with_lines(others)


def context_invented(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Hunks have context lines that the file never had; degree is their number."""
    others: dict[int, str | None] = {}
    within = [
        n for n in patch.indexes(" ") if n + 1 < len(patch.lines) and patch.lines[n + 1].hunk == patch.lines[n].hunk
    ]
    for n in pick(within, degree, random):
        others[n] = f"{patch.lines[n].text}\n {invented_statement(patch.file(n).path, random)}"
    return patch.refused(patch.text_with(others), "line_gone")


def context_renamed(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines have other names in the file; degree is the number of lines."""
    found = [(n, tokens(patch.lines[n].text, "name")) for n in patch.indexes(" ")]
    others = {}
    for n, names in pick([pair for pair in found if pair[1]], degree, random):
        name = random.choice(names)
        others[n] = replace_tokens(patch.lines[n].text, [(name, another_name(name[0], random))])[1:]
    return patch.damaged(patch.text, clean=patch.clean_with_lines(others)) if others else None


def context_below_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines below the last change of a hunk are missing and not counted; degree is their number."""
    return _without_outer_context(patch, 0, degree)


def context_above_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines above the first change of a hunk are missing and not counted; degree is their number."""
    return _without_outer_context(patch, degree, 0)


def context_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines at both ends of a hunk are missing and not counted; degree is their number at each end."""
    return _without_outer_context(patch, degree, degree)


def _without_outer_context(patch: PatchText, n_above: int, n_below: int) -> Damaged | None:
    """The patch without some outer context lines; None where a hunk no longer occurs exactly once."""
    others: dict[int, str | None] = {}
    for header, *lines in patch.hunks:
        changes = [at for at, n in enumerate(lines) if patch.lines[n].kind != " "]
        above, below = min(n_above, changes[0]), min(n_below, len(lines) - 1 - changes[-1])
        kept = lines[above : len(lines) - below]
        old, numbers = patch.old_lines(kept), patch.lines[header].numbers
        if not "".join(old).strip() or n_places(patch.file(header).content, old) != 1 or numbers is None:
            return None
        others |= dict.fromkeys(lines[:above] + lines[len(lines) - below :])
        if patch.format == "unified_diff":
            others[header] = f"@@ {numbers.narrowed(above, below)} @@"
    return patch.with_lines(others) if None in others.values() else None


def insertion_without_context(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """A hunk that only adds lines has no context, so its place is unknown."""
    adding = [hunk for hunk in patch.hunks if not any(patch.lines[n].kind == "-" for n in hunk)]
    context = [n for hunk in adding for n in hunk if patch.lines[n].kind == " "]
    return patch.refused(patch.text_with(dict.fromkeys(context)), "no_place")


def changes_left_out(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The hunks have context lines only."""
    others: dict[int, str | None] = {n: " " + patch.lines[n].text[1:] for n in patch.indexes("-")}
    others |= dict.fromkeys(patch.indexes("+"))
    if patch.format == "unified_diff":
        for hunk in patch.hunks:
            numbers = patch.lines[hunk[0]].numbers
            others[hunk[0]] = f"@@ {numbers._replace(target_length=numbers.source_length)} @@" if numbers else None
    return patch.refused(patch.text_with(others), "no_change")


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(context_below_cut, absorbers=("tolerant", "codex"), degrees=(1, 2, 3)),
    *both_mutators(context_above_cut, absorbers=("tolerant", "codex"), degrees=(1, 2, 3)),
    *both_mutators(context_cut, absorbers=("tolerant", "codex"), degrees=(1, 2, 3)),
    *both_mutators(typo_in_context, truth="drift"),
    *both_mutators(typo_in_removed, truth="drift"),
    diff_mutator(typo_in_outer_context, truth="drift", absorber="fuzz", degrees=(1,)),
    *both_mutators(context_skipped, truth="tolerate"),
    *both_mutators(context_elided, truth="tolerate"),
    *both_mutators(context_renamed, truth="tolerate"),
    *both_mutators(removed_elided, truth="tolerate", degrees=(1,)),
    *both_mutators(context_invented, truth="refuse"),
    envelope_mutator(insertion_without_context, truth="refuse", degrees=(1,)),
    *both_mutators(changes_left_out, truth="refuse", degrees=(1,)),
)
