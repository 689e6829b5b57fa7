"""Replies of aider's models: the edits in a reply, aider's report about them, and the commits of aider."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from corpora.importers.git_history.repository import Repository
from corpora.importers.session import Attempt
from editcore.types import Edit, File

# The edits in a reply: search/replace blocks, unified diffs, whole files.
#
# Replies are cut as aider 0.86 cuts them, not as `editcore.patches` reads blocks: that refuses a whole reply for one
# damaged marker or unread name, but a log also shows the outcome of the other blocks.

_SEARCH = re.compile(r"^<{5,9} ?SEARCH>?\s*$")
_DIVIDER = re.compile(r"^={5,9}\s*$")
_REPLACE = re.compile(r"^>{5,9} ?REPLACE\s*$")
_FENCE = re.compile(r"^(`{3,}|~{3,}|<(?:source|code|pre|codeblock|sourcecode)>)")
_CLOSING = re.compile(r"^(?:`{3,}|~{3,}|</(?:source|code|pre|codeblock|sourcecode)>)\s*$")
_DIFF_HEADER = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_OLD_HEADER = re.compile(r"^--- ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReplyEdit:
    """The part of a reply that edits one file."""

    path: str | None
    """The file's name as the model wrote it, without decoration; None if the reply names no file."""
    text: str
    """The part of the reply, including the file's name and the fences."""
    edit: Edit | None = None
    """The edit of a search/replace block; None if the block is not closed."""


class OpenBlock:
    """The state of a reader of a reply's lines: true inside a search/replace block or a fence."""

    def __init__(self) -> None:
        self._fence = False
        self._block = False

    def __bool__(self) -> bool:
        return self._fence or self._block

    def take(self, line: str) -> None:
        """Read the next line of the reply."""
        if self._block:
            self._block = not _REPLACE.match(line)
        elif _SEARCH.match(line):
            self._block = True
        elif self._fence:
            self._fence = not _CLOSING.match(line)
        else:
            self._fence = bool(_FENCE.match(line))


def blocks(lines: list[str]) -> Iterator[ReplyEdit]:
    """The search/replace blocks of a reply. A block that is not closed extends to the end of the reply."""
    path: str | None = None
    end = -1
    for n, line in enumerate(lines):
        if n <= end or not _SEARCH.match(line):
            continue
        first, name = _head(lines, n, end)
        path = name or path
        divider = next((m for m in range(n + 1, len(lines)) if _DIVIDER.match(lines[m])), len(lines))
        end = next((m for m in range(divider + 1, len(lines)) if _REPLACE.match(lines[m])), _last(lines))
        edit = None
        if divider < end and _REPLACE.match(lines[end]):
            edit = Edit(_join_lines(lines[n + 1 : divider]), _join_lines(lines[divider + 1 : end]))
        if end + 1 < len(lines) and _CLOSING.match(lines[end + 1]):
            end += 1
        yield ReplyEdit(path, _join_lines(lines[first : end + 1]), edit)


def _last(lines: list[str]) -> int:
    return next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), 0)


