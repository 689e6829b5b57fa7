"""The rule `gate`: refuses every edit of a text that has changed since it was seen.

What most programs do that compare contents. It writes nothing wrong, and costs a read and an edit for every change by
a formatter, a user or another agent, wherever in the file that is.
"""

from __future__ import annotations

from editcore.stale.rule import Decide
from editcore.types import EditResult, Reason, Rejected


def gate(seen: str, live: str, decide: Decide) -> EditResult:
    """A refusal where the texts differ."""
    return decide(live) if seen == live else has_changed()


def has_changed() -> Rejected:
    """The refusal of an edit of a text that is another one."""
    return Rejected(
        Reason.STALE_READ, "the file was changed since it was read: read it again, then send the edit again."
    )
