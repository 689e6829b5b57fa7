"""The tier `blank_lines`: all lines as they are but for whitespace at their ends, and blank lines anywhere.

    search text  |a = 1          file  |a = 1
                 |b = 2                |            <- the search text lacks a blank line; it stays
                                       |b = 2

Forgives: blank lines that search text or file has more, within and at both ends; spaces at the ends of lines; a final
line feed. Refuses: lines that fit several places. Known limit: in languages where a blank line means something
(Markdown), the new text's blank lines beside a change win.
"""

from __future__ import annotations

from editcore.text.keys import RIGHT_TRIMMED
from editcore.tiers.merging.whole_lines import in_whole_lines
from editcore.tiers.placing.query import Query
from editcore.types import EditResult


def blank_lines(query: Query) -> EditResult | None:
    """Lines that are equal but for blank lines and whitespace at their ends."""
    return in_whole_lines(query, RIGHT_TRIMMED, "blank_lines")
