"""A database through SQLAlchemy: transactions that are retried on conflicts, and errors as one line.

SQLite is a file in WAL mode. A writing transaction takes the lock when it begins (`BEGIN IMMEDIATE`), which keeps
what it reads current until it writes; the threads of a process queue for the lock. On PostgreSQL, a writing
transaction locks the rows that it reads.
"""

from __future__ import annotations

import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Lock
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, inspect, make_url
from sqlalchemy import text as sql
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.pool import QueuePool

from editcore.errors import UsageError, WorkspaceError, missing_extra
from editcore.host.cancellation import Cancellation


class FairLock:
    """A fair (FIFO) lock: the thread that has waited longest gets it. `threading.Lock` may give it to any thread."""

    def __init__(self) -> None:
        self._turn = Condition()
        self._queue: deque[object] = deque()
        """The thread that holds the lock, and the threads that wait for it, in order."""

    @contextmanager
    def acquired(self, timeout: float) -> Iterator[bool]:
        """Hold the lock. Yields False if it was not free within `timeout` seconds."""
        mine = object()
        with self._turn:
            self._queue.append(mine)
            is_held = self._turn.wait_for(lambda: self._queue[0] is mine, timeout)
            if not is_held:
                self._queue.remove(mine)
        try:
            yield is_held
        finally:
            if is_held:
                with self._turn:
                    self._queue.popleft()
                    self._turn.notify_all()


_T = TypeVar("_T")
_CONNECTIONS = 8
"""Connections that one process opens at most; PostgreSQL allows a hundred in all by default."""
_TABLES_LOCK = 0x65646974
"""The number of an advisory lock: `edit` in ASCII."""
_CONFLICTS = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_CONSTRAINT_UNIQUE", "40001", "40P01", "55P03", "23505")
"""Codes of errors caused by another transaction: this one changed nothing and is retried. `23505`: two transactions
inserted the same row at once; the second one finds it on its next try.
"""
_REMEDIES = {
    "SQLITE_READONLY": "it is read-only: ask for write permission",
    "SQLITE_CANTOPEN": "its file can't be opened: check that its directory exists and is writable",
    "SQLITE_NOTADB": "its file is damaged or not a database: replace it with a backup",
    "SQLITE_CORRUPT": "its file is damaged: replace it with a backup",
    "SQLITE_FULL": "the disk is full: free some space and try again",
    "25006": "it is read-only: ask for write permission",
    "42501": "writing is not permitted: ask for write permission",
    "53100": "its disk is full: free some space and try again",
    "": "it can't be reached: check that the server runs, then whether the last change is in it",
}
"""Start of SQLite's name of an error, or PostgreSQL's SQLSTATE -> advice; "" is for a connection that failed."""


