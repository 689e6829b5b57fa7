"""What an importer is: how to find an agent's logs, and how to read one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Log, Tally
from corpora.importers.rebuilding.session import Event
from corpora.sample import Sample

_OPEN = 64
"""Repositories that are held open at a time; each has a process."""


@dataclass(slots=True)
class Surroundings:
    """What a parser may look at beside the log, and where it says what it left out. To be closed."""

    tally: Tally = field(default_factory=Tally)
    repo: Path | None = None
    """The project's repository, where the user named it; else the session's folder is tried."""
    _repositories: dict[Path, Repository | None] = field(default_factory=dict)

    def repository(self, folder: str | Path | None = None) -> Repository | None:
        """The repository the user named, else the one that the folder lies in; None where there is none here."""
        place = self.repo or (Path(folder) if folder else None)
        if place is None or not place.is_absolute():
            return None
        if place not in self._repositories:
            if len(self._repositories) == _OPEN:
                self.close()
            self._repositories[place] = Repository.at(place)
        return self._repositories[place]

    def close(self) -> None:
        """End the git processes."""
        for repository in self._repositories.values():
            if repository:
                repository.close()
        self._repositories.clear()


@dataclass(frozen=True, slots=True)
class Importer:
    """One agent's log format."""

    name: str
    summary: str
    """One line: what it reads."""
    logs: Callable[[Path], Iterator[Log]]
    """The logs at a path that the user names, a file or a folder, in a fixed order. Reads no log."""
    events: Callable[[Log, Surroundings], Iterator[Event | Sample]]
    """What a log says, in the order in which it happened; or samples, where no file has to be rebuilt.

    Raises nothing for whatever the log holds.
    """
    homes: tuple[str, ...] = ()
    """Where the agent keeps its logs, below the user's home; globs allowed."""
    versions: tuple[str, str] | None = None
    """Oldest and newest version of the agent whose logs were seen; others are read all the same, and counted."""


def files_matching(*patterns: str) -> Callable[[Path], Iterator[Log]]:
    """Finds the logs by their names: the path itself if it is a file, else whatever matches below it."""

    def logs(path: Path) -> Iterator[Log]:
        if path.is_file():
            yield Log.at(path)
            return
        found = {file for pattern in patterns for file in path.rglob(pattern) if file.is_file()}
        yield from map(Log.at, sorted(found))

    return logs
