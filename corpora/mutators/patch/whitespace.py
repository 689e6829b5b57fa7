"""Lines of a patch that differ from the file in whitespace or in the shapes of punctuation."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators
from corpora.mutators.search_lines import (
    common_indentation,
    indent_with_tabs,
    indentation,
    pick_share,
    share_by_degree,
)

_ENDS = (" ", "  ", "    ", "\t")
_TYPOGRAPHIC = str.maketrans({"'": "\u2019", '"': "\u201d", "-": "\u2013"})


def trailing_blanks(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context and removed lines end in spaces or tabs; degree is the share of lines."""
    lines = patch.indexes(" ", "-")
    picked = pick_share(lines, degree, random)
    return patch.with_lines({n: patch.lines[n].text + random.choice(_ENDS) for n in picked})


def trailing_blanks_lost(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines of the file end in spaces or tabs that the patch lacks; degree is the share of lines.

    Lines that stay keep them.
    """
    lines = patch.indexes(" ", "-")
    picked = pick_share(lines, degree, random)
    others = {n: patch.lines[n].text[1:] + random.choice(_ENDS) for n in picked}
    return patch.damaged(patch.text, clean=patch.clean_with_lines(others))


def tabs_in_context(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines are indented with tabs, the file's with spaces; degree is the share of lines."""
    indented = [
        n for n in patch.indexes(" ") if patch.lines[n].text.startswith("     ") and patch.lines[n].text.strip()
    ]
    picked = pick_share(indented, degree, random)
    return patch.with_lines({n: " " + indent_with_tabs(patch.lines[n].text[1:]) for n in picked})


def dedented_hunks(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Hunks lack indentation that all their lines share; degree is the share of it.

    At least two spaces: one might be the space in front.
    """
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        texts = [patch.lines[n].text[1:] for n in hunk[1:]]
        common = len(common_indentation(texts))
        width = max(share_by_degree(common, degree), 2) if common > 1 else 0
        others |= {n: patch.lines[n].text[0] + text[width:] for n, text in zip(hunk[1:], texts, strict=True)}
    return patch.with_lines(others)


def indented_hunks(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """All lines of the hunks are indented deeper; degree is half the number of spaces."""
    lines = [n for n in patch.indexes(" ", "-", "+") if patch.lines[n].text[1:].strip()]
    spaces = " " * (2 * degree)
    return patch.with_lines({n: patch.lines[n].text[0] + spaces + patch.lines[n].text[1:] for n in lines})


def tabs_in_hunks(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """All lines of the hunks are indented with tabs, the file's with spaces.

    In each hunk at least one old line shows it. Not where lines have tabs already: afterwards nobody knows which had
    them.
    """
    lines = [(n, patch.lines[n].text) for n in patch.indexes(" ", "-", "+")]
    if any("\t" in indentation(text[1:]) for _, text in lines):
        return None
    texts = {n: text[0] + indent_with_tabs(text[1:]) for n, text in lines}
    changed = {n for n in patch.indexes(" ", "-") if texts[n] != patch.lines[n].text}
    shows = all(changed.intersection(hunk) for hunk in patch.hunks)
    return patch.with_lines(texts) if shows else None


def curly_punctuation(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Quotes and hyphens in context and removed lines are typographic; degree is the share of lines."""
    plain = [n for n in patch.indexes(" ", "-") if set(patch.lines[n].text[1:]).intersection("'\"-")]
    picked = pick_share(plain, degree, random)
    texts = ((n, patch.lines[n].text) for n in picked)
    return patch.with_lines({n: text[0] + text[1:].translate(_TYPOGRAPHIC) for n, text in texts})


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(trailing_blanks, absorbers=("tolerant", "codex")),
    *both_mutators(trailing_blanks_lost, absorbers=("tolerant", "codex")),
    *both_mutators(tabs_in_context, truth="tolerate"),
    *both_mutators(tabs_in_hunks, truth="tolerate", degrees=(1,)),
    *both_mutators(dedented_hunks, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(indented_hunks, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(curly_punctuation, truth="tolerate", absorbers=("tolerant", "codex")),
)
