"""The formats in which models write edits, and the table `FORMATS` that everybody reads.

A format says which fields its edits have, what its careful rule is, and how a change is written in it. Whatever asks
"which formats are there?" or "how is an edit in this format applied?" reads this table: samples, the server, `try`,
strategies, questions to models, fuzz inputs and the docs. To add a format, put it into `_TABLE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.formats.format import EditText, Format, Written
from editcore.formats.patches import (
    BEGIN_PATCH,
    EXHASH,
    HASHLINE_H2,
    HASHLINE_H4,
    INSERT,
    LINE_RANGE,
    SHELL,
    UNIFIED_DIFF,
)
from editcore.formats.str_replace import SEARCH_REPLACE, STR_REPLACE

_TABLE = (
    STR_REPLACE, SEARCH_REPLACE, UNIFIED_DIFF, BEGIN_PATCH, INSERT, LINE_RANGE, HASHLINE_H2, HASHLINE_H4, EXHASH, SHELL,
)  # fmt: skip
FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _TABLE})
"""Name -> format."""
EDIT_FORMATS = tuple(name for name, one in FORMATS.items() if one.has_edits)
"""Names of the formats whose samples have `edits`; samples of the others have a `patch` only."""
ANCHORED_FORMATS = tuple(name for name, one in FORMATS.items() if one.view)
"""Names of the formats that name lines by anchors, as `Sample.seen` shows them."""

__all__ = ["ANCHORED_FORMATS", "EDIT_FORMATS", "FORMATS", "EditText", "Format", "Written"]
