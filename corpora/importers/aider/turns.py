"""aider: a reply with what aider says of it, and the edits that it attempts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from corpora.importers.aider.commits import texts_around
from corpora.importers.aider.replies import ReplyEdit, blocks
from corpora.importers.git_history.repository import Repository
from corpora.importers.session import Attempt
from editcore.types import Edit

_FAILED_BLOCK = re.compile(r"## SearchReplaceNoExactMatch: .*\blines in (.+)")
_FAILED_HUNK = re.compile(r"(UnifiedDiffNoMatch|UnifiedDiffNotUnique): hunk failed to apply")
_FAILED_PATH = re.compile(r"(.+?) (?:does not contain|contains multiple)\b")
OTHERS = re.compile(r"# The other (\d+) SEARCH/REPLACE blocks? were applied successfully")
_REPORT_ENDS = re.compile(r"(?:The SEARCH section must exactly|\^\^\^ |Only some hunks did apply)")
_LARGEST_REPLY = 8 << 20
"""Characters."""


@dataclass(slots=True)
class Turn:
    """A reply, and aider's messages about it."""

    key: str
    reply: list[str] = field(default_factory=list)
    size: int = 0
    answered: bool = False
    """A message of aider came after it: more text of the model is another reply."""
    applied: list[str] = field(default_factory=list)
    failed: bool = False
    error: str | None = None
    failing: list[tuple[str, list[str]]] = field(default_factory=list)
    """(path, the block as aider reports it) of each block that failed to match."""
    hunk: str | None = None
    hunk_path: str | None = None
    n_others: int = 0
    commit: tuple[str, str] | None = None
    """(hash, subject) of the commit with the edits."""
    committed_before: tuple[str, str] | None = None
    dirty: list[str] = field(default_factory=list)
    """The files whose texts were committed before the edits."""

    def take_report(self, message: str) -> bool:
        """Take in a line of a message about failed edits; False if the message ends there."""
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
        """Add a line of the reply, unless the reply is too large."""
        self.size += len(line) + 1
        if self.size < _LARGEST_REPLY:
            self.reply.append(line)


def attempts(
    pieces: list[ReplyEdit], turn: Turn, blank: Attempt, repository: Repository | None = None, commit: str | None = None
) -> Iterator[Attempt]:
    """An attempt for each block that failed, and one for the other blocks of each file; each is `blank`, filled in."""
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
    """The file that aider reports as edited, under aider's name for it."""
    name = piece.path or ""
    exact = [path for path in turn.applied if path == name]
    ends = [path for path in turn.applied if f"/{path}".endswith(f"/{name}") or f"/{name}".endswith(f"/{path}")]
    return next(iter(exact), ends[0] if name and len(set(ends)) == 1 else None)


def _is_reported(piece: ReplyEdit, shown: list[str]) -> bool:
    """Whether a block is the one that a message shows; whitespace at line ends may be missing there."""
    found = next((other.edit for other in blocks(shown)), None)
    return found is not None and piece.edit is not None and _stripped(found) == _stripped(piece.edit)


def _stripped(edit: Edit) -> tuple[list[str], list[str]]:
    old, new = ([line.strip() for line in side.split("\n")] for side in (edit.old_string, edit.new_string))
    return old, new
