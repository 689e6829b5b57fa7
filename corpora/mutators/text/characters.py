"""Search texts with characters that look like those of the file, or are invisible."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import inexact_edit, pick
from corpora.mutators.spans import keeping_lines, with_old_text
from corpora.mutators.words import INNER_SPACE, replace_share, with_comment_words
from editcore.text.keys import normal_form

_ACCENTED = ("café", "naïve", "señal", "über", "déjà vu", "façade")


def curly_quotes(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Straight quotes are curly in the search text; degree is the share of them."""
    return inexact_edit(clean, replace_share(clean.old, "[\"']", _curly, degree, random))


def _curly(quote: re.Match[str]) -> str:
    before = quote.string[quote.start() - 1 : quote.start()]
    opening = not before or before in " \t\n([{=,:"
    return ("“" if opening else "”") if quote[0] == '"' else "‘" if opening else "’"


def dashes(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Hyphens are dashes in the search text; degree is the share of them."""
    dash = random.choice("–—‑−")
    return inexact_edit(clean, replace_share(clean.old, "-", lambda _: dash, degree, random))


def ellipsis_character(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Three dots are one ellipsis character in the search text; degree is the share of them."""
    seen = clean if "..." in clean.old else with_comment_words(clean, "and so on...")
    return inexact_edit(seen, replace_share(seen.old, r"\.\.\.", lambda _: "…", degree, random))


def no_break_spaces(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Spaces inside lines are no-break spaces in the search text; degree is the share of them."""
    return inexact_edit(clean, replace_share(clean.old, INNER_SPACE, lambda _: "\u00a0", degree, random))


def zero_width(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text contains zero-width characters; degree is their number."""
    return _with_inserted(clean, "\u200b\u200c\u200d\u2060", degree, random)


def bidi_marks(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text contains marks of writing direction; degree is their number."""
    return _with_inserted(clean, "\u200e\u200f\u202a\u202c", degree, random)


def _with_inserted(clean: CleanEdit, characters: str, degree: int, random: Random) -> Damaged | None:
    inside = [at for at in range(1, len(clean.old)) if not clean.old[at - 1].isspace()]
    parts: list[str] = []
    last = 0
    for at in pick(inside, degree, random):
        parts += (clean.old[last:at], random.choice(characters))
        last = at
    return inexact_edit(clean, "".join([*parts, clean.old[last:]]))


def decomposed(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Accented letters are a letter and an accent (NFD) in the search text, one character in the file."""
    seen = _accented(clean, random)
    return inexact_edit(seen, normal_form(seen.old, "NFD"))


def composed(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Accented letters are one character (NFC) in the search text, a letter and an accent in the file."""
    seen = _accented(clean, random)
    there = with_old_text(seen, normal_form(seen.old, "NFD"))
    return keeping_lines(inexact_edit(there, seen.old), there, seen.lines, there.lines)


def _accented(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file that has composed accented letters in the span."""
    if normal_form(clean.old) == clean.old != normal_form(clean.old, "NFD"):
        return clean
    return with_comment_words(clean, random.choice(_ACCENTED))


def full_width(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Punctuation is full-width in the search text; degree is the share of it."""
    wide = replace_share(clean.old, r"[(),:;!?=+]", lambda one: chr(ord(one[0]) + 0xFEE0), degree, random)
    return inexact_edit(clean, wide)


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(curly_quotes, truth="tolerate"),
    text_mutator(dashes, truth="tolerate"),
    text_mutator(ellipsis_character, truth="tolerate"),
    text_mutator(no_break_spaces, truth="tolerate", absorber="whitespace_normalized"),
    text_mutator(zero_width, truth="tolerate"),
    text_mutator(bidi_marks, truth="tolerate"),
    text_mutator(decomposed, truth="tolerate", degrees=(1,)),
    text_mutator(composed, truth="tolerate", degrees=(1,)),
    text_mutator(full_width, truth="tolerate"),
)
