"""Lines as Cline and VS Code Copilot compare them: composed, with a few look-alikes as ASCII, then trimmed."""

from __future__ import annotations

from editcore.text.keys import normal_form
from editcore.text.whitespace import WHITESPACE

_LOOK_ALIKES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2018\u2019\u201b", "'")
    | dict.fromkeys("\u00a0\u202f", " ")
)


def canonical(line: str) -> str:
    """The line in NFC, with typographic dashes, quotes and spaces as ASCII."""
    return line if line.isascii() else normal_form(line).translate(_LOOK_ALIKES)


def right_trimmed(line: str) -> str:
    """The canonical line without what JavaScript calls whitespace at its end."""
    return canonical(line).rstrip(WHITESPACE)


def trimmed(line: str) -> str:
    """The canonical line without what JavaScript calls whitespace at both ends."""
    return canonical(line).strip(WHITESPACE)
