"""Logs and repositories made for tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Disturbed, Event, Shown

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


def read(importer: Importer, path: Path) -> tuple[list[Event], dict[str, int]]:
    """The events of a log without what was shown besides reads, and what was counted on the way."""
    found, counts = read_with_shown(importer, path)
    return without_shown(found), counts


def without_shown(events: Iterable[Event]) -> list[Event]:
    """The events, as if the outputs of commands and the answers of other tools were not known."""
    return [Disturbed() if isinstance(one, Disturbed) else one for one in events if not isinstance(one, Shown)]


def read_with_shown(importer: Importer, path: Path) -> tuple[list[Event], dict[str, int]]:
    """The events of a log, and what was counted on the way."""
    surroundings = Surroundings()
    found = list(importer.events(Log.at(path), surroundings))
    surroundings.close()
    return found, dict(surroundings.tally.counts)


def spoilt(value: Any) -> Iterator[Any]:
    """The value with one of its nodes replaced by something of another kind, for every node and kind."""
    yield from (None, 7, [1, "x", None, {}], "x", {"x": []})
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        for other in spoilt(child):
            copy = value.copy()
            copy[key] = other
            yield copy


def read_all(importer: Importer, path: Path) -> tuple[list[Event], dict[str, int]]:
    """The events of all logs that are found at a path, and what was counted on the way."""
    surroundings = Surroundings()
    found = [event for log in importer.logs(path) for event in importer.events(log, surroundings)]
    surroundings.close()
    return without_shown(found), dict(surroundings.tally.counts)


def survives(importer: Importer, path: Path, value: Any, *, lines: bool = False) -> bool:
    """Whether an importer raises for no log that is spoilt; each is one document, or with `lines` one value a line."""
    surroundings = Surroundings()
    for other in spoilt(value):
        written = write_lines(path, *other) if lines and isinstance(other, list) else write_lines(path, other)
        for event in importer.events(Log.at(written), surroundings):
            hash(event)
    surroundings.close()
    return True
