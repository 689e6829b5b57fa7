"""The right result of an edit against another version of its file, if that result is certain.

The edit applies if its lines occur exactly, in one place only, and if git's three-way merge gives the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from corpora.importers.git_history.changes import ChangedLines, WrittenEdit, apply_changes, count_matches, find_block
from corpora.importers.git_history.repository import Repository
from editcore.text.keys import SQUEEZED
from editcore.text.lines import with_feeds

_bare = SQUEEZED.of


@dataclass(frozen=True, slots=True)
class Settled:
    """The certain result of an edit against another version of its file."""

    source: str
    """The label source."""
    target: str | None = None
    """The text afterwards; None if the edit must be refused."""
    reason: str = ""
    """The reason why the edit must be refused."""


@dataclass(slots=True)
class Merges:
    """Three-way merges by git. The last few are cached, since an edit is written in several formats."""

    repository: Repository
    folder: Path
    _known: dict[tuple[str, str, str], str | None] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def of(cls, repository: Repository) -> Iterator[Merges]:
        """A `Merges` whose files are in a temporary folder."""
        with TemporaryDirectory(prefix="editgauge-") as folder:
            yield cls(repository, Path(folder))

    def merged(self, ours: str, base: str, theirs: str) -> str | None:
        """The merge of two texts that were made from one base; None if they conflict."""
        key = (ours, base, theirs)
        if key not in self._known:
            if len(self._known) > 8:
                self._known.clear()
            files = [self.folder / name for name in ("ours", "base", "theirs")]
            for file, text in zip(files, key, strict=True):
                file.write_bytes(text.encode())
            merged = self.repository.output("merge-file", "-p", "-q", *map(str, files))
            self._known[key] = None if merged is None else merged.decode()
        return self._known[key]


def settle(edit: WrittenEdit, base: str, other: str, merges: Merges) -> Settled | str:
    """The result of an edit of the text `base` in the text `other`; the reason if the result is not certain."""
    found = [find_block(other, hunk.block) for hunk in edit.hunks]
    if any(len(lines) > 1 for lines in found):
        if edit.format == "str_replace":
            return Settled("exact_ambiguous", reason="two_equal")
        return "its lines occur there more than once"
    if all(found):
        return _applied(edit, [lines[0] for lines in found], base, other, merges)
    bare = _bare(other)
    is_done = all(_is_done(hunk, other, bare) for hunk in edit.hunks)
    if not is_done and not any(_is_gone(hunk, bare) for hunk in edit.hunks):
        return "its lines are neither exactly there nor gone"
    merged = merges.merged(other, base, edit.target)
    if is_done:
        done = Settled("already_applied", reason="already_applied")
        return done if merged == other else "its new lines are there, but git's merge changes the text"
    gone = Settled("lines_gone", reason="line_gone")
    return gone if merged in (None, other) else "its lines are not there, but git merges it"


def _applied(edit: WrittenEdit, found: list[int], base: str, other: str, merges: Merges) -> Settled | str:
    """The text with the hunks at the lines `found`, if git's merge gives the same text."""
    lines = with_feeds(other)
    here = [replace(hunk, line=line) for hunk, line in zip(edit.hunks, found, strict=True)]
    if any(hunk.line + len(hunk.old) > below.line for hunk, below in pairwise(here)):
        return "its hunks are there in another order"
    if not all(hunk.stands_in(lines) for hunk in here):
        return "its last line has another line ending there"
    if edit.edits and count_matches(other, edit.edits[0].old_string) > 1:
        return "its lines occur there more than once"
    target = apply_changes(lines, here)
    if target == other or target != merges.merged(other, base, edit.target):
        return "git's merge differs or conflicts"
    return Settled("git_merge", target)


def _is_done(hunk: ChangedLines, text: str, bare: str) -> bool:
    """True if the text has the new lines once and lacks the old ones. Whitespace of the old lines does not count."""
    new = hunk.replacement
    return bool(new.strip()) and len(find_block(text, new)) == 1 and _bare(hunk.block) not in bare


def _is_gone(hunk: ChangedLines, bare: str) -> bool:
    """True if the text lacks the old lines, and lacks a removed line altogether. Whitespace does not count."""
    return _bare(hunk.block) not in bare and any(_bare(line) not in bare for line in hunk.removed)
