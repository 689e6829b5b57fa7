"""The tables of folders, documents, sessions and edits, on SQLite and PostgreSQL, and the rows read and written."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from editcore.host.documents.suggestions import DocumentSession, RecordedEdit, Suggestion, Version

metadata = sa.MetaData()


class Instant(TypeDecorator[datetime]):
    """A point in time with the time zone UTC, even if the database stores no time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return uuid4().hex


def _id() -> sa.Column[str]:
    return sa.Column("id", sa.String(32), primary_key=True, default=new_id)


def _created() -> sa.Column[datetime]:
    return sa.Column("created_at", Instant, nullable=False, default=now)


def _unique(name: str, *columns: str, where: str) -> sa.Index:
    return sa.Index(name, *columns, unique=True, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


folders = sa.Table(
    "folders",
    metadata,
    _id(),
    sa.Column("project", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("parent_id", sa.ForeignKey("folders.id"), index=True),
    _created(),
    sa.UniqueConstraint("project", "path"),
)
"""`path` ends in `/`. A folder without a parent is in the project's root, which has no row."""

documents = sa.Table(
    "documents",
    metadata,
    _id(),
    sa.Column("project", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("folder_id", sa.ForeignKey("folders.id"), index=True),
    sa.Column("text", sa.Text, nullable=False),
    _created(),
    sa.Column("updated_at", Instant, nullable=False, default=now),
    sa.Column("deleted_at", Instant),
    _unique("one_document_a_path", "project", "path", where="deleted_at IS NULL"),
)
"""`text` is the user's text. A deleted document keeps its row, because its edits are kept."""

ai_sessions = sa.Table(
    "ai_sessions",
    metadata,
    _id(),
    sa.Column("document_id", sa.ForeignKey("documents.id"), nullable=False, index=True),
    sa.Column("base_snapshot", sa.Text, nullable=False),
    sa.Column("ai_version", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False, default="active"),
    sa.Column("chat_id", sa.Text),
    sa.Column("turn_id", sa.Text),
    _created(),
    sa.Column("updated_at", Instant, nullable=False, default=now),
    sa.Column("closed_at", Instant),
    _unique("one_active_session", "document_id", where="status = 'active'"),
)
"""`ai_version` is `base_snapshot` with the session's edits applied in order."""

text_versions = sa.Table(
    "text_versions",
    metadata,
    _id(),
    sa.Column("document_id", sa.ForeignKey("documents.id"), nullable=False, index=True),
    sa.Column("session_id", sa.ForeignKey("ai_sessions.id")),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("ended_by", sa.String(16), nullable=False),
    _created(),
)
"""A replaced text of the user. `session_id` is null if another version replaced it, not a session that was closed."""

ai_edits = sa.Table(
    "ai_edits",
    metadata,
    _id(),
    sa.Column("session_id", sa.ForeignKey("ai_sessions.id"), nullable=False),
    sa.Column("edit_order", sa.Integer, nullable=False),
    sa.Column("command", sa.String(64), nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("old_str", sa.Text),
    sa.Column("new_str", sa.Text),
    sa.Column("insert_line", sa.Integer),
    _created(),
    sa.UniqueConstraint("session_id", "edit_order"),
)
"""`edit_order` is 1, 2, 3, ... without gaps in each session. `new_str` of a `create` is the whole text."""


def active_session(connection: sa.Connection, document_id: str) -> DocumentSession | None:
    wanted = sa.select(ai_sessions).where(ai_sessions.c.document_id == document_id, ai_sessions.c.status == "active")
    found = connection.execute(wanted).one_or_none()
    return None if found is None else session_of(found)


def open_session(
    connection: sa.Connection, document_id: str, suggestion: Suggestion, **values: str | None
) -> RecordedEdit:
    """Insert an active session with these values and its first edit."""
    id = new_id()
    connection.execute(sa.insert(ai_sessions), {"id": id, "document_id": document_id, **values})
    return append_edit(connection, id, 1, suggestion)


def append_edit(connection: sa.Connection, session_id: str, edit_order: int, suggestion: Suggestion) -> RecordedEdit:
    edit = RecordedEdit(new_id(), session_id, edit_order, suggestion, now())
    values = asdict(edit)
    of_suggestion = values.pop("suggestion")
    connection.execute(sa.insert(ai_edits), values | of_suggestion)
    return edit


def keep_text(connection: sa.Connection, document_id: str, text: str, *, ended_by: str, session_id: str | None) -> None:
    """Store a user's text that is about to be replaced as a version."""
    values = {"id": new_id(), "document_id": document_id, "session_id": session_id, "text": text, "ended_by": ended_by}
    connection.execute(sa.insert(text_versions), values)


def versions_of(connection: sa.Connection, document_ids: sa.Select[Any]) -> tuple[Version, ...]:
    """The replaced texts, and the versions of closed sessions, oldest first."""
    texts = sa.select(text_versions).where(text_versions.c.document_id.in_(document_ids))
    closed = sa.select(ai_sessions).where(ai_sessions.c.document_id.in_(document_ids), ai_sessions.c.status != "active")
    found = [Version(row.id, "text", row.text, row.ended_by, row.created_at) for row in connection.execute(texts)] + [
        Version(row.id, "suggested", row.ai_version, row.status, row.closed_at) for row in connection.execute(closed)
    ]
    return tuple(sorted(found, key=lambda one: one.created_at))


def is_creation(connection: sa.Connection, session_id: str) -> bool:
    first = sa.select(ai_edits.c.command).where(ai_edits.c.session_id == session_id, ai_edits.c.edit_order == 1)
    return bool(connection.execute(first).scalar_one() == "create")


def session_of(row: sa.Row[Any]) -> DocumentSession:
    return DocumentSession(**row._mapping)


def recorded_of(row: sa.Row[Any]) -> RecordedEdit:
    suggestion = Suggestion(row.command, row.path, row.old_str, row.new_str, row.insert_line)
    return RecordedEdit(row.id, row.session_id, row.edit_order, suggestion, row.created_at)