class Database:
    """Tables in a database, created when they are first needed. Safe to share between threads, not across a fork.

    With `durable`, each write to SQLite is synced and survives a power failure. Without it, a write survives the end
    of the process, including a crash. For PostgreSQL the server's settings decide. `lock_timeout` is in seconds.
    """

    def __init__(self, url: str | URL, metadata: MetaData, *, durable: bool, lock_timeout: float) -> None:
        self._metadata = metadata
        self._lock_timeout = lock_timeout
        self._tables_lock = Lock()
        self._write_lock = FairLock()
        self._has_tables = False
        self._file: tuple[int, int] | None = None
        try:
            target = make_url(url)
            self.is_sqlite = target.get_backend_name() == "sqlite"
            if self.is_sqlite and target.database and not target.database.startswith((":", "file:")):
                # An absolute path is the same file after a change of the current directory.
                target = target.set(database=os.path.abspath(target.database))
            if not self.is_sqlite and target.get_backend_name() != "postgresql":
                raise ArgumentError
            made = self._sqlite(target, durable=durable) if self.is_sqlite else self._server(target)
            self._path = (target.database or "") if self.is_sqlite else ""
        except ImportError as error:
            raise missing_extra(error.name or str(error), extra="postgres", needed_by="PostgreSQL") from None
        except (ArgumentError, NoSuchModuleError, ValueError):
            # The URL is not in the message: it may have a password.
            raise UsageError(
                "That is not the URL of a database",
                "Give one like sqlite:////tmp/a.db or postgresql+psycopg://host/name.",
            ) from None
        self._reading, self._writing = made

    def read(self, work: Callable[[Connection], _T], cancellation: Cancellation | None = None) -> _T:
        """Run `work` in a reading transaction. Raises WorkspaceError if the database fails, and Cancelled."""
        if cancellation is None:
            return self._run(self._reading, work)
        return cancellation.outcome(lambda: self._run(self._reading, work))

    def write(self, work: Callable[[Connection], _T], cancellation: Cancellation | None = None) -> _T:
        """Run `work` in a writing transaction: all of it or nothing. Raises WorkspaceError if the database fails.

        `work` is run again after a conflict with another transaction, and must have no effects outside the
        connection. Raises Cancelled if the call is cancelled before the commit; the transaction is then rolled back.
        """
        if cancellation is None:
            return self._write(work)

        def guarded(commit: Callable[[], None]) -> _T:
            def working(connection: Connection) -> _T:
                result = work(connection)
                commit()
                return result

            return self._write(working)

        return cancellation.committed(guarded)

    def _write(self, work: Callable[[Connection], _T]) -> _T:
        if not self.is_sqlite:
            return self._run(self._writing, work)
        with self._write_lock.acquired(self._lock_timeout) as is_ours:
            if not is_ours:
                raise self._locked()
            return self._run(self._writing, work)

    def close(self) -> None:
        self._reading.dispose()
        self._writing.dispose()

    def _sqlite(self, url: URL, *, durable: bool) -> tuple[Engine, Engine]:
        options: dict[str, Any] = {
            "poolclass": QueuePool,
            "max_overflow": 0,
            "pool_timeout": self._lock_timeout,
            "connect_args": {"check_same_thread": False, "timeout": self._lock_timeout},
        }
        # One connection writes: with several, threads would have to poll for SQLite's own lock.
        writing = create_engine(url, pool_size=1, **options)
        is_file = url.database not in (None, "", ":memory:")
        reading = create_engine(url, pool_size=_CONNECTIONS, **options) if is_file else writing

        def set_up(connection: Any, _: object) -> None:
            connection.isolation_level = None  # The driver must not begin transactions by itself.
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")

        for engine, begin in {reading: "BEGIN", writing: "BEGIN IMMEDIATE"}.items():
            event.listen(engine, "connect", set_up)
            event.listen(engine, "begin", lambda connection, begin=begin: connection.exec_driver_sql(begin))
        event.listen(writing, "connect", lambda connection, _: connection.execute("PRAGMA journal_mode = WAL"))
        return reading, writing

    def _server(self, url: URL) -> tuple[Engine, Engine]:
        engine = create_engine(
            url, pool_size=_CONNECTIONS, max_overflow=0, pool_timeout=self._lock_timeout, pool_pre_ping=True
        )

        def set_up(connection: Any, _: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = {int(self._lock_timeout * 1000)}")
            connection.commit()

        event.listen(engine, "connect", set_up)
        return engine, engine

    def _run(self, engine: Engine, work: Callable[[Connection], _T]) -> _T:
        until = time.monotonic() + self._lock_timeout
        while True:
            try:
                self._make_tables()
                self._check_file()
                with engine.begin() as connection:
                    return work(connection)
            except (DBAPIError, NoConnection) as error:
                code = _code(error)
                if not code.startswith(_CONFLICTS):
                    raise _database_error(error, code) from error
                if isinstance(error, NoConnection) or time.monotonic() >= until:
                    raise self._locked() from error
            time.sleep(random.uniform(0.001, 0.01))

    def _locked(self) -> WorkspaceError:
        return WorkspaceError(
            f"The documents' database has been locked for {self._lock_timeout:g} s: nothing changed; try again later."
        )

    def _make_tables(self) -> None:
        if self._has_tables:
            return
        with self._tables_lock:
            # Checked before creating: a read-only database can then be read.
            with self._reading.begin() as connection:
                self._has_tables = set(self._metadata.tables) <= set(inspect(connection).get_table_names())
            if not self._has_tables:
                with self._writing.begin() as connection:
                    if not self.is_sqlite:
                        connection.execute(sql("SELECT pg_advisory_xact_lock(:number)"), {"number": _TABLES_LOCK})
                    self._metadata.create_all(connection)
                self._has_tables = True

    def _check_file(self) -> None:
        """Raise WorkspaceError if SQLite's file was deleted: open connections would accept edits that are then lost."""
        try:
            found = os.stat(self._path)
        except OSError:
            if self._file is None:  # Only SQLite understands the name, such as `:memory:`.
                return
            raise WorkspaceError(
                "The documents' database failed: its file is gone: restore it, or a backup of it."
            ) from None
        before, self._file = self._file, (found.st_dev, found.st_ino)
        if before not in (None, self._file):
            self.close()
            self._has_tables = False
            self._make_tables()


def default_url(name: str) -> URL:
    """The URL of an SQLite file called `name` in the user's data directory, which is created if needed."""
    directory = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "editgauge"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"The data directory can't be created ({(error.strerror or '').lower()}): give the url of a database."
        ) from error
    return URL.create("sqlite", database=str(directory / name))


def _code(error: DBAPIError | NoConnection) -> str:
    """SQLite's name of an error, or PostgreSQL's SQLSTATE; "" if the error has none."""
    if isinstance(error, NoConnection):
        return "SQLITE_BUSY"
    return getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""


def _database_error(error: DBAPIError | NoConnection, code: str) -> WorkspaceError:
    remedy = next((remedy for start, remedy in _REMEDIES.items() if start and code.startswith(start)), None)
    if remedy is None:
        remedy = f"its error code is {code}: look it up" if code else _REMEDIES[""]
    return WorkspaceError(f"The documents' database failed ({type(error).__name__}): {remedy}.")
