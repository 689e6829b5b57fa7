"""Outputs that are too long for a model: it gets the head or the tail, and a file keeps the whole for a week.

Both limits are applied within a window of the byte limit, and the file is written piece by piece: an output of any
size costs one copy on the disk and little memory.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EPERM
from pathlib import Path
from typing import Literal

from editcore.text.lines import n_lines

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = re.compile(r"output-\d{8}T\d{6}\.\d{9}-[0-9a-f]{16}\.txt")
_SWEPT = ".swept"
"""A file whose modification time is the last removal of old outputs."""
_SWEEP_SECONDS = 3600
_MAX_LINE = 2_000
"""Characters shown of one line in lists of lines."""
_PIECE = 1 << 18
"""Characters encoded at once; small enough for a processor's cache."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """An output as the model gets it."""

    text: str
    n_missing: int = 0
    """Lines or bytes that are missing, in the unit of the exceeded limit."""
    path: Path | None = None
    """The file with the whole output; None if nothing is missing, or the file could not be written."""

    @property
    def is_whole(self) -> bool:
        return not self.n_missing


@dataclass(frozen=True, slots=True)
class Outputs:
    """A directory for outputs that are too long. Safe to use from several threads and processes.

    It is created if missing. A directory that another user owns or can write to is not used.
    """

    directory: Path = field(default_factory=lambda: Path(tempfile.gettempdir(), f"editgauge-outputs-{os.geteuid()}"))
    max_lines: int = 2_000
    max_bytes: int = 50 * 1024
    """Of the text in UTF-8."""
    kept_days: float = 7.0
    """The least time for which an output is kept. Writing a new one removes older ones, at most once an hour."""

    def shortened(self, text: str, *, keep: Literal["head", "tail"] = "head", has_task: bool = False) -> Shortened:
        """The text, or as much of its head or tail as fits, with a note that tells where the whole output is.

        The cut is between two lines, or inside a line that fills half of the limit or more; never inside a character.
        The note comes on top of the limits: three lines.
        """
        start, end, by_lines = (_head if keep == "head" else _tail)(text, self.max_lines, self.max_bytes)
        if end - start == len(text):
            return Shortened(text)
        path, problem = None, ""
        try:
            path, n_bytes = self._save(text)
        except OSError as error:
            problem = (error.strerror or type(error).__name__).lower()
            n_bytes = sum(map(len, _encoded(text)))
        kept = text[start:end]
        n_missing = n_lines(text) - self.max_lines if by_lines else n_bytes - sum(map(len, _encoded(kept)))
        unit = ("line" if by_lines else "byte") + ("" if n_missing == 1 else "s")
        message = f"... {n_missing:,} {unit} truncated ...\n{_advice(path, problem, has_task=has_task)}"
        shortened = f"{kept}\n\n{message}" if keep == "head" else f"{message}\n\n{kept}"
        return Shortened(shortened, n_missing, path)

    def _save(self, text: str) -> tuple[Path, int]:
        """Write the whole text in UTF-8, lone surrogates escaped. Returns the file and its length in bytes."""
        now = time.time_ns()
        name = f"{_stamp(now)}.{now % 10**9:09}-{secrets.token_hex(8)}.txt"
        with suppress(FileExistsError):
            self.directory.mkdir(mode=0o700, parents=True)
        directory = os.open(self.directory, _DIRECTORY)
        try:
            found = os.fstat(directory)
            if found.st_uid != os.geteuid() or found.st_mode & 0o022:
                raise PermissionError(EPERM, "others can write to the directory for outputs")
            with suppress(OSError):  # The new output is kept all the same.
                self._sweep(directory, now)
            n_bytes = _write(directory, name, text)
        finally:
            os.close(directory)
        return self.directory / name, n_bytes

    def _sweep(self, directory: int, now: int) -> None:
        """Remove the outputs that are old enough, unless that was done within the last hour."""
        swept = 0
        with suppress(FileNotFoundError):
            swept = os.stat(_SWEPT, dir_fd=directory, follow_symlinks=False).st_mtime_ns
        if abs(now - swept) < _SWEEP_SECONDS * 10**9:
            return
        oldest = _stamp(max(now - self.kept_days * 86_400 * 10**9, 0))
        for name in os.listdir(directory):
            if _NAME.fullmatch(name) and name < oldest:
                with suppress(OSError):  # Another process removed it first, or it is not an output.
                    os.unlink(name, dir_fd=directory)
        # After the removal, because a full disk takes no new file before it.
        os.close(os.open(_SWEPT, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory))
        os.utime(_SWEPT, ns=(now, now), dir_fd=directory, follow_symlinks=False)


