"""Rows of document sessions and their edits, read and written in a transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from editcore.host.documents.suggestions import DocumentSession, RecordedEdit, Suggestion, Version
from editcore.host.documents.tables import ai_edits, ai_sessions, new_id, now, text_versions


def active_session(connection: Connection, document_id: str) -> DocumentSession | None:
    """The document's active session, if there is one."""
    wanted = select(ai_sessions).where(ai_sessions.c.document_id == document_id, ai_sessions.c.status == "active")
    found = connection.execute(wanted).one_or_none()
    return None if found is None else session_of(found)


def open_session(
    connection: Connection, document_id: str, *, base: str, version: str, chat_id: str | None, turn_id: str | None
) -> str:
    """Insert an active session. Returns its id."""
    id = new_id()
    values = {
        "id": id, "document_id": document_id, "base_snapshot": base, "ai_version": version,
        "chat_id": chat_id, "turn_id": turn_id,
    }  # fmt: skip
    connection.execute(insert(ai_sessions), values)
    return id


def append_edit(connection: Connection, session_id: str, edit_order: int, suggestion: Suggestion) -> RecordedEdit:
    """Insert the next edit of a session."""
    id, created_at = new_id(), now()
    values = {
        "id": id, "session_id": session_id, "edit_order": edit_order, "created_at": created_at,
        "command": suggestion.command, "path": suggestion.path, "old_str": suggestion.old_str,
        "new_str": suggestion.new_str, "insert_line": suggestion.insert_line,
    }  # fmt: skip
    connection.execute(insert(ai_edits), values)
    return RecordedEdit(id, session_id, edit_order, suggestion, created_at)


def keep_text(connection: Connection, document_id: str, text: str, *, ended_by: str, session_id: str | None) -> None:
    """Keep a user's text that is about to be replaced."""
    values = {"id": new_id(), "document_id": document_id, "session_id": session_id, "text": text, "ended_by": ended_by}
    connection.execute(insert(text_versions), values)


def versions_of(connection: Connection, document_ids: Select[Any]) -> tuple[Version, ...]:
    """All texts that were replaced and versions of sessions that were closed, oldest first."""
    texts = select(text_versions).where(text_versions.c.document_id.in_(document_ids))
    closed = select(ai_sessions).where(ai_sessions.c.document_id.in_(document_ids), ai_sessions.c.status != "active")
    found = [Version(row.id, "text", row.text, row.ended_by, row.created_at) for row in connection.execute(texts)] + [
        Version(row.id, "suggested", row.ai_version, row.status, row.closed_at) for row in connection.execute(closed)
    ]
    return tuple(sorted(found, key=lambda one: one.created_at))


def is_creation(connection: Connection, session_id: str) -> bool:
    """Whether the document was created in this session."""
    first = select(ai_edits.c.command).where(ai_edits.c.session_id == session_id, ai_edits.c.edit_order == 1)
    return bool(connection.execute(first).scalar_one() == "create")


def session_of(row: Row[Any]) -> DocumentSession:
    """The session of a row of `ai_sessions`."""
    return DocumentSession(**row._mapping)


def recorded_of(row: Row[Any]) -> RecordedEdit:
    """The edit of a row of `ai_edits`."""
    suggestion = Suggestion(row.command, row.path, row.old_str, row.new_str, row.insert_line)
    return RecordedEdit(row.id, row.session_id, row.edit_order, suggestion, row.created_at)
