"""How hunks are placed, and a hunk that has its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from editcore.document import trim
from editcore.errors import PatchError
from editcore.types import Hunk, Reason


def changes(hunk: Hunk) -> bool:
    """Whether a hunk has more than context."""
    return any(line[0] != " " for line in hunk.lines)


class Policy(NamedTuple):
    """How hunks are placed, and what a patch may do."""

    tiers: tuple[str, ...] = ("exact",)
    """What counts as the same line, strictest first; the first tier with a place decides."""
    ordered: bool = False
    """The order of the hunks is a hint: of several places, the only one below the hunk before is meant."""
    numbers: bool = False
    """Line numbers are a hint: of several places, one that is clearly nearer is meant."""
    in_order: bool = False
    """A hunk above the one before it is refused."""
    first_wins: bool = False
    """Of several places, the first is taken."""
    by_number: bool = False
    """The numbers say where; what the hunk says must be true there, or, with `search`, nearby."""
    search: bool = False
    fuzz: int = 0
    """Outer context lines that may differ, when going by number."""
    allow_delete: bool = True
    allow_move: bool = True
    marks_newlines: bool = False
    """The format says where a last line has no line feed, so an added last line without that mark has one."""
    whole_deletions: bool = False
    """A deletion names all lines of its file."""
    passes_context: bool = False
    """A hunk without changes only has to stand somewhere."""
    no_change: bool = False
    """A patch that changes nothing is not refused."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A hunk and where it goes."""

    hunk: Hunk
    line: int
    """0-based."""
    n_old: int
    tier: str
    added_indent: str = ""
    """What the file has in front of each line more than the patch."""
    removed_indent: str = ""
    """What the patch has in front of each line more than the file."""
    notes: tuple[str, ...] = ()

    def reindented(self, text: str) -> str:
        """An added line, with the indentation that the lines around it have in the file."""
        if not trim(text):
            return text
        if self.removed_indent:
            if not text.startswith(self.removed_indent):
                raise PatchError(
                    f"the hunk is indented otherwise than the file, and {text!r} can't be moved: indent it as there.",
                    line=self.hunk.patch_line,
                    reason=Reason.NO_MATCH,
                )
            return text[len(self.removed_indent) :]
        return self.added_indent + text
