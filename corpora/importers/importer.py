"""An importer: a function that finds the logs of an agent, and one that reads a log. And logs of one run a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from corpora.edit_calls import CallCounts
from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Log, Tally, items, json_document, json_lines
from corpora.importers.session import Event
from corpora.parquet import limited_memory, open_parquet
from corpora.sample import Sample
from corpora.segments import HUB, check_reachable
from editcore.errors import UsageError, importing

_OPEN = 64
"""The number of repositories that are open at a time. Each has a git process."""


@dataclass(slots=True)
class Surroundings:
    """Everything besides the log that an importer may read, and the tally of what it left out. Close it after use."""

    tally: Tally = field(default_factory=Tally)
    calls: CallCounts = field(default_factory=CallCounts)
    """The edit calls of all logs, by what became of them."""
    repo: Path | None = None
    """The project's repository, if the user named one. Otherwise the repository of the session's folder is used."""
    base: str | None = None
    """The commit of `repo` at which all sessions began, if the user named one."""
    default_repo: Path | None = None
    """The repository that contains the current log. It is used unless the user named one."""
    _repositories: dict[Path, Repository | None] = field(default_factory=dict)

    def repository(self, folder: str | Path | None = None) -> Repository | None:
        """The repository that the user named, else the log's, else the folder's; None if it is not on this machine."""
        place = self.repo or self.default_repo or (Path(folder) if folder else None)
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
    """One line for the user: the logs that are read."""
    logs: Callable[[Path], Iterator[Log]]
    """The logs at a path, a file or a folder, in a fixed order. No log is read."""
    events: Callable[[Log, Surroundings], Iterator[Event | Sample]]
    """The events of a log in the order in which they happened, or samples if no file has to be rebuilt.

    Raises nothing, whatever the log contains.
    """
    homes: tuple[str, ...] = ()
    """The folders below the user's home in which the agent keeps its logs; globs are allowed."""
    versions: tuple[str, str] | None = None
    """The oldest and newest version of the agent whose logs were seen. Logs of other versions are read and counted."""

    def knows(self, version: str) -> bool:
        """True if `version` lies between the oldest and the newest version whose logs were seen."""
        if self.versions is None:
            return True
        texts = self.versions[0], version, self.versions[1]
        low, this, high = ([int(part) for part in re.findall(r"\d{1,9}", text)] for text in texts)
        return low <= this <= high


def files_matching(*patterns: str, is_log: Callable[[Path], bool] = lambda _: True) -> Callable[[Path], Iterator[Log]]:
    """A finder of logs by file name: the path itself if it is a file, else all matching files below it."""

    def logs(path: Path) -> Iterator[Log]:
        if path.is_file():
            yield Log.at(path)
            return
        found = {file for pattern in patterns for file in path.rglob(pattern) if is_log(file) and file.is_file()}
        yield from map(Log.at, sorted(found))

    return logs


def record_logs(path: Path) -> Iterator[Log]:
    """The logs at a path, or the dataset `hub:OWNER/NAME`."""
    if str(path).startswith(HUB):
        yield Log(str(path), _not_a_file)
    else:
        yield from files_matching("*.json", "*.jsonl", "*.parquet")(path)


def _not_a_file() -> BinaryIO:
    return BytesIO()


def records(log: Log, tally: Tally) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a log with their 1-based numbers, up to an error, which is counted. Raises nothing.

    A log is a JSON document or a list of them, JSON lines, Parquet, or a dataset of the hub, with a run in each record.
    Rows are read one at a time: public sets have some hundred thousand runs of a megabyte.
    """
    if log.name.startswith(HUB):
        yield from _until_error(_hub_rows, log, tally)
    elif log.path is not None and log.path.suffix == ".parquet":
        yield from _until_error(_parquet_rows, log, tally)
    elif log.name.endswith(".jsonl"):
        yield from json_lines(log, tally)
    else:
        document = json_document(log, tally)
        yield from enumerate(items(document if isinstance(document, list) else [document]), 1)


def _until_error(
    rows: Callable[[Log], Iterator[dict[str, Any]]], log: Log, tally: Tally
) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        yield from enumerate(rows(log), 1)
    except (UsageError, ValueError, OSError, MemoryError) as error:
        tally.add("cannot be read", f"{log.name}: {error}")


def _parquet_rows(log: Log) -> Iterator[dict[str, Any]]:
    """The rows of a file. Row groups of public sets are larger than memory, so pages are decoded as they are needed."""
    assert log.path is not None
    with open_parquet(log.path) as file:
        batches = file.iter_batches(batch_size=1, use_threads=False)
        while True:
            with limited_memory(log.path):
                batch = next(batches, None)
            if batch is None:
                return
            yield from batch.to_pylist()


def _hub_rows(log: Log) -> Iterator[dict[str, Any]]:
    """The rows of all splits. Only this function uses the network."""
    check_reachable(log.name)
    with importing("hub", needed_by=log.name):
        import datasets
    try:
        splits = datasets.load_dataset(log.name.removeprefix(HUB), streaming=True)
        for rows in splits.values():
            yield from map(dict, rows)
    except Exception as error:
        # Whatever the library raises, the cause is the name or the network.
        raise UsageError(f"it cannot be loaded: {error}", "Check the name and the network.") from error
