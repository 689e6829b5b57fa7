"""Paths of documents, as a model wrote them -> the one spelling of each; and texts that any database can hold."""

from __future__ import annotations

import unicodedata

from editcore.errors import DocumentError, ErrorCode
from editcore.quoting import shown

SUFFIX = ".md"
MAX_PATH_BYTES = 1_024
MAX_TEXT_BYTES = 10_000_000
_CONTROL = ("Cc", "Cs", "Zl", "Zp")
"""Categories of what ends a line, moves a cursor, or is no character at all."""


def is_folder(path: str) -> bool:
    """Whether it is a folder that the path means: it ends in `/`."""
    return path.strip().endswith("/")


def document_path(path: str) -> str:
    """The path in its one spelling: `/characters/protagonist.md`. Raises DocumentError."""
    if is_folder(path):
        raise invalid(f"path: {shown(path)} means a folder: leave the / at its end away to name a document.")
    parts = _parts(path)
    if not parts:
        raise invalid("path: it is empty: give that of a document, such as /characters/protagonist.md.")
    if not parts[-1].endswith(SUFFIX) or parts[-1] == SUFFIX:
        raise invalid(
            f"path: {shown(path)} is no document's: it must have a name that ends in {SUFFIX}; to view a folder, "
            "end its path in /."
        )
    _check_folders(parts[:-1], path)
    return "/" + "/".join(parts)


def folder_path(path: str) -> str:
    """A folder's path in its one spelling: `/characters/`; `/` is the project itself. Raises DocumentError."""
    parts = _parts(path)
    _check_folders(parts, path)
    return "/" + "".join(part + "/" for part in parts)


def folders_above(path: str) -> list[str]:
    """The folders that a document's or a folder's path leads through, the outermost first, without the project."""
    parts = path.rstrip("/").split("/")[1:-1]
    return ["/" + "/".join(parts[: n + 1]) + "/" for n in range(len(parts))]


def check_text(name: str, text: str) -> None:
    """Raises DocumentError, which names the parameter, for a text that not every database can hold."""
    if "\0" in text:
        raise invalid(f"{name}: it has a NUL in it, which can't be stored: leave it away.")
    try:
        n_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        found = ascii(text[error.start])
        raise invalid(f"{name}: {found} is half of a character, which can't be stored: give the whole one.") from None
    if n_bytes > MAX_TEXT_BYTES:
        raise invalid(f"{name}: it has {n_bytes:,} bytes; the most is {MAX_TEXT_BYTES:,}: use several documents.")


def invalid(message: str) -> DocumentError:
    """The refusal of what is no valid request."""
    return DocumentError(message, code=ErrorCode.INVALID_INPUT)


def _parts(path: str) -> list[str]:
    # Before anything is looked at, so that nothing takes long.
    if len(path) > MAX_PATH_BYTES or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        raise invalid(f"path: it is longer than {MAX_PATH_BYTES:,} bytes: use shorter names.")
    plain = path.strip()
    if any(unicodedata.category(character) in _CONTROL for character in plain):
        raise invalid(f"path: {shown(path)} has a control character in it: give a path in plain letters.")
    if "\\" in plain:
        raise invalid(f"path: {shown(path)} has a backslash in it: put / between folders.")
    relative = plain.removeprefix("/")
    parts = [part.strip() for part in relative.split("/")]
    if parts[-1] == "":
        parts.pop()  # A folder's path ends in /.
    if "" in parts:
        raise invalid(f"path: {shown(path)} has a folder without a name (//): put one / between names.")
    if "." in parts or ".." in parts:
        raise invalid(f"path: {shown(path)} has . or .. in it: give the whole path from the project's root.")
    return parts


def _check_folders(names: list[str], path: str) -> None:
    for name in names:
        if name.endswith(SUFFIX):
            raise invalid(
                f"path: {shown(path)} takes {shown(name)} for a folder, but names in {SUFFIX} are documents': "
                "name the document, or another folder."
            )
