"""Samples appended to a corpus file as they come, by any number of processes at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from corpora.regular_file import append_whole, cannot_open, open_regular
from corpora.sample import Sample, encode
from corpora.segments import LONGEST_LINE
from editcore.errors import UsageError

_PIECE = 1 << 16
_START = b'{"id":"'
"""The start of every line that is written here."""


class SampleAppender:
    """Appends samples to a JSON Lines file, which it creates if missing. A context manager.

    Each sample is one line, written while no other process writes. A last line that a killed process left unfinished is
    removed first. Raises UsageError where the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix != ".jsonl":
            raise UsageError(f"{path} does not end in .jsonl", "Samples are appended to a JSON Lines file: name one.")
        self.path = path
        self.n_written = 0

    def __enter__(self) -> SampleAppender:
        try:
            self._descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise cannot_open(self.path, error) from None
        try:
            with self._locked():
                self._end_last_line()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def add(self, sample: Sample) -> bool:
        """Append a sample. False, and nothing is written, for one that is too long to be read again.

        Raises OSError, after which the file is as it was before.
        """
        line = f"{encode(sample)}\n".encode()
        if len(line) > LONGEST_LINE:
            return False
        with self._locked():
            append_whole(self.path, self._descriptor, line)
        self.n_written += 1
        return True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _end_last_line(self) -> None:
        """Remove what follows the last line feed, if it is the start of a sample."""
        size = end = os.fstat(self._descriptor).st_size
        while end:
            start = max(end - _PIECE, 0)
            at = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            end = start + at + 1
            if at >= 0:
                break
        if end < size:
            if os.pread(self._descriptor, len(_START), end) != _START[: size - end]:
                raise UsageError(f"{self.path} does not end in a line feed", "It is no corpus: name another file.")
            os.ftruncate(self._descriptor, end)
