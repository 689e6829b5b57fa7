"""Search texts with other spaces, line breaks or blank lines than the file."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation, inexact_edit, inexact_edit_of_lines, nonblank_indexes, pick_share
from corpora.mutators.spans import keeping_lines, with_old_text
from corpora.mutators.words import INNER_SPACE, replace_share

_SPACED_OPERATOR = re.compile(r"(?<=[\w)\]\"']) (?:[-+*/=!<>]?=|[-+*/<>]|->) (?=[\w(\[{\"'-])")


def trailing_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text end in spaces or tabs; degree is the share of lines."""
    return (
        inexact_edit_of_lines(clean, _with_trailing_blanks(clean.lines, degree, random)) if clean.whole_lines else None
    )


def trailing_blanks_lost(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the file end in spaces or tabs that the search text lacks; degree is the share of lines."""
    *lines, last = clean.lines
    if not clean.whole_lines or not nonblank_indexes(lines):
        return None
    there = [*_with_trailing_blanks(lines, degree, random), last]
    seen = with_old_text(clean, "\n".join(there))
    return keeping_lines(inexact_edit(seen, clean.old), seen, clean.lines, there)


def _with_trailing_blanks(lines: list[str], degree: int, random: Random) -> list[str]:
    lines = list(lines)
    for index in pick_share(range(len(lines)), degree, random):
        lines[index] += random.choice((" ", "  ", "    ", "\t"))
    return lines


def doubled_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Single spaces inside lines are doubled in the search text; degree is the share of spaces."""
    return inexact_edit(clean, _with_doubled_blanks(clean.old, degree, random))


def collapsed_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Double spaces inside lines of the file are single in the search text; degree is the share of spaces."""
    seen = with_old_text(clean, _with_doubled_blanks(clean.old, degree, random))
    return keeping_lines(inexact_edit(seen, clean.old), seen, clean.lines, seen.lines)


def _with_doubled_blanks(text: str, degree: int, random: Random) -> str:
    return replace_share(text, INNER_SPACE, lambda _: "  ", degree, random)


def tabs_inside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Single spaces inside lines are tabs in the search text; degree is the share of spaces."""
    return inexact_edit(clean, replace_share(clean.old, INNER_SPACE, lambda _: "\t", degree, random))


def operator_spacing(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Operators in the search text have no spaces around them; degree is the share of operators."""
    closed = replace_share(clean.old, _SPACED_OPERATOR, lambda operator: operator[0].strip(), degree, random)
    return inexact_edit(clean, closed)


def joined_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Neighbouring lines are joined in the search text; degree is the share of line breaks."""
    lines = list(clean.lines)
    pairs = [index for index in nonblank_indexes(lines)[:-1] if lines[index + 1].strip()]
    for index in reversed(pick_share(pairs, degree, random)):
        lines[index : index + 2] = [f"{lines[index].rstrip()} {lines[index + 1].lstrip()}"]
    return inexact_edit_of_lines(clean, lines)


def split_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines are split in two at a space in the search text; degree is the share of lines."""
    lines = list(clean.lines)
    divisible = [index for index, line in enumerate(lines) if INNER_SPACE.search(line)]
    for index in pick_share(divisible, degree, random):
        line = lines[index]
        at = random.choice([space.start() for space in INNER_SPACE.finditer(line)])
        lines[index] = f"{line[:at]}\n{indentation(line)}    {line[at + 1 :]}"
    return inexact_edit_of_lines(clean, lines)


def blank_lines_inside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has blank lines between adjacent lines; degree is the share of line breaks."""
    return inexact_edit(clean, "\n".join(_with_blank_lines(clean.lines, degree, random)))


def blank_lines_lost(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text lacks blank lines inside that the file has; degree is the share of them."""
    blank = [index for index in range(1, len(clean.lines) - 1) if not clean.lines[index].strip()]
    if not blank:
        there = _with_blank_lines(clean.lines, degree, random)
        seen = with_old_text(clean, "\n".join(there))
        return keeping_lines(inexact_edit(seen, clean.old), seen, clean.lines, there)
    lost = pick_share(blank, degree, random)
    return inexact_edit_of_lines(clean, [line for index, line in enumerate(clean.lines) if index not in lost])


def _with_blank_lines(lines: list[str], degree: int, random: Random) -> list[str]:
    gaps = range(1, len(lines))
    opened = pick_share(gaps, degree, random)
    return ["\n" + line if index in opened else line for index, line in enumerate(lines)]


def blank_lines_before(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text starts with blank lines that the file lacks; degree is their number."""
    return _with_blank_ends(clean, "\n" * (degree + 1), "")


def blank_lines_after(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text ends in blank lines that the file lacks; degree is their number."""
    return _with_blank_ends(clean, "", "\n" * (degree + 1))


def blank_lines_around(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """Blank lines that the file lacks are around the search text; degree is their number at each end."""
    return _with_blank_ends(clean, "\n" * (degree + 1), "\n" * (degree + 1))


def _with_blank_ends(clean: CleanEdit, above: str, below: str) -> Damaged | None:
    """The edit with line feeds around its search text; blank lines next to the span are removed from the file.

    A single line feed would match the file exactly, and be replaced with the rest.
    """
    if not clean.whole_lines or not clean.lines[0].strip() or not clean.lines[-1].strip():
        return None
    before, after = clean.content[: clean.start].rstrip(), clean.content[clean.end :].lstrip("\n")
    seen = clean.in_file(before + "\n" if before else "", "\n" + after)
    return inexact_edit(seen, above + seen.old + below)


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(trailing_blanks, absorber="line_trimmed"),
    text_mutator(trailing_blanks_lost, absorber="line_trimmed"),
    text_mutator(doubled_blanks, absorber="whitespace_normalized"),
    text_mutator(collapsed_blanks, absorber="whitespace_normalized"),
    text_mutator(tabs_inside, absorber="whitespace_normalized"),
    text_mutator(operator_spacing, truth="tolerate"),
    text_mutator(joined_lines, truth="tolerate"),
    text_mutator(split_lines, truth="tolerate"),
    text_mutator(blank_lines_inside, truth="tolerate", absorber="block_anchor"),
    text_mutator(blank_lines_lost, truth="tolerate", absorber="block_anchor"),
    text_mutator(blank_lines_before, absorber="trimmed_boundary"),
    text_mutator(blank_lines_after, absorber="trimmed_boundary"),
    text_mutator(blank_lines_around, absorber="trimmed_boundary"),
)
