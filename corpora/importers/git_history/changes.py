"""The changes of files in a git history, written as edits, and the other versions of a changed file."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import xxhash

from corpora.diff_hunks import DiffHunk, diff_hunks
from corpora.importers.git_history.repository import Repository, decoded
from corpora.importers.log import Tally
from corpora.mutators.clean_edit import CleanPatch
from corpora.sample import Format
from editcore.text.lines import pieces_with, with_feeds
from editcore.types import Edit, File

DISTANCES = (1, 2, 4, 8)
"""The numbers of changes that may lie between a change and another version of its file."""
_MAX_FILES = 10_000
"""The number of files whose latest changes are kept. Beyond it, the files unchanged for longest are forgotten."""

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
    """The number of changes of the file between the change and this version."""


def remote_repository(repository: Repository) -> str | None:
    """owner/name of the remote repository `origin`; None if it is not on a host."""
    url = (repository.output("config", "--get", "remote.origin.url") or b"").decode("utf-8", "replace").strip()
    return repository_name(url)


def repository_name(url: str) -> str | None:
    """owner/name of a repository on a host, without the user and password of its URL; None for other URLs."""
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


# A change written as edits: the whole change as a patch, and each of its hunks as a search/replace pair.

_MOST_HUNKS = 40
_FEW_HUNKS = 8
"""The number of hunks up to which a change is also written as search/replace pairs."""
_WIDEST = 40
"""The number of context lines that are added at most to make a search text unique."""


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """A hunk as lines of its file before and after. Each line has its line feed; the last one may have none."""

    line: int
    """The 0-based first line."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    removed: tuple[str, ...]
    """The lines of `old` that are not context."""

    @property
    def block(self) -> str:
        return "".join(self.old)

    @property
    def replacement(self) -> str:
        return "".join(self.new)

    def stands_in(self, lines: list[str]) -> bool:
        """True if a file has the old lines at the hunk's place."""
        return tuple(lines[self.line : self.line + len(self.old)]) == self.old


@dataclass(frozen=True, slots=True)
class WrittenEdit:
    """A change, or one hunk of it, in one format."""

    format: Format
    hunk: int
    """The 1-based hunk; 0 for all hunks."""
    context: int
    hunks: tuple[ChangedLines, ...]
    target: str
    patch: str | None = None
    edits: tuple[Edit, ...] | None = None


def written_edits(path: str, before: str, after: str, context: int) -> Iterator[WrittenEdit | str]:
    """The change in every format that can express it unambiguously; for the other formats, the reason."""
    patch = CleanPatch((File(path, before),), (File(path, after),))
    unified = patch.unified(context=context)
    lines = with_feeds(before)
    hunks = tuple(read_changed_lines(unified))
    if len(hunks) > _MOST_HUNKS:
        yield f"more than {_MOST_HUNKS} hunks"
        return
    if apply_changes(lines, hunks) != after or not all(hunk.stands_in(lines) for hunk in hunks):
        yield "the diff does not give the text"
        return
    yield WrittenEdit("unified_diff", 0, context, hunks, after, unified)
    if any(side and not side[-1].endswith("\n") for hunk in hunks for side in (hunk.old, hunk.new)):
        yield "begin_patch: it cannot express a missing final line feed"
    elif any(len(find_block(before, hunk.block)) != 1 for hunk in hunks):
        yield "begin_patch: the lines of a hunk occur more than once"
    else:
        yield WrittenEdit("begin_patch", 0, context, hunks, after, patch.envelope(context=context))
    if len(hunks) > _FEW_HUNKS:
        yield f"str_replace: more than {_FEW_HUNKS} hunks"
        return
    for number, hunk in enumerate(hunks, 1):
        yield _pair(before, lines, hunk, number, context) or "str_replace: no context makes a hunk unique"


