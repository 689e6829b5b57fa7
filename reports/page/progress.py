"""The progress of making a page."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with what is being done, and the share of it that is done, 0 to 1."""

    def __call__(self, what: str, share: float, /) -> object: ...


def no_progress(what: str, share: float, /) -> None:
    """Report no progress."""
