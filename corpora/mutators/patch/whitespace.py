"""Lines of a patch that are other than in the file by their blanks, their tabs or the shapes of their punctuation."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import Written, of_both
from corpora.mutators.search_lines import common_indent, share, some, with_tabs

_ENDS = (" ", "  ", "    ", "\t")
_TYPOGRAPHIC = str.maketrans({"'": "\u2019", '"': "\u201d", "-": "\u2013"})


def trailing_blanks(patch: Written, severity: int, random: Random) -> Damaged | None:
    """Context and removed lines end in blanks or tabs."""
    lines = patch.of(" ", "-")
    picked = some(lines, share(len(lines), severity), random)
    return patch.said(patch.exchanged({n: patch.lines[n].text + random.choice(_ENDS) for n in picked}))


def trailing_blanks_lost(patch: Written, severity: int, random: Random) -> Damaged | None:
    """Lines of the file end in blanks or tabs, which those not removed keep, and the patch lacks."""
    lines = patch.of(" ", "-")
    picked = some(lines, share(len(lines), severity), random)
    others = {n: patch.lines[n].text[1:] + random.choice(_ENDS) for n in picked}
    return patch.said(patch.text, patch.with_lines(others))


def tabs_in_context(patch: Written, severity: int, random: Random) -> Damaged | None:
    """Tabs stand for steps of four blanks in context lines."""
    indented = [n for n in patch.of(" ") if patch.lines[n].text.startswith("     ") and patch.lines[n].text.strip()]
    picked = some(indented, share(len(indented), severity), random)
    return patch.said(patch.exchanged({n: " " + with_tabs(patch.lines[n].text[1:]) for n in picked}))


def dedented_hunks(patch: Written, severity: int, _random: Random) -> Damaged | None:
    """All lines of a hunk lack two blanks or more that they have in common; one might be the blank in front."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        texts = [patch.lines[n].text[1:] for n in hunk[1:]]
        indent = len(common_indent(texts))
        width = max(share(indent, severity), 2) if indent > 1 else 0
        others |= {n: patch.lines[n].text[0] + text[width:] for n, text in zip(hunk[1:], texts, strict=True)}
    return patch.said(patch.exchanged(others))


def indented_hunks(patch: Written, severity: int, _random: Random) -> Damaged | None:
    """All lines of the hunks, behind the sign, are indented by more blanks."""
    lines = [n for n in patch.of(" ", "-", "+") if patch.lines[n].text[1:].strip()]
    blanks = " " * (2 * severity)
    return patch.said(patch.exchanged({n: patch.lines[n].text[0] + blanks + patch.lines[n].text[1:] for n in lines}))


def tabs_in_hunks(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """Tabs stand for steps of four blanks in all lines of the hunks, lines to be found among them in each."""
    lines = ((n, patch.lines[n].text) for n in patch.of(" ", "-", "+"))
    texts = {n: text[0] + with_tabs(text[1:]) for n, text in lines}
    told = {n for n in patch.of(" ", "-") if texts[n] != patch.lines[n].text}
    shows = all(told.intersection(hunk) for hunk in patch.hunks)
    return patch.said(patch.exchanged(dict(texts))) if shows else None


def curly_punctuation(patch: Written, severity: int, random: Random) -> Damaged | None:
    """Quotes and hyphens in context and removed lines are typographic."""
    plain = [n for n in patch.of(" ", "-") if set(patch.lines[n].text[1:]).intersection("'\"-")]
    picked = some(plain, share(len(plain), severity), random)
    texts = ((n, patch.lines[n].text) for n in picked)
    return patch.said(patch.exchanged({n: text[0] + text[1:].translate(_TYPOGRAPHIC) for n, text in texts}))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *of_both(
        "trailing_blanks",
        "Context and removed lines end in blanks; severity is the share of lines.",
        trailing_blanks,
        absorbers=("tolerant", "codex"),
    ),
    *of_both(
        "trailing_blanks_lost",
        "Lines of the file end in blanks that the patch lacks; severity is the share of lines.",
        trailing_blanks_lost,
        absorbers=("tolerant", "codex"),
    ),
    *of_both(
        "tabs_in_context",
        "Tabs stand for blanks in context; severity is the share of lines.",
        tabs_in_context,
        truth="tolerate",
    ),
    *of_both(
        "tabs_in_hunks",
        "Tabs stand for blanks in all lines of the hunks.",
        tabs_in_hunks,
        truth="tolerate",
        severities=(1,),
    ),
    *of_both(
        "dedented_hunks",
        "Hunks lack indentation that all lines share; severity is the share of it.",
        dedented_hunks,
        truth="tolerate",
        absorbers=("tolerant", "lenient"),
    ),
    *of_both(
        "indented_hunks",
        "Hunks are indented by blanks; severity is half their number.",
        indented_hunks,
        truth="tolerate",
        absorbers=("tolerant", "lenient"),
    ),
    *of_both(
        "curly_punctuation",
        "Quotes and hyphens in lines to be found are typographic; severity is the share of lines.",
        curly_punctuation,
        truth="tolerate",
        absorbers=("tolerant", "codex"),
    ),
)
