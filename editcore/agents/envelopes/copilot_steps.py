r"""The steps by which Copilot's apply_patch finds a hunk, strictest first. Each step searches all of the file.

folded          equal in NFC, with dashes, quotes and spaces as ASCII
right_trimmed   without whitespace at the right
escaped_tabs    |\tgo()| is a tab: escapes among whitespace, slashes and hash signs at the start of a line
escaped_lines   |a\nb| is two lines: a hunk of one line only
trimmed         without whitespace at both ends
distance        0.34 edits for each line of the hunk, rounded down
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
    r"""The text with tabs for `\t` at the start of its lines, among whitespace, slashes and hash signs."""
    if "\\t" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        leading = _LEADING.match(line)
        assert leading
        lines.append(leading[0].replace("\\t", "\t") + line[leading.end() :])
    return "\n".join(lines)


def plain_lines(text: str) -> str:
    r"""The text with line feeds for `\n`, and then with plain tabs."""
    return plain_tabs(text.replace("\\n", "\n"))


@dataclass(frozen=True, slots=True)
class Found:
    line: int
    """0-based."""
    step: str
    has_tabs: bool = False
    r"""True if the hunk has `\t` for its tabs."""
    has_lines: bool = False
    r"""True if the hunk has `\n` for its line feeds."""


class Steps:
    """The search for hunks in the lines of a file."""

    def __init__(self, lines: Sequence[str], distance: float) -> None:
        self.seeker, self.distance = LineIndex(lines, equalities=_KEYS), distance
        self.work = Work("Copilot's edit distance")

    def below(self, hint: str, cursor: int) -> int:
        """The line below the first one that equals the hint, unless that is above the cursor; else the cursor."""
        for step in ("folded", "trimmed"):
            places = self.seeker.places([hint], step)
            at = next(places, None)
            if at is not None and at >= cursor:
                return at + 1
        return cursor

    def place(self, old: Sequence[str], cursor: int, is_end: bool) -> Found | None:
        """The first place from the cursor on; with `is_end`, the end of the file is tried first.

        Raises PatchError where the program does: for a window that is nearly equal and goes on below the end of the
        file.
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
        r"""The first place of lines cut at `\n`. The program trims before it cuts: whitespace at a cut must match."""
        if any(piece != right_trimmed(piece) for piece in pieces):
            return None
        return self._first(pieces, "right_trimmed", start)

    def _near(self, sought: Sequence[str], start: int) -> int | None:
        """The first window within the allowed distance. As in the program, it is counted only until it is reached."""
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
