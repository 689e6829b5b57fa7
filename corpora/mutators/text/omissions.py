"""Search texts that lack a part of the text: lines in the middle, or one end."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import (
    indentation,
    inexact_edit_of_lines,
    inner_nonblank_indexes,
    pick,
    share_by_degree,
)
from corpora.mutators.spans import exact_edit, narrowed_to
from corpora.mutators.words import comment_marker


def elided_middle(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines in the middle of the search text are replaced by one comment; degree is the share of lines."""
    lines = list(clean.lines)
    n_elided = share_by_degree(len(lines) - 2, degree)
    if n_elided < 1 or not clean.whole_lines:
        return None
    first = random.randint(1, len(lines) - 1 - n_elided)
    words = random.choice(("... existing code ...", "...", "... rest of the code ...", "... (unchanged) ..."))
    prefix = indentation(next((line for line in lines[first:] if line.strip()), ""))
    lines[first : first + n_elided] = [f"{prefix}{comment_marker(clean.path)} {words}"]
    return inexact_edit_of_lines(clean, lines)


def dropped_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text lacks lines from its middle; degree is their number, at most half of the middle."""
    inside = inner_nonblank_indexes(clean.lines)
    dropped = pick(inside, min(degree, max(1, len(inside) // 2)), random)
    return inexact_edit_of_lines(clean, [line for index, line in enumerate(clean.lines) if index not in dropped])


def truncated_head(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks its first lines, which an exact replacement leaves; degree is the share of lines."""
    kept = clean.lines[share_by_degree(len(clean.lines) - 1, degree) :]
    return _part_of_span(clean, len(clean.old) - len("\n".join(kept)), len(clean.old))


def truncated_tail(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks its last lines, which an exact replacement leaves; degree is the share of lines."""
    kept = clean.lines[: len(clean.lines) - share_by_degree(len(clean.lines) - 1, degree)]
    return _part_of_span(clean, 0, len("\n".join(kept)))


def partial_first_line(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text starts within its first line; degree is the share of the line that is missing.

    An exact replacement leaves what is before.
    """
    first = clean.lines[0]
    size = len(first.strip())
    return (
        _part_of_span(clean, len(indentation(first)) + share_by_degree(size - 1, degree), len(clean.old))
        if size > 1
        else None
    )


def partial_last_line(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text ends within its last line; degree is the share of the line that is missing.

    An exact replacement leaves what is after.
    """
    size = len(clean.lines[-1].strip())
    return _part_of_span(clean, 0, len(clean.old.rstrip()) - share_by_degree(size - 1, degree)) if size > 1 else None


def _part_of_span(clean: CleanEdit, start: int, end: int) -> Damaged | None:
    """The edit of a part of the span, which leaves the rest as it is; None for all of the span, or whitespace."""
    if not clean.old[start:end].strip() or (start, end) == (0, len(clean.old)):
        return None
    return exact_edit(narrowed_to(clean, start, end, clean.new))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(elided_middle, truth="tolerate"),
    text_mutator(dropped_lines, truth="drift", absorber="block_anchor"),
    text_mutator(truncated_head, truth="hazard", absorber="simple"),
    text_mutator(truncated_tail, truth="hazard", absorber="simple"),
    text_mutator(partial_first_line, truth="hazard", absorber="simple"),
    text_mutator(partial_last_line, truth="hazard", absorber="simple"),
)
