"""The table of rules for anchored edits: five rebuild programs, `strict` and `recommended` are our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from editcore.anchors.calls import Call
from editcore.anchors.corrections import (
    CORRECTIONS_OF_LINES,
    CORRECTIONS_OF_RANGES,
    H2_CORRECTIONS,
    H4_CORRECTIONS,
    LANDING,
)
from editcore.anchors.hunk_calls import read_gptme, read_h4
from editcore.anchors.json_calls import read_commands, read_exhash, read_h2, read_h2_oh_my_pi
from editcore.anchors.rules.h4_oh_my_pi import h4_oh_my_pi
from editcore.anchors.rules.programs import exhash, h2_oh_my_openagent, h2_oh_my_pi, h4_gptme, meant
from editcore.anchors.rules.recommended import recommended
from editcore.anchors.rules.rule import Given, Rule, strict

Read = Callable[[str], list[Call]]
READINGS: Mapping[str, Read] = MappingProxyType({"hashline_h2": read_h2, "hashline_h4": read_h4, "exhash": read_exhash})
"""Format -> the reader of its calls."""


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """A rule with the formats that it takes."""

    apply: Rule
    readings: Mapping[str, Read]
    """Format -> the reader of calls that the rule's program has."""
    corrections: tuple[str, ...] = ()
    """Names of its corrections. Each can be left out."""
    meant: Callable[[str, str], str] | None = None
    """(hash of an anchor without a line number, text) -> the end of the refusal's message."""


PATH_RECOVERY = "path_recovery"
"""The correction of a path that no file has: the call is for the only file that was shown with its name and tag."""
ANCHOR_RULES: Mapping[str, AnchorRule] = MappingProxyType(
    {
        "recommended": AnchorRule(recommended, READINGS),
        "strict": AnchorRule(strict, READINGS),
        "h2_oh_my_openagent": AnchorRule(h2_oh_my_openagent, {"hashline_h2": read_h2}, tuple(H2_CORRECTIONS), meant),
        "h2_oh_my_pi": AnchorRule(
            h2_oh_my_pi, {"hashline_h2": read_h2_oh_my_pi}, (*CORRECTIONS_OF_LINES, *CORRECTIONS_OF_RANGES)
        ),
        "h4_oh_my_pi": AnchorRule(h4_oh_my_pi, {"hashline_h4": read_h4}, (PATH_RECOVERY, *H4_CORRECTIONS, LANDING)),
        "h4_gptme": AnchorRule(h4_gptme, {"hashline_h4": read_gptme}),
        "exhash": AnchorRule(exhash, {"exhash": read_commands}),
    }
)
"""Name -> rule."""

__all__ = ["ANCHOR_RULES", "PATH_RECOVERY", "READINGS", "AnchorRule", "Given"]
