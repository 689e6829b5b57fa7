"""Search texts whose lines are indented differently from those of the file."""

from __future__ import annotations

from math import gcd
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import (
    common_indentation,
    dedent_lines,
    indent_lines,
    indent_with_tabs,
    indentation,
    inexact_edit,
    inexact_edit_of_lines,
    nonblank_indexes,
    pick_share,
    share_by_degree,
)
from corpora.mutators.spans import exact_edit, narrowed_to, tab_indented

_WIDTHS = (2, 3, 4, 8)


def dedented(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks the common indentation; degree is the share that is missing."""
    common = common_indentation(clean.lines)
    if not clean.whole_lines or not common:
        return None
    shorter = dedent_lines(clean.old, common[: share_by_degree(len(common), degree)])
    return None if shorter is None else inexact_edit(clean, shorter)


def dedented_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text lack the common indentation of the search text."""
    common = common_indentation(clean.lines)
    new = dedent_lines(clean.new, common)
    search_text = dedent_lines(clean.old, common)
    if not clean.whole_lines or not common or new is None or search_text is None:
        return None
    return inexact_edit(clean, search_text, new=new)


def shifted(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """Every line of the search text is indented deeper; degree is the number of spaces."""
    return inexact_edit(clean, indent_lines(clean.old, " " * degree)) if clean.whole_lines else None


def shifted_both(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """Every line of search text and new text is indented deeper; degree is the number of spaces."""
    spaces = " " * degree
    return (
        inexact_edit(clean, indent_lines(clean.old, spaces), new=indent_lines(clean.new, spaces))
        if clean.whole_lines
        else None
    )


def reindented(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is indented in steps of 2, 3, 4 or 8 spaces instead of the file's."""
    indents = [indentation(line) for line in clean.lines if line.strip()]
    unit = gcd(*map(len, indents))
    if not clean.whole_lines or unit < 2 or "\t" in "".join(indents):
        return None
    width = random.choice([width for width in _WIDTHS if width != unit])
    return inexact_edit_of_lines(
        clean, [" " * (len(indentation(line)) // unit * width) + line.lstrip(" ") for line in clean.lines]
    )


def tabs_for_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented with tabs, the file's with spaces; degree is the share of lines."""
    stepped = [index for index, line in enumerate(clean.lines) if line.startswith("    ")]
    if not clean.whole_lines or not stepped:
        return None
    lines = list(clean.lines)
    for index in pick_share(stepped, degree, random):
        lines[index] = indent_with_tabs(lines[index])
    return inexact_edit_of_lines(clean, lines)


def blanks_for_tabs(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented with spaces, the file's with tabs; degree is the share of lines."""
    seen = clean if any(line.startswith("\t") for line in clean.lines) else tab_indented(clean)
    stepped = [index for index, line in enumerate(seen.lines) if line.startswith("\t")]
    if not clean.whole_lines or not stepped:
        return None
    lines = list(seen.lines)
    for index in pick_share(stepped, degree, random):
        lines[index] = indentation(lines[index]).replace("\t", "    ") + lines[index].lstrip(" \t")
    return inexact_edit_of_lines(seen, lines)


def leading_blanks(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The first line of the search text is indented deeper; degree is the number of spaces."""
    return inexact_edit(clean, " " * degree + clean.old) if clean.whole_lines and clean.lines[0].strip() else None


def only_first_line_indented(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """All lines of the search text but the first lack common indentation; degree is the share that is missing."""
    common = common_indentation(clean.lines)
    first, line_feed, rest = clean.old.partition("\n")
    shorter = dedent_lines(rest, common[: share_by_degree(len(common), degree)])
    if not clean.whole_lines or not line_feed or not common or shorter is None:
        return None
    return inexact_edit(clean, f"{first}\n{shorter}")


def ragged_indentation(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented by one to three spaces more or less; degree is the share of lines."""
    if not clean.whole_lines:
        return None
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    for index in pick_share(candidates, degree, random):
        by = random.randint(1, 3)
        line = lines[index]
        lines[index] = line[by:] if random.random() < 0.5 and indentation(line)[by - 1 : by] else " " * by + line
    return inexact_edit_of_lines(clean, lines)


def first_line_flush(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The first line of the search text lacks its indentation: an exact replacement doubles it."""
    spaces = indentation(clean.old)
    if not clean.whole_lines or not spaces or not clean.new.startswith(spaces):
        return None
    return exact_edit(narrowed_to(clean, len(spaces), len(clean.old), clean.new))


def trimmed_boundaries(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text lack the whitespace that both begin and end with."""
    start = len(clean.old) - len(clean.old.lstrip())
    end = len(clean.old.rstrip())
    left, right = clean.old[:start], clean.old[end:]
    if start >= end or len(clean.new) < len(left + right) or (start, end) == (0, len(clean.old)):
        return None
    if not clean.new.startswith(left) or not clean.new.endswith(right):
        return None
    return exact_edit(narrowed_to(clean, start, end, clean.new[len(left) : len(clean.new) - len(right)]))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(dedented, absorber="line_trimmed"),
    text_mutator(dedented_both, truth="tolerate", degrees=(1,)),
    text_mutator(shifted, absorber="line_trimmed"),
    text_mutator(shifted_both, truth="tolerate"),
    text_mutator(reindented, absorber="line_trimmed", degrees=(1,)),
    text_mutator(tabs_for_blanks, absorber="line_trimmed"),
    text_mutator(blanks_for_tabs, absorber="line_trimmed"),
    text_mutator(leading_blanks, absorber="line_trimmed"),
    text_mutator(only_first_line_indented, absorber="line_trimmed"),
    text_mutator(ragged_indentation, absorber="line_trimmed"),
    text_mutator(first_line_flush, truth="hazard", absorber="simple", degrees=(1,)),
    text_mutator(trimmed_boundaries, absorber="simple", degrees=(1,)),
)
