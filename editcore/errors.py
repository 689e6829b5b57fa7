"""The exceptions, as a tree.

    EditgaugeError            everything this project raises on purpose
      UsageError              the user's mistake: shown as two lines, exit code 2

An edit that cannot be applied is no exception: see `editcore.types.Rejected`.
"""

from __future__ import annotations


class EditgaugeError(Exception):
    """Everything this project raises on purpose."""


class UsageError(EditgaugeError):
    """The user's mistake. Shown as two lines (what, and what to do) with exit code 2, no traceback."""

    def __init__(self, message: str, tip: str) -> None:
        super().__init__(message)
        self.message = message
        self.tip = tip

    def __reduce__(self) -> tuple[type[UsageError], tuple[str, str]]:
        """Survive the trip from a worker process."""
        return type(self), (self.message, self.tip)
