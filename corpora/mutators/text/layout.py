"""Search texts whose whitespace, indentation, line endings or byte order mark differ from the file."""

from __future__ import annotations

import re
from math import gcd
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, edited, given, needs
from corpora.mutators.mutator import Mutator, named, of_lines, text_mutators
from corpora.mutators.spans import (
    common_indentation,
    dedent_lines,
    indent_lines,
    indent_with_tabs,
    indentation,
    keeping_lines,
    nonblank_indexes,
    pick,
    pick_share,
    share_by_degree,
    tab_indented,
)
from corpora.mutators.words import INNER_SPACE, replace_share
from editcore.text.lines import BOM
from editcore.types import Edit

# Search texts with other spaces, line breaks or blank lines than the file.

_SPACED_OPERATOR = re.compile(r"(?<=[\w)\]\"']) (?:[-+*/=!<>]?=|[-+*/<>]|->) (?=[\w(\[{\"'-])")


def trailing_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text end in spaces or tabs; degree is the share of lines."""
    needs(clean.whole_lines)
    return clean.inexact(_with_trailing_blanks(clean.lines, degree, random))


def trailing_blanks_lost(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the file end in spaces or tabs that the search text lacks; degree is the share of lines."""
    *lines, last = clean.lines
    needs(clean.whole_lines and nonblank_indexes(lines))
    there = [*_with_trailing_blanks(lines, degree, random), last]
    seen = clean.with_old("\n".join(there))
    return keeping_lines(seen.inexact(clean.old), seen, clean.lines, there)


def _with_trailing_blanks(lines: list[str], degree: int, random: Random) -> list[str]:
    lines = list(lines)
    for index in pick_share(range(len(lines)), degree, random):
        lines[index] += random.choice((" ", "  ", "    ", "\t"))
    return lines


def doubled_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Single spaces inside lines are doubled in the search text; degree is the share of spaces."""
    return clean.inexact(_with_doubled_blanks(clean.old, degree, random))


def collapsed_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Double spaces inside lines of the file are single in the search text; degree is the share of spaces."""
    seen = clean.with_old(_with_doubled_blanks(clean.old, degree, random))
    return keeping_lines(seen.inexact(clean.old), seen, clean.lines, seen.lines)


def _with_doubled_blanks(text: str, degree: int, random: Random) -> str:
    return replace_share(text, INNER_SPACE, lambda _: "  ", degree, random)


def tabs_inside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Single spaces inside lines are tabs in the search text; degree is the share of spaces."""
    return clean.inexact(replace_share(clean.old, INNER_SPACE, lambda _: "\t", degree, random))


def operator_spacing(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Operators in the search text have no spaces around them; degree is the share of operators."""
    closed = replace_share(clean.old, _SPACED_OPERATOR, lambda operator: operator[0].strip(), degree, random)
    return clean.inexact(closed)


def joined_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Neighbouring lines are joined in the search text; degree is the share of line breaks."""
    lines = list(clean.lines)
    pairs = [index for index in nonblank_indexes(lines)[:-1] if lines[index + 1].strip()]
    for index in reversed(pick_share(pairs, degree, random)):
        lines[index : index + 2] = [f"{lines[index].rstrip()} {lines[index + 1].lstrip()}"]
    return clean.inexact(lines)


def split_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines are split in two at a space in the search text; degree is the share of lines."""
    lines = list(clean.lines)
    divisible = [index for index, line in enumerate(lines) if INNER_SPACE.search(line)]
    for index in pick_share(divisible, degree, random):
        line = lines[index]
        at = random.choice([space.start() for space in INNER_SPACE.finditer(line)])
        lines[index] = f"{line[:at]}\n{indentation(line)}    {line[at + 1 :]}"
    return clean.inexact(lines)


def blank_lines_inside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has blank lines between adjacent lines; degree is the share of line breaks."""
    return clean.inexact("\n".join(_with_blank_lines(clean.lines, degree, random)))


def blank_lines_lost(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text lacks blank lines inside that the file has; degree is the share of them."""
    blank = [index for index in range(1, len(clean.lines) - 1) if not clean.lines[index].strip()]
    if not blank:
        there = _with_blank_lines(clean.lines, degree, random)
        seen = clean.with_old("\n".join(there))
        return keeping_lines(seen.inexact(clean.old), seen, clean.lines, there)
    lost = pick_share(blank, degree, random)
    return clean.inexact([line for index, line in enumerate(clean.lines) if index not in lost])


def _with_blank_lines(lines: list[str], degree: int, random: Random) -> list[str]:
    gaps = range(1, len(lines))
    opened = pick_share(gaps, degree, random)
    return ["\n" + line if index in opened else line for index, line in enumerate(lines)]


