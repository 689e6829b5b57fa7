"""Tiers: rules that each forgive one way of writing an edit wrongly, and are certain of their place or pass.

A tier is a function `(query) -> Applied | Rejected | None`: the edit merged into the only place that fits, a refusal
of what was found, or nothing. Unlike a replacer, a tier names a place, not a text, and decides what is written there.
Each tier is safe alone: it refuses where the file has several places for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from editcore.members import Members
from editcore.thresholds import Threshold
from editcore.tiers.query import Query
from editcore.types import EditResult

Tier = Callable[..., EditResult | None]
"""(query, **thresholds) -> result."""

TIERS: Mapping[str, Tier] = Members(
    __name__,
    {
        "exact": "exact",
        "blank_lines": "whole_lines",
        "indentation": "whole_lines",
        "look_alikes": "whole_lines",
        "spacing": "squeezed",
        "line_breaks": "squeezed",
        "escapes": "repaired",
        "pasted": "repaired",
        "elision": "elision",
        "drift": "drift",
    },
)
"""Name -> tier; written as its module. The order is the order of the cascade `recommended`."""

_OF_DRIFT = (
    Threshold("score", 0, 1, (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0), "least weight of equal lines, as a share of all"),
    Threshold("margin", 0, 1, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0), "least lead over the next best place"),
    Threshold("differing", 0, 100, (0, 1, 2, 3, 5, 10), "most lines that differ, in nothing that matters"),
    Threshold("unknown", 0, 100, (0, 1, 2, 3, 5, 10), "most lines that only the file has"),
)
THRESHOLDS: Mapping[str, Sequence[Threshold]] = MappingProxyType({"drift": _OF_DRIFT})
"""Name of a tier -> its thresholds; most tiers have none."""

__all__ = ["THRESHOLDS", "TIERS", "Query", "Tier"]
