"""Stale edits: the lines that the search text means occur in the file more than once by now, or in pieces."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, stale_edit, text_mutator
from corpora.mutators.search_lines import common_indentation, dedent_lines, indent_lines, indentation, nonblank_indexes
from corpora.mutators.spans import is_unique, narrowed_to, refused_as_two_equal, with_block_nearby, with_old_text
from corpora.mutators.words import comment_marker, similar_text

_CLASSES = ("Reader", "Writer", "Parser", "Loader", "Worker", "Buffer")


def exact_duplicate(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were copied to another place; degree is the distance in paragraphs."""
    return (
        refused_as_two_equal(clean, with_block_nearby(clean, clean.old, degree, random).content)
        if clean.whole_lines
        else None
    )


def many_duplicates(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were copied to two places or more; degree is one less than the number of copies."""
    if not clean.whole_lines:
        return None
    copied = clean
    for _ in range(degree + 1):
        copied = with_block_nearby(copied, clean.old, random.randint(1, 5), random)
    return refused_as_two_equal(clean, copied.content)


def duplicate_other_indent(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines occur twice, neither time indented like the search text; degree is the distance in paragraphs."""
    flush = dedent_lines(clean.old, common_indentation(clean.lines))
    if not clean.whole_lines or flush is None or len(nonblank_indexes(clean.lines)) < 2:
        return None
    prefix = common_indentation(clean.lines).replace("\t", "    ")
    seen = with_old_text(clean, indent_lines(flush, prefix + "  "))
    now = with_old_text(clean, indent_lines(flush, prefix + "    "))
    return _in_other_indents(
        seen, with_block_nearby(now, indent_lines(flush, prefix + "        "), degree, random).content
    )


def fuzzy_replace_all(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """All places are to be replaced, none is indented like the search text; degree is the difference in spaces."""
    if not clean.whole_lines or len(nonblank_indexes(clean.lines)) < 2:
        return None
    seen = with_old_text(clean, indent_lines(clean.old, " " * degree))
    copied = with_block_nearby(clean, indent_lines(clean.old, " " * (degree + 2)), random.randint(1, 5), random)
    damaged = _in_other_indents(seen, copied.content)
    if damaged is None or damaged.edits is None:
        return None
    return replace(damaged, edits=tuple(replace(edit, replace_all=True) for edit in damaged.edits))


def _in_other_indents(seen: CleanEdit, content: str) -> Damaged | None:
    return None if seen.old in content else refused_as_two_equal(seen, content)


def short_line_twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """A short line, the search text, was copied and indented deeper; degree is the number of steps."""
    for line in clean.lines if clean.whole_lines else ():
        text = line.strip()
        new = similar_text(text, 1, random) if 3 < len(text) <= 40 else None
        if new is not None:
            start = clean.old.index(text)
            seen = narrowed_to(clean, start, start + len(text), new)
            copy = indentation(line) + "    " * degree + text
            if is_unique(seen):
                return refused_as_two_equal(seen, with_block_nearby(seen, copy, random.randint(1, 5), random).content)
    return None


def class_clones(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines, part of a class, were copied into other classes; degree is the number of classes.

    The search text does not name the class.
    """
    if not clean.whole_lines or not indentation(clean.old):
        return None
    colon = comment_marker(clean.path) == "#"
    head, tail = ("class {}:\n", "") if colon else ("class {} {{\n", "\n}")
    copied = clean
    for name in random.sample(_CLASSES, degree):
        copied = with_block_nearby(copied, head.format(name) + clean.old + tail, random.randint(1, 5), random)
    return refused_as_two_equal(clean, copied.content)


def stitched(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text joins lines of two places; degree is the number of paragraphs between them.

    It is the first half of the lines, directly followed by lines from paragraphs below.
    """
    if not clean.whole_lines or len(clean.lines) < 2:
        return None
    at = clean.end - 2
    for _ in range(degree + 1):
        at = clean.content.find("\n\n", at + 2)
        if at < 0:
            return None
    start = at + 2
    stop = clean.content.find("\n\n", start)
    tail = clean.content[start : stop if stop >= 0 else len(clean.content)].strip("\n").split("\n")[:4]
    head = clean.lines[: (len(clean.lines) + 1) // 2]
    seen = with_old_text(clean, "\n".join([*head, *tail]))
    if not "".join(tail).strip() or seen.old in clean.content or not is_unique(seen):
        return None
    return stale_edit(seen, clean.content, reason="stitched")


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(exact_duplicate, truth="refuse"),
    text_mutator(many_duplicates, truth="refuse"),
    text_mutator(duplicate_other_indent, truth="refuse"),
    text_mutator(fuzzy_replace_all, truth="refuse"),
    text_mutator(short_line_twice, truth="refuse"),
    text_mutator(class_clones, truth="refuse"),
    text_mutator(stitched, truth="refuse"),
)
