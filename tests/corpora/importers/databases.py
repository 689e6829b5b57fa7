"""Databases of Crush and of OpenCode in Go, made for tests by the schema of their first migration."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

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
"""


Version = tuple[str, str]
"""(path, text) of a version of a file in the session `s`."""


def make(path: Path, *messages: Any, files: Sequence[Version] = (), script: str = _SCHEMA) -> Path:
    """A database of messages: each a list of parts, or (session, list of parts), or (session, parts as stored)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.executescript(script)
        for number, message in enumerate(messages):
            session, parts = message if isinstance(message, tuple) else ("s", message)
            stored = parts if isinstance(parts, str | bytes | int) else json.dumps(parts)
            opened.execute(
                "INSERT INTO messages VALUES (?, ?, 'assistant', ?, 'm', 0, 0, NULL)", (str(number), session, stored)
            )
        for number, (name, content) in enumerate(files):
            opened.execute("INSERT INTO files VALUES (?, 's', ?, ?, ?, 0, 0)", (str(number), name, content, number))
    return path


def call(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    """The part of a tool call."""
    return {"type": "tool_call", "data": {"id": key, "name": name, "input": json.dumps(arguments), "finished": True}}


def result(key: str, content: str = "", /, *, failed: bool = False, **metadata: Any) -> dict[str, Any]:
    """The part of its result."""
    data = {"tool_call_id": key, "name": "", "content": content, "is_error": failed}
    return {"type": "tool_result", "data": data | ({"metadata": json.dumps(metadata)} if metadata else {})}
