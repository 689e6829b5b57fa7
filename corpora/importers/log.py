"""An agent's log, read in bounded memory. A defect of a log is counted and named, never fatal."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import msgspec

from corpora.regular_file import open_regular

LONGEST_LINE = 64 << 20
"""In bytes; a longer line of a log is left out."""
LARGEST_DOCUMENT = 128 << 20
"""In bytes; a larger log that is one JSON document is left out."""
MOST_VALUES = 8_000_000
"""The number of commas of a line or document. A small value takes twenty times its size in memory."""
_NAMED = 3
"""The number of places of each kind that are named. All are counted."""


@dataclass(slots=True)
class Tally:
    """Counts of what was read, and of what was left out and why."""

    counts: Counter[str] = field(default_factory=Counter)
    named: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, where: str = "") -> None:
        """Count one, and keep its place if it is among the first few."""
        self.counts[what] += 1
        places = self.named.setdefault(what, [])
        if where and len(places) < _NAMED and where not in places:
            places.append(where)


@dataclass(frozen=True, slots=True)
class Log:
    """A log: a file, or a blob of a repository."""

    name: str
    """The log's name in messages: the path."""
    open: Callable[[], BinaryIO]
    path: Path | None = None
    """The path of a log that is a file. Files beside it may belong to the log."""

    @classmethod
    def at(cls, path: Path) -> Log:
        def opened() -> BinaryIO:
            return os.fdopen(open_regular(path, os.O_RDONLY, follows=True), "rb")

        return cls(str(path), opened, path)


