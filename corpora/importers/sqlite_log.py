"""An agent's log that is an SQLite database, opened read-only. What is wrong with it is counted and named, never fatal.

A database is a program as much as a file: it may contain views, generated columns and virtual tables. Only plain tables
are read, no function is called, and the work of a query has a bound.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from corpora.importers.log import LONGEST_LINE, Log, Tally

LARGEST_DATABASE = 8 << 30
"""Bytes; a larger database is left out."""
MOST_ROWS = 1_000_000
"""Rows of a table that are read."""
_STEPS = 100_000_000
"""Instructions of SQLite's virtual machine that the queries of one database may take together."""
_STEPS_A_CALL = 10_000
_ALLOWED = ((sqlite3.SQLITE_SELECT, None), (sqlite3.SQLITE_READ, None), (sqlite3.SQLITE_PRAGMA, "table_xinfo"))
"""Actions, the last with its argument."""


@contextmanager
def database(log: Log, tally: Tally) -> Iterator[sqlite3.Connection | None]:
    """The database of a log; None, and counted, if it cannot be opened. Nothing is written beside it.

    What SQLite has not yet merged into the file is in a second file beside it: both are copied then.
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
    """The rows of a plain table in the order in which they were inserted, up to an error, which is counted.

    `only` has the row ids of some of them, from an earlier call.
    A text or a blob is a str or bytes; where one is too large, the row is left out and counted. Raises nothing.
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
    """The row ids of a plain table, ascending; none, and counted, if there is no such table or it computes columns."""
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
