"""Text that somebody else wrote, as part of a message: one printable line of bounded length.

`shown` is for paths and names, `quoted` for excerpts of a file, `first_line` for what other programs and libraries
report, `printable` for whole lines on their way to a terminal or a CI job's log, and `markdown_code` and
`markdown_prose` for Markdown.
"""

from __future__ import annotations

import re
from functools import partial
from posixpath import normpath

_GITHUB = (
    "add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice|remove-matcher|"
    "save-state|set-env|set-output|stop-commands|warning"
)
_TAG = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)
_COMMAND = re.compile(rf"^(?P<start>\s*):(?=:(?:{_GITHUB})(?:\s|::))|{_TAG.pattern}", re.IGNORECASE)
"""Lines that a CI runner takes for commands: `::error::` at the start of a line (GitHub Actions); `##[error]`,
`##vso[...]` and `##teamcity[...]` anywhere in a line.
"""


def _disarmed(found: re.Match[str]) -> str:
    return "\\x23" if found["start"] is None else f"{found['start']}\\x3a"


def printable(text: str) -> str:
    """The text with every character that a terminal would obey or cannot show as its escape sequence; tabs stay.

    So is the first character of what a CI system would obey: `::error::` at the start, `##[error]` anywhere.
    """
    text = "".join(
        character if character == "\t" or character.isprintable() else ascii(character)[1:-1] for character in text
    )
    return _COMMAND.sub(_disarmed, text) if "::" in text or "##" in text else text


def disarmed_json(text: str) -> str:
    """JSON of the same value, in which no string holds what a CI system would obey."""
    return _TAG.sub(r"\\u0023", text)


def markdown_code(text: str) -> str:
    """Any text as inline code in Markdown."""
    text = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text[:1] in ("`", " ", "") or text[-1:] in ("`", " ") else ""
    return f"{fence}{space}{text}{space}{fence}"


def markdown_prose(text: str) -> str:
    """Any text as prose in Markdown, with everything escaped that Markdown or HTML interprets."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&@-])", r"\\\1", printable(text))


def shown(name: object, *, limit: int | None = 200) -> str:
    """A path or another name without quotation marks, as an ASCII literal where it is not printable.

    Of more than `limit` characters, the middle is left out; None keeps them all.
    """
    text = str(name)
    if limit is not None and len(text) > limit:
        text = text[: limit // 2] + "..." + text[3 - limit // 2 :]
    return text if text.isprintable() else ascii(text)


def quoted(text: str, *, limit: int = 80) -> str:
    """The text as a literal in quotation marks; of more than `limit` characters, the end is left out.

    Letters of all languages stay; characters that cannot be seen, or that a terminal obeys, are escape sequences.
    """
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


EXCERPT = re.compile(r"""((?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))""")
"""Text of a file or an edit in a message, as `quoted` writes it. The apostrophe in "the file's" begins none."""
_ESCAPED = re.compile(r"\\([\\'\"t])")


def for_json(message: str) -> str:
    """The message with what `quoted` wrote as it is in the text, because JSON escapes it once more."""
    excerpt = partial(_ESCAPED.sub, lambda found: "\t" if found[1] == "t" else found[1])
    return EXCERPT.sub(lambda found: excerpt(found[0]), message)


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


def normal_path(path: str) -> str | None:
    """The normal form of a path: POSIX, relative. None if it is empty, absolute, or contains `..` or NUL."""
    slashes = path.replace("\\", "/")
    clean = normpath(slashes) if path else "."
    absolute = clean.startswith("/") or ":/" in (slashes[1:3], clean[1:3]) or clean.split("/")[0] == "~"
    return None if clean == "." or absolute or ".." in slashes.split("/") or "\0" in path else clean
