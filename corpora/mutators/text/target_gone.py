"""Stale edits: the lines that the search text means are gone from the file; something similar may remain."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.search_lines import indentation, inner_nonblank_indexes, nonblank_indexes, pick, share_by_severity
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


def target_deleted(clean: CleanEdit, _severity: int, _random: Random) -> Damaged | None:
    """The lines were deleted."""
    return refused_as_line_gone(clean, content_without_span(clean)) if clean.whole_lines else None


def _after_deletion(clean: CleanEdit, remaining: str, distance: int, random: Random) -> Damaged | None:
    """The edit after its lines were deleted and another block some paragraphs away was not."""
    if not clean.whole_lines or clean.old in remaining:
        return None
    seen = with_block_nearby(clean, remaining, distance, random)
    return refused_as_line_gone(seen, content_without_span(seen))


def near_twin(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain that differ in a few words."""
    other = similar_text(clean.old, severity, random)
    return None if other is None else _after_deletion(clean, other, random.randint(1, 5), random)


def lookalike_remains(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The lines were deleted; similar ones remain."""
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    for index in pick(candidates, share_by_severity(len(candidates), severity), random):
        lines[index] = renamed(lines[index], random)
    return _after_deletion(clean, "\n".join(lines), random.randint(1, 5), random)


def same_ends(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The lines were deleted; others with the same first and last line remain."""
    other = _with_other_middle(clean, severity, random)
    return None if other is None else _after_deletion(clean, other, random.randint(1, 5), random)


def same_ends_in_place(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Lines between the first and the last were rewritten."""
    other = _with_other_middle(clean, severity, random)
    return None if other is None else refused_as_line_gone(clean, clean.with_span(other))


def hallucinated_middle(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The search text has middle lines that the file never had."""
    other = _with_other_middle(clean, severity, random)
    return None if other is None else refused_as_line_gone(with_old_text(clean, other), clean.content)


def _with_other_middle(clean: CleanEdit, severity: int, random: Random) -> str | None:
    """The old text with invented calls in place of 60 % to 100 % of its middle lines."""
    lines, inside = list(clean.lines), inner_nonblank_indexes(clean.lines)
    for index in pick(inside, -(-len(inside) * (severity + 5) // 10), random):
        lines[index] = indentation(lines[index]) + invented_statement(clean.path, random)
    return "\n".join(lines) if inside else None


def generic_last_line(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Only the first line and the last remain, around other lines; the last is one that occurs everywhere."""
    if not clean.whole_lines or not clean.lines[0].strip() or len(clean.lines) < 2:
        return None
    first, *rest = clean.lines
    if rest[-1].strip() not in _GENERIC:
        rest.append(indentation(first) + ("return" if comment_marker(clean.path) == "#" else "}"))
    within = indentation(rest[0]) or "    "
    others = [within + invented_statement(clean.path, random) for _ in range(len(rest) - 1 + severity)]
    return refused_as_line_gone(
        with_old_text(clean, "\n".join([first, *rest])), clean.with_span("\n".join([first, *others, rest[-1]]))
    )


def invented_lines(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The search text has lines that the file never had."""
    old = with_invented_statements(clean, severity, random)
    return None if old is None else refused_as_line_gone(with_old_text(clean, old), clean.content)


def other_file(clean: CleanEdit, _severity: int, random: Random) -> Damaged | None:
    """The search text is from another file: of the same shape, with other names."""
    other = renamed(clean.old, random)
    return (
        None
        if other in clean.content
        else refused_as_line_gone(with_old_text(clean, other), clean.content, reason="other_file")
    )


def commented_out(clean: CleanEdit, _severity: int, _random: Random) -> Damaged | None:
    """The lines were commented out."""
    return (
        refused_as_line_gone(clean, clean.with_span(as_comment(clean)), reason="in_comment")
        if clean.whole_lines
        else None
    )


def copy_in_string(clean: CleanEdit, _severity: int, _random: Random) -> Damaged | None:
    """The lines were turned into a list of string literals."""
    if not clean.whole_lines:
        return None
    prefix = indentation(clean.old)
    literals = [line.replace("\\", "\\\\").replace('"', '\\"') for line in clean.lines]
    listed = "\n".join([f'{prefix}    "{literal}",' for literal in literals])
    return refused_as_line_gone(clean, clean.with_span(f"{prefix}example = [\n{listed}\n{prefix}]"), reason="in_string")


def homoglyph_twin(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain with letters of another alphabet."""
    names = [name for name in tokens(clean.old, "name") if _LATIN.intersection(name[0])]
    others = [(name, name[0].translate(_LOOK_ALIKES)) for name in pick(names, severity, random)]
    return _after_deletion(clean, replace_tokens(clean.old, others), random.randint(1, 5), random)


def already_applied(clean: CleanEdit, _severity: int, _random: Random) -> Damaged | None:
    """The edit was applied before."""
    return refused_as_line_gone(clean, clean.target, reason="already_applied")


def stale_block(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """An earlier edit gave lines other names and added a line after the first of them."""
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    changed = pick(candidates, severity, random)
    for index in changed:
        lines[index] = renamed(lines[index], random)
    for index in changed[:1]:
        lines[index] += f"\n{indentation(lines[index])}{invented_statement(clean.path, random)}"
    return refused_as_line_gone(clean, clean.with_span("\n".join(lines)), reason="stale") if clean.whole_lines else None


_WITH_SEVERITY = (
    (
        "near_twin",
        "The lines were deleted; others remain that differ in a few words; severity is the number of words.",
        near_twin,
    ),
    (
        "lookalike_remains",
        "The lines were deleted; similar ones remain; severity is the share of lines with other names.",
        lookalike_remains,
    ),
    (
        "same_ends",
        "The lines were deleted; others with the same ends remain; severity is the share of other lines, from 60 %.",
        same_ends,
    ),
    (
        "same_ends_in_place",
        "Lines between the first and the last were rewritten; severity is the share of them, from 60 %.",
        same_ends_in_place,
    ),
    (
        "hallucinated_middle",
        "The search text has middle lines that the file never had; severity is the share of them, from 60 %.",
        hallucinated_middle,
    ),
    (
        "generic_last_line",
        "Only the first line and a generic last line remain; severity is the number of lines added between them.",
        generic_last_line,
    ),
    ("invented_lines", "The search text has lines that the file never had; severity is their number.", invented_lines),
    (
        "homoglyph_twin",
        "The lines were deleted; others remain with letters of another alphabet; severity is the number of names.",
        homoglyph_twin,
    ),
    (
        "stale_block",
        "The lines were changed by an earlier edit; severity is the number of lines with other names.",
        stale_block,
    ),
)
_WITHOUT_SEVERITY = (
    ("target_deleted", "The lines were deleted.", target_deleted),
    ("other_file", "The search text has the shape of the lines, with other names.", other_file),
    ("commented_out", "The lines were commented out.", commented_out),
    ("copy_in_string", "The lines were turned into a list of string literals.", copy_in_string),
    ("already_applied", "The edit was applied before.", already_applied),
)

MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *(Mutator(name, summary, "str_replace", damage, truth="refuse") for name, summary, damage in _WITH_SEVERITY),
    *(
        Mutator(name, summary, "str_replace", damage, truth="refuse", severities=(1,))
        for name, summary, damage in _WITHOUT_SEVERITY
    ),
)