def blank_lines_before(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text starts with blank lines that the file lacks; degree is their number."""
    return _with_blank_ends(clean, "\n" * (degree + 1), "")


def blank_lines_around(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """Blank lines that the file lacks are around the search text; degree is their number at each end."""
    return _with_blank_ends(clean, "\n" * (degree + 1), "\n" * (degree + 1))


def _with_blank_ends(clean: CleanEdit, above: str, below: str) -> Damaged | None:
    """The edit with line feeds around its search text; blank lines next to the span are removed from the file.

    A single line feed would match the file exactly and be replaced.
    """
    needs(clean.whole_lines and clean.lines[0].strip() and clean.lines[-1].strip())
    before, after = clean.content[: clean.start].rstrip(), clean.content[clean.end :].lstrip("\n")
    seen = clean.in_file(before + "\n" if before else "", "\n" + after)
    return seen.inexact(above + seen.old + below)


# Search texts with another indentation than the file.

_WIDTHS = (2, 3, 4, 8)


def dedented(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks the common indentation; degree is the share that is missing."""
    common = common_indentation(clean.lines)
    needs(clean.whole_lines and common)
    return clean.inexact(given(dedent_lines(clean.old, common[: share_by_degree(len(common), degree)])))


def dedented_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text lack the common indentation of the search text."""
    common = common_indentation(clean.lines)
    new = given(dedent_lines(clean.new, common))
    search_text = given(dedent_lines(clean.old, common))
    needs(clean.whole_lines and common)
    return clean.inexact(search_text, new=new)


def shifted_both(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """Every line of search text and new text is indented deeper; degree is the number of spaces."""
    spaces = " " * degree
    needs(clean.whole_lines)
    return clean.inexact(indent_lines(clean.old, spaces), new=indent_lines(clean.new, spaces))


def reindented(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is indented in steps of 2, 3, 4 or 8 spaces instead of the file's."""
    indents = [indentation(line) for line in clean.lines if line.strip()]
    unit = gcd(*map(len, indents))
    needs(clean.whole_lines and unit >= 2 and "\t" not in "".join(indents))
    width = random.choice([width for width in _WIDTHS if width != unit])
    return clean.inexact([" " * (len(indentation(line)) // unit * width) + line.lstrip(" ") for line in clean.lines])


def tabs_for_blanks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented with tabs, the file's with spaces; degree is the share of lines."""
    stepped = [index for index, line in enumerate(clean.lines) if line.startswith("    ")]
    needs(clean.whole_lines and stepped)
    lines = list(clean.lines)
    for index in pick_share(stepped, degree, random):
        lines[index] = indent_with_tabs(lines[index])
    return clean.inexact(lines)


def blanks_for_tabs(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented with spaces, the file's with tabs; degree is the share of lines."""
    seen = clean if any(line.startswith("\t") for line in clean.lines) else tab_indented(clean)
    stepped = [index for index, line in enumerate(seen.lines) if line.startswith("\t")]
    needs(clean.whole_lines and stepped)
    lines = list(seen.lines)
    for index in pick_share(stepped, degree, random):
        lines[index] = indentation(lines[index]).replace("\t", "    ") + lines[index].lstrip(" \t")
    return seen.inexact(lines)


def leading_blanks(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The first line of the search text is indented deeper; degree is the number of spaces."""
    return clean.inexact(" " * degree + clean.old) if clean.whole_lines and clean.lines[0].strip() else None


def only_first_line_indented(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """All lines of the search text but the first lack common indentation; degree is the share that is missing."""
    common = common_indentation(clean.lines)
    first, line_feed, rest = clean.old.partition("\n")
    shorter = given(dedent_lines(rest, common[: share_by_degree(len(common), degree)]))
    needs(clean.whole_lines and line_feed and common)
    return clean.inexact(f"{first}\n{shorter}")


def ragged_indentation(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines of the search text are indented by one to three spaces more or less; degree is the share of lines."""
    needs(clean.whole_lines)
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    for index in pick_share(candidates, degree, random):
        by = random.randint(1, 3)
        line = lines[index]
        lines[index] = line[by:] if random.random() < 0.5 and indentation(line)[by - 1 : by] else " " * by + line
    return clean.inexact(lines)


def first_line_flush(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The first line of the search text lacks its indentation: an exact replacement doubles it."""
    spaces = indentation(clean.old)
    needs(clean.whole_lines and spaces and clean.new.startswith(spaces))
    return clean.narrowed(len(spaces), len(clean.old), clean.new).exact()


def trimmed_boundaries(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text lack the whitespace at their ends, which is the same in both."""
    start = len(clean.old) - len(clean.old.lstrip())
    end = len(clean.old.rstrip())
    left, right = clean.old[:start], clean.old[end:]
    needs(start < end and len(clean.new) >= len(left + right) and (start, end) != (0, len(clean.old)))
    needs(clean.new.startswith(left) and clean.new.endswith(right))
    return clean.narrowed(start, end, clean.new[len(left) : len(clean.new) - len(right)]).exact()


# Line endings, final line feeds and byte order marks that differ between file and search text, or within a file.


def crlf_file(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The file's lines end in CRLF and stay so; the edit's lines end in LF."""
    needs("\r" not in clean.content + clean.new and "\n" in clean.content and "\n" in clean.old + clean.new)
    before, target = (text.replace("\n", "\r\n") for text in (clean.content, clean.target))
    return edited(clean.path, before, target, Edit(clean.old, clean.new))


def crlf_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines of search text and new text end in CRLF; the file's end in LF and stay so."""
    needs("\r" not in clean.content + clean.new)
    return clean.searched(clean.old.replace("\n", "\r\n"), new=clean.new.replace("\n", "\r\n"))


def mixed_line_ends(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines outside the span end in CRLF and stay so; degree is the share of them."""
    needs("\r" not in clean.content)
    before, after = clean.content[: clean.start].split("\n"), clean.content[clean.end + 1 :].split("\n")
    n_before, n_after = len(before) - 1, len(after) - 1
    chosen = pick(range(n_before + n_after), share_by_degree(n_before + n_after, degree), random)
    needs(clean.whole_lines and chosen)
    end = clean.content[clean.end : clean.end + 1]
    return clean.in_file(
        _with_line_endings(before, set(chosen), 0), end + _with_line_endings(after, set(chosen), n_before)
    ).exact()


def _with_line_endings(lines: list[str], chosen: set[int], first: int) -> str:
    """The lines joined by LF, or by CRLF after lines whose number is in `chosen`."""
    ends = ["\r\n" if number in chosen else "\n" for number in range(first, first + len(lines) - 1)]
    return "".join([line + end for line, end in zip(lines, [*ends, ""], strict=True)])


def bom_in_file(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The file starts with a byte order mark, directly before the span, and keeps it; the search text has none."""
    return clean.in_file(BOM, clean.content[clean.end :]).exact()


def bom_in_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text starts with a byte order mark; the file, which starts with the span, has none."""
    return clean.in_file("", clean.content[clean.end :]).inexact(BOM + clean.old)


def final_newline_added(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text both end in the line feed after the span."""
    needs(clean.whole_lines and clean.end != len(clean.content))
    return CleanEdit(clean.path, clean.content, clean.start, clean.end + 1, clean.new + "\n").exact()


def final_newline_missing(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text ends in a line feed; the file ends with the span, without one."""
    needs(clean.whole_lines)
    return clean.in_file(clean.content[: clean.start], "").inexact(clean.old + "\n")


def newline_only_in_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Only the search text ends in a line feed: an exact replacement joins the next line to the new text."""
    needs(clean.whole_lines and clean.content[clean.end + 1 :] and clean.new and not clean.new.endswith("\n"))
    needs(clean.content.count(clean.old + "\n") <= 1 and clean.old != clean.new)
    return clean.searched(clean.old + "\n")


def newline_only_in_new(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Only the new text ends in a line feed: an exact replacement leaves a blank line after it."""
    needs(clean.whole_lines and clean.end != len(clean.content))
    return CleanEdit(clean.path, clean.content, clean.start, clean.end, clean.new + "\n").exact()


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(trailing_blanks, trailing_blanks_lost, absorber="line_trimmed"),
    *text_mutators(doubled_blanks, collapsed_blanks, tabs_inside, absorber="whitespace_normalized"),
    *text_mutators(operator_spacing, joined_lines, split_lines, truth="tolerate"),
    *text_mutators(blank_lines_inside, blank_lines_lost, truth="tolerate", absorber="block_anchor"),
    *text_mutators(
        blank_lines_before,
        named("blank_lines_after", "The search text ends in blank lines that the file lacks; degree is their number.",
              lambda clean, degree, _: _with_blank_ends(clean, "", "\n" * (degree + 1))),
        blank_lines_around,
        absorber="trimmed_boundary",
    ),
    *text_mutators(dedented, absorber="line_trimmed"),
    *text_mutators(dedented_both, truth="tolerate"),
    *text_mutators(
        of_lines("shifted", "Every line of the search text is indented deeper; degree is the number of spaces.",
                 lambda clean, degree, _: clean.inexact(indent_lines(clean.old, " " * degree))),
        absorber="line_trimmed",
    ),
    *text_mutators(shifted_both, truth="tolerate"),
    *text_mutators(
        reindented, tabs_for_blanks, blanks_for_tabs, leading_blanks, only_first_line_indented, ragged_indentation,
        absorber="line_trimmed",
    ),
    *text_mutators(first_line_flush, truth="hazard", absorber="simple"),
    *text_mutators(trimmed_boundaries, absorber="simple"),
    *text_mutators(crlf_file, crlf_find, absorber="line_trimmed"),
    *text_mutators(mixed_line_ends, bom_in_file, absorber="simple"),
    *text_mutators(bom_in_find, truth="tolerate", absorber="line_trimmed"),
    *text_mutators(final_newline_added, absorber="simple"),
    *text_mutators(final_newline_missing, absorber="line_trimmed"),
    *text_mutators(newline_only_in_find),
    *text_mutators(newline_only_in_new, truth="hazard", absorber="simple"),
)  # fmt: skip
