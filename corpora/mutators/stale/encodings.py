"""A program wrote the file otherwise, with the same lines: other line endings, or a byte order mark."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.stale.elsewhere import changed_elsewhere
from corpora.mutators.stale.since import Since, mutators_of


def other_line_endings(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines end in CRLF; with degree 2, some far from the edit were changed, too."""
    if "\r" in clean.content + clean.new or clean.content.count("\n") < 2:
        return None
    since = Since(clean, clean.content, clean.target) if degree == 1 else changed_elsewhere(clean, 3, random)
    if since is None or since.target is None:
        return None
    return Since(clean, since.now.replace("\n", "\r\n"), since.target.replace("\n", "\r\n"))


def byte_order_mark(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The file begins with a byte order mark; with degree 2, lines far from the edit were changed, too."""
    since = Since(clean, clean.content, clean.target) if degree == 1 else changed_elsewhere(clean, 3, random)
    if since is None or since.target is None or clean.content.startswith("\ufeff"):
        return None
    return Since(clean, f"\ufeff{since.now}", f"\ufeff{since.target}")


MUTATORS = (
    *mutators_of(other_line_endings, "apply", degrees=(1, 2)),
    *mutators_of(byte_order_mark, "apply", degrees=(1, 2)),
)
