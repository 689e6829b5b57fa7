"""Lines that show that a part of a patch was lost. Raises PatchError.

A missing last line feed alone proves nothing: patches lose it inside JSON strings, and models count lines wrong. The
last line of a short hunk decides. Below a removed line, the lines for its place may be lost. An added line may be
half a line. It is whole if it ends like the line that it replaces:

    @@ -45,7 +45,7 @@
     def f(
    -    log: list[Any],
    +    log: list[Entry],        whole, at the end of a text without a last line feed
    +    log: list[En             half a line
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from editcore.errors import PatchError
from editcore.patches.placing.refusals import may_be_cut_off
from editcore.quoting import normal_path
from editcore.types import FilePatch, Reason

NO_LINES = "an @@ line is followed by no lines: send those of its hunk, or leave it out."
"""Message for a hunk without lines."""
_BRACKETS = "()[]{}"
_QUOTES = "\"'`"


class Ending(NamedTuple):
    at_end: bool
    """True if only blank lines follow the hunk."""
    is_last_hunk: bool
    complete: bool
    """True if the patch ends in a line feed."""


def check_whole(
    body: Sequence[str], counts: tuple[int, int] | None, starts: tuple[int, int] | None, ending: Ending, line: int
) -> None:
    """Raise PatchError for a hunk that may have been cut off.

    `body`: its lines with their marks. `counts`, `starts`: the old and new numbers of its header. `line`: the line of
    the header in the patch.
    """
    marks = "".join([one[0] for one in body])
    n_removed, n_added = marks.count("-"), marks.count("+")
    missing_old, missing_new = (
        (wanted - len(body) + n for wanted, n in zip(counts, (n_added, n_removed), strict=True)) if counts else (0, 0)
    )
    if max(missing_old, missing_new) <= 0 and (counts or not ending.at_end):
        return
    if not n_removed and not n_added:
        if ending.at_end or ending.is_last_hunk:
            raise PatchError(
                "the patch may have been cut off above the hunk's changes: send it again with them, or leave the hunk "
                "out.",
                line=line,
            )
        return
    last, run = body[-1], _last_run(body)
    lacks_added = missing_new > max(missing_old, 0) and len(body) > n_added
    lacks_added &= missing_old <= 0 or not run.replaces_all
    half = not ending.complete and (missing_old != missing_new or not run.ends_alike)
    lost = last[0] == "+" and (lacks_added or half)
    unequal = last[0] == " " and not ending.complete and missing_old != missing_new
    if last[0] == "-" or (ending.at_end and (lost or unequal)):
        raise PatchError(may_be_cut_off(body, starts), line=line)


class _Run(NamedTuple):
    """The removed lines right above the end of a hunk, and the added lines that replace them."""

    removed: list[str]
    added: list[str]

    @property
    def replaces_all(self) -> bool:
        """True if each removed line has an added one, and both leave as many brackets open."""
        return bool(self.removed) and len(self.added) >= len(self.removed) and self._leaves_as_many_open()

    @property
    def ends_alike(self) -> bool:
        """True if the last added line ends in the same sign as the last removed one, with as many brackets open."""
        one, other = (lines[-1].rstrip() if lines else "" for lines in (self.removed, self.added))
        return bool(one and other) and one[-1] == other[-1] and not one[-1].isalnum() and self._leaves_as_many_open()

    def _leaves_as_many_open(self) -> bool:
        return _balance("".join(self.removed)) == _balance("".join(self.added))


def _last_run(body: Sequence[str]) -> _Run:
    added = [one[1:] for one in takewhile(lambda one: one[0] == "+", reversed(body))]
    removed = [one[1:] for one in takewhile(lambda one: one[0] == "-", reversed(body[: len(body) - len(added)]))]
    return _Run(removed[::-1], added[::-1])


def _balance(text: str) -> tuple[int, ...]:
    """The number of open brackets of each kind, and for each quote 1 if it is open."""
    opened = (text.count(left) - text.count(right) for left, right in zip(*[iter(_BRACKETS)] * 2, strict=True))
    return (*opened, *(text.count(quote) % 2 for quote in _QUOTES))


_PIECE = re.compile(r"^(?:\+|-(?! \S|[-+ ]+$))")
"""A line that begins with + or -, and is neither an item of a list nor a rule in prose."""


_CONFLICT_MARKS = ("<<<<<<<", ">>>>>>>")
_CONFLICT = re.compile(r"\+(<{7}|>{7})(?: |\r?$)")
"""An added line that begins or ends a merge conflict. `=======` alone may underline a title."""


def is_piece(line: str) -> bool:
    return bool(_PIECE.match(line))


def check_conflict_markers(files: Mapping[str, str], sections: Sequence[FilePatch], patch: str) -> None:
    if not any(mark in patch for mark in _CONFLICT_MARKS):
        return
    for section in sections:
        text = "\n" + files.get(normal_path(section.path) or "", "")
        for hunk in section.hunks:
            for line in hunk.lines:
                found = _CONFLICT.match(line)
                if found and "\n" + found[1] not in text:
                    message = f"{line[1:60]!r} is a marker of a merge conflict: write the settled text."
                    raise PatchError(message, line=hunk.patch_line, reason=Reason.NOT_ALLOWED)


def is_signature(lines: Sequence[str], n: int) -> bool:
    """True if the 0-based line n begins the signature of a mailed patch, which is text below `-- `.

    Without text below it, or above a line of a hunk, it is the removed line `-`.
    """
    below = lines[n + 1 : n + 2]
    return lines[n] in ("-- ", "--") and below != [] and below[0][:1] not in ("", " ", "+", "-", "@", "\\")


def begins_header(line: str) -> bool:
    """True if a diff that ends in this line, without a line feed, may have been cut off within a header."""
    return line in ("@", "--", "---", "--- ")


def check_head(above: Sequence[str], n: int) -> None:
    """Raise PatchError if the lines right above a header (0-based line n) look like the rest of a hunk."""
    run = list(takewhile(lambda line: line.startswith((" ", "+", "-", "\\", "@@")), reversed(above)))
    if any(map(is_piece, run)):
        raise PatchError(
            "the lines above the header look like the rest of a hunk: send the patch again whole, or without them.",
            line=n + 1 - len(run),
        )
