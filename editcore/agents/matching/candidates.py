"""Candidates of replacers: those that stand in a text, each once."""

from __future__ import annotations

from collections.abc import Iterable


def distinct(candidates: Iterable[str], text: str, *, most: int) -> list[str]:
    """The first candidates that stand in a text, the same one once; not more than `most`."""
    found: dict[str, None] = {}
    for one in candidates:
        if one and one not in found and one in text:
            found[one] = None
            if len(found) == most:
                break
    return list(found)
