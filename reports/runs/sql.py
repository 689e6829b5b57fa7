"""Runs and histories as SQL tables: `outcomes`, `wrong_edits`, `samples`, `steps`, `runs`.

duckdb reads the Parquet files in place. Nothing is copied or written: a query selects, or makes tables and views in
memory. It reads no other file and no network, and its memory, its temporary files and its answer are limited. Every
table has a column `night`: the night of a history, or the name of a run folder.
"""

from __future__ import annotations

import dataclasses
import glob
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from editcore.errors import UsageError, importing
from editcore.quoting import first_line, shown
from reports.runs.manifest import NIGHT, Manifest
from reports.runs.rows import KINDS
from reports.runs.run_folder import RunFolder

if TYPE_CHECKING:
    import duckdb

_TYPES = {"str": "VARCHAR", "str | None": "VARCHAR", "int": "BIGINT", "int | None": "BIGINT", "float": "DOUBLE"}
"""Annotations of the manifest's fields -> column types; all others are JSON."""
_ARROW_TYPES = {"string": "VARCHAR", "int32": "INTEGER", "int64": "BIGINT"}
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "4GB",
    "max_temp_directory_size": "16GB",
}
_LARGEST_ANSWER = 2_000_000
"""Rows."""
_READING = re.compile(r"(select|from|with|values|table|pivot|unpivot|create)\b|\(", re.IGNORECASE)
"""The start of a statement that reads, or that makes a table in memory."""
_EXPLAIN = re.compile(r"explain\s+(analyze\s+)?(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def query(text: str, folders: Sequence[Path], parameters: Sequence[str] = ()) -> Answer:
    """Run one SQL query over run folders and histories; the parameters replace each `?` of the query.

    Raises UsageError for a query that duckdb refuses, for folders that are neither or damaged, and without duckdb.
    """
    with importing("sql", needed_by="editgauge sql"):
        import duckdb

    with TemporaryDirectory(prefix="editgauge-sql-") as temporary, _connected(folders, temporary) as connection:
        try:
            statements = connection.extract_statements(_plain(text))
            if not statements:
                raise UsageError("The query is empty", "Begin with: select * from outcomes limit 5")
            for statement in statements:
                _refuse_writing(connection, statement)
            asked = connection.execute(_plain(text), [_plain(one) for one in parameters])
            rows = asked.fetchmany(_LARGEST_ANSWER + 1)
        except duckdb.Error as error:
            raise UsageError(
                f"The query was refused: {first_line(error)}",
                f"Tables: {', '.join([*KINDS, 'runs'])}; 'describe outcomes' shows the columns of one.",
            ) from None
        if len(rows) > _LARGEST_ANSWER:
            raise UsageError(
                f"The query was refused: its answer has more than {_LARGEST_ANSWER:,} rows",
                "Count or group, or add: limit 1000.",
            )
        return Answer(tuple(column[0] for column in asked.description or ()), rows)


def _refuse_writing(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> None:
    """Raise UsageError unless the statement only reads: COPY could write to the files that are read."""
    from duckdb import StatementType

    text = statement.query.strip()
    if explained := _EXPLAIN.match(text):
        # EXPLAIN ANALYZE runs what it explains.
        for explaining in connection.extract_statements(text[explained.end() :]):
            _refuse_writing(connection, explaining)
        return
    # MULTI: any statement with a PIVOT in it.
    reads = statement.type in (StatementType.SELECT, StatementType.CREATE) or (
        statement.type == StatementType.MULTI and _READING.match(text)
    )
    if not reads:
        word = (text.split(maxsplit=1) or [""])[0]
        raise UsageError(f"The query was refused: {shown(word.upper())} is not reading", "Write a SELECT.")


def _connected(folders: Sequence[Path], temporary: str) -> duckdb.DuckDBPyConnection:
    """A database in memory whose tables are views of the files of these folders, and which reads no other files.

    What does not fit into memory goes to the folder `temporary`.
    """
    import duckdb

    runs = [RunFolder(one) for one in dict.fromkeys(run for folder in folders for run in _runs(folder))]
    connection = duckdb.connect(config={**_SETTINGS, "temp_directory": temporary})
    allowed: list[str] = []
    for kind, schema in KINDS.items():
        files = [path for run in runs for path in run.paths(kind)]
        # The glob pattern as well: duckdb checks a path as it was given to read_parquet.
        allowed += [name for path in files for name in (_plain(str(path)), _pattern(path))]
        try:
            connection.execute(_view(kind, files, schema) if files else _empty_table(kind, schema))
        except duckdb.Error as error:
            raise UsageError(
                f"The {kind} cannot be read: {first_line(error)}", "Leave that run out, or resume it."
            ) from None
    fields = [field.name for field in dataclasses.fields(Manifest)]
    types = (f"{name} {_TYPES.get(str(Manifest.__annotations__[name]), 'JSON')}" for name in fields)
    connection.execute(f"CREATE TABLE runs (night VARCHAR, {', '.join(types)})")
    connection.executemany(
        f"INSERT INTO runs VALUES (?, {', '.join('?' * len(fields))})",
        [[_plain(run.folder.name.removeprefix(NIGHT)), *_values(run.manifest)] for run in runs],
    )
    connection.execute("SET allowed_paths = ?", [allowed])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _view(kind: str, files: Sequence[Path], schema: pa.Schema) -> str:
    """SQL for a view of these files, with every column of the schema.

    The night is derived from the file name, which duckdb does once for each file.
    """
    nulls = ", ".join(f"NULL::{_column_type(field.type)} AS {field.name}" for field in schema)
    listed = ", ".join("'" + _pattern(path).replace("'", "''") + "'" for path in files)
    return f"""CREATE VIEW {kind} AS
        SELECT regexp_extract(filename, '(?:{NIGHT})?([^/\\\\]+)[/\\\\]{kind}[/\\\\][^/\\\\]+$', 1) AS night,
               * EXCLUDE (filename)
        FROM read_parquet([{listed}], filename = true, hive_partitioning = false, union_by_name = true)
        UNION ALL BY NAME SELECT {nulls} WHERE false
        """


def _pattern(path: Path) -> str:
    """The path as a glob pattern that matches nothing else: duckdb would read `run[1]` as `run1`."""
    return glob.escape(_plain(str(path)))


def _empty_table(kind: str, schema: pa.Schema) -> str:
    """SQL for an empty table, for a kind that the runs' versions did not have."""
    columns = (f"{field.name} {_column_type(field.type)}" for field in schema)
    return f"CREATE TABLE {kind} (night VARCHAR, {', '.join(columns)})"


def _column_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"{_column_type(kind.value_type)}[]"
    return _ARROW_TYPES[str(kind.value_type if pa.types.is_dictionary(kind) else kind)]


def _values(manifest: Manifest) -> Iterator[object]:
    """The values of a manifest's fields, in order; nested ones as JSON."""
    for value in dataclasses.asdict(manifest).values():
        match value:
            case str():
                yield _plain(value)
            case int() | float() | None:
                yield value
            case _:
                # duckdb's JSON has no lone surrogates, not even as escapes.
                yield json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _runs(folder: Path) -> list[Path]:
    """The folder itself if it is a run; the nights if it is a history."""
    folder = Path(os.path.abspath(folder))
    if (folder / "manifest.json").is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"nights/{NIGHT}*/manifest.json"))
    if not found:
        raise UsageError(f"{folder} is neither a run nor a history with nights", "Name a run folder or a history.")
    return found


def _plain(text: str) -> str:
    """The text with lone surrogates as escapes: duckdb refuses them, and ids are stored so."""
    return text.encode("utf-8", "backslashreplace").decode()
