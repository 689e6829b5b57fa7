"""The changes to files in a git history, each with other versions of its file, in one pass and bounded memory."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Tally

DISTANCES = (1, 2, 4, 8)
"""How many changes of the file may lie between a change and another version of the file."""
_MAX_FILES = 10_000
"""Files whose latest changes are kept; beyond it, those unchanged for longest are forgotten."""

_MODIFIED = re.compile(r":100(?:644|755) 100(?:644|755) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) M\t(.+)")
_PLAIN = re.compile(r'[^\s"\\\x00-\x1f\x7f](?:[^"\\\x00-\x1f\x7f]*[^\s"\\\x00-\x1f\x7f])?')
_ORIGIN = re.compile(
    r"(?:[a-z][a-z+]*://(?:[^/]*@)?[^/@]+|(?:[^/@:]+@)?[^/@:]{2,}:)/?(?:.*/)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?"
)


@dataclass(frozen=True, slots=True)
class Change:
    """A commit's change to a file that existed before."""

    commit: str
    path: str
    before: str
    """The id of the file's blob at the commit's parent."""
    after: str

    @property
    def number(self) -> int:
        """A pseudo-random number: the same for the same change on any machine."""
        return xxhash.xxh3_64_intdigest(f"{self.before} {self.after}".encode())


@dataclass(frozen=True, slots=True)
class Version:
    """A changed file as it was at another commit."""

    commit: str
    """A revision for git: a commit, or its parent (`COMMIT^`)."""
    blob: str
    apart: int
    """The number of changes of the file between the two."""


def remote_repository(repository: Repository) -> str | None:
    """owner/name of the remote repository `origin`; None if it is not on a host."""
    url = (repository.output("config", "--get", "remote.origin.url") or b"").decode("utf-8", "replace").strip()
    return repository_name(url)


def repository_name(url: str) -> str | None:
    """owner/name of a repository on a host, by its URL, whose user and password are left out; None for other URLs."""
    match = _ORIGIN.fullmatch(url)
    return f"{match[1]}/{match[2]}" if match and not url.startswith("file:") else None


def changes(repository: Repository, tally: Tally) -> Iterator[Change]:
    """The modified files of all commits in HEAD's history except merges, newest commit first."""
    commit = ""
    for line in repository.lines(
        "-c", "core.quotePath=false", "log", "--no-merges", "--no-show-signature", "--no-color", "--no-relative",
        "--no-renames", "-O/dev/null", "--raw", "--no-abbrev", "--diff-filter=M", "--format=%H", "HEAD",
    ):  # fmt: skip
        if not line.startswith(":"):
            commit = line or commit
        elif not (match := _MODIFIED.fullmatch(line)):
            tally.add("left out: a link or a submodule", commit[:12])
        elif not _is_plain(match[3]):
            tally.add("left out: a path that a patch has to quote", commit[:12])
        elif match[1] != match[2]:
            yield Change(commit, match[3], match[1], match[2])


def versions(changed: Iterator[Change]) -> Iterator[tuple[Change, Version | None]]:
    """Each change alone, then with up to two other versions of its file: a newer and an older one.

    The older version follows when the history has been read back to it.
    """
    recent: OrderedDict[str, deque[Change]] = OrderedDict()
    for change in changed:
        newer = recent.pop(change.path, None) or deque(maxlen=DISTANCES[-1])
        yield change, None
        at_hand = [distance for distance in DISTANCES if distance <= len(newer)]
        if at_hand:
            apart = at_hand[change.number // 4 % len(at_hand)]
            later = newer[apart - 1]
            yield change, Version(later.commit, later.after, apart)
        for apart in at_hand:
            later = newer[apart - 1]
            if DISTANCES[later.number // 64 % len(DISTANCES)] == apart:
                yield later, Version(f"{change.commit}^", change.before, apart)
        newer.appendleft(change)
        recent[change.path] = newer
        if len(recent) > _MAX_FILES:
            recent.popitem(last=False)


def _is_plain(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return bool(_PLAIN.fullmatch(path))
