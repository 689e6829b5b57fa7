"""Lines outside of hunks that look like pieces of them: the patch around them was lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from editcore.errors import PatchError

_PIECE = re.compile(r"^(?:\+|-(?! \S|[-+ ]+$))")
"""A line with a mark; not one of a list of dashes or a rule in prose."""


def is_piece(line: str) -> bool:
    """Whether a line outside of hunks looks like a changed one."""
    return bool(_PIECE.match(line))


def begins_header(line: str) -> bool:
    """Whether a text that ends in this line, without a line feed, may have been cut off in a header of a diff."""
    return line in ("@", "--", "---", "--- ")


def check_head(above: Sequence[str], n: int) -> None:
    """Raises PatchError where the lines right above a header, which is line n, look like the rest of a hunk."""
    run = list(takewhile(lambda line: line.startswith((" ", "+", "-", "\\", "@@")), reversed(above)))
    if any(map(is_piece, run)):
        raise PatchError(
            "the lines above the header look like the rest of a hunk: send the patch again whole.",
            line=n + 1 - len(run),
        )
