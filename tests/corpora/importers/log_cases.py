"""Cases of importers: a log and the expected events, samples and counts.

`tests/cases/importers/IMPORTER/SENTENCE/` contains a log, or several, as an agent leaves them, and
`tests/cases/importers/IMPORTER/SENTENCE.jsonl` the events, samples and counts that the importer makes of them, one a
line. `pytest --update-expected` writes the second anew. Three things differ from an agent's log:

- `NAME.db.jsonl` is a database: one row a line, with the table's name under `table`. An object or a list in a row is
  stored as JSON, or compressed if the row has the `data_type` zstd.
- `history.fast-import` is a git repository in its folder, as `git fast-export --all` prints it.
- `<folder>` means the folder of the case. A folder `project` in it is the repository that the user names (`--repo`).
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.importers import IMPORTERS
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.importers.session import Event
from corpora.sample import Sample, encode

FOLDER = Path(__file__).parents[2] / "cases" / "importers"
CASES = [folder for folder in sorted(FOLDER.glob("*/*")) if folder.is_dir()]
RETRIED = "an_edit_fails_and_is_retried"
"""A case of every agent's importer: the file is known, an edit fails for its whitespace, the next one succeeds."""
_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL);
CREATE TABLE files (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE(path, session_id, version)
);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts BLOB NOT NULL default '[]', model TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER
);
CREATE TABLE threads (
    id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL
);
ALTER TABLE threads ADD COLUMN folder_paths TEXT;
CREATE TABLE session (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL DEFAULT 'p', directory TEXT NOT NULL, version TEXT NOT NULL
);
CREATE TABLE message (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, data TEXT NOT NULL
);
CREATE TABLE part (
    id TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES message(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL, data TEXT NOT NULL
);
"""
"""The tables of Crush and of OpenCode in Go, by their first migration, that of Zed, and those of OpenCode."""


def restore(case: Path, folder: Path) -> Path:
    """Copy the logs of a case into an empty folder, with its databases and repositories; return the folder."""
    for path in sorted(case.rglob("*")):
        place = folder / path.relative_to(case)
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.name.endswith(".db.jsonl"):
            database(place.with_suffix(""), map(json.loads, path.read_text().splitlines()))
        elif path.name == "history.fast-import":
            repository(place.parent, path.read_bytes())
        else:
            place.write_bytes(path.read_bytes().replace(b"<folder>", bytes(folder)))
    return folder


def database(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write a database of these rows; each names its `table`."""
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.executescript(_SCHEMA)
        for row in rows:
            values = {name: _stored(value, row) for name, value in row.items() if name != "table"}
            names, marks = ", ".join(values), ", ".join("?" * len(values))
            opened.execute(f"INSERT INTO {row['table']} ({names}) VALUES ({marks})", tuple(values.values()))
    return path


def _stored(value: Any, row: dict[str, Any]) -> Any:
    text = json.dumps(value) if isinstance(value, dict | list) else value
    if "data_type" not in row or not isinstance(value, dict | list):
        return text
    data = text.encode()
    return pa.compress(data, codec="zstd", asbytes=True) if row["data_type"] == "zstd" else data


def repository(folder: Path, stream: bytes) -> None:
    """Make a git repository of the output of `git fast-export --all`."""
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)


def read_rows(importer: Importer, folder: Path) -> list[Any]:
    """The name, the events and the samples of each log in a folder, and the counts of all logs.

    A name of the folder is replaced by `<folder>`, and left out of the names of logs: calls without an id are named
    after their log.
    """
    project = folder / "project"
    surroundings = Surroundings(repo=project if project.is_dir() else None)
    rows: list[Any] = []
    for log in importer.logs(folder):
        named = replace(log, name=log.name.replace(f"{folder}/", ""))
        rows.append({"log": named.name})
        rows += _rows_of(importer, named, surroundings)
    surroundings.close()
    outcomes: Counter[str] = sum(surroundings.calls.by("agent").values(), Counter())
    rows.append({"counts": dict(sorted(surroundings.tally.counts.items())), "calls": dict(sorted(outcomes.items()))})
    return json.loads(json.dumps(rows).replace(str(folder), "<folder>"))


def _rows_of(importer: Importer, log: Log, surroundings: Surroundings) -> Iterator[Any]:
    events: list[Any] = []

    def kept() -> Iterator[Event | Sample]:
        for event in importer.events(log, surroundings):
            events.append(event)
            yield event

    samples = list(rebuilt_samples(kept(), importer, surroundings))
    yield from ({type(event).__name__: _plain(event)} for event in events if not isinstance(event, Sample))
    yield from ({"sample": _without_nulls(json.loads(encode(sample)))} for sample in samples)


def _plain(value: Any) -> Any:
    """A value for JSON. A dataclass becomes an object of the fields that differ from their defaults."""
    if is_dataclass(value):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        return {field.name: _plain(given[field.name]) for field in fields(value) if given[field.name] != field.default}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


def _without_nulls(fields: dict[str, Any]) -> dict[str, Any]:
    plain = {name: _without_nulls(value) if isinstance(value, dict) else value for name, value in fields.items()}
    return {name: value for name, value in plain.items() if value is not None}


def importer_of(case: Path) -> Importer:
    """The importer of a case."""
    return IMPORTERS[case.parent.name]
