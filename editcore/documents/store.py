"""A document's suggested edits and its running version, in a database.

A document is what its user has (`text`). What a model wants different goes into a session: it starts as a copy of the
document (`base_snapshot`), and each edit moves its own version on (`ai_version`) and leaves the document alone, until
the user accepts, rejects or resolves the session. Meanwhile the user may go on writing (`save`), which leaves the
session alone; where the two differ is worked out when somebody asks (`diff`), and nothing has a position.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, TypeVar

from editcore.cascade import EXACT, Cascade
from editcore.diff import unified_diff
from editcore.documents.paths import check_text, document_path, folder_path, folders_above
from editcore.documents.suggestions import DocumentSession, RecordedEdit, Status, Suggestion
from editcore.errors import DocumentError, ErrorCode, UsageError, importing
from editcore.quoting import shown

with importing("tools", needed_by="Documents"):
    from sqlalchemy import URL, Connection, Row, Select, func, insert, select, update

    from editcore.documents.database import Database, default_url
    from editcore.documents.rows import active_session, append_edit, is_creation, open_session, recorded_of, session_of
    from editcore.documents.tables import ai_edits, ai_sessions, documents, folders, metadata, new_id, now

__all__ = ["DocumentSession", "Documents", "RecordedEdit", "Status", "Suggestion"]

_T = TypeVar("_T")


class Documents:
    """The documents of a project. Safe to share between threads, and between processes that each make their own.

    `url` is SQLAlchemy's, of SQLite or PostgreSQL; by default a file in the user's directory for data. `cascade` is how
    a text that is to be replaced is found. `durable` and `lock_timeout` (seconds): see `editcore.documents.database`.
    Methods raise DocumentError for what they refuse, and WorkspaceError where the database fails.
    """

    def __init__(
        self,
        *,
        url: str | URL | None = None,
        project: str = "default",
        cascade: Cascade = EXACT,
        durable: bool = True,
        lock_timeout: float = 30.0,
    ) -> None:
        self.project = _named(project)
        self.cascade = cascade
        self._database = Database(
            url or default_url("documents.db"), metadata, durable=durable, lock_timeout=lock_timeout
        )

    def of_project(self, project: str) -> Documents:
        """The documents of another project in the same database, on the same connections."""
        other = copy(self)
        other.project = _named(project)
        return other

    def close(self) -> None:
        """Let go of the database; the next use connects anew."""
        self._database.close()

    def text(self, path: str) -> str:
        """The document as its user has it."""
        return self._read(path, lambda _, found: str(found.text))

    def version(self, path: str) -> str:
        """The document as the model has it: with the edits of its session, if one is active."""
        return self._read(path, lambda _, found: str(found.text if found.ai_version is None else found.ai_version))

    def diff(self, path: str, user_text: str) -> str:
        """What the active session would change in the text that the user has now, as a unified diff."""
        return unified_diff(user_text, self._of_active(path).ai_version, path=document_path(path)[1:])

    def session(self, path: str) -> DocumentSession | None:
        """The document's active session."""
        return self._read(path, lambda connection, found: active_session(connection, found.id))

    def sessions(self, path: str) -> tuple[DocumentSession, ...]:
        """All sessions that there ever were on documents of this path, the oldest first."""
        of_path = documents.c.project == self.project, documents.c.path == document_path(path)
        wanted = select(ai_sessions).join(documents).where(*of_path).order_by(ai_sessions.c.created_at)
        return tuple(map(session_of, self._database.read(lambda connection: connection.execute(wanted).all())))

    def edits(self, session_id: str) -> tuple[RecordedEdit, ...]:
        """A session's edits in their order."""
        wanted = (
            select(ai_edits)
            .select_from(ai_edits.join(ai_sessions).join(documents))
            .where(ai_edits.c.session_id == session_id, documents.c.project == self.project)
            .order_by(ai_edits.c.edit_order)
        )
        found = self._database.read(lambda connection: connection.execute(wanted).all())
        if not found:  # A session begins with its first edit.
            raise _no_session(f"There is no session {shown(session_id)}: take an id that an edit returned.")
        return tuple(map(recorded_of, found))

    def names(self, path: str) -> tuple[str, ...]:
        """What lies in a folder: folders, whose names end in `/`, then documents, each by name."""
        folder = folder_path(path)

        def listed(connection: Connection) -> tuple[str, ...]:
            id = self._folder_id(connection, folder)
            if id is None and folder != "/":
                raise _not_found(f"There is no folder {shown(folder)}: view the one above it to see what there is.")
            inside = select(folders.c.path).where(
                folders.c.project == self.project, folders.c.parent_id.is_not_distinct_from(id)
            )
            beside = self._living(documents.c.path).where(documents.c.folder_id.is_not_distinct_from(id))
            found = [sorted(connection.execute(query).scalars()) for query in (inside, beside)]
            return tuple(one.removeprefix(folder) for part in found for one in part)

        return self._database.read(listed)

    def save(self, path: str, text: str) -> None:
        """Store what the user has written; the document is made where there is none. No session takes notice."""
        path = document_path(path)
        check_text("text", text)

        def saved(connection: Connection) -> None:
            found = self._locked(connection, path)
            if found is None:
                self._insert_document(connection, path, text)
            else:
                _store(connection, found.id, text=text)

        self._database.write(saved)

    def accept(self, path: str) -> DocumentSession:
        """The session that was active, closed: its version is the document now."""
        return self._closed(path, "accepted", lambda session: session.ai_version)

    def reject(self, path: str) -> DocumentSession:
        """The session that was active, closed: the document is as it was.

        One that only came to be in this session is gone with it, and its path is free, unless
        the user has written in it.
        """
        return self._closed(path, "rejected", lambda _: None)

    def resolve(self, path: str, text: str) -> DocumentSession:
        """The session that was active, closed: the document is what the user made of it."""
        check_text("text", text)
        return self._closed(path, "resolved", lambda _: text)

    def record(
        self,
        suggestion: Suggestion,
        apply: Callable[[str], str],
        *,
        chat_id: str | None = None,
        turn_id: str | None = None,
    ) -> RecordedEdit:
        """The edit as part of the document's active session, which it opens where there is none.

        `apply` makes the next version of the newest one, while nobody else can; it refuses by raising DocumentError.
        """

        def recorded(connection: Connection) -> RecordedEdit:
            found = self._locked(connection, suggestion.path)
            if found is None:
                raise _no_document(suggestion.path)
            session = active_session(connection, found.id)
            before = found.text if session is None else session.ai_version
            after = apply(before)
            check_text("the document after this edit", after)
            if session is None:
                session_id = open_session(
                    connection, found.id, base=before, version=after, chat_id=chat_id, turn_id=turn_id
                )
                return append_edit(connection, session_id, 1, suggestion)
            of_session = ai_sessions.c.id == session.id
            connection.execute(update(ai_sessions).where(of_session).values(ai_version=after, updated_at=now()))
            newest = select(func.max(ai_edits.c.edit_order)).where(ai_edits.c.session_id == session.id)
            return append_edit(connection, session.id, connection.execute(newest).scalar_one() + 1, suggestion)

        return self._database.write(recorded)

    def create(self, suggestion: Suggestion, *, chat_id: str | None = None, turn_id: str | None = None) -> RecordedEdit:
        """The first edit of a document that is not there yet; missing folders are made. The user has it empty."""
        path, text = suggestion.path, suggestion.new_str or ""

        def created(connection: Connection) -> RecordedEdit:
            if self._locked(connection, path) is not None:
                raise DocumentError(
                    f"{shown(path)} exists already: change it with str_replace, insert or append, or take another"
                    " path.",
                    code=ErrorCode.INVALID_INPUT,
                )
            id = self._insert_document(connection, path, "")
            session_id = open_session(connection, id, base="", version=text, chat_id=chat_id, turn_id=turn_id)
            return append_edit(connection, session_id, 1, suggestion)

        return self._database.write(created)

    def _living(self, *columns: Any) -> Select[Any]:
        return select(*columns).where(documents.c.project == self.project, documents.c.deleted_at.is_(None))

    def _read(self, path: str, work: Callable[[Connection, Row[Any]], _T]) -> _T:
        path = document_path(path)
        is_active = (ai_sessions.c.document_id == documents.c.id) & (ai_sessions.c.status == "active")
        wanted = (
            self._living(documents.c.id, documents.c.text, ai_sessions.c.ai_version)
            .join_from(documents, ai_sessions, is_active, isouter=True)
            .where(documents.c.path == path)
        )

        def found(connection: Connection) -> _T:
            row = connection.execute(wanted).one_or_none()
            if row is None:
                raise _no_document(path)
            return work(connection, row)

        return self._database.read(found)

    def _of_active(self, path: str) -> DocumentSession:
        session = self.session(path)
        if session is None:
            raise _none_active(document_path(path))
        return session

    def _locked(self, connection: Connection, path: str) -> Row[Any] | None:
        """The document's row, which nobody else can write to till the transaction ends."""
        wanted = self._living(documents.c.id, documents.c.text).where(documents.c.path == path).with_for_update()
        return connection.execute(wanted).one_or_none()

    def _folder_id(self, connection: Connection, path: str) -> str | None:
        wanted = select(folders.c.id).where(folders.c.project == self.project, folders.c.path == path)
        return connection.execute(wanted).scalar_one_or_none()

    def _insert_document(self, connection: Connection, path: str, text: str) -> str:
        parent = None
        for folder in folders_above(path):
            id = self._folder_id(connection, folder)
            if id is None:
                id = new_id()
                values = {"id": id, "project": self.project, "path": folder, "parent_id": parent}
                connection.execute(insert(folders), values)
            parent = id
        id = new_id()
        values = {"id": id, "project": self.project, "path": path, "folder_id": parent, "text": text}
        connection.execute(insert(documents), values)
        return id

    def _closed(
        self, path: str, status: Status, ended_with: Callable[[DocumentSession], str | None]
    ) -> DocumentSession:
        path = document_path(path)

        def closed(connection: Connection) -> DocumentSession:
            found = self._locked(connection, path)
            if found is None:
                raise _no_document(path)
            session = active_session(connection, found.id)
            if session is None:
                raise _none_active(path)
            text = ended_with(session)
            if text is not None:
                _store(connection, found.id, text=text)
            elif not found.text and is_creation(connection, session.id):
                _store(connection, found.id, deleted_at=now())
            values = {"status": status, "updated_at": now(), "closed_at": now()}
            connection.execute(update(ai_sessions).where(ai_sessions.c.id == session.id).values(values))
            after = select(ai_sessions).where(ai_sessions.c.id == session.id)
            return session_of(connection.execute(after).one())

        return self._database.write(closed)


def _named(project: str) -> str:
    if not project or len(project.encode("utf-8", "replace")) > 200 or not project.isprintable():
        raise UsageError(f"{shown(project)!r} is no project", "Give a name of up to 200 bytes, in plain letters.")
    return project


def _store(connection: Connection, document_id: str, **values: Any) -> None:
    connection.execute(update(documents).where(documents.c.id == document_id).values(updated_at=now(), **values))


def _no_document(path: str) -> DocumentError:
    return _not_found(f"There is no document {shown(path)}: view its folder to see what there is, or create it.")


def _none_active(path: str) -> DocumentError:
    return _no_session(f"There is no active session of {shown(path)}: an edit opens one.")


_not_found = partial(DocumentError, code=ErrorCode.DOC_NOT_FOUND)
_no_session = partial(DocumentError, code=ErrorCode.SESSION_NOT_FOUND)
