"""The tables of folders, documents, sessions and edits, on SQLite and PostgreSQL, and the rows read and written."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    select,
)
from sqlalchemy import text as sql
from sqlalchemy.types import TypeDecorator

from editcore.host.documents.suggestions import DocumentSession, RecordedEdit, Suggestion, Version

metadata = MetaData()


class Instant(TypeDecorator[datetime]):
    """A point in time with the time zone UTC, even if the database stores no time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return uuid4().hex


def _id() -> Column[str]:
    return Column("id", String(32), primary_key=True, default=new_id)


def _created() -> Column[datetime]:
    return Column("created_at", Instant, nullable=False, default=now)


def _unique(name: str, *columns: str, where: str) -> Index:
    return Index(name, *columns, unique=True, sqlite_where=sql(where), postgresql_where=sql(where))


folders = Table(
    "folders", metadata, _id(), Column("project", Text, nullable=False), Column("path", Text, nullable=False),
    Column("parent_id", ForeignKey("folders.id"), index=True), _created(), UniqueConstraint("project", "path"),
)  # fmt: skip
"""`path` ends in `/`. A folder without a parent is in the project's root, which has no row."""

documents = Table(
    "documents", metadata, _id(), Column("project", Text, nullable=False), Column("path", Text, nullable=False),
    Column("folder_id", ForeignKey("folders.id"), index=True), Column("text", Text, nullable=False), _created(),
    Column("updated_at", Instant, nullable=False, default=now), Column("deleted_at", Instant),
    _unique("one_document_a_path", "project", "path", where="deleted_at IS NULL"),
)  # fmt: skip
"""`text` is the user's text. A deleted document keeps its row, because its edits are kept."""

ai_sessions = Table(
    "ai_sessions", metadata, _id(), Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("base_snapshot", Text, nullable=False), Column("ai_version", Text, nullable=False),
    Column("status", String(16), nullable=False, default="active"), Column("chat_id", Text), Column("turn_id", Text),
    _created(), Column("updated_at", Instant, nullable=False, default=now), Column("closed_at", Instant),
    _unique("one_active_session", "document_id", where="status = 'active'"),
)  # fmt: skip
"""`ai_version` is `base_snapshot` with the session's edits applied in order."""

text_versions = Table(
    "text_versions", metadata, _id(), Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("session_id", ForeignKey("ai_sessions.id")), Column("text", Text, nullable=False),
    Column("ended_by", String(16), nullable=False), _created(),
)  # fmt: skip
"""A replaced text of the user. `session_id` is null if another version replaced it, not a session that was closed."""

ai_edits = Table(
    "ai_edits", metadata, _id(), Column("session_id", ForeignKey("ai_sessions.id"), nullable=False),
    Column("edit_order", Integer, nullable=False), Column("command", String(64), nullable=False),
    Column("path", Text, nullable=False), Column("old_str", Text), Column("new_str", Text),
    Column("insert_line", Integer), _created(), UniqueConstraint("session_id", "edit_order"),
)  # fmt: skip
"""`edit_order` is 1, 2, 3, ... without gaps in each session. `new_str` of a `create` is the whole text."""


def active_session(connection: Connection, document_id: str) -> DocumentSession | None:
    wanted = select(ai_sessions).where(ai_sessions.c.document_id == document_id, ai_sessions.c.status == "active")
    found = connection.execute(wanted).one_or_none()
    return None if found is None else session_of(found)


def open_session(
    connection: Connection, document_id: str, suggestion: Suggestion, **values: str | None
) -> RecordedEdit:
    """Insert an active session with these values and its first edit."""
    id = new_id()
    connection.execute(insert(ai_sessions), {"id": id, "document_id": document_id, **values})
    return append_edit(connection, id, 1, suggestion)


def append_edit(connection: Connection, session_id: str, edit_order: int, suggestion: Suggestion) -> RecordedEdit:
    edit = RecordedEdit(new_id(), session_id, edit_order, suggestion, now())
    values = asdict(edit)
    of_suggestion = values.pop("suggestion")
    connection.execute(insert(ai_edits), values | of_suggestion)
    return edit


def keep_text(connection: Connection, document_id: str, text: str, *, ended_by: str, session_id: str | None) -> None:
    """Store a user's text that is about to be replaced as a version."""
    values = {"id": new_id(), "document_id": document_id, "session_id": session_id, "text": text, "ended_by": ended_by}
    connection.execute(insert(text_versions), values)


def versions_of(connection: Connection, document_ids: Select[Any]) -> tuple[Version, ...]:
    """The replaced texts, and the versions of closed sessions, oldest first."""
    texts = select(text_versions).where(text_versions.c.document_id.in_(document_ids))
    closed = select(ai_sessions).where(ai_sessions.c.document_id.in_(document_ids), ai_sessions.c.status != "active")
    found = [Version(row.id, "text", row.text, row.ended_by, row.created_at) for row in connection.execute(texts)] + [
        Version(row.id, "suggested", row.ai_version, row.status, row.closed_at) for row in connection.execute(closed)
    ]
    return tuple(sorted(found, key=lambda one: one.created_at))


def is_creation(connection: Connection, session_id: str) -> bool:
    first = select(ai_edits.c.command).where(ai_edits.c.session_id == session_id, ai_edits.c.edit_order == 1)
    return bool(connection.execute(first).scalar_one() == "create")


def session_of(row: Row[Any]) -> DocumentSession:
    return DocumentSession(**row._mapping)


def recorded_of(row: Row[Any]) -> RecordedEdit:
    suggestion = Suggestion(row.command, row.path, row.old_str, row.new_str, row.insert_line)
    return RecordedEdit(row.id, row.session_id, row.edit_order, suggestion, row.created_at)
