"""Search texts in other characters: escapes, entities, look-alikes, marks of a display or of a patch."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from itertools import pairwise
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, edited, needs
from corpora.mutators.mutator import Mutator, named, of_lines, text_mutators
from corpora.mutators.spans import indentation, keeping_lines, pick, tab_indented
from corpora.mutators.words import INNER_SPACE, another_name, replace_share, replace_tokens, tokens, with_comment_words
from editcore.text.keys import normal_form
from editcore.text.lines import pieces_with
from editcore.types import Edit

# Search texts that are escaped once too often or not often enough: backslashes, HTML entities.

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", '"': '\\"', "'": "\\'"})
_ESCAPED_LINE_FEED = re.compile(r"(?<!\\)\\n")


def escaped_tabs(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Tabs of the search text, one for each step of indentation, are written \t; degree is the share of them."""
    return _escaped(clean if "\t" in clean.old else tab_indented(clean), "\t", degree, random)


def escaped_dollars(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Dollar signs of the search text, perhaps in a comment, are written \$; degree is the share of them."""
    return _escaped(clean if "$" in clean.old else with_comment_words(clean, "up to $10"), r"\$", degree, random)


def _escaped(clean: CleanEdit, characters: str, degree: int, random: Random) -> Damaged | None:
    """The edit with a share of some characters escaped; Unfit if a backslash in the text would make that ambiguous."""
    needs("\\" not in clean.old)
    meant = {"\n": "\\n", "\t": "\\t"}
    escaped = replace_share(clean.old, characters, lambda one: meant.get(one[0], "\\" + one[0]), degree, random)
    return clean.inexact(escaped)


def under_escaped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""A \n in strings of the file is a line feed in the search text; degree is the share of them."""
    seen = clean if _ESCAPED_LINE_FEED.search(clean.old) else _with_escape(clean)
    return seen.inexact(replace_share(seen.old, _ESCAPED_LINE_FEED, lambda _: "\n", degree, random))


def _with_escape(clean: CleanEdit) -> CleanEdit:
    """The edit of a file whose strings in the span end in an escaped line feed."""
    literals = [literal for literal in tokens(clean.old, "string") if len(literal[0]) > 2]
    old = replace_tokens(clean.old, [(literal, f"{literal[0][:-1]}\\n{literal[0][-1]}") for literal in literals])
    return clean.with_old(old)


def html_entities(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Angle brackets, ampersands and quotes of the search text are HTML entities; degree is the share of them."""
    return clean.inexact(replace_share(clean.old, "[<>&\"']", lambda one: escape(one[0]), degree, random))


def html_entities_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Angle brackets, ampersands and quotes of search text and new text are HTML entities."""
    return clean.inexact(escape(clean.old), new=escape(clean.new))


# Search texts with characters that look like the file's, or are invisible.

_ACCENTED = ("café", "naïve", "señal", "über", "déjà vu", "façade")


def curly_quotes(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Straight quotes are curly in the search text; degree is the share of them."""
    return clean.inexact(replace_share(clean.old, "[\"']", _curly, degree, random))


def _curly(quote: re.Match[str]) -> str:
    before = quote.string[quote.start() - 1 : quote.start()]
    opening = not before or before in " \t\n([{=,:"
    return ("“" if opening else "”") if quote[0] == '"' else "‘" if opening else "’"


def dashes(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Hyphens are dashes in the search text; degree is the share of them."""
    dash = random.choice("–—‑−")
    return clean.inexact(replace_share(clean.old, "-", lambda _: dash, degree, random))


def ellipsis_character(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Three dots are one ellipsis character in the search text; degree is the share of them."""
    seen = clean if "..." in clean.old else with_comment_words(clean, "and so on...")
    return seen.inexact(replace_share(seen.old, r"\.\.\.", lambda _: "…", degree, random))


def no_break_spaces(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Spaces inside lines are no-break spaces in the search text; degree is the share of them."""
    return clean.inexact(replace_share(clean.old, INNER_SPACE, lambda _: "\u00a0", degree, random))


def _with_inserted(clean: CleanEdit, characters: str, degree: int, random: Random) -> Damaged | None:
    inside = [at for at in range(1, len(clean.old)) if not clean.old[at - 1].isspace()]
    spans = [(at, at, random.choice(characters)) for at in pick(inside, degree, random)]
    return clean.inexact("".join(pieces_with(clean.old, spans)))


def decomposed(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Accented letters are a letter and an accent (NFD) in the search text, one character in the file."""
    seen = _accented(clean, random)
    return seen.inexact(normal_form(seen.old, "NFD"))


def composed(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Accented letters are one character (NFC) in the search text, a letter and an accent in the file."""
    seen = _accented(clean, random)
    there = seen.with_old(normal_form(seen.old, "NFD"))
    return keeping_lines(there.inexact(seen.old), there, seen.lines, there.lines)


def _accented(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file that has composed accented letters in the span."""
    if normal_form(clean.old) == clean.old != normal_form(clean.old, "NFD"):
        return clean
    return with_comment_words(clean, random.choice(_ACCENTED))


def full_width(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Punctuation is full-width in the search text; degree is the share of it."""
    wide = replace_share(clean.old, r"[(),:;!?=+]", lambda one: chr(ord(one[0]) + 0xFEE0), degree, random)
    return clean.inexact(wide)


# Search texts copied with marks of a display: line numbers, code fences, quotation or diff markers.


def _numbered(text: str, shape: str, first_line: int) -> str:
    return "\n".join([shape.format(number) + line for number, line in enumerate(text.split("\n"), first_line)])


def _with_gutter(clean: CleanEdit, shape: str) -> Damaged | None:
    return clean.inexact(_numbered(clean.old, shape, clean.line)) if clean.whole_lines else None


def gutter_both(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Each line of search text and new text has its line number before it."""
    needs(clean.whole_lines)
    shape, first_line = random.choice(("{:6}→", "{:6}\t", "{} | ", "{}: ")), clean.line
    return clean.inexact(_numbered(clean.old, shape, first_line), new=_numbered(clean.new, shape, first_line))


def _fenced(path: str, text: str) -> str:
    return f"```{path.rpartition('.')[2] if '.' in path else ''}\n{text}\n```"


def diff_marks(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has a minus sign before it, each of the new text a plus sign."""
    needs(clean.whole_lines)
    return clean.inexact(_prefix_lines(clean.old, "-"), new=_prefix_lines(clean.new, "+"))


def _prefix_lines(text: str, prefix: str) -> str:
    return prefix + text.replace("\n", "\n" + prefix) if text else ""


# Search texts that match the file exactly; some edits contain texts that a careless program reads as commands.

_MARKERS = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "*** Begin Patch", "*** End Patch", "*** End of File",
    "@@ -1,3 +1,4 @@", "--- a/file", "+++ b/file", "```",
)  # fmt: skip
_REFERENCES = ("$&", "$1", "$$", "$`", "$'", r"\1", r"\g<0>", "${1}", "$<name>", "$0")
_WORD = re.compile(r"\w")


def marker_content(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Search text and new text contain lines that are markers of patches; degree is their number."""
    needs(clean.whole_lines)
    lines, new = list(clean.lines), clean.new
    for marker in pick(_MARKERS, degree, random):
        lines.insert(random.randint(1, len(lines)), marker)
        new += "\n" + marker
    return clean.with_old("\n".join(lines), new=new).exact()


def dollars_in_new(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""The new text contains references of regular expressions: $&, $1, \1 and others; degree is their number."""
    return replace(clean, new=_with_references(clean.new, degree, random)).exact()


def _with_references(text: str, n_references: int, random: Random) -> str:
    places = sorted([random.randint(len(indentation(text)), len(text)) for _ in range(n_references)], reverse=True)
    for at, reference in zip(places, random.sample(_REFERENCES, n_references), strict=True):
        text = text[:at] + reference + text[at:]
    return text


def renamed_everywhere(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """A name that occurs several times, never inside a longer one, is replaced everywhere."""
    return _replaced_everywhere(clean, lambda name: another_name(name, random), random)


def dollars_everywhere(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""A name is replaced everywhere by one that contains $&, $1, \1 and others; degree is their number."""
    return _replaced_everywhere(clean, lambda name: _with_references(name, degree, random), random)


def _replaced_everywhere(clean: CleanEdit, change: Callable[[str], str], random: Random) -> Damaged | None:
    names = list(dict.fromkeys(name[0] for name in tokens(clean.old, "name") if len(name[0]) > 1))
    for name in random.sample(names, len(names)):
        pieces = clean.content.split(name)
        if len(pieces) > 2 and not any(_WORD.search(left[-1:] + right[:1]) for left, right in pairwise(pieces)):
            other = change(name)
            edit = Edit(name, other, replace_all=True)
            return edited(clean.path, clean.content, other.join(pieces), edit)
    return None


LITERAL: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(
        named("exact", "The edit without damage.", lambda clean, *_: clean.exact()),
        marker_content, dollars_in_new, renamed_everywhere, dollars_everywhere,
        absorber="simple",
    ),
)  # fmt: skip
MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(
        named("escaped_newlines", r"Line feeds of the search text are written \n; degree is the share of them.",
              lambda clean, degree, random: _escaped(clean, "\n", degree, random)),
        named("escaped_quotes", r'Quotes of the search text are written \"; degree is the share of them.',
              lambda clean, degree, random: _escaped(clean, "[\"'`]", degree, random)),
        escaped_tabs, escaped_dollars,
        named("over_escaped", "The whole search text is escaped like the inside of a JSON string.",
              lambda clean, *_: clean.inexact(clean.old.translate(_ESCAPES))),
        absorber="escape_normalized",
    ),
    *text_mutators(
        named("over_escaped_both", "Search text and new text are escaped like the inside of a JSON string.",
              lambda clean, *_: clean.inexact(clean.old.translate(_ESCAPES), new=clean.new.translate(_ESCAPES))),
        named("twice_escaped", "The whole search text is escaped twice like the inside of a JSON string.",
              lambda clean, *_: clean.inexact(clean.old.translate(_ESCAPES).translate(_ESCAPES))),
        truth="tolerate",
    ),
    *text_mutators(under_escaped, truth="tolerate", absorber="escape_normalized"),
    *text_mutators(html_entities, html_entities_both, curly_quotes, dashes, ellipsis_character, truth="tolerate"),
    *text_mutators(no_break_spaces, truth="tolerate", absorber="whitespace_normalized"),
    *text_mutators(
        named("zero_width", "The search text contains zero-width characters; degree is their number.",
              lambda clean, degree, random: _with_inserted(clean, "\u200b\u200c\u200d\u2060", degree, random)),
        named("bidi_marks", "The search text contains marks of writing direction; degree is their number.",
              lambda clean, degree, random: _with_inserted(clean, "\u200e\u200f\u202a\u202c", degree, random)),
        decomposed, composed, full_width,
        named("gutter_arrow", "Each line of the search text has its line number before it, as in '    12→'.",
              lambda clean, *_: _with_gutter(clean, "{:6}→")),
        named("gutter_tab", r"Each line of the search text has its line number before it, as in '    12\t'.",
              lambda clean, *_: _with_gutter(clean, "{:6}\t")),
        named("gutter_pipe", "Each line of the search text has its line number before it, as in '12 | '.",
              lambda clean, *_: _with_gutter(clean, "{} | ")),
        named("gutter_colon", "Each line of the search text has its line number before it, as in '12: '.",
              lambda clean, *_: _with_gutter(clean, "{}: ")),
        gutter_both,
        named("code_fence", "A Markdown code fence is around the search text.",
              lambda clean, *_: clean.inexact(_fenced(clean.path, clean.old))),
        named("code_fence_both", "A Markdown code fence is around the search text, and another around the new text.",
            lambda clean, *_: clean.inexact(_fenced(clean.path, clean.old), new=_fenced(clean.path, clean.new))),
        diff_marks,
        of_lines("quote_marks", "Each line of the search text has a quotation marker before it.",
                 lambda clean, *_: clean.inexact(_prefix_lines(clean.old, "> "))),
        truth="tolerate",
    ),
)  # fmt: skip
