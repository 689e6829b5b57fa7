"""Rules for a stale edit: an edit written against a text that has changed since.

A rule is a function `(seen, live, decide) -> EditResult`. `seen` is the text as the model last saw it, `live` the
current text, and `decide(text)` applies the edit to any text. The result is for `live`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.errors import UsageError, did_you_mean
from editcore.stale.recommended import recommended
from editcore.stale.rule import Decide, StaleRule
from editcore.stale.rules import claude_code, gate, match_live, merge3, mtime, patch0, remap

STALE_RULES: Mapping[str, StaleRule] = MappingProxyType(
    {
        "recommended": recommended,
        "gate": gate,
        "mtime": mtime,
        "match_live": match_live,
        "claude_code": claude_code,
        "merge3": merge3,
        "remap": remap,
        "patch0": patch0,
    }
)

DEFAULT = "recommended"


def stale_rule(name: str) -> StaleRule:
    """The rule called `name`. Raises UsageError for an unknown name."""
    if name not in STALE_RULES:
        tip = f"Choose from: {', '.join(STALE_RULES)}."
        raise UsageError(f"There is no rule {name!r} for stale edits", f"{did_you_mean(name, STALE_RULES)}{tip}")
    return STALE_RULES[name]


__all__ = ["DEFAULT", "STALE_RULES", "Decide", "StaleRule", "stale_rule"]
