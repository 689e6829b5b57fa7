"""editcore: text in, result out. Every way to apply a coding model's edit to a text.

>>> from editcore import replace
>>> replace("x = 1\\n", "x = 1", "x = 2").content
'x = 2\\n'
"""

from __future__ import annotations

from editcore.cascade import CASCADES, Cascade, Guards, SizeGuard, replace
from editcore.document import WHITESPACE, Document
from editcore.errors import EditgaugeError, UsageError
from editcore.replacers import REPLACERS, Replacer
from editcore.types import Applied, Edit, EditResult, File, Match, Reason, Rejected

__version__ = "0.1.0"

__all__ = [
    "CASCADES",
    "REPLACERS",
    "WHITESPACE",
    "Applied",
    "Cascade",
    "Document",
    "Edit",
    "EditResult",
    "EditgaugeError",
    "File",
    "Guards",
    "Match",
    "Reason",
    "Rejected",
    "Replacer",
    "SizeGuard",
    "UsageError",
    "replace",
]
