"""Stale edits whose place is plain: since the model read the file, one fact in those lines has changed."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, stale_edit, text_mutator
from corpora.mutators.search_lines import inner_nonblank_indexes, pick, swap_neighbours
from corpora.mutators.spans import is_unique
from corpora.mutators.words import (
    Token,
    another_number,
    another_string,
    keywords,
    replace_tokens,
    tokens,
    with_invented_statements,
)

_FLIPPED = {
    **{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "+": "-", "-": "+", "*": "/", "/": "*"},
    **{"+=": "-=", "-=": "+=", "&&": "||", "||": "&&", "and": "or", "or": "and"},
}
_BOOLEANS = {"True": "False", "False": "True", "true": "false", "false": "true"}
_NEGATION = re.compile(r"\bnot (?=[\w(])|!(?=[A-Za-z_(])")
_ARGUMENTS = re.compile(r"(?<=\()(\w[\w.]*), (\w[\w.]*)(?=[,)])")


def _after_change(clean: CleanEdit, text: str) -> Damaged | None:
    """The edit after the lines became this text."""
    return (
        stale_edit(clean, clean.with_span(text), reason="drift") if is_unique(clean) and clean.old not in text else None
    )


def _after_token_changes(clean: CleanEdit, others: list[tuple[Token, str]], n: int, random: Random) -> Damaged | None:
    return _after_change(clean, replace_tokens(clean.old, pick(others, n, random)))


def flipped_sign(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Operators in the file became their opposites; degree is their number."""
    signs = tokens(clean.old, "operator") + [word for word in keywords(clean.old) if word[0] in _FLIPPED]
    others = [(sign, _FLIPPED[sign[0]]) for sign in sorted(signs, key=Token.start) if sign[0] in _FLIPPED]
    return _after_token_changes(clean, others, degree, random)


def flipped_boolean(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Booleans in the file became their opposites; degree is their number."""
    others = [(word, _BOOLEANS[word[0]]) for word in keywords(clean.old) if word[0] in _BOOLEANS]
    return _after_token_changes(clean, others, degree, random)


def not_dropped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Negations in the file were dropped; degree is their number."""
    return _after_token_changes(clean, [(negation, "") for negation in _NEGATION.finditer(clean.old)], degree, random)


def changed_number(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Numbers in the file changed; degree is their number."""
    others = [(number, another_number(number[0], random)) for number in tokens(clean.old, "number")]
    return _after_token_changes(clean, others, degree, random)


def changed_string(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """String literals in the file changed; degree is their number."""
    literals = [literal for literal in tokens(clean.old, "string") if len(literal[0]) > 2]
    return _after_token_changes(
        clean, [(literal, another_string(literal[0], random)) for literal in literals], degree, random
    )


def swapped_arguments(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The first two arguments of calls in the file were swapped; degree is the number of calls."""
    calls = [call for call in _ARGUMENTS.finditer(clean.old) if call[1] != call[2]]
    return _after_token_changes(clean, [(call, f"{call[2]}, {call[1]}") for call in calls], degree, random)


def swapped_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Adjacent lines in the middle of the span were swapped in the file; degree is the number of swaps."""
    return _after_change(clean, "\n".join(swap_neighbours(clean.lines, degree, random)))


def guard_deleted(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines in the middle of the span were deleted; degree is their number, at most half of the middle."""
    inside = inner_nonblank_indexes(clean.lines)
    deleted = pick(inside, min(degree, max(1, len(inside) // 2)), random)
    return _after_change(clean, "\n".join([line for index, line in enumerate(clean.lines) if index not in deleted]))


def guard_added(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added in the middle of the span; degree is their number."""
    old = with_invented_statements(clean, degree, random)
    return None if old is None else _after_change(clean, old)


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(flipped_sign, truth="drift", absorber="block_anchor"),
    text_mutator(flipped_boolean, truth="drift", absorber="block_anchor"),
    text_mutator(not_dropped, truth="drift", absorber="block_anchor"),
    text_mutator(changed_number, truth="drift", absorber="block_anchor"),
    text_mutator(changed_string, truth="drift", absorber="block_anchor"),
    text_mutator(swapped_arguments, truth="drift", absorber="block_anchor"),
    text_mutator(swapped_lines, truth="drift", absorber="block_anchor"),
    text_mutator(guard_deleted, truth="drift", absorber="block_anchor"),
    text_mutator(guard_added, truth="drift", absorber="block_anchor"),
)
