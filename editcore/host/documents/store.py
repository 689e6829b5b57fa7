"""The store of documents: the user's texts, and suggested edits with a running version of their own.

A document is the user's text (`text`). A model's edits go into a document session. It starts as a copy of the text
(`base_snapshot`), and each edit changes the session's version (`ai_version`) instead of the text, until the user
accepts, rejects or resolves the session. Meanwhile the user may go on writing (`save`), which does not change the
session. The difference between the two is computed when needed (`diff`): no position is ever stored.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from editcore.cascade import RECOMMENDED, Cascade, named_cascade
from editcore.errors import BaseMovedError, DocumentError, ErrorCode, UsageError, WorkspaceError, importing
from editcore.host.cancellation import Cancellation
from editcore.host.documents.suggestions import (
    DocumentSession,
    RecordedEdit,
    Status,
    Suggestion,
    Version,
    check_text,
    document_path,
    folder_path,
    folders_above,
)
from editcore.quoting import shown
from editcore.text.diff import unified_diff

with importing("tools", needed_by="Documents"):
    from sqlalchemy import URL, Connection, Row, Select, func, insert, select, update

    from editcore.host.documents.database import Database, default_url
    from editcore.host.documents.tables import (
        active_session,
        ai_edits,
        ai_sessions,
        append_edit,
        documents,
        folders,
        is_creation,
        keep_text,
        metadata,
        new_id,
        now,
        open_session,
        recorded_of,
        session_of,
        versions_of,
    )

__all__ = ["DocumentSession", "Documents", "RecordedEdit", "Status", "Suggestion", "Version"]

_T = TypeVar("_T")
_TIMEOUT_S = 20
_SIDES = ("user", "base", "suggested")
_MOST_CONFLICTS = 127
"""Exit codes of git up to this one are numbers of conflicts; higher ones are errors."""


class Documents:
    """The documents of a project. Safe to share between threads; each process makes its own.

    `url` is an SQLAlchemy URL of an SQLite or PostgreSQL database; by default a file in the user's data directory.
    `cascade`, or its name, finds the text that `str_replace` replaces: with `exact`, only a text that occurs exactly
    as it was sent. `durable` and `lock_timeout` (seconds): see `Database`.
    Methods refuse by raising DocumentError, and raise WorkspaceError if the database fails. Importing this module
    raises UsageError if SQLAlchemy is not installed (extra `tools`).
    """

    def __init__(
        self, *, url: str | URL | None = None, project: str = "default", cascade: str | Cascade = RECOMMENDED,
        durable: bool = True, lock_timeout: float = 30.0,
    ) -> None:  # fmt: skip
        self.project = _checked_project(project)
        self.cascade = named_cascade(cascade)
        self._cancellation: Cancellation | None = None
        self._database = Database(
            url or default_url("documents.db"), metadata, durable=durable, lock_timeout=lock_timeout
        )

    def cancellable(self, cancellation: Cancellation) -> Documents:
        """A copy for a call that can be cancelled: a method that waits for the database then raises Cancelled."""
        other = copy(self)
        other._cancellation = cancellation
        return other

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        self._database.close()

    def id(self, path: str) -> str:
        """The id of the document with this path, as in the tables."""
        return self._read_document(path, lambda _, found: str(found.id))

    def text(self, path: str) -> str:
        """The user's text."""
        return self._read_document(path, lambda _, found: str(found.text))

    def version(self, path: str) -> str:
        """The model's version: the text with the edits of the active session, if there is one."""
        return self._read_document(
            path, lambda _, found: str(found.text if found.ai_version is None else found.ai_version)
        )

    def diff(self, path: str, user_text: str) -> str:
        """A unified diff from `user_text`, the user's current text, to the active session's version."""
        session = self.session(path)
        if session is None:
            raise _no_active_session(document_path(path))
        return unified_diff(user_text, session.ai_version, path=document_path(path)[1:])

    def session(self, path: str) -> DocumentSession | None:
        return self._read_document(path, lambda connection, found: active_session(connection, found.id))

    def sessions(self, path: str) -> tuple[DocumentSession, ...]:
        """All sessions of documents with this path, oldest first, with closed sessions and deleted documents."""
        of_path = documents.c.project == self.project, documents.c.path == document_path(path)
        wanted = select(ai_sessions).join(documents).where(*of_path).order_by(ai_sessions.c.created_at)
        return tuple(map(session_of, self._read(lambda connection: connection.execute(wanted).all())))

    def edits(self, session_id: str) -> tuple[RecordedEdit, ...]:
        wanted = (
            select(ai_edits)
            .select_from(ai_edits.join(ai_sessions).join(documents))
            .where(ai_edits.c.session_id == session_id, documents.c.project == self.project)
            .order_by(ai_edits.c.edit_order)
        )
        found = self._read(lambda connection: connection.execute(wanted).all())
        if not found:  # A session begins with its first edit.
            raise _no_session(f"There is no session {shown(session_id)}: use a session_id that an edit returned.")
        return tuple(map(recorded_of, found))

    def names(self, path: str) -> tuple[str, ...]:
        """The names in a folder: first the folders, which end in `/`, then the documents, each sorted."""
        folder = folder_path(path)

        def listed(connection: Connection) -> tuple[str, ...]:
            id = self._folder_id(connection, folder)
            if id is None and folder != "/":
                raise _not_found(f"There is no folder {shown(folder)}: view the folder above it to see what exists.")
            inside = select(folders.c.path).where(
                folders.c.project == self.project, folders.c.parent_id.is_not_distinct_from(id)
            )
            here = self._existing(documents.c.path).where(documents.c.folder_id.is_not_distinct_from(id))
            found = [sorted(connection.execute(query).scalars()) for query in (inside, here)]
            return tuple(one.removeprefix(folder) for part in found for one in part)

        return self._read(listed)

    def save(self, path: str, text: str) -> None:
        """Store the user's text, creating the document if needed. Sessions do not change."""
        path = document_path(path)
        check_text("text", text)
        self._write(lambda connection: self._saved(connection, path, text, is_kept=False))

    def accept(self, path: str, *, merge: bool = False, force: bool = False) -> DocumentSession:
        """Close the active session; its version becomes the text. Returns the session.

        If the user has saved another text since the session began, raises BaseMovedError with the three texts, unless
        `merge` makes one text of both (see `merge_texts`), or `force` is set. The replaced text is kept in `versions`.
        """
        return self._closed(
            path, "accepted", lambda text, session: _accepted(text, session, merge, force, document_path(path))
        )

    def reject(self, path: str) -> DocumentSession:
        """Close the active session; the text stays as it is. Returns the session.

        A document that was created in this session is deleted, unless the user has written in it.
        """
        return self._closed(path, "rejected", lambda _, __: None)

    def resolve(self, path: str, text: str) -> DocumentSession:
        """Close the active session; `text`, the user's merge of both, becomes the text. Returns the session."""
        check_text("text", text)
        return self._closed(path, "resolved", lambda _, __: text)

    def versions(self, path: str) -> tuple[Version, ...]:
        """The texts of documents with this path that were replaced, or dropped with a session, oldest first."""
        ids = select(documents.c.id).where(documents.c.project == self.project, documents.c.path == document_path(path))
        return self._read(lambda connection: versions_of(connection, ids))

    def restore(self, path: str, version_id: str) -> None:
        """Store one of `versions` as the user's text. The replaced text becomes a version. Sessions do not change."""
        path = document_path(path)
        wanted = next((one.text for one in self.versions(path) if one.id == version_id), None)
        if wanted is None:
            raise _not_found(f"{shown(path)} has no version {shown(version_id)}: use an id that versions returned.")
        self._write(lambda connection: self._saved(connection, path, wanted, is_kept=True))

    def record(
        self, suggestion: Suggestion, apply: Callable[[str], str], *, chat_id: str | None = None,
        turn_id: str | None = None,
    ) -> RecordedEdit:  # fmt: skip
        """Record an edit in the document's active session, which is opened if there is none.

        `apply` makes the next version from the newest one, under a lock; it refuses by raising DocumentError.
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
                texts = {"base_snapshot": before, "ai_version": after}
                return open_session(connection, found.id, suggestion, **texts, chat_id=chat_id, turn_id=turn_id)
            of_session = ai_sessions.c.id == session.id
            connection.execute(update(ai_sessions).where(of_session).values(ai_version=after, updated_at=now()))
            newest = select(func.max(ai_edits.c.edit_order)).where(ai_edits.c.session_id == session.id)
            return append_edit(connection, session.id, connection.execute(newest).scalar_one() + 1, suggestion)

        return self._write(recorded)

    def create(self, suggestion: Suggestion, *, chat_id: str | None = None, turn_id: str | None = None) -> RecordedEdit:
        """Record the first edit of a new document. The user's text of it is empty. Missing folders are created."""
        path, text = suggestion.path, suggestion.new_str or ""

        def created(connection: Connection) -> RecordedEdit:
            if self._locked(connection, path) is not None:
                raise DocumentError(
                    f"{shown(path)} exists already: change it with str_replace, insert or append, or use another path.",
                    code=ErrorCode.INVALID_INPUT,
                )
            id = self._insert_document(connection, path, "")
            texts = {"base_snapshot": "", "ai_version": text}
            return open_session(connection, id, suggestion, **texts, chat_id=chat_id, turn_id=turn_id)

        return self._write(created)

    def _read(self, work: Callable[[Connection], _T]) -> _T:
        return self._database.read(work, self._cancellation)

    def _write(self, work: Callable[[Connection], _T]) -> _T:
        return self._database.write(work, self._cancellation)

    def _existing(self, *columns: Any) -> Select[Any]:
        return select(*columns).where(documents.c.project == self.project, documents.c.deleted_at.is_(None))

    def _read_document(self, path: str, work: Callable[[Connection, Row[Any]], _T]) -> _T:
        path = document_path(path)
        is_active = (ai_sessions.c.document_id == documents.c.id) & (ai_sessions.c.status == "active")
        wanted = (
            self._existing(documents.c.id, documents.c.text, ai_sessions.c.ai_version)
            .join_from(documents, ai_sessions, is_active, isouter=True)
            .where(documents.c.path == path)
        )

        def found(connection: Connection) -> _T:
            row = connection.execute(wanted).one_or_none()
            if row is None:
                raise _no_document(path)
            return work(connection, row)

        return self._read(found)

    def _locked(self, connection: Connection, path: str) -> Row[Any] | None:
        """The document's row, locked until the transaction ends."""
        wanted = self._existing(documents.c.id, documents.c.text).where(documents.c.path == path).with_for_update()
        return connection.execute(wanted).one_or_none()

    def _folder_id(self, connection: Connection, path: str) -> str | None:
        wanted = select(folders.c.id).where(folders.c.project == self.project, folders.c.path == path)
        return connection.execute(wanted).scalar_one_or_none()

    def _saved(self, connection: Connection, path: str, text: str, *, is_kept: bool) -> None:
        """Store the user's text. `is_kept`: the text that it replaces becomes a version."""
        found = self._locked(connection, path)
        if found is None:
            self._insert_document(connection, path, text)
            return
        if is_kept:
            keep_text(connection, found.id, found.text, ended_by="restored", session_id=None)
        _store(connection, found.id, text=text)

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
        self, path: str, status: Status, ended_with: Callable[[str, DocumentSession], str | None]
    ) -> DocumentSession:
        path = document_path(path)

        def closed(connection: Connection) -> DocumentSession:
            found = self._locked(connection, path)
            if found is None:
                raise _no_document(path)
            session = active_session(connection, found.id)
            if session is None:
                raise _no_active_session(path)
            text = ended_with(found.text, session)
            if text is not None:
                keep_text(connection, found.id, found.text, ended_by=status, session_id=session.id)
                _store(connection, found.id, text=text)
            elif not found.text and is_creation(connection, session.id):
                _store(connection, found.id, deleted_at=now())
            values = {"status": status, "updated_at": now(), "closed_at": now()}
            connection.execute(update(ai_sessions).where(ai_sessions.c.id == session.id).values(values))
            after = select(ai_sessions).where(ai_sessions.c.id == session.id)
            return session_of(connection.execute(after).one())

        return self._write(closed)


