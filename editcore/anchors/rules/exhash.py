"""The rule of exhash 0.4.21, for its commands a, i, c and d.

Source: the package, by running it. Commands are made in order, and the hash of an address is checked just before its
command: it must be that of the line now or, for a single line whose command above changed it in its place, the one that
it had at the start of the call. Where lines came or went, that is forgotten from the first of them on. Lines end where
CRLF, LF or a lone CR ends them, and all of them end in LF afterwards, the last one too. A byte order mark is part of
the first line.
"""

from __future__ import annotations

from editcore.anchors.call import Anchor, LineEdit
from editcore.anchors.hashes import exhash_hash
from editcore.anchors.reading.exhash import LAST
from editcore.anchors.rules.rule import Given, no_change
from editcore.errors import PatchError
from editcore.types import Applied, EditResult, Reason

NAME = "exhash"


def exhash(given: Given) -> EditResult:
    """Checks each hash just before its command; numbers are those that the commands above leave. CRLF is lost."""
    was = given.live.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not was[-1]:
        was.pop()
    text = _Text(was)
    for edit in given.call.edits:
        text.make(edit)
    content = "".join([f"{line}\n" for line in text.lines])
    return no_change() if text.lines == was else Applied(content, replacer=NAME)


class _Text:
    """Lines between the commands of a call."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = list(lines)
        self._at_start: dict[int, str] = {}
        """1-based line -> its hash at the start of the call, of those that a command changed in their place."""

    def make(self, edit: LineEdit) -> None:
        """Make an edit. Raises PatchError where an address does not fit."""
        if edit.first is None:
            first, n_old = 0, 0
        else:
            first, last = self._found(edit.first, edit.last or edit.first, is_range=edit.last is not None)
            n_old = last - first if edit.kind == "replace" else 0
            first += edit.kind == "after"
        new = list(edit.new)
        if len(new) == n_old:
            for n, line in enumerate(self.lines[first : first + n_old], first + 1):
                self._at_start.setdefault(n, exhash_hash(line))
        else:
            self._at_start = {n: found for n, found in self._at_start.items() if n <= first}
        self.lines[first : first + n_old] = new

    def _found(self, first: Anchor, last: Anchor, *, is_range: bool) -> tuple[int, int]:
        """The first line, 0-based, and one past the last."""
        start, end = (self._line(one, is_range=is_range) for one in (first, last))
        if start > end:
            raise PatchError(f"invalid range: {start}..{end}")
        return start - 1, end

    def _line(self, anchor: Anchor, *, is_range: bool) -> int:
        line = len(self.lines) if anchor is LAST else anchor.line
        if not 1 <= line <= len(self.lines):
            raise PatchError(f"address out of range: {line} > {len(self.lines)}", reason=Reason.NOT_FOUND)
        found = exhash_hash(self.lines[line - 1])
        known = {found} if is_range else {found, self._at_start.get(line)}
        if anchor.hash and anchor.hash not in known:
            raise PatchError(
                f"stale lnhash at line {line}: expected {anchor.hash}, got {found} (line changed since your view)",
                reason=Reason.STALE_READ,
            )
        return line
