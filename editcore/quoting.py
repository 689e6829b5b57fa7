"""Text that somebody else wrote, as part of a message: one printable line of bounded length.

`shown` is for paths and names, `quoted` for excerpts of a file, `first_line` for what other programs and libraries
report, and `printable` for whole lines on their way to a terminal.
"""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with every character that a terminal would obey or cannot show as its escape sequence; tabs stay."""
    return "".join(
        character if character == "\t" or character.isprintable() else ascii(character)[1:-1] for character in text
    )


def shown(name: object, *, limit: int | None = 200) -> str:
    """A path or another name without quotation marks, as an ASCII literal where it is not printable.

    Of more than `limit` characters, the middle is left out; None keeps them all.
    """
    text = str(name)
    if limit is not None and len(text) > limit:
        text = text[: limit // 2] + "..." + text[3 - limit // 2 :]
    return text if text.isprintable() else ascii(text)


def quoted(text: str, *, limit: int = 80) -> str:
    """The text as an ASCII literal in quotation marks; of more than `limit` characters, the end is left out."""
    return ascii(text if len(text) <= limit else text[: limit - 3] + "...")


def first_line(what: object, *, limit: int | None = None) -> str:
    """The first line of a text or of an exception's message, at most `limit` characters of it.

    The name of an exception's type where it has no message, or fails to make one. Not necessarily printable.
    """
    try:
        text = str(what).strip()
    except Exception:
        text = ""
    if text:
        return text.splitlines()[0][:limit]
    return type(what).__name__ if isinstance(what, BaseException) else ""