def cut_line(line: str) -> str:
    """The line; of a longer line the first 2,000 characters and its length."""
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}... (cut: the line has {len(line):,} characters)"


def _stamp(now: float) -> str:
    """The start of the names of outputs of one second. Names sort by time."""
    return time.strftime("output-%Y%m%dT%H%M%S", time.gmtime(now // 10**9))


def _write(directory: int, name: str, text: str) -> int:
    """Write a new file and return its length in bytes. If writing fails, no file is left."""
    try:
        with open(os.open(name, _NEW, 0o600, dir_fd=directory), "wb", buffering=0) as file:
            for piece in _encoded(text):
                left = memoryview(piece)
                while left:
                    left = left[file.write(left) :]
            return os.fstat(file.fileno()).st_size
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=directory)
        raise


def _encoded(text: str) -> Iterator[bytes]:
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE].encode("utf-8", "backslashreplace")


def _head(text: str, max_lines: int, max_bytes: int) -> tuple[int, int, bool]:
    """Start and end of the head that fits, and True if the line limit was exceeded (False: the byte limit, or none)."""
    # A character has at least one byte: characters outside the window are beyond the limit.
    window = text[: max_bytes + 1]
    end = len(window)
    data = window.encode("utf-8", "surrogatepass")
    if len(data) > max_bytes:
        cut = max_bytes
        while cut and _is_inside(data[cut]):
            cut -= 1
        end = len(data[:cut].decode("utf-8", "surrogatepass"))
        line = text.rfind("\n", end // 2, end + 1)
        end = line if line > 0 else end
    at = -1
    for _ in range(max_lines):
        at = text.find("\n", at + 1, end)
        if at < 0:
            return 0, end, False
    # A line feed at the end begins no line.
    return (0, end, False) if at + 1 == len(text) else (0, max(at, 0), True)


def _tail(text: str, max_lines: int, max_bytes: int) -> tuple[int, int, bool]:
    """Start and end of the tail that fits, and True if the line limit was exceeded (False: the byte limit, or none)."""
    start = max(len(text) - max_bytes - 1, 0)
    data = text[start:].encode("utf-8", "surrogatepass")
    if len(data) > max_bytes:
        cut = len(data) - max_bytes
        while cut < len(data) and _is_inside(data[cut]):
            cut += 1
        n_kept = len(data[cut:].decode("utf-8", "surrogatepass"))
        start = len(text) - n_kept
        line = text.find("\n", start - 1, start + n_kept // 2)
        start = line + 1 if line >= 0 else start
    at = len(text) - text.endswith("\n")
    for _ in range(max_lines):
        at = text.rfind("\n", start, at)
        if at < 0:
            return start, len(text), False
    return min(at + 1, len(text)), len(text), True


def _is_inside(byte: int) -> bool:
    """True if a byte of UTF-8 continues a character."""
    return byte & 0xC0 == 0x80


def _advice(path: Path | None, problem: str, *, has_task: bool) -> str:
    if path is None:
        return f"The whole output could not be kept ({problem}): ask for a smaller part if you need the rest."
    if has_task:
        return (
            f"The whole output is in {path}. Have the task tool's agent search it with grep and read (offset, "
            "limit); don't read all of it yourself."
        )
    return f"The whole output is in {path}. Use grep to search it or read with offset and limit to see parts of it."
