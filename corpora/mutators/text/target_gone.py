"""Stale edits: the lines that the search text means are gone from the file; something similar may remain."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation, inner_nonblank_indexes, nonblank_indexes, pick, pick_share
from corpora.mutators.spans import content_without_span, refused_as_line_gone, with_block_nearby, with_old_text
from corpora.mutators.words import (
    as_comment,
    comment_marker,
    invented_statement,
    renamed,
    replace_tokens,
    similar_text,
    tokens,
    with_invented_statements,
)

_GENERIC = frozenset(("}", "};", "});", ")", "]", "end", "return", "pass", "else:", "break", "</div>"))
_LOOK_ALIKES = str.maketrans("aceiopxyABCEHKMOPTX", "асеіорхуАВСЕНКМОРТХ")
_LATIN = frozenset("aceiopxyABCEHKMOPTX")


def target_deleted(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were deleted."""
    return refused_as_line_gone(clean, content_without_span(clean)) if clean.whole_lines else None


def _after_deletion(clean: CleanEdit, remaining: str, distance: int, random: Random) -> Damaged | None:
    """The edit after its lines were deleted and another block some paragraphs away was not."""
    if not clean.whole_lines or clean.old in remaining:
        return None
    seen = with_block_nearby(clean, remaining, distance, random)
    return refused_as_line_gone(seen, content_without_span(seen))


def near_twin(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain that differ in a few words; degree is the number of words."""
    other = similar_text(clean.old, degree, random)
    return None if other is None else _after_deletion(clean, other, random.randint(1, 5), random)


def lookalike_remains(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; similar ones remain; degree is the share of lines with other names."""
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    for index in pick_share(candidates, degree, random):
        lines[index] = renamed(lines[index], random)
    return _after_deletion(clean, "\n".join(lines), random.randint(1, 5), random)


def same_ends(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others with the same ends remain; degree is the share of other lines, from 60 %."""
    other = _with_other_middle(clean, degree, random)
    return None if other is None else _after_deletion(clean, other, random.randint(1, 5), random)


def same_ends_in_place(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines between the first and the last were rewritten; degree is the share of them, from 60 %."""
    other = _with_other_middle(clean, degree, random)
    return None if other is None else refused_as_line_gone(clean, clean.with_span(other))


def hallucinated_middle(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has middle lines that the file never had; degree is the share of them, from 60 %."""
    other = _with_other_middle(clean, degree, random)
    return None if other is None else refused_as_line_gone(with_old_text(clean, other), clean.content)


def _with_other_middle(clean: CleanEdit, degree: int, random: Random) -> str | None:
    """The old text with invented calls in place of 60 % to 100 % of its middle lines."""
    lines, inside = list(clean.lines), inner_nonblank_indexes(clean.lines)
    for index in pick(inside, -(-len(inside) * (degree + 5) // 10), random):
        lines[index] = indentation(lines[index]) + invented_statement(clean.path, random)
    return "\n".join(lines) if inside else None


def generic_last_line(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Only the first line and a generic last line remain; degree is the number of lines added between them.

    Generic is a line that occurs everywhere, such as a closing bracket.
    """
    if not clean.whole_lines or not clean.lines[0].strip() or len(clean.lines) < 2:
        return None
    first, *rest = clean.lines
    if rest[-1].strip() not in _GENERIC:
        rest.append(indentation(first) + ("return" if comment_marker(clean.path) == "#" else "}"))
    within = indentation(rest[0]) or "    "
    others = [within + invented_statement(clean.path, random) for _ in range(len(rest) - 1 + degree)]
    return refused_as_line_gone(
        with_old_text(clean, "\n".join([first, *rest])), clean.with_span("\n".join([first, *others, rest[-1]]))
    )


def invented_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has lines that the file never had; degree is their number."""
    old = with_invented_statements(clean, degree, random)
    return None if old is None else refused_as_line_gone(with_old_text(clean, old), clean.content)


def other_file(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is from another file: of the same shape, with other names."""
    other = renamed(clean.old, random)
    return (
        None
        if other in clean.content
        else refused_as_line_gone(with_old_text(clean, other), clean.content, reason="other_file")
    )


def commented_out(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were commented out."""
    return (
        refused_as_line_gone(clean, clean.with_span(as_comment(clean)), reason="in_comment")
        if clean.whole_lines
        else None
    )


def copy_in_string(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were turned into a list of string literals."""
    if not clean.whole_lines:
        return None
    prefix = indentation(clean.old)
    literals = [line.replace("\\", "\\\\").replace('"', '\\"') for line in clean.lines]
    listed = "\n".join([f'{prefix}    "{literal}",' for literal in literals])
    return refused_as_line_gone(clean, clean.with_span(f"{prefix}example = [\n{listed}\n{prefix}]"), reason="in_string")


def homoglyph_twin(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain with letters of another alphabet; degree is the number of names."""
    names = [name for name in tokens(clean.old, "name") if _LATIN.intersection(name[0])]
    others = [(name, name[0].translate(_LOOK_ALIKES)) for name in pick(names, degree, random)]
    return _after_deletion(clean, replace_tokens(clean.old, others), random.randint(1, 5), random)


def already_applied(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The edit was applied before."""
    return refused_as_line_gone(clean, clean.target, reason="already_applied")


def stale_block(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were changed by an earlier edit; degree is the number of lines with other names.

    It also added a line after the first of them.
    """
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    changed = pick(candidates, degree, random)
    for index in changed:
        lines[index] = renamed(lines[index], random)
    for index in changed[:1]:
        lines[index] += f"\n{indentation(lines[index])}{invented_statement(clean.path, random)}"
    return refused_as_line_gone(clean, clean.with_span("\n".join(lines)), reason="stale") if clean.whole_lines else None


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(near_twin, truth="refuse"),
    text_mutator(lookalike_remains, truth="refuse"),
    text_mutator(same_ends, truth="refuse"),
    text_mutator(same_ends_in_place, truth="refuse"),
    text_mutator(hallucinated_middle, truth="refuse"),
    text_mutator(generic_last_line, truth="refuse"),
    text_mutator(invented_lines, truth="refuse"),
    text_mutator(homoglyph_twin, truth="refuse"),
    text_mutator(stale_block, truth="refuse"),
    text_mutator(target_deleted, truth="refuse", degrees=(1,)),
    text_mutator(other_file, truth="refuse", degrees=(1,)),
    text_mutator(commented_out, truth="refuse", degrees=(1,)),
    text_mutator(copy_in_string, truth="refuse", degrees=(1,)),
    text_mutator(already_applied, truth="refuse", degrees=(1,)),
)
