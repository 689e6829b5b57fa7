"""The rule `mtime`: refuses every edit of a file that was written to since it was seen, also with the same text.

What programs do that compare times. A sample that says what was seen is of a file that was written to.
"""

from __future__ import annotations

from editcore.stale.gate import has_changed
from editcore.stale.rule import Decide
from editcore.types import EditResult


def mtime(seen: str, live: str, decide: Decide) -> EditResult:
    """A refusal, whatever the texts."""
    del seen, live, decide
    return has_changed()
