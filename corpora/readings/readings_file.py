"""The readings of one reader: a file of JSON lines that only grows.

Each answer is one line, written in one call and synced to disk before the next question. A killed session therefore
loses no acknowledged answer. The next session drops a line that was cut off while it was written.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from corpora.readings.reading import Reading, decode, encode
from corpora.regular_file import append_whole, cannot_open, open_regular
from editcore.errors import UsageError

SUFFIX = ".readings"
"""The suffix is not .jsonl, since the .jsonl files of a folder are its corpus."""


class Readings:
    """Answers in order; for each sample the last answer counts that was not undone."""

    def __init__(self) -> None:
        self._given: list[Reading] = []

    def add(self, reading: Reading) -> None:
        """Add an answer; an `undo` removes the last answer of its sample."""
        if reading.answer != "undo":
            self._given.append(reading)
            return
        for place in range(len(self._given) - 1, -1, -1):
            if self._given[place].sample_id == reading.sample_id:
                del self._given[place]
                return

    @property
    def last(self) -> Reading | None:
        """The last answer that was not undone."""
        return self._given[-1] if self._given else None

    def by_sample(self) -> dict[str, Reading]:
        """Sample id -> its answer, including skipped ones."""
        return {reading.sample_id: reading for reading in self._given}


def answers(path: Path) -> dict[str, Reading]:
    """Sample id -> the answer in a readings file, without skipped ones. Raises UsageError if it cannot be read."""
    with _opened(path, os.O_RDONLY) as file:
        found, _ = _read(path, file)
    return {name: one for name, one in found.by_sample().items() if one.answer != "skip"}


class ReadingsFile:
    """A readings file, open and locked for one session. A context manager.

    Raises UsageError if the file cannot be written, holds something else, or is in use.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.readings = Readings()
        self.n_dropped_bytes = 0
        """The bytes of a line that an earlier session did not finish."""

    def __enter__(self) -> ReadingsFile:
        self._file = _opened(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            self._start()
        except BaseException:
            self._file.close()
            raise
        return self

    def _start(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"{self.path} is in use by another session", "End that one, or name another file with --readings."
            ) from None
        self.readings, whole = _read(self.path, self._file)
        size = os.fstat(self._file.fileno()).st_size
        if whole < size:
            self.n_dropped_bytes = size - whole
            self._file.truncate(whole)
        elif size and os.pread(self._file.fileno(), 1, size - 1) != b"\n":
            os.write(self._file.fileno(), b"\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()  # An empty file is not removed: its name may belong to another file by now.

    def add(self, reading: Reading) -> None:
        """Add an answer; it is on disk on return. After an OSError the file is unchanged."""
        append_whole(self.path, self._file.fileno(), encode(reading), synced=True)
        self.readings.add(reading)


def _opened(path: Path, flags: int) -> BinaryIO:
    try:
        return os.fdopen(open_regular(path, flags), "r+b" if flags & os.O_RDWR else "rb", buffering=0)
    except OSError as error:
        raise cannot_open(path, error) from None


def _read(path: Path, file: BinaryIO) -> tuple[Readings, int]:
    """The readings of a file, and its length without an unfinished last line."""
    found, whole = Readings(), 0
    with os.fdopen(os.dup(file.fileno()), "rb") as buffered:
        buffered.seek(0)
        for number, line in enumerate(buffered, 1):
            try:
                if line.strip():
                    found.add(decode(line))
            except ValueError as error:
                if not line.endswith(b"\n"):
                    break
                raise UsageError(
                    f"{path}, line {number}: {error}", "Name a file that `editgauge label` wrote."
                ) from None
            whole += len(line)
    return found, whole
