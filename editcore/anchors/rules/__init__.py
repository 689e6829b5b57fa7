"""Rules for anchored edits: each as its program does it, and our own two. Their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from editcore.anchors.call import Call
from editcore.anchors.corrections import H2_CORRECTIONS
from editcore.anchors.corrections_h4 import H4_CORRECTIONS, LANDING
from editcore.anchors.corrections_oh_my_pi_13 import CORRECTIONS_OF_LINES, CORRECTIONS_OF_RANGES
from editcore.anchors.reading.exhash import read_commands, read_exhash
from editcore.anchors.reading.gptme import read_gptme
from editcore.anchors.reading.h2 import read_h2
from editcore.anchors.reading.h2_oh_my_pi import read_h2_oh_my_pi
from editcore.anchors.reading.h4 import read_h4
from editcore.anchors.rules.exhash import exhash
from editcore.anchors.rules.h2_oh_my_openagent import h2_oh_my_openagent, meant
from editcore.anchors.rules.h2_oh_my_pi import h2_oh_my_pi
from editcore.anchors.rules.h4_gptme import h4_gptme
from editcore.anchors.rules.h4_oh_my_pi import h4_oh_my_pi
from editcore.anchors.rules.recommended import recommended
from editcore.anchors.rules.rule import Given, Rule
from editcore.anchors.rules.strict import strict

Read = Callable[[str], list[Call]]
READINGS: Mapping[str, Read] = MappingProxyType(
    {
        "hashline_h2": read_h2,
        "hashline_h4": read_h4,
        "exhash": read_exhash,
    }
)
"""Format -> its reading."""


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """A rule, and the calls it takes."""

    apply: Rule
    readings: Mapping[str, Read]
    """Format -> how the rule reads a call."""
    corrections: tuple[str, ...] = ()
    """The names of what it corrects, each of which can be left out."""
    meant: Callable[[str, str], str] | None = None
    """(hash of an anchor that names no line, text) -> what a refusal says of it; "" for nothing."""


PATH_RECOVERY = "path_recovery"
"""The correction of a path that no file has: it is that of the only file which was shown with its name and tag."""
ANCHOR_RULES: Mapping[str, AnchorRule] = MappingProxyType(
    {
        "recommended": AnchorRule(recommended, READINGS),
        "strict": AnchorRule(strict, READINGS),
        "h2_oh_my_openagent": AnchorRule(h2_oh_my_openagent, {"hashline_h2": read_h2}, tuple(H2_CORRECTIONS), meant),
        "h2_oh_my_pi": AnchorRule(
            h2_oh_my_pi,
            {"hashline_h2": read_h2_oh_my_pi},
            (*CORRECTIONS_OF_LINES, *CORRECTIONS_OF_RANGES),
        ),
        "h4_oh_my_pi": AnchorRule(h4_oh_my_pi, {"hashline_h4": read_h4}, (PATH_RECOVERY, *H4_CORRECTIONS, LANDING)),
        "h4_gptme": AnchorRule(h4_gptme, {"hashline_h4": read_gptme}),
        "exhash": AnchorRule(exhash, {"exhash": read_commands}),
    }
)
"""Name -> rule."""

__all__ = ["ANCHOR_RULES", "PATH_RECOVERY", "READINGS", "AnchorRule", "Given"]