@dataclass(frozen=True, slots=True)
class MergedText:
    text: str
    """With the three texts of each conflict between markers."""
    is_clean: bool


def merge_texts(base: str, user: str, suggested: str) -> MergedText:
    """Merge two texts that were made of `base`, by `git merge-file --diff3` (checked with git 2.39).

    Changes of different lines are all kept. Lines that both changed are a conflict, unless both made the same change;
    changes of lines next to each other are one too. `editcore.text.three_way` has the same rule without markers and
    without a process; git stays here because users are promised its markers, and its choice among equal alignments.
    Raises WorkspaceError if git can't be run.
    """
    with tempfile.TemporaryDirectory(prefix="editgauge-merge-") as name:
        for side, text in zip(_SIDES, (user, base, suggested), strict=True):
            Path(name, side).write_bytes(text.encode())
        labels = [word for side in _SIDES for word in ("-L", side)]
        command = ["git", "merge-file", "--stdout", "--diff3", "--quiet", *labels, *_SIDES]
        # Neither the user's configuration nor a repository around the directory may change the result.
        environment = os.environ | {
            "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": name,
        }  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=name, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _merge_failed(type(error).__name__) from error
    if not 0 <= done.returncode <= _MOST_CONFLICTS:
        raise _merge_failed(done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}")
    return MergedText(done.stdout.decode(), done.returncode == 0)


