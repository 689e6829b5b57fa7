"""The prefix of each line of a hunk: missing, doubled, or another character."""

from __future__ import annotations

from itertools import groupby
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators
from corpora.mutators.search_lines import pick, pick_share

_PREFIXES = (" ", "-", "+", "@", "*", "\\", "`", "~", "#", "<", ">", "=", "\t")


def _unindented_context(patch: PatchText) -> list[int]:
    """The context lines that start with a letter, or anything else that is no prefix."""
    return [
        n
        for n in patch.indexes(" ")
        if len(patch.lines[n].text) > 1 and not patch.lines[n].text[1:].startswith(_PREFIXES)
    ]


def blank_context_bare(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Blank context lines lack the space in front; degree is the share of them."""
    blank = [n for n in patch.indexes(" ") if patch.lines[n].text == " "]
    return patch.with_lines(dict.fromkeys(pick_share(blank, degree, random), ""))


def context_bare(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines that are not indented lack the space in front; degree is the share of them."""
    plain = _unindented_context(patch)
    picked = pick_share(plain, degree, random)
    return patch.with_lines({n: patch.lines[n].text[1:] for n in picked})


def all_context_bare(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """All context lines lack the space in front: indented ones look indented by one space less."""
    context = patch.indexes(" ")
    texts = [patch.lines[n].text[1:] for n in context]
    if not any(texts) or any(text.startswith(_PREFIXES[1:]) for text in texts):
        return None
    return patch.with_lines(dict(zip(context, texts, strict=True)))


def tab_for_mark(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines have a tab instead of the space in front; degree is the share of them."""
    context = [n for n in patch.indexes(" ") if len(patch.lines[n].text) > 1]
    picked = pick_share(context, degree, random)
    return patch.with_lines({n: "\t" + patch.lines[n].text[1:] for n in picked})


def plus_lost(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Added lines have no plus sign; degree is the share of them."""
    return _without_plus(patch, "", degree, random)


def blank_for_plus(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Added lines have a space instead of the plus sign; degree is the share of them."""
    return _without_plus(patch, " ", degree, random)


def _without_plus(patch: PatchText, sign: str, degree: int, random: Random) -> Damaged | None:
    # In a line that the files contain as well, the missing sign would not show.
    found = [n for n in patch.indexes("+") if _is_new(patch, n)]
    texts = {n: sign + patch.lines[n].text[1:] for n in pick_share(found, degree, random)}
    return None if any(text[:1] in "-+@*\\" for text in texts.values()) else patch.with_lines(texts)


def _is_new(patch: PatchText, line: int) -> bool:
    text = patch.lines[line].text[1:].strip()
    return bool(text) and all(text not in file.content for file in patch.clean.before)


def blank_after_signs(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Changed lines have a space after their sign.

    No hunk only adds lines: there it would not show.
    """
    lines = [(n, patch.lines[n].text) for n in patch.indexes("-", "+") if patch.lines[n].text[1:].strip()]
    removed = {n for n, text in lines if text[0] == "-"}
    shows = all(removed.intersection(hunk) for hunk in patch.hunks)
    return patch.with_lines({n: f"{text[0]} {text[1:]}" for n, text in lines}) if shows else None


def signs_doubled(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The sign of changed lines, of at least one removed line, is doubled; degree is the share of them."""
    changed, removed = patch.indexes("-", "+"), patch.indexes("-")
    picked = pick_share(changed, degree, random) + pick(removed, 1, random)
    texts = {n: patch.lines[n].text[0] + patch.lines[n].text for n in picked}
    return patch.with_lines(texts) if removed else None


def plus_before_minus(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Added lines are before those that they replace."""
    others: dict[int, str | None] = {}
    for is_change, run in groupby(range(len(patch.lines)), key=lambda n: patch.lines[n].kind in ("-", "+")):
        if is_change:
            lines = list(run)
            turned = sorted(lines, key=lambda n: patch.lines[n].kind == "-")
            others |= {n: patch.lines[other].text for n, other in zip(lines, turned, strict=True)}
    return patch.with_lines(others)


def line_numbers(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Context and removed lines start with their line number."""
    form = random.choice(("{:>4} | {}", "{}: {}", "{:>6}\t{}"))
    lines = ((n, patch.lines[n]) for n in patch.indexes(" ", "-"))
    texts = {n: line.text[0] + form.format(line.source_line, line.text[1:]) for n, line in lines}
    return patch.with_lines(texts)


def blank_context_lost(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Blank context lines between nonblank ones are missing; the counts still include them."""
    filled = {n for n in patch.indexes(" ") if patch.lines[n].text.strip()}
    blank = [n for n in patch.indexes(" ") if patch.lines[n].text == " " and {n - 1, n + 1} <= filled]
    return patch.with_lines(dict.fromkeys(blank))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(blank_context_bare, absorbers=("strict", "codex")),
    *both_mutators(context_bare, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(all_context_bare, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1,)),
    *both_mutators(tab_for_mark, truth="tolerate"),
    *both_mutators(plus_lost, truth="tolerate"),
    *both_mutators(blank_for_plus, truth="tolerate"),
    *both_mutators(blank_after_signs, truth="tolerate", degrees=(1,)),
    *both_mutators(signs_doubled, truth="tolerate"),
    *both_mutators(plus_before_minus, absorbers=("strict", "strict"), degrees=(1,)),
    *both_mutators(line_numbers, truth="tolerate", degrees=(1,)),
    *both_mutators(blank_context_lost, truth="tolerate", degrees=(1,)),
)
