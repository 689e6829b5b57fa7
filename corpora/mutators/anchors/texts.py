"""Files whose lines programs split and hash differently: other line endings, a mark at the start, odd separators."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from corpora.mutators.anchors.anchored_edit import IN_JSON, AnchoredEdit, mutators
from corpora.mutators.mutator import Damaged
from editcore.types import File


def crlf_file(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """All lines of the file end in CRLF, and those of the call in LF."""
    return _with_texts(edit, edit.text.replace("\n", "\r\n"), edit.after(edit.lines).replace("\n", "\r\n"))


def mixed_endings(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The last line of the file alone ends in CRLF."""
    return _with_texts(edit, edit.text[:-1] + "\r\n", edit.after(edit.lines)[:-1] + "\r\n")


def marked_file(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The file begins with a byte order mark, which no view shows."""
    return _with_texts(edit, "\ufeff" + edit.text, "\ufeff" + edit.after(edit.lines))


def odd_separator_above(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """A line above has a form feed or a line separator in it, which ends no line."""
    above = edit.lines[0] + random.choice("\f\u2028\x85\v") + "x"
    return as_meant(replace(edit, lines=(above, *edit.lines[1:])))


def no_final_newline(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The last line of the file has no line feed."""
    return _with_texts(edit, edit.text[:-1], edit.after(edit.lines)[:-1]) if edit.lines[-1] else None


def as_meant(edit: AnchoredEdit) -> Damaged:
    """The edit as it is meant."""
    return edit.written(edit.call())


def _with_texts(edit: AnchoredEdit, before: str, target: str) -> Damaged:
    """The edit of a file that has other bytes; its call is the same."""
    damaged = as_meant(edit)
    return replace(damaged, before=(File(edit.path, before),), target=(File(edit.path, target),))


MUTATORS = (
    *mutators(crlf_file, "apply"),
    *mutators(mixed_endings, "apply"),
    *mutators(marked_file, "apply"),
    *mutators(odd_separator_above, "apply"),
    *mutators(no_final_newline, "apply", formats=IN_JSON),
)
