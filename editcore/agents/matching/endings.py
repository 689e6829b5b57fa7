"""Line endings of rules that edit a text with line feeds alone, and write it back with one ending throughout."""

from __future__ import annotations

from editcore.line_feeds import line_feeds

__all__ = ["first_is_crlf", "line_feeds", "with_crlf"]


def first_is_crlf(text: str) -> bool:
    """Whether the first line ends in CRLF."""
    at = text.find("\n")
    return at > 0 and text[at - 1] == "\r"


def with_crlf(text: str, crlf: bool) -> str:
    """The text with CRLF for every line feed, if it is to have that; it must have no CRLF yet."""
    return text.replace("\n", "\r\n") if crlf else text
