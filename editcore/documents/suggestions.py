"""What a model suggests for a document: sessions and the edits in them, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Status = Literal["active", "accepted", "rejected", "resolved"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One edit of a document, as a model asked for it."""

    command: str
    path: str
    """In its one spelling."""
    old_str: str | None = None
    new_str: str | None = None
    """Of a `create`, the whole text."""
    insert_line: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """An edit that is part of a session."""

    id: str
    session_id: str
    edit_order: int
    """1 is the session's first."""
    suggestion: Suggestion
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentSession:
    """A model's edits of a document, from the first to the user's answer."""

    id: str
    document_id: str
    base_snapshot: str
    """The document as it was at the first edit; never changes."""
    ai_version: str
    """The same with all edits so far."""
    status: Status
    chat_id: str | None
    """Of the first edit, as are these."""
    turn_id: str | None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
