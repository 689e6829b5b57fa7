"""Logs and repositories made for tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Event
from corpora.sample import Sample

_GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "u",
    "GIT_AUTHOR_EMAIL": "u@example.org",
    "GIT_COMMITTER_NAME": "u",
    "GIT_COMMITTER_EMAIL": "u@example.org",
}


def git(folder: Path, *arguments: str, minute: int = 0, stdin: str | None = None) -> str:
    """The output of a git command, by a user without a configuration of their own, at a minute of 2024."""
    date = f"2024-01-01T00:{minute:02}:00 +0000"
    environment = os.environ | _GIT_ENVIRONMENT | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write_lines(path: Path, *lines: Any) -> Path:
    """A log of one JSON value a line; text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def read(importer: Importer, *logs: Log) -> tuple[list[Event | Sample], dict[str, int]]:
    """The events of logs, and what was counted on the way."""
    with closing(Surroundings()) as surroundings:
        found = [event for log in logs for event in importer.events(log, surroundings)]
    return found, dict(surroundings.tally.counts)


def spoilt(value: Any) -> Iterator[Any]:
    """The value with one of its nodes replaced by something of another kind, for every node and kind.

    JSON in a text is spoilt likewise.
    """
    yield from (None, 7, [1, "x", None, {}], "x", {"x": []})
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            yield from map(json.dumps, spoilt(json.loads(value)))
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        for other in spoilt(child):
            copy = value.copy()
            copy[key] = other
            yield copy
