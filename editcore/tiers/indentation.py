"""The tier `indentation`: the same lines, indented otherwise.

    search text  |if a:          file  |    if a:       new text  |if a:       written  |    if a:
                 |  b()                |        b()               |  c()                |        c()

Forgives: indentation, as a whole or by levels, besides what `blank_lines` forgives. Refuses: lines that fit several
places; new lines whose indentation in the file is not certain (see `frame`). Known limit: where the search text is a
single line and the new text is indented deeper than both it and the file, the frame is not known, and it refuses.
"""

from __future__ import annotations

from editcore.text.keys import BODY
from editcore.tiers.merging.whole_lines import in_whole_lines
from editcore.tiers.placing.query import Query
from editcore.types import EditResult


def indentation(query: Query) -> EditResult | None:
    """Lines that are equal but for their indentation; the new text is re-indented as the file is."""
    return in_whole_lines(query, BODY, "indentation")
