"""Suggested edits of documents, the sessions that they belong to, and canonical paths and texts, as values."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from editcore.errors import DocumentError, ErrorCode
from editcore.quoting import shown
from editcore.types import Reason

Status = Literal["active", "accepted", "rejected", "resolved"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One edit of a document, as a model suggested it."""

    command: str
    path: str
    """The canonical path of the document."""
    old_str: str | None = None
    new_str: str | None = None
    """For `create`, the whole text."""
    insert_line: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    id: str
    session_id: str
    edit_order: int
    """The position in the session, from 1."""
    suggestion: Suggestion
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Version:
    """A text that a document had, or that was suggested for it. It can be restored."""

    id: str
    kind: Literal["text", "suggested"]
    """`text`: the user's text until it was replaced. `suggested`: the version of a closed session."""
    text: str
    ended_by: str
    """`accepted`, `rejected`, `resolved`, or `restored` if another version replaced it."""
    created_at: datetime
    """The time when the version ended."""


@dataclass(frozen=True, slots=True)
class DocumentSession:
    """The suggested edits of a document, from the first one until the user settles them."""

    id: str
    document_id: str
    base_snapshot: str
    """The document at the first edit; never changes."""
    ai_version: str
    """The base snapshot with all edits so far."""
    status: Status
    chat_id: str | None
    """The chat of the first edit."""
    turn_id: str | None
    """The turn of the first edit."""
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None


SUFFIX = ".md"
MAX_PATH_BYTES = 1_024
MAX_TEXT_BYTES = 10_000_000
_CONTROL = ("Cc", "Cs", "Zl", "Zp")
"""Unicode categories of control characters, surrogates, and line and paragraph separators."""


def is_folder(path: str) -> bool:
    """True if the path ends in `/`, as paths of folders do."""
    return path.strip().endswith("/")


def document_path(path: str) -> str:
    """The canonical path of a document: `/characters/protagonist.md`. Raises DocumentError."""
    if is_folder(path):
        raise invalid(f"path: {shown(path)} names a folder: remove the / at its end to name a document.")
    parts = _parts(path)
    if not parts:
        raise invalid("path: it is empty: give the path of a document, such as /characters/protagonist.md.")
    if not parts[-1].endswith(SUFFIX) or parts[-1] == SUFFIX:
        raise invalid(
            f"path: {shown(path)} is not the path of a document: its name must end in {SUFFIX}; to view a folder, "
            "end its path in /."
        )
    _check_folders(parts[:-1], path)
    return "/" + "/".join(parts)


def folder_path(path: str) -> str:
    """The canonical path of a folder: `/characters/`; `/` is the project's root. Raises DocumentError."""
    parts = _parts(path)
    _check_folders(parts, path)
    return "/" + "".join(part + "/" for part in parts)


def folders_above(path: str) -> list[str]:
    """The folders above a document or folder, outermost first, without the root."""
    parts = path.rstrip("/").split("/")[1:-1]
    return ["/" + "/".join(parts[: n + 1]) + "/" for n in range(len(parts))]


def check_text(name: str, text: str) -> None:
    """Raise DocumentError, which names the parameter, if some database cannot store the text."""
    if "\0" in text:
        raise invalid(f"{name}: it contains a NUL, which can't be stored: remove it.")
    try:
        n_bytes = len(text.encode())
    except UnicodeEncodeError as error:
        found = ascii(text[error.start])
        raise invalid(f"{name}: {found} is a lone surrogate, which can't be stored: send valid text.") from None
    if n_bytes > MAX_TEXT_BYTES:
        raise invalid(f"{name}: it has {n_bytes:,} bytes; the limit is {MAX_TEXT_BYTES:,}: use several documents.")


def invalid(message: str, *, reason: Reason | None = None) -> DocumentError:
    """The error for an invalid parameter. `reason` is the reason that a cascade would give, if any."""
    return DocumentError(message, code=ErrorCode.INVALID_INPUT, reason=reason)


def _parts(path: str) -> list[str]:
    # The length comes first, to keep the other checks fast.
    if len(path) > MAX_PATH_BYTES or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        raise invalid(f"path: it is longer than {MAX_PATH_BYTES:,} bytes: use shorter names.")
    plain = path.strip()
    if any(unicodedata.category(character) in _CONTROL for character in plain):
        raise invalid(f"path: {shown(path)} contains a control character: use printable characters only.")
    if "\\" in plain:
        raise invalid(f"path: {shown(path)} contains a backslash: use / between folders.")
    relative = plain.removeprefix("/")
    parts = [part.strip() for part in relative.split("/")]
    if parts[-1] == "":
        parts.pop()  # The path of a folder ends in /.
    if "" in parts:
        raise invalid(f"path: {shown(path)} has an empty folder name (//): use one / between names.")
    if "." in parts or ".." in parts:
        raise invalid(f"path: {shown(path)} contains . or ..: give the whole path from the project's root.")
    return parts


def _check_folders(names: list[str], path: str) -> None:
    for name in names:
        if name.endswith(SUFFIX):
            raise invalid(
                f"path: {shown(path)} uses {shown(name)} as a folder, but names in {SUFFIX} are documents: "
                "give the path of the document, or use another folder."
            )
