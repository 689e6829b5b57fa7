"""Tiers: rules that each forgive one way of writing an edit wrongly, and are certain of their place or pass.

A tier is a function `(query) -> Applied | Rejected | None`: the edit merged into the only place that fits, a refusal
of what was found, or nothing. Unlike a replacer, a tier names a place, not a text, and decides what is written there.
Each tier is safe alone: it refuses where the file has several places for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from editcore.thresholds import Threshold
from editcore.tiers.drift import DRIFT_THRESHOLDS, drift
from editcore.tiers.elision import elision
from editcore.tiers.exact import exact
from editcore.tiers.query import Query
from editcore.tiers.repaired import escapes, pasted
from editcore.tiers.squeezed import line_breaks, spacing
from editcore.tiers.whole_lines import blank_lines, indentation, look_alikes
from editcore.types import EditResult

Tier = Callable[..., EditResult | None]
"""(query, **thresholds) -> result."""

TIERS: Mapping[str, Tier] = MappingProxyType(
    {
        "exact": exact,
        "blank_lines": blank_lines,
        "indentation": indentation,
        "look_alikes": look_alikes,
        "spacing": spacing,
        "line_breaks": line_breaks,
        "escapes": escapes,
        "pasted": pasted,
        "elision": elision,
        "drift": drift,
    }
)
"""Name -> tier, in the order of the cascade `recommended`."""

THRESHOLDS: Mapping[str, Sequence[Threshold]] = MappingProxyType({"drift": DRIFT_THRESHOLDS})
"""Name of a tier -> its thresholds; most tiers have none."""

__all__ = ["THRESHOLDS", "TIERS", "Query", "Tier"]
