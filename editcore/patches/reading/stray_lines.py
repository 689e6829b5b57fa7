"""Lines outside of hunks that look like lines of one, as when a part of the patch was lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from editcore.errors import PatchError

_PIECE = re.compile(r"^(?:\+|-(?! \S|[-+ ]+$))")
"""A line that begins with + or -, but is not an item of a list or a rule in prose."""


def is_piece(line: str) -> bool:
    """Whether a line outside of hunks looks like an added or removed one."""
    return bool(_PIECE.match(line))


MARKER_IGNORED = "a marker of a missing line feed above the end of the file was ignored"


def is_signature(lines: Sequence[str], n: int) -> bool:
    """Whether the 0-based line n begins the signature of a mailed patch, which is text below `-- `.

    Without a line of text below it, or with a line of a hunk, it is the removed line `-`.
    """
    below = lines[n + 1 : n + 2]
    return lines[n] in ("-- ", "--") and below != [] and below[0][:1] not in ("", " ", "+", "-", "@", "\\")


def begins_header(line: str) -> bool:
    """Whether a diff whose last line this is, without a line feed, may have been cut off within a header."""
    return line in ("@", "--", "---", "--- ")


def check_head(above: Sequence[str], n: int) -> None:
    """Raise PatchError if the lines right above a header (0-based line n) look like the rest of a hunk."""
    run = list(takewhile(lambda line: line.startswith((" ", "+", "-", "\\", "@@")), reversed(above)))
    if any(map(is_piece, run)):
        raise PatchError(
            "the lines above the header look like the rest of a hunk: send the patch again whole.",
            line=n + 1 - len(run),
        )
