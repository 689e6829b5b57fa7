"""The tier `look_alikes`: the same lines but for characters that look alike, or that cannot be seen.

    search text  |print(“a”)     file  |print("a")     taken, and lines that the edit keeps stay as the file has them

Forgives: curly quotes, dashes, the ellipsis, spaces of other widths, full-width punctuation, letters with accents in
one or two characters, zero-width characters and marks of writing direction; besides what `indentation` forgives.
Refuses: lines that fit several places. Known limit: characters that the new text adds are written as they are.
"""

from __future__ import annotations

from editcore.text.keys import FOLDED
from editcore.tiers.merging.whole_lines import in_whole_lines
from editcore.tiers.placing.query import Query
from editcore.types import EditResult


def look_alikes(query: Query) -> EditResult | None:
    """Lines that are equal but for characters that look alike or cannot be seen."""
    if (query.view.text.isascii() and query.old.text.isascii()) or not query.has_words:
        return None
    return in_whole_lines(query, FOLDED, "look_alikes", ("characters that look alike",))
