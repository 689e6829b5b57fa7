"""The tables of folders, documents, document sessions and edits, on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Column, DateTime, ForeignKey, Index, Integer, MetaData, String, Table, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.types import TypeDecorator

metadata = MetaData()


class Instant(TypeDecorator[datetime]):
    """A point in time in UTC, also in a database that does not store time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        """Add the time zone where the database has none."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """A new id, unique over all databases."""
    return uuid4().hex


def _id() -> Column[str]:
    return Column("id", String(32), primary_key=True, default=new_id)


def _created() -> Column[datetime]:
    return Column("created_at", Instant, nullable=False, default=now)


folders = Table(
    "folders",
    metadata,
    _id(),
    Column("project", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("parent_id", ForeignKey("folders.id"), index=True),
    _created(),
    UniqueConstraint("project", "path"),
)
"""`path` ends in `/`. A folder without a parent is in the project's root, which has no row."""

documents = Table(
    "documents",
    metadata,
    _id(),
    Column("project", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("folder_id", ForeignKey("folders.id"), index=True),
    Column("text", Text, nullable=False),
    _created(),
    Column("updated_at", Instant, nullable=False, default=now),
    Column("deleted_at", Instant),
    Index(
        "one_document_a_path",
        "project",
        "path",
        unique=True,
        sqlite_where=sql("deleted_at IS NULL"),
        postgresql_where=sql("deleted_at IS NULL"),
    ),
)
"""`text` is the user's text. A deleted document keeps its row, because its edits are kept."""

ai_sessions = Table(
    "ai_sessions",
    metadata,
    _id(),
    Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("base_snapshot", Text, nullable=False),
    Column("ai_version", Text, nullable=False),
    Column("status", String(16), nullable=False, default="active"),
    Column("chat_id", Text),
    Column("turn_id", Text),
    _created(),
    Column("updated_at", Instant, nullable=False, default=now),
    Column("closed_at", Instant),
    Index(
        "one_active_session",
        "document_id",
        unique=True,
        sqlite_where=sql("status = 'active'"),
        postgresql_where=sql("status = 'active'"),
    ),
)
"""`ai_version` is `base_snapshot` with the session's edits applied in order."""

text_versions = Table(
    "text_versions",
    metadata,
    _id(),
    Column("document_id", ForeignKey("documents.id"), nullable=False, index=True),
    Column("session_id", ForeignKey("ai_sessions.id")),
    Column("text", Text, nullable=False),
    Column("ended_by", String(16), nullable=False),
    _created(),
)
"""A user's text that was replaced, by the session that was closed; without one, by another version."""

ai_edits = Table(
    "ai_edits",
    metadata,
    _id(),
    Column("session_id", ForeignKey("ai_sessions.id"), nullable=False),
    Column("edit_order", Integer, nullable=False),
    Column("command", String(64), nullable=False),
    Column("path", Text, nullable=False),
    Column("old_str", Text),
    Column("new_str", Text),
    Column("insert_line", Integer),
    _created(),
    UniqueConstraint("session_id", "edit_order"),
)
"""`edit_order` is 1, 2, 3, ... without gaps in each session. `new_str` of a `create` is the whole text."""
