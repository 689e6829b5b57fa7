"""The rule `remap`: makes the edit where its lines stand now, if all of them moved by one number of lines.

What oh-my-pi does for its anchors: each line of the edit must be unchanged, all must have moved together, and so must
the nearest line beside them; where their text stands several times in either version, both lines beside them.
"""

from __future__ import annotations

from editcore.stale.alignment import Alignment
from editcore.stale.edited import Edited, Part
from editcore.stale.gate import has_changed
from editcore.stale.rule import Decide, merged, refused
from editcore.types import EditResult, Rejected


def remap(seen: str, live: str, decide: Decide) -> EditResult:
    """The edit at the lines that were seen, wherever they are now; a refusal where one of them was changed."""
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    alignment = Alignment(seen, live)
    parts = Edited(seen, mine, alignment.old).parts()
    by = {alignment.moved_by(part.first, part.last) for part in parts}
    if None in by:
        return refused(alignment, parts)
    if len(by) != 1 or not all(_has_context(alignment, part) for part in parts):
        return has_changed()
    return merged(live, alignment, parts, mine)


def _has_context(alignment: Alignment, part: Part) -> bool:
    by = alignment.moved_by(part.first, part.last)
    beside = [n for n in (part.first - 1, part.last) if 0 <= n < len(alignment.old)]
    stays = [by is not None and alignment.there[n] == n + by for n in beside]
    return any(stays) and (all(stays) or alignment.is_told_apart(part.first, part.last))
