"""The rule `merge3`: makes the edit of the text that was seen, and merges both changes as `git merge-file` does.

    seen  |a     mine  |A     live  |x     merged  |x
          |b           |b           |a             |A
          |c           |c           |b             |b
                                    |C             |C

Refuses: changes of the same lines or of lines next to each other, unless both are the same change, which is made once.
What only matches the text of now is not found.
"""

from __future__ import annotations

from editcore.stale.gate import has_changed
from editcore.stale.rule import Decide, of_now
from editcore.text.endings import line_feeds, written_like
from editcore.text.three_way import beside
from editcore.types import EditResult, Reason, Rejected


def merge3(seen: str, live: str, decide: Decide) -> EditResult:
    """Both changes in one text; a refusal where they meet."""
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    base, ours, theirs = (line_feeds(text) for text in (seen, mine.content, live))
    if ours == theirs:
        return Rejected(Reason.IDENTICAL, "the file has this change already: nothing is left to do.")
    both = beside(base, ours, theirs, apart=True)
    return has_changed() if both is None else of_now(mine, written_like(both, live))
