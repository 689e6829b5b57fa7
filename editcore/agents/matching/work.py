"""Bounded work: a rule that compares every window of a file with the search text is refused before it takes long."""

from __future__ import annotations

from editcore.errors import PatchError
from editcore.types import Reason

STEPS = 20_000_000
"""Most steps that a rule may take; a step is about ten nanoseconds."""


class Work:
    """Work that may still be done for one edit."""

    __slots__ = ("_left", "_rule")

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._left = STEPS

    def spend(self, steps: int) -> None:
        """Count some steps. Raises PatchError, which names the rule and its limit, if there were too many."""
        self._left -= steps
        if self._left < 0:
            raise PatchError(
                f"{self._rule} would take over {STEPS:,} steps to compare old_string with this file: "
                "give a shorter old_string.",
                reason=Reason.TOO_LARGE,
            )
