"""The rule `match_live`: places the edit in the text of now, as if nothing else had ever been seen.

It finds what was not changed wherever it stands now, and does not know the copy that was added above from the lines
that were meant.
"""

from __future__ import annotations

from editcore.stale.rule import Decide
from editcore.types import EditResult


def match_live(seen: str, live: str, decide: Decide) -> EditResult:
    """The result for the text of now."""
    del seen
    return decide(live)
