"""Search texts that were encoded once too often or not often enough: backslash escapes, HTML entities."""

from __future__ import annotations

import re
from html import escape
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import inexact_edit
from corpora.mutators.spans import tab_indented, with_old_text
from corpora.mutators.words import replace_share, replace_tokens, tokens, with_comment_words

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", '"': '\\"', "'": "\\'"})
_ESCAPED_LINE_FEED = re.compile(r"(?<!\\)\\n")


def escaped_newlines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Line feeds of the search text are written \n; degree is the share of them."""
    return _escaped(clean, "\n", degree, random)


def escaped_quotes(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Quotes of the search text are written \"; degree is the share of them."""
    return _escaped(clean, "[\"'`]", degree, random)


def escaped_tabs(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Tabs of the search text, one for each step of indentation, are written \t; degree is the share of them."""
    return _escaped(clean if "\t" in clean.old else tab_indented(clean), "\t", degree, random)


def escaped_dollars(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""Dollar signs of the search text, perhaps in a comment, are written \$; degree is the share of them."""
    return _escaped(clean if "$" in clean.old else with_comment_words(clean, "up to $10"), r"\$", degree, random)


def _escaped(clean: CleanEdit, characters: str, degree: int, random: Random) -> Damaged | None:
    """Escape a share of some characters; None where a backslash would make it uncertain what was escaped."""
    if "\\" in clean.old:
        return None
    meant = {"\n": "\\n", "\t": "\\t"}
    escaped = replace_share(clean.old, characters, lambda one: meant.get(one[0], "\\" + one[0]), degree, random)
    return inexact_edit(clean, escaped)


def over_escaped(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The whole search text is escaped like the inside of a JSON string."""
    return inexact_edit(clean, clean.old.translate(_ESCAPES))


def over_escaped_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text are escaped like the inside of a JSON string."""
    return inexact_edit(clean, clean.old.translate(_ESCAPES), new=clean.new.translate(_ESCAPES))


def twice_escaped(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The whole search text is escaped twice like the inside of a JSON string."""
    return inexact_edit(clean, clean.old.translate(_ESCAPES).translate(_ESCAPES))


def under_escaped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""A \n in strings of the file is a line feed in the search text; degree is the share of them."""
    seen = clean if _ESCAPED_LINE_FEED.search(clean.old) else _with_escape(clean)
    return inexact_edit(seen, replace_share(seen.old, _ESCAPED_LINE_FEED, lambda _: "\n", degree, random))


def _with_escape(clean: CleanEdit) -> CleanEdit:
    """The edit of a file whose strings in the span end in an escaped line feed."""
    literals = [literal for literal in tokens(clean.old, "string") if len(literal[0]) > 2]
    old = replace_tokens(clean.old, [(literal, f"{literal[0][:-1]}\\n{literal[0][-1]}") for literal in literals])
    return with_old_text(clean, old)


def html_entities(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Angle brackets, ampersands and quotes of the search text are HTML entities; degree is the share of them."""
    return inexact_edit(clean, replace_share(clean.old, "[<>&\"']", lambda one: escape(one[0]), degree, random))


def html_entities_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Angle brackets, ampersands and quotes of search text and new text are HTML entities."""
    return inexact_edit(clean, escape(clean.old), new=escape(clean.new))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(escaped_newlines, absorber="escape_normalized"),
    text_mutator(escaped_quotes, absorber="escape_normalized"),
    text_mutator(escaped_tabs, absorber="escape_normalized"),
    text_mutator(escaped_dollars, absorber="escape_normalized"),
    text_mutator(over_escaped, absorber="escape_normalized", degrees=(1,)),
    text_mutator(over_escaped_both, truth="tolerate", degrees=(1,)),
    text_mutator(twice_escaped, truth="tolerate", degrees=(1,)),
    text_mutator(under_escaped, truth="tolerate", absorber="escape_normalized"),
    text_mutator(html_entities, truth="tolerate"),
    text_mutator(html_entities_both, truth="tolerate", degrees=(1,)),
)
