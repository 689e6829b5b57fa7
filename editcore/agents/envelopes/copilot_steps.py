"""The steps by which Copilot's apply_patch finds a hunk, strictest first; each is asked for all of the file.

folded          equal, composed, with dashes, quotes and spaces as ASCII
right_trimmed   without whitespace at the right
escaped_tabs    |\\tgo()| is a tab: escapes among whitespace, slashes and hash signs at the start of a line
escaped_lines   |a\\nb| is two lines: a hunk of one line only
trimmed         without whitespace at both ends
distance        0.34 edits for each line of the hunk, in whole numbers
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editcore.agents.matching import Work, canonical, right_trimmed, trimmed, within
from editcore.errors import PatchError
from editcore.text.line_index import LineIndex
from editcore.types import Reason

_KEYS = {"folded": canonical, "right_trimmed": right_trimmed, "trimmed": trimmed}
_LEADING = re.compile(r"(?:[\s\ufeff/#]|\\t)*+")


def plain_tabs(text: str) -> str:
    """The text with backslash and t as a tab at the start of its lines, among whitespace, slashes and hash signs."""
    if "\\t" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        leading = _LEADING.match(line)
        assert leading
        lines.append(leading[0].replace("\\t", "\t") + line[leading.end() :])
    return "\n".join(lines)


def plain_lines(text: str) -> str:
    """The text with backslash and n as a line feed, and its tabs plain."""
    return plain_tabs(text.replace("\\n", "\n"))


@dataclass(frozen=True, slots=True)
class Found:
    """Where a hunk is."""

    line: int
    """0-based."""
    step: str
    has_tabs: bool = False
    """Whether its tabs are written as backslash and t."""
    has_lines: bool = False
    """Whether its line feeds are written as backslash and n."""


class Steps:
    """The lines of a file, in which hunks are looked for."""

    def __init__(self, lines: Sequence[str], distance: float) -> None:
        self.seeker, self.distance = LineIndex(lines, equalities=_KEYS), distance
        self.work = Work("Copilot's edit distance")

    def below(self, hint: str, cursor: int) -> int:
        """The line below the first one that is equal, or trimmed equal, unless one stands above the cursor."""
        for step in ("folded", "trimmed"):
            places = self.seeker.places([hint], step)
            at = next(places, None)
            if at is not None and at >= cursor:
                return at + 1
        return cursor

    def place(self, old: Sequence[str], cursor: int, is_end: bool) -> Found | None:
        """The first place from the cursor on; that at the end of the file before it, if the hunk is said to be there.

        Raises PatchError where the program does: for lines that are nearly those at the end, and go on below it.
        """
        starts = [max(len(self.seeker.lines) - len(old), 0), cursor] if is_end else [cursor]
        return next((found for start in starts if (found := self._place(old, start))), None)

    def _place(self, old: Sequence[str], start: int) -> Found | None:
        if not old:
            return Found(start, "folded")
        for step in ("folded", "right_trimmed"):
            at = self._first(old, step, start)
            if at is not None:
                return Found(at, step)
        sought = [right_trimmed(line) for line in old]
        plain = [plain_tabs(line) for line in sought]
        has_tabs = plain != sought
        if has_tabs and (at := self._first(plain, "right_trimmed", start)) is not None:
            return Found(at, "escaped_tabs", has_tabs=True)
        pieces = plain_lines(plain[0]).split("\n") if len(plain) == 1 else plain
        if pieces != plain and (at := self._first_of_pieces(pieces, start)) is not None:
            return Found(at, "escaped_lines", has_tabs=True, has_lines=True)
        at = self._first(plain, "trimmed", start)
        if at is not None:
            return Found(at, "trimmed", has_tabs=has_tabs)
        at = self._near([trimmed(line) for line in plain], start)
        return None if at is None else Found(at, "distance", has_tabs=has_tabs)

    def _first(self, block: Sequence[str], step: str, start: int) -> int | None:
        return next(self.seeker.places(block, step, start=start), None)

    def _first_of_pieces(self, pieces: Sequence[str], start: int) -> int | None:
        """As the program compares them: trimmed before they were cut, so that whitespace at a cut must stand."""
        if any(piece != right_trimmed(piece) for piece in pieces):
            return None
        return self._first(pieces, "right_trimmed", start)

    def _near(self, sought: Sequence[str], start: int) -> int | None:
        """The first window within the distance allowed, counted from its top and only until that is reached."""
        most = int(len(sought) * self.distance)
        lines = self.seeker.lines
        for at in range(start, len(lines) if most else start):
            total = 0
            self.work.spend(50)
            for n, line in enumerate(sought, at):
                if n >= len(lines):
                    raise PatchError("The hunk goes on below the end of the file.", reason=Reason.NO_MATCH)
                edits = within(trimmed(lines[n]), line, most - total, self.work)
                total = most + 1 if edits is None else total + edits
                if total >= most:
                    break
            if total <= most:
                return at
        return None
