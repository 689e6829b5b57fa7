"""What a model gets of an output that is too long for it; the whole is kept in a file for a week.

Both limits are looked for within a window as long as the larger of them can be, and the file is written piece by piece:
an output of any size costs one copy on the disk and next to no memory.
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

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = re.compile(r"output-\d{8}T\d{6}\.\d{9}-[0-9a-f]{16}\.txt")
_SWEPT = ".swept"
"""Its time is when old outputs were last removed."""
_SWEEP_SECONDS = 3600
_MAX_LINE = 2_000
"""Characters of a line that are shown where lines are listed."""
_PIECE = 1 << 18
"""Characters that are encoded at once: what stays in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """An output as the model gets it."""

    text: str
    n_missing: int = 0
    """Lines or bytes, whichever the limit was about, that are not in the text."""
    path: Path | None = None
    """Where the whole output is; None where the text is all of it, or the whole could not be kept."""

    @property
    def is_whole(self) -> bool:
        """The text is all there was."""
        return not self.n_missing


@dataclass(frozen=True, slots=True)
class Outputs:
    """A directory for outputs that were too long. Safe to use from several threads and processes.

    It is made if it is not there; one that belongs to somebody else, or that others can write to, is not used.
    """

    directory: Path = field(default_factory=lambda: Path(tempfile.gettempdir(), f"editgauge-outputs-{os.geteuid()}"))
    max_lines: int = 2_000
    max_bytes: int = 50 * 1024
    """In UTF-8."""
    kept_days: float = 7.0
    """How long an output is kept at least; older ones are removed once an hour while new ones come."""

    def shortened(self, text: str, *, keep: Literal["head", "tail"] = "head", has_task: bool = False) -> Shortened:
        """The text, or as much of its head or tail as fits, with what is missing and where the whole is.

        It is cut between two lines, or inside of one that is half of what fits or more; never inside of a character.
        A text that is not whole is beyond the limits by the three lines that say so.
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
        n_missing = _n_lines(text) - self.max_lines if by_lines else n_bytes - sum(map(len, _encoded(kept)))
        unit = ("line" if by_lines else "byte") + ("" if n_missing == 1 else "s")
        message = f"... {n_missing:,} {unit} truncated ...\n{_advice(path, problem, has_task=has_task)}"
        told = f"{kept}\n\n{message}" if keep == "head" else f"{message}\n\n{kept}"
        return Shortened(told, n_missing, path)

    def _save(self, text: str) -> tuple[Path, int]:
        """The file that holds the whole text in UTF-8, lone surrogates escaped, and how long it is."""
        now = time.time_ns()
        name = f"{_stamp(now)}.{now % 10**9:09}-{secrets.token_hex(8)}.txt"
        with suppress(FileExistsError):
            self.directory.mkdir(mode=0o700, parents=True)
        directory = os.open(self.directory, _DIRECTORY)
        try:
            found = os.fstat(directory)
            if found.st_uid != os.geteuid() or found.st_mode & 0o022:
                raise PermissionError(EPERM, "others can write to the directory for outputs")
            with suppress(OSError):  # Not a failure of what is kept now.
                self._sweep(directory, now)
            n_bytes = _write(directory, name, text)
        finally:
            os.close(directory)
        return self.directory / name, n_bytes

    def _sweep(self, directory: int, now: int) -> None:
        """Remove the outputs that have been kept long enough, unless it was done within the last hour."""
        swept = 0
        with suppress(FileNotFoundError):
            swept = os.stat(_SWEPT, dir_fd=directory, follow_symlinks=False).st_mtime_ns
        if abs(now - swept) < _SWEEP_SECONDS * 10**9:
            return
        oldest = _stamp(max(now - self.kept_days * 86_400 * 10**9, 0))
        for name in os.listdir(directory):
            if _NAME.fullmatch(name) and name < oldest:
                with suppress(OSError):  # Another process was quicker, or it is none of ours after all.
                    os.unlink(name, dir_fd=directory)
        # Last of all: a full disk takes no new file.
        os.close(os.open(_SWEPT, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory))
        os.utime(_SWEPT, ns=(now, now), dir_fd=directory, follow_symlinks=False)


def cut_line(line: str) -> str:
    """The line, or its first 2,000 characters and its length."""
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}... (cut: the line has {len(line):,} characters)"


def _stamp(now: float) -> str:
    """What the names of outputs begin with that were written in that second: in their order."""
    return time.strftime("output-%Y%m%dT%H%M%S", time.gmtime(now // 10**9))


def _write(directory: int, name: str, text: str) -> int:
    """The length of the new file; there is none where it could not be written in whole."""
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


def _n_lines(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def _head(text: str, max_lines: int, max_bytes: int) -> tuple[int, int, bool]:
    """Where what is kept starts and ends, and whether it was the lines that were too many."""
    # A character has a byte at least: what does not fit in is beyond one of the limits here.
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
    # A last line feed begins no line.
    return (0, end, False) if at + 1 == len(text) else (0, max(at, 0), True)


def _tail(text: str, max_lines: int, max_bytes: int) -> tuple[int, int, bool]:
    """Likewise, of what comes last."""
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
    """Whether a byte of UTF-8 goes on with a character."""
    return byte & 0xC0 == 0x80


def _advice(path: Path | None, problem: str, *, has_task: bool) -> str:
    if path is None:
        return f"The whole output could not be kept ({problem}): ask for less of it if you need the rest."
    if has_task:
        return (
            f"The whole output is in {path}. Have the task tool's agent look at it with grep and read (offset, limit); "
            "don't read the whole of it yourself."
        )
    return f"The whole output is in {path}. Use grep to search it or read with offset and limit to see parts of it."
