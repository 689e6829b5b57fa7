"""Finds with characters that look like those of the file, or like nothing at all."""

from __future__ import annotations

import re
from random import Random
from unicodedata import normalize

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.search_lines import inexact_edit, pick, share_by_severity
from corpora.mutators.spans import with_old_text
from corpora.mutators.words import replace_tokens, with_comment_words

_ACCENTED = ("café", "naïve", "señal", "über", "déjà vu", "façade")
_INNER_SPACE = re.compile(r"(?<=[^ \t\n]) (?=[^ \t\n])")


def curly_quotes(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Straight quotes of the find are curly."""
    quotes = list(re.finditer("[\"']", clean.old))
    picked = pick(quotes, share_by_severity(len(quotes), severity), random)
    return inexact_edit(clean, replace_tokens(clean.old, [(quote, _curly(quote)) for quote in picked]))


def _curly(quote: re.Match[str]) -> str:
    before = quote.string[quote.start() - 1 : quote.start()]
    opening = not before or before in " \t\n([{=,:"
    return ("“" if opening else "”") if quote[0] == '"' else "‘" if opening else "’"


def dashes(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Hyphens of the find are dashes."""
    return _with_lookalikes(clean, "-", random.choice("–—‑−"), severity, random)


def ellipsis_character(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Three dots of the find are one character."""
    seen = clean if "..." in clean.old else with_comment_words(clean, "and so on...")
    return _with_lookalikes(seen, r"\.\.\.", "…", severity, random)


def no_break_spaces(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Blanks inside lines of the find are no-break spaces."""
    return _with_lookalikes(clean, _INNER_SPACE.pattern, "\u00a0", severity, random)


def _with_lookalikes(clean: CleanEdit, pattern: str, other: str, severity: int, random: Random) -> Damaged | None:
    found = list(re.finditer(pattern, clean.old))
    picked = pick(found, share_by_severity(len(found), severity), random)
    return inexact_edit(clean, replace_tokens(clean.old, [(one, other) for one in picked]))


def zero_width(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Characters without width stand in the find."""
    return _with_inserted(clean, "\u200b\u200c\u200d\u2060", severity, random)


def bidi_marks(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Marks of writing direction stand in the find."""
    return _with_inserted(clean, "\u200e\u200f\u202a\u202c", severity, random)


def _with_inserted(clean: CleanEdit, characters: str, severity: int, random: Random) -> Damaged | None:
    inside = [at for at in range(1, len(clean.old)) if not clean.old[at - 1].isspace()]
    parts: list[str] = []
    last = 0
    for at in pick(inside, severity, random):
        parts += (clean.old[last:at], random.choice(characters))
        last = at
    return inexact_edit(clean, "".join([*parts, clean.old[last:]]))


def decomposed(clean: CleanEdit, _severity: int, random: Random) -> Damaged | None:
    """Accented letters of the find are a letter and an accent (NFD), those of the file are one character."""
    seen = _accented(clean, random)
    return inexact_edit(seen, normalize("NFD", seen.old))


def composed(clean: CleanEdit, _severity: int, random: Random) -> Damaged | None:
    """Accented letters of the find are one character (NFC), those of the file are a letter and an accent."""
    seen = _accented(clean, random)
    return inexact_edit(with_old_text(seen, normalize("NFD", seen.old)), seen.old)


def _accented(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file that has composed accented letters in the span."""
    if normalize("NFC", clean.old) == clean.old != normalize("NFD", clean.old):
        return clean
    return with_comment_words(clean, random.choice(_ACCENTED))


def full_width(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Punctuation of the find is of the full width of an ideograph."""
    found = list(re.finditer(r"[(),:;!?=+]", clean.old))
    picked = pick(found, share_by_severity(len(found), severity), random)
    return inexact_edit(clean, replace_tokens(clean.old, [(one, chr(ord(one[0]) + 0xFEE0)) for one in picked]))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    Mutator(
        "curly_quotes",
        "Straight quotes of the find are curly; severity is the share of them.",
        "str_replace",
        curly_quotes,
        truth="tolerate",
    ),
    Mutator(
        "dashes",
        "Hyphens of the find are dashes; severity is the share of them.",
        "str_replace",
        dashes,
        truth="tolerate",
    ),
    Mutator(
        "ellipsis_character",
        "Three dots of the find are one character; severity is the share of them.",
        "str_replace",
        ellipsis_character,
        truth="tolerate",
    ),
    Mutator(
        "no_break_spaces",
        "Blanks inside lines of the find are no-break spaces; severity is the share of them.",
        "str_replace",
        no_break_spaces,
        truth="tolerate",
        absorber="whitespace_normalized",
    ),
    Mutator(
        "zero_width",
        "Characters without width stand in the find; severity is their number.",
        "str_replace",
        zero_width,
        truth="tolerate",
    ),
    Mutator(
        "bidi_marks",
        "Marks of writing direction stand in the find; severity is their number.",
        "str_replace",
        bidi_marks,
        truth="tolerate",
    ),
    Mutator(
        "decomposed",
        "Accented letters of the find are a letter and an accent, those of the file one character.",
        "str_replace",
        decomposed,
        truth="tolerate",
        severities=(1,),
    ),
    Mutator(
        "composed",
        "Accented letters of the find are one character, those of the file a letter and an accent.",
        "str_replace",
        composed,
        truth="tolerate",
        severities=(1,),
    ),
    Mutator(
        "full_width",
        "Punctuation of the find is full-width; severity is the share of it.",
        "str_replace",
        full_width,
        truth="tolerate",
    ),
)