def _merge_failed(why: str) -> WorkspaceError:
    return WorkspaceError(
        f"git merge-file failed ({' '.join(why.split())[:200]}): nothing changed; install git, or merge the texts "
        "yourself and give the result to resolve."
    )


def _checked_project(project: str) -> str:
    if not project or len(project.encode("utf-8", "replace")) > 200 or not project.isprintable():
        raise UsageError(f"{shown(project)!r} is not a project name", "Give up to 200 bytes of printable characters.")
    return project


def _store(connection: Connection, document_id: str, **values: Any) -> None:
    connection.execute(update(documents).where(documents.c.id == document_id).values(updated_at=now(), **values))


def _accepted(text: str, session: DocumentSession, merge: bool, force: bool, path: str) -> str:
    """The text after a session is accepted. Raises BaseMovedError if it would drop what the user saved meanwhile."""
    base, suggested = session.base_snapshot, session.ai_version
    if force or text in (base, suggested):
        return suggested
    merged = merge_texts(base, text, suggested) if merge else None
    if merged is not None and merged.is_clean:
        check_text("the merged document", merged.text)
        return merged.text
    if merged is None:
        remedy = "accept it with merge to keep both, or with force to replace the text"
    else:
        remedy = "both changed the same lines: merge them and give the result to resolve, or accept it with force"
    raise BaseMovedError(
        f"{shown(path)} was saved since its session began, so accepting it would drop that text: {remedy}; the text "
        "that is replaced stays one of its versions.",
        base=base,
        user=text,
        suggested=suggested,
        merged=None if merged is None else merged.text,
    )


def _no_document(path: str) -> DocumentError:
    return _not_found(f"There is no document {shown(path)}: view its folder to see what exists, or create it.")


def _no_active_session(path: str) -> DocumentError:
    return _no_session(f"{shown(path)} has no active session: an edit opens one.")


_not_found = partial(DocumentError, code=ErrorCode.DOC_NOT_FOUND)
_no_session = partial(DocumentError, code=ErrorCode.SESSION_NOT_FOUND)