def json_lines(log: Log, tally: Tally, *, only: tuple[bytes, ...] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a log with one object per line, and their 1-based line numbers.

    With `only`, lines without any of these bytes are skipped without decoding.
    """
    for number, line in _lines(log, tally):
        if line.isspace() or (only and not any(needle in line for needle in only)):
            continue
        if line.count(b",") > MOST_VALUES:
            tally.add(f"line of over {MOST_VALUES} values", f"{log.name}:{number}")
            continue
        value = _decoded(line)
        if isinstance(value, dict):
            yield number, value
        else:
            tally.add("line is not JSON" if value is None else "line is not an object", f"{log.name}:{number}")


def text_lines(log: Log, tally: Tally) -> Iterator[tuple[int, str]]:
    """The lines of a text log without their line endings, and their 1-based numbers."""
    for number, line in _lines(log, tally):
        yield number, line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


def json_document(log: Log, tally: Tally) -> Any:
    """The JSON value of a log that is one document. None, and counted, if it cannot be read."""
    try:
        with log.open() as file:
            data = file.read(LARGEST_DOCUMENT + 1)
    except OSError as error:
        tally.add("cannot be read", f"{log.name}: {error.strerror or error}")
        return None
    if len(data) > LARGEST_DOCUMENT:
        tally.add(f"document over {LARGEST_DOCUMENT >> 20} MB", log.name)
        return None
    if data.count(b",") > MOST_VALUES:
        tally.add(f"document of over {MOST_VALUES} values", log.name)
        return None
    value = _decoded(data)
    if value is None:
        tally.add("document is not JSON", log.name)
    return value


def _lines(log: Log, tally: Tally) -> Iterator[tuple[int, bytes]]:
    try:
        with log.open() as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) < LONGEST_LINE or line.endswith(b"\n"):
                    yield number, line
                    continue
                tally.add(f"line over {LONGEST_LINE >> 20} MB", f"{log.name}:{number}")
                while (line := file.readline(1 << 20)) and not line.endswith(b"\n"):
                    pass
    except OSError as error:
        tally.add("cannot be read", f"{log.name}: {error.strerror or error}")


def embedded(value: Any) -> Any:
    """The JSON value in a text or in bytes; None if it is not JSON or too large. Other values are returned as is."""
    if not isinstance(value, str | bytes):
        return value
    n_values = value.count(",") if isinstance(value, str) else value.count(b",")
    return _decoded(value) if n_values <= MOST_VALUES else None


def _decoded(data: bytes | str) -> Any:
    """The JSON value; None if it is not JSON. Lone surrogates, which occur in logs, are accepted."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def dig(value: Any, *keys: str | int) -> Any:
    """The value at a path of keys and indices in a JSON value; None if there is no such path."""
    for key in keys:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def text(value: Any) -> str:
    """The value if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def joined_text(content: Any, between: str = "") -> str:
    """The text of a message. `content` is the text, or a list of parts with texts."""
    return content if isinstance(content, str) else between.join(text(part.get("text")) for part in items(content))


def parts_of(value: Any, deepest: int = 4) -> Iterator[Any]:
    """The value and every value within it down to a depth, depth first."""
    yield value
    if isinstance(value, list | dict) and deepest >= 0:
        for part in value.values() if isinstance(value, dict) else value:
            yield from parts_of(part, deepest - 1)


def items(value: Any) -> list[dict[str, Any]]:
    """The objects in a list. Other values in the list are skipped; another value than a list has no objects."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# Logs that are SQLite databases. They are opened read-only.
#
# A database is a program as much as a file: it may contain views, generated columns and virtual tables. Therefore only
# plain tables are read, no function is called, and the work of a query has a bound.

LARGEST_DATABASE = 8 << 30
"""In bytes; a larger database is left out."""
MOST_ROWS = 1_000_000
"""The number of rows of a table that are read."""
_STEPS = 100_000_000
"""The number of instructions of SQLite's virtual machine that all queries of one database may take."""
_STEPS_A_CALL = 10_000
_ALLOWED = ((sqlite3.SQLITE_SELECT, None), (sqlite3.SQLITE_READ, None), (sqlite3.SQLITE_PRAGMA, "table_xinfo"))
"""Actions that a query may take, each with its argument where that matters."""


@contextmanager
def database(log: Log, tally: Tally) -> Iterator[sqlite3.Connection | None]:
    """The database of a log. None, and counted, if it cannot be opened. Nothing is written beside it.

    SQLite keeps changes that are not merged yet in a second file beside the database. Both files are copied then.
    """
    if log.path is None:
        tally.add("cannot be read", f"{log.name}: not a file")
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            opened = _opened(log.path, Path(folder))
        except (OSError, sqlite3.Error) as error:
            tally.add("cannot be read", f"{log.name}: {error}")
            yield None
            return
        with closing(opened):
            yield opened


def rows(
    opened: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    log: Log,
    tally: Tally,
    *,
    only: Sequence[int] | None = None,
) -> Iterator[tuple[Any, ...]]:
    """The rows of a plain table in the order of insertion, up to an error, which is counted. Raises nothing.

    `only` has the row ids of some rows, from an earlier call. A row with a value that is too large is left out and
    counted. A text is a str, a blob is bytes.
    """
    numbers = _row_ids(opened, table, columns, log, tally) if only is None else only
    names = ", ".join(f"[{column}]" for column in columns)
    for number in numbers:
        try:
            found = opened.execute(f"SELECT {names} FROM [{table}] WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.DataError:
            tally.add(f"value over {LONGEST_LINE >> 20} MB", f"{log.name}:{number}")
            continue
        except sqlite3.Error as error:
            tally.add("cannot be read", f"{log.name}: {error}")
            return
        if found is not None:
            yield found


def _authorized(action: int, argument: str | None, *_: object) -> int:
    is_allowed = (action, argument if action == sqlite3.SQLITE_PRAGMA else None) in _ALLOWED
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _row_ids(opened: sqlite3.Connection, table: str, columns: Sequence[str], log: Log, tally: Tally) -> list[int]:
    """The row ids of a plain table, ascending. None, and counted, if there is no such table or it computes columns."""
    try:
        found = opened.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,)).fetchmany(2)
        is_plain = len(found) == 1 and found[0][0] == "table" and str(found[0][1]).upper().startswith("CREATE TABLE")
        known = {row[1]: row[6] for row in opened.execute(f"PRAGMA table_xinfo([{table}])")} if is_plain else {}
        if any(known.values()) or any(column not in known for column in columns if column != "rowid"):
            tally.add(f"database without a table {table} of {', '.join(columns)}", log.name)
            return []
        numbers = [number for (number,) in opened.execute(f"SELECT rowid FROM [{table}] LIMIT {MOST_ROWS + 1}")]
    except sqlite3.Error as error:
        tally.add("cannot be read", f"{log.name}: {error}")
        return []
    if len(numbers) > MOST_ROWS:
        tally.add(f"table of over {MOST_ROWS} rows", log.name)
    return sorted(number for number in numbers[:MOST_ROWS] if isinstance(number, int))


def _opened(path: Path, folder: Path) -> sqlite3.Connection:
    """The database, immutable or a copy, with all bounds set."""
    beside = path.with_name(path.name + "-wal")
    if path.stat().st_size + (beside.stat().st_size if beside.exists() else 0) > LARGEST_DATABASE:
        raise OSError(f"over {LARGEST_DATABASE >> 30} GB")
    if beside.exists():
        shutil.copyfile(path, folder / "log.db")
        shutil.copyfile(beside, folder / "log.db-wal")
        address = f"file:{quote(str(folder / 'log.db'))}?mode=ro"
    else:
        address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    opened = sqlite3.connect(address, uri=True)
    try:
        opened.execute("PRAGMA trusted_schema = OFF")
        opened.execute("PRAGMA cell_size_check = ON")
        opened.execute("PRAGMA mmap_size = 0")
        opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE)
        opened.text_factory = lambda data: data.decode("utf-8", "replace")
        opened.set_authorizer(_authorized)
        left = iter(range(_STEPS // _STEPS_A_CALL))
        opened.set_progress_handler(lambda: next(left, None) is None, _STEPS_A_CALL)
    except BaseException:
        opened.close()
        raise
    return opened
