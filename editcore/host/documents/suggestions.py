"""Suggested edits of documents, and the document sessions that they belong to, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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
    """A suggestion that was recorded in a document session."""

    id: str
    session_id: str
    edit_order: int
    """The position in the session, from 1."""
    suggestion: Suggestion
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Version:
    """A text that a document had, or that was suggested for it, and that can be restored."""

    id: str
    kind: Literal["text", "suggested"]
    """`text`: the user's text until it was replaced. `suggested`: the version of a session that was closed."""
    text: str
    ended_by: str
    """How it ended: `accepted`, `rejected`, `resolved`, or `restored`, where another version was put in its place."""
    created_at: datetime
    """When it ended."""


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
