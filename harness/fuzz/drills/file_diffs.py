"""Every file diff of a repository's history, as two blob ids and as git's patch. Nothing is checked out."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from corpora.importers.git_history.repository import Repository

_LOG = (
    "-c", "core.quotePath=false", "log", "--root", "--diff-merges=first-parent", "--no-renames", "--no-color",
    "--no-show-signature", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none",
    "--submodule=short", "-O/dev/null",
)  # fmt: skip
_LISTED = ("--raw", "-z", "--no-abbrev", "--format=%H")
_WRITTEN = (
    "-p", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--no-indent-heuristic", "--full-index",
    "--src-prefix=a/", "--dst-prefix=b/", "--format=commit %H",
)  # fmt: skip
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file in one commit, compared with the commit's first parent."""

    commit: str
    path: str
    status: str
    """Git's letter: A, M, D, T (another type) ..."""
    modes: tuple[str, str]
    before: str
    """Id of the blob; all zeros if the file is missing."""
    after: str
    patch: bytes
    """The output of `git log -p`, from the `diff --git` line on."""

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file on each side where it exists."""
        return all(mode.startswith("100") or mode == "000000" for mode in self.modes)


def file_diffs(repository: Repository) -> Iterator[FileDiff]:
    """The file diffs of all commits reachable from HEAD, merges included, newest commit first.

    Two listings of git are read in parallel: names and ids, and patches. Raises RuntimeError if they differ.
    """
    folder = str(repository.folder)
    listing, patches = (["git", "-C", folder, *_LOG, *how, "HEAD"] for how in (_LISTED, _WRITTEN))
    quiet = subprocess.DEVNULL
    with (
        subprocess.Popen(listing, stdout=subprocess.PIPE, stderr=quiet) as names,
        subprocess.Popen(patches, stdout=subprocess.PIPE, stderr=quiet) as texts,
    ):
        assert names.stdout
        assert texts.stdout
        try:
            yield from _zipped(_entries(names.stdout), _sections(texts.stdout))
        finally:
            names.kill()
            texts.kill()


def _zipped(entries: Iterator[tuple[str, str, str]], sections: Iterator[tuple[str, bytes]]) -> Iterator[FileDiff]:
    for commit, raw, path in entries:
        old_mode, new_mode, before, after, status = raw[1:].split(" ")
        wrote, patch = next(sections, ("", b""))
        if status == "T" and old_mode[:3] != new_mode[:3]:
            patch += next(sections, ("", b""))[1]  # Another type: git removes one file and adds the other.
        if wrote != commit:
            raise RuntimeError(f"git's two listings of {commit[:12]}:{path} do not agree")
        yield FileDiff(commit, path, status, (old_mode, new_mode), before, after, patch)


def _entries(stream: IO[bytes]) -> Iterator[tuple[str, str, str]]:
    """Commit, raw entry and path of each file diff."""
    commit = entry = ""
    for token in _split(stream, b"\0"):
        text = token.decode("utf-8", "surrogateescape")
        if entry:
            yield commit, entry, text
            entry = ""
        elif text.lstrip("\n").startswith(":"):
            entry = text.lstrip("\n")
        elif text.strip("\n"):
            commit = text.strip("\n")


def _split(stream: IO[bytes], separator: bytes) -> Iterator[bytes]:
    left = b""
    while block := stream.read(_BLOCK):
        *whole, left = (left + block).split(separator)
        yield from whole
    if left:
        yield left


def _sections(stream: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Commit and text of each file's patch. No line of a hunk can begin like a `diff --git` or `commit` line."""
    commit = ""
    lines: list[bytes] = []
    for line in stream:
        opens = line.startswith(b"diff --git ")
        if lines and (opens or line.startswith(b"commit ")):
            yield commit, b"".join(lines)
            lines = []
        if opens or lines:
            lines.append(line)
        elif line.startswith(b"commit "):
            commit = line.split()[1].decode()
    if lines:
        yield commit, b"".join(lines)
