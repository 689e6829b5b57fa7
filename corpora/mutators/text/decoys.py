"""Inexact search texts for lines that exist, next to other lines that a careless search takes for them."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import nonblank_indexes
from corpora.mutators.spans import with_block_nearby, with_old_text
from corpora.mutators.text.whitespace import doubled_blanks, trailing_blanks
from corpora.mutators.words import as_comment, similar_text


def near_twin_beside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Trailing spaces in the search text, and a copy nearby with other words; degree is the number of words."""
    other = similar_text(clean.old, degree, random)
    if not clean.whole_lines or other is None or other == clean.new:
        return None
    return trailing_blanks(with_block_nearby(clean, other, random.randint(1, 5), random), 3, random)


def comment_beside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Doubled spaces in the search text, and a commented-out copy nearby; degree is the distance in paragraphs."""
    if not clean.whole_lines or len(nonblank_indexes(clean.lines)) < 2:
        return None
    return doubled_blanks(with_block_nearby(clean, as_comment(clean), degree, random), 3, random)


def nested_closer(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Doubled spaces in the search text, whose last line occurs inside it too; degree is the share of spaces.

    The one inside may be indented deeper.
    """
    *_, last = lines = clean.lines
    if not clean.whole_lines or not last.strip() or len(lines) < 3:
        return None
    if not any(line.strip() == last.strip() for line in lines[2:-1]):
        closed = [*lines[:2], "    " + last, *lines[2:]]
        return doubled_blanks(with_old_text(clean, "\n".join(closed)), degree, random)
    return doubled_blanks(clean, degree, random)


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(near_twin_beside, absorber="line_trimmed"),
    text_mutator(comment_beside, absorber="whitespace_normalized"),
    text_mutator(nested_closer, absorber="whitespace_normalized"),
)
