"""A local git repository: file texts at a commit, without a checkout."""

from __future__ import annotations

import os
import subprocess
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from types import TracebackType

from editcore.text.encodings import bytes_file
from editcore.types import File

LARGEST_BLOB = 4 << 20
"""In bytes; larger files are not read."""
_MOST_COMMITS = 100_000
_TIMEOUT_S = 10
"""Seconds that git may take to find out if a folder is in a repository."""


_GIT = (
    "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "protocol.allow=never", "-c", "diff.external=", "-c", "log.showSignature=false",
)  # fmt: skip
"""git that runs no command of a repository's configuration: the folder is named by a log, which may be hostile."""


def decoded(data: bytes | None) -> str | None:
    """The text of a blob; None if it is not UTF-8 text."""
    try:
        return None if data is None or b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _environment() -> dict[str, str]:
    """The environment, in which git fetches no missing object of a partial clone and asks no question."""
    return os.environ | {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


class Repository:
    """A repository, read through git processes. Use it in `with`, or close it."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self.folder = folder
        self.prefix = prefix
        """The folder's path in the repository with a final slash; empty for the root."""
        self._batch: subprocess.Popen[bytes] | None = None
        self._commits: list[tuple[float, str]] | None = None
        """The time and id of each commit of the current branch, oldest first; None before the first question."""

    @classmethod
    def at(cls, folder: Path) -> Repository | None:
        """The repository that contains a folder; None if there is none, or no git."""
        if not folder.is_dir():
            return None
        try:
            prefix = cls(folder).output("rev-parse", "--show-prefix", timeout_s=_TIMEOUT_S)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None
        return None if prefix is None else cls(folder, prefix.decode("utf-8", "surrogateescape").removesuffix("\n"))

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._batch:
            with suppress(OSError), self._batch:
                pass
            self._batch = None

    def blob(self, name: str) -> bytes | None:
        """The bytes of an object, by its id or as COMMIT:PATH; None if it does not exist or is too large."""
        try:
            return self._asked(name.encode("utf-8", "surrogateescape"))
        except (OSError, ValueError):
            # The process has ended, or no object can have the name.
            self.close()
            return None

    def _asked(self, name: bytes) -> bytes | None:
        if b"\n" in name or b"\0" in name:
            return None
        if self._batch is None:
            self._batch = subprocess.Popen(
                [*_GIT, "-C", str(self.folder), "cat-file", "--batch"], env=_environment(), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert self._batch.stdin
        assert self._batch.stdout
        self._batch.stdin.write(name + b"\n")
        self._batch.stdin.flush()
        header = self._batch.stdout.readline().split()
        if len(header) != 3 or not header[2].isdigit():
            return None
        size = int(header[2])
        if header[1] == b"blob" and size <= LARGEST_BLOB:
            return self._batch.stdout.read(size + 1)[:-1]
        # An object that is not wanted has to be read, since the next answer follows it.
        left = size + 1
        while left and (read := len(self._batch.stdout.read(min(left, 1 << 20)))):
            left -= read
        return None

    def text(self, commit: str, path: str) -> str | None:
        """A file's text at a commit; None if it does not exist there, is a symbolic link or is not UTF-8 text."""
        return decoded(self._file(commit, path))

    def bytes_file(self, commit: str, path: str) -> File | None:
        """A file at a commit that is text but not plain UTF-8, with its bytes; None for other files."""
        data = self._file(commit, path)
        return None if data is None else bytes_file(path, data)

    def _file(self, commit: str, path: str) -> bytes | None:
        data = self.blob(f"{commit}:{path}")
        return None if data and b"\n" not in data and not self._is_file(commit, path) else data

    def _is_file(self, commit: str, path: str) -> bool:
        """True if a path at a commit is a file. The object of a symbolic link is one line, the path of its target."""
        entry = self.output("ls-tree", "--full-tree", "--end-of-options", commit, path)
        return entry is not None and entry.startswith(b"100")

    def commit_at(self, seconds: float) -> str | None:
        """The newest commit of the current branch at a time, in seconds since 1970; None if there was none yet."""
        if self._commits is None:
            log = self.lines("log", "--first-parent", f"--max-count={_MOST_COMMITS}", "--format=%ct %H", "HEAD", "--")
            oldest_first = [(float(line.partition(" ")[0]), line.partition(" ")[2]) for line in log][::-1]
            self._commits = sorted(oldest_first, key=itemgetter(0))
        at = bisect_right(self._commits, seconds, key=itemgetter(0))
        return self._commits[at - 1][1] if at else None

    def lines(self, *arguments: str) -> Iterator[str]:
        """The output of a git command, line by line; nothing if the command fails."""
        with subprocess.Popen(
            [*_GIT, "-C", str(self.folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        ) as process:
            assert process.stdout
            for line in process.stdout:
                yield line.decode("utf-8", "surrogateescape").removesuffix("\n")

    def output(self, *arguments: str, timeout_s: float | None = None) -> bytes | None:
        """The output of a git command; None if the command fails."""
        done = subprocess.run(
            [*_GIT, "-C", str(self.folder), *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL,
            env=_environment(), timeout=timeout_s,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else None