def _join_lines(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _head(lines: list[str], n: int, end: int) -> tuple[int, str | None]:
    """The index of the line with a block's name or fence, and the name; at most three lines above the SEARCH line."""
    first = n
    for m in range(n - 1, max(n - 4, end), -1):
        if _FENCE.match(lines[m]):
            first = m
        elif name := _name(lines[m], adjoins=m == first - 1):
            return m, name
        elif lines[m].strip():
            break
    return first, None


def _name(line: str, *, adjoins: bool) -> str | None:
    """The file name in a line, with slashes, without back-ticks and escapes; None if the line is no name.

    A word without a dot or a slash is a name only directly above a block.
    """
    name = line.strip().rstrip(":").lstrip("#").strip().strip("`*").replace("\\_", "_").replace("\\", "/")
    if not name or name.endswith((" ", ".")) or len(name.split()) > 3:
        return None
    is_name = "." in name or "/" in name or (adjoins and " " not in name and not line.rstrip().endswith(":"))
    return name if is_name else None


def diffs(lines: list[str]) -> Iterator[ReplyEdit]:
    """The unified diffs of a reply, one for each file that they name."""
    for body, _ in _fenced(lines):
        starts = [match.start() for match in _OLD_HEADER.finditer(body)]
        for start, end in pairwise([*starts, len(body)]):
            part = body[start:end]
            if (header := _DIFF_HEADER.search(part)) and "\n@@" in part:
                yield ReplyEdit(header[1].strip(), part)


def whole_files(lines: list[str]) -> Iterator[ReplyEdit]:
    """The whole files in a reply: a name, and a fence below the name."""
    for body, n in _fenced(lines):
        if n and (name := _name(lines[n - 1], adjoins=True)):
            yield ReplyEdit(name, body)


def _fenced(lines: list[str]) -> Iterator[tuple[str, int]]:
    """The text inside each closed fence, and the index of the opening line."""
    opening: int | None = None
    for n, line in enumerate(lines):
        if opening is None:
            opening = n if _FENCE.match(line) else None
        elif _CLOSING.match(line):
            yield _join_lines(lines[opening + 1 : n]), opening
            opening = None


# The commits that a history names, and the texts of a file before and after one.


def resolve_commit(repository: Repository | None, commit: str, subject: str) -> str | None:
    """The full id of a commit. A commit that no longer exists is found by its subject if only one commit has it."""
    if repository is None:
        return None
    if name := repository.output("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"):
        return name.decode().strip()
    if not subject.strip():
        return None
    lines = repository.lines("log", "--all", "--fixed-strings", f"--grep={subject.strip()}", "--format=%H %s")
    same = {line.partition(" ")[0] for line in lines if line.partition(" ")[2].strip() == subject.strip()}
    return same.pop() if len(same) == 1 else None


def text_at(repository: Repository | None, commit: str, path: str) -> tuple[File, ...] | None:
    """The file at a commit; None if the file does not exist there or is no text."""
    text = repository.text(commit, path) if repository else None
    return None if text is None else (File(path, text),)


def texts_around(repository: Repository, commit: str, path: str) -> tuple[tuple[File, ...], tuple[File, ...]] | None:
    """The file at a commit's parent, if it existed, and at the commit; None if it is no text or was removed."""
    before, after = repository.text(f"{commit}^", path), repository.text(commit, path)
    if after is None or (before is None and repository.blob(f"{commit}^:{path}") is not None):
        return None
    return (File(path, before),) if before is not None else (), (File(path, after),)


# A reply with aider's messages about it, and the edits that it attempts.

_FAILED_BLOCK = re.compile(r"## SearchReplaceNoExactMatch: .*\blines in (.+)")
_FAILED_HUNK = re.compile(r"(UnifiedDiffNoMatch|UnifiedDiffNotUnique): hunk failed to apply")
_FAILED_PATH = re.compile(r"(.+?) (?:does not contain|contains multiple)\b")
OTHERS = re.compile(r"# The other (\d+) SEARCH/REPLACE blocks? were applied successfully")
_REPORT_ENDS = re.compile(r"(?:The SEARCH section must exactly|\^\^\^ |Only some hunks did apply)")
_LARGEST_REPLY = 8 << 20
"""The number of characters up to which a reply is kept."""


@dataclass(slots=True)
class Turn:
    """A reply, and aider's messages about the reply."""

    key: str
    reply: list[str] = field(default_factory=list)
    size: int = 0
    answered: bool = False
    """True after a message of aider. More text of the model then begins another reply."""
    applied: list[str] = field(default_factory=list)
    failed: bool = False
    error: str | None = None
    failing: list[tuple[str, list[str]]] = field(default_factory=list)
    """The path and the quoted text of each block that failed to match."""
    hunk: str | None = None
    hunk_path: str | None = None
    n_others: int = 0
    commit: tuple[str, str] | None = None
    """The hash and the subject of the commit that contains the edits."""
    committed_before: tuple[str, str] | None = None
    dirty: list[str] = field(default_factory=list)
    """The files that were committed before the edits."""

    def take_report(self, message: str) -> bool:
        """Read a line of a message about failed edits. Return False if the message ends there."""
        if found := OTHERS.match(message):
            self.n_others = int(found[1][:6])
        elif found := _FAILED_BLOCK.match(message):
            self.failing.append((found[1].strip(), []))
            self.error = self.error or message.lstrip("# ")[:300]
        elif found := _FAILED_HUNK.match(message):
            self.hunk = "ambiguous" if found[1] == "UnifiedDiffNotUnique" else "no_match"
            self.error = self.error or message[:300]
        elif self.hunk and not self.hunk_path and (found := _FAILED_PATH.match(message)):
            self.hunk_path = found[1].strip()
        elif _REPORT_ENDS.match(message):
            if message.startswith("^^^ "):
                self.error = self.error or message.removeprefix("^^^ ")[:300]
            return False
        elif self.failing:
            self.failing[-1][1].append(message)
        return True

    def hold(self, line: str) -> None:
        """Add a line to the reply, unless the reply is too large."""
        self.size += len(line) + 1
        if self.size < _LARGEST_REPLY:
            self.reply.append(line)


def attempts(
    pieces: list[ReplyEdit], turn: Turn, blank: Attempt, repository: Repository | None = None, commit: str | None = None
) -> Iterator[Attempt]:
    """An attempt for each block that failed, and one for the other blocks of each file. Each is a copy of `blank`."""
    for number, (path, shown) in enumerate(turn.failing):
        piece = next((piece for piece in pieces if _is_reported(piece, shown)), None)
        patch = piece.text if piece else f"{path}\n" + "".join(line + "\n" for line in shown)
        pieces = [other for other in pieces if other is not piece]
        key = f"{turn.key}:failed:{number}"
        yield replace(blank, key=key, path=path, patch=patch, outcome="no_match", error=turn.error)
    others_passed = bool(turn.failing) and turn.n_others == len(pieces)
    by_file: dict[str | None, list[ReplyEdit]] = {}
    for piece in pieces:
        by_file.setdefault(applied_as(piece, turn) or piece.path, []).append(piece)
    for file, some in by_file.items():
        attempt = replace(blank, key=f"{turn.key}:{file}", path=file, patch="".join(piece.text for piece in some))
        if file in turn.applied or others_passed:
            attempt = replace(attempt, outcome="applied")
            if repository and commit and file and all(file != failed for failed, _ in turn.failing):
                old_and_new = texts_around(repository, commit, file)
                if old_and_new:
                    before, after = old_and_new
                    attempt = replace(attempt, before=before, after=after, evidence="git")
        elif turn.hunk:
            of_it = turn.hunk_path in (None, file)
            attempt = replace(attempt, outcome=turn.hunk if of_it else "unknown", error=turn.error)
        elif turn.failed and not turn.failing:
            attempt = replace(attempt, outcome="malformed", error=turn.error)
        yield attempt


def applied_as(piece: ReplyEdit, turn: Turn) -> str | None:
    """The name under which aider reports the file of `piece` as edited; None if it does not."""
    name = piece.path or ""
    exact = [path for path in turn.applied if path == name]
    ends = [path for path in turn.applied if f"/{path}".endswith(f"/{name}") or f"/{name}".endswith(f"/{path}")]
    return next(iter(exact), ends[0] if name and len(set(ends)) == 1 else None)


def _is_reported(piece: ReplyEdit, shown: list[str]) -> bool:
    """True if `shown`, quoted in a message, is the block. Whitespace at line ends may be missing in the message."""
    found = next((other.edit for other in blocks(shown)), None)
    return found is not None and piece.edit is not None and _stripped(found) == _stripped(piece.edit)


def _stripped(edit: Edit) -> tuple[list[str], list[str]]:
    old, new = ([line.strip() for line in side.split("\n")] for side in (edit.old_string, edit.new_string))
    return old, new