def _pair(before: str, lines: list[str], hunk: ChangedLines, number: int, context: int) -> WrittenEdit | None:
    """The hunk as a search/replace pair, with as many lines around it as make it unique; None if none do."""
    for wider in range(_WIDEST - context + 1):
        start, end = max(hunk.line - wider, 0), hunk.line + len(hunk.old) + wider
        above, below = lines[start : hunk.line], lines[hunk.line + len(hunk.old) : end]
        wide = ChangedLines(start, (*above, *hunk.old, *below), (*above, *hunk.new, *below), hunk.removed)
        edit = _edit(wide)
        if edit.old_string.strip() and count_matches(before, edit.old_string) == 1:
            target = apply_changes(lines, [wide])
            return WrittenEdit("str_replace", number, context + wider, (wide,), target, edits=(edit,))
        if start == 0 and end >= len(lines):
            break
    return None


def _edit(hunk: ChangedLines) -> Edit:
    """The hunk as a model writes it: without the final line feed if both sides have one."""
    old, new = hunk.block, hunk.replacement
    return Edit(old[:-1], new[:-1]) if old.endswith("\n") and new.endswith("\n") else Edit(old, new)


def read_changed_lines(diff: str) -> list[ChangedLines]:
    """The hunks of a well-formed diff as lines of their files."""
    return [_as_changed_lines(hunk) for hunk in diff_hunks(diff) or ()]


def _as_changed_lines(hunk: DiffHunk) -> ChangedLines:
    old = _with_line_feeds(hunk.old, last_has_none=hunk.source_no_newline)
    new = _with_line_feeds(hunk.new, last_has_none=hunk.target_no_newline)
    marks = (line[0] for line in hunk.lines if line[0] != "+")
    removed = tuple(line for mark, line in zip(marks, old, strict=True) if mark == "-")
    return ChangedLines(hunk.source_index, old, new, removed)


def _with_line_feeds(lines: list[str], *, last_has_none: bool) -> tuple[str, ...]:
    ended = [f"{line}\n" for line in lines]
    return (*ended[:-1], lines[-1]) if last_has_none else tuple(ended)


def apply_changes(lines: list[str], hunks: Iterable[ChangedLines]) -> str:
    """The text after `hunks` replaced their lines. The hunks ascend and do not overlap."""
    return replaced(lines, ((one.line, one.line + len(one.old), one.new) for one in hunks))


def replaced(lines: Sequence[str], spans: Iterable[tuple[int, int, Sequence[str]]]) -> str:
    """The text of the lines with each span (start, end, new lines) replaced. Spans ascend and do not overlap."""
    return "".join(chain.from_iterable(pieces_with(lines, spans)))


def find_block(text: str, block: str) -> list[int]:
    """The first two 0-based lines at which `block`, a text of whole lines, occurs in `text`. They may overlap."""
    text, block = (f"\n{side}" if side.endswith("\n") else f"\n{side}\n" for side in (text, block))
    found: list[int] = []
    at = text.find(block)
    while at >= 0 and len(found) < 2:
        found.append(text.count("\n", 0, at))
        at = text.find(block, at + 1)
    return found


def count_matches(text: str, find: str) -> int:
    """The number of matches of `find`, which may overlap; 2 means two or more."""
    first = text.find(find)
    return 0 if first < 0 else 1 if text.find(find, first + 1) < 0 else 2


# The texts of blobs that a person may have written.

_SHORTEST, _LONGEST = 20, 100_000
"""Characters of a file that is used."""
_LONGEST_LINE = 500
"""The number of characters beyond which a line was written by a program."""


def written_text(repository: Repository, blob: str, tally: Tally, where: str) -> str | None:
    """A blob's text if a person may have written it. Otherwise None, and the reason is counted."""
    text = decoded(repository.blob(blob))
    if text is None:
        tally.add("left out: not UTF-8 text, or missing", where)
    elif not _SHORTEST <= len(text) <= _LONGEST:
        tally.add(f"left out: under {_SHORTEST} or over {_LONGEST:,} characters", where)
    elif max(map(len, text.split("\n"))) > _LONGEST_LINE:
        tally.add(f"left out: a line of over {_LONGEST_LINE} characters", where)
    else:
        return text
    return None
