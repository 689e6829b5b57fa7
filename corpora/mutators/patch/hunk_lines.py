"""Lines of hunks with other prefixes, other whitespace or other punctuation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged, given, needs
from corpora.mutators.mutator import Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators
from corpora.mutators.spans import common_indentation, indent_with_tabs, indentation, pick, pick_share, share_by_degree
from corpora.mutators.words import INNER_SPACE

# The prefix of each line of a hunk: missing, doubled, or another character.

_PREFIXES = (" ", "-", "+", "@", "*", "\\", "`", "~", "#", "<", ">", "=", "\t")


def _unindented_context(patch: PatchText) -> list[int]:
    """The context lines whose text starts with no character that could be a prefix."""
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
    """All context lines lack the space in front: indented lines look indented by one space less."""
    context = patch.indexes(" ")
    texts = [patch.lines[n].text[1:] for n in context]
    needs(any(texts) and not any(text.startswith(_PREFIXES[1:]) for text in texts))
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
    # A line that the files contain would look like context without its sign.
    found = [n for n in patch.indexes("+") if _is_new(patch, n)]
    texts = {n: sign + patch.lines[n].text[1:] for n in pick_share(found, degree, random)}
    return None if any(text[:1] in "-+@*\\" for text in texts.values()) else patch.with_lines(texts)


def _is_new(patch: PatchText, line: int) -> bool:
    text = patch.lines[line].text[1:].strip()
    return bool(text) and all(text not in file.content for file in patch.clean.before)


def blank_after_signs(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Changed lines have a space after their sign. Each hunk has a removed line, which shows it."""
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
    """Added lines are above the lines that they replace."""
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


# Lines of a patch that differ from the file in whitespace or in typographic punctuation.

_ENDS = (" ", "  ", "    ", "\t")
_TYPOGRAPHIC = str.maketrans({"'": "\u2019", '"': "\u201d", "-": "\u2013"})


def trailing_blanks(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context and removed lines end in spaces or tabs; degree is the share of lines."""
    lines = patch.indexes(" ", "-")
    picked = pick_share(lines, degree, random)
    return patch.with_lines({n: patch.lines[n].text + random.choice(_ENDS) for n in picked})


def trailing_blanks_lost(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines of the file end in spaces or tabs that the patch lacks; degree is the share of lines.

    Kept lines keep them.
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
    """Hunks lack indentation that all their lines share; degree is the share of it."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        texts = [patch.lines[n].text[1:] for n in hunk[1:]]
        common = len(common_indentation(texts))
        width = max(share_by_degree(common, degree), 1) if common else 0
        others |= {n: patch.lines[n].text[0] + text[width:] for n, text in zip(hunk[1:], texts, strict=True)}
    return patch.with_lines(others)


def indented_hunks(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """All lines of the hunks are indented deeper; degree is half the number of spaces."""
    lines = [n for n in patch.indexes(" ", "-", "+") if patch.lines[n].text[1:].strip()]
    spaces = " " * (2 * degree)
    return patch.with_lines({n: patch.lines[n].text[0] + spaces + patch.lines[n].text[1:] for n in lines})


def tabs_in_hunks(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """All lines of the hunks are indented with tabs, the file's with spaces.

    At least one old line of each hunk shows it. Files with tabs are left alone: nobody could tell which lines had
    tabs.
    """
    lines = [(n, patch.lines[n].text) for n in patch.indexes(" ", "-", "+")]
    needs(not any("\t" in indentation(text[1:]) for _, text in lines))
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


# Several slips at once. Each takes the lines of all hunks, and returns how they are written, or None.

_Texts = dict[int, str]
_SHARE = 0.6
"""The share of old lines that a slip within lines changes."""


def _less_deep(texts: _Texts, random: Random) -> _Texts | None:
    common = len(common_indentation([text[1:] for text in texts.values()]))
    by = random.randint(1, common) if common else 0
    return {n: text[0] + text[1 + by :] for n, text in texts.items()} if by else None


def _deeper(texts: _Texts, random: Random) -> _Texts | None:
    spaces = " " * random.choice((1, 2, 4))
    return {n: text[0] + spaces + text[1:] if text[1:].strip() else text for n, text in texts.items()}


def _half_as_deep(texts: _Texts, _random: Random) -> _Texts | None:
    depths = {n: len(indentation(text[1:])) for n, text in texts.items() if text[1:].strip()}
    of_old = {depth for n, depth in depths.items() if texts[n][0] != "+"}
    if not any(of_old) or any(depth % 2 for depth in depths.values()) or not of_old.issuperset(depths.values()):
        return None
    return {n: text[0] + text[1 + depths.get(n, 0) // 2 :] for n, text in texts.items()}


def _typographic(texts: _Texts, random: Random) -> _Texts | None:
    return _in_old_lines(texts, random, lambda text: text.translate(_TYPOGRAPHIC))


def _spaced(texts: _Texts, random: Random) -> _Texts | None:
    return _in_old_lines(texts, random, lambda text: INNER_SPACE.sub("  ", text))


def _ended(texts: _Texts, random: Random) -> _Texts | None:
    return _in_old_lines(texts, random, lambda text: text + random.choice(_ENDS))


def _in_old_lines(texts: _Texts, random: Random, write: Callable[[str], str]) -> _Texts:
    chosen = {n for n, text in texts.items() if text[0] != "+" and text[1:].strip() and random.random() < _SHARE}
    return {n: text[0] + write(text[1:]) if n in chosen else text for n, text in texts.items()}


def two_slips(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The lines of the hunks have two slips at once, of indentation, spaces or punctuation."""
    return _with_slips(patch, random, 2)


def three_slips(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The lines of the hunks have three slips at once, of indentation, spaces or punctuation."""
    return _with_slips(patch, random, 3)


def _with_slips(patch: PatchText, random: Random, n_slips: int) -> Damaged | None:
    texts = {n: patch.lines[n].text for n in patch.indexes(" ", "-", "+")}
    for slip in random.sample((_less_deep, _deeper, _half_as_deep, _typographic, _spaced, _ended), n_slips):
        others = given(slip(texts, random))
        needs(others != texts)
        texts = others
    return patch.with_lines(dict(texts))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(blank_context_bare, absorbers=("strict", "codex")),
    *both_mutators(context_bare, all_context_bare, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(tab_for_mark, plus_lost, blank_for_plus, blank_after_signs, signs_doubled, truth="tolerate"),
    *both_mutators(plus_before_minus, absorbers=("strict", "strict")),
    *both_mutators(line_numbers, blank_context_lost, truth="tolerate"),
    *both_mutators(trailing_blanks, trailing_blanks_lost, absorbers=("tolerant", "codex")),
    *both_mutators(tabs_in_context, tabs_in_hunks, truth="tolerate"),
    *both_mutators(dedented_hunks, indented_hunks, truth="tolerate", absorbers=("tolerant", "lenient")),
    *both_mutators(curly_punctuation, truth="tolerate", absorbers=("tolerant", "codex")),
    *both_mutators(two_slips, three_slips, truth="tolerate"),
)
