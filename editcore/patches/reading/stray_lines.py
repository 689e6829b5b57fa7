"""Lines outside of hunks that look like lines of one, as when a part of the patch was lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from editcore.errors import PatchError
from editcore.quoting import normal_path
from editcore.types import FilePatch, Reason

_PIECE = re.compile(r"^(?:\+|-(?! \S|[-+ ]+$))")
"""A line that begins with + or -, but is not an item of a list or a rule in prose."""


_CONFLICT_MARKS = ("<<<<<<<", ">>>>>>>")
_CONFLICT = re.compile(r"\+(<{7}|>{7})(?: |\r?$)")
"""An added line that begins or ends a merge conflict. `=======` alone may underline a title."""


def is_piece(line: str) -> bool:
    """Whether a line outside of hunks looks like an added or removed one."""
    return bool(_PIECE.match(line))


def check_conflict_markers(files: Mapping[str, str], sections: Sequence[FilePatch], patch: str) -> None:
    """Raise PatchError if a marker of a merge conflict is added to a file that has none."""
    if not any(mark in patch for mark in _CONFLICT_MARKS):
        return
    for section in sections:
        text = "\n" + files.get(normal_path(section.path) or "", "")
        for hunk in section.hunks:
            for line in hunk.lines:
                found = _CONFLICT.match(line)
                if found and "\n" + found[1] not in text:
                    raise PatchError(
                        f"{line[1:60]!r} is a marker of a merge conflict: write the settled text.",
                        line=hunk.patch_line,
                        reason=Reason.NOT_ALLOWED,
                    )


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
            "the lines above the header look like the rest of a hunk: send the patch again whole, or without them.",
            line=n + 1 - len(run),
        )
