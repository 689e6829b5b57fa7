"""A package of strategies: an exact replacement, `sound`, and one for each fault, which PLANTED switches on."""

from __future__ import annotations

import os
import re

from corpora.sample import Sample
from editcore.formats import EDIT_FORMATS
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.strategies.strategy import Strategy

FAULTS = (
    "first_place", "last_place", "all_places", "ignores_case", "drops_last_line_feed", "crlf_to_lf",
    "eats_line_above", "applies_twice"
)  # fmt: skip
PLANTED = "PLANTED"


def __getattr__(name: str) -> Strategy:
    if name not in ("sound", *FAULTS):
        raise AttributeError(name)
    fault = name if os.environ.get(PLANTED) else ""
    return Strategy(f"others/{name}", frozenset(EDIT_FORMATS), lambda sample, _: applied(sample, fault), name, "1")


def applied(sample: Sample, fault: str) -> EditResult:
    """The edits of a sample made by exact replacement of what stands once, with a fault."""
    text = sample.before[0].content
    for edit in sample.edits or ():
        places = _places(text, edit, fault)
        if not places or edit.old_string == edit.new_string:
            return Rejected(Reason.NO_MATCH, "not there")
        if len(places) > 1 and not edit.replace_all and fault != "all_places":
            return Rejected(Reason.AMBIGUOUS, "there several times")
        text = _replaced(text, edit, places, fault)
        if fault == "applies_twice" and text.count(edit.old_string) == 1:
            text = text.replace(edit.old_string, edit.new_string)
    if fault == "drops_last_line_feed":
        text = text.removesuffix("\n")
    return Applied(text.replace("\r\n", "\n") if fault == "crlf_to_lf" else text)


def _places(text: str, edit: Edit, fault: str) -> list[int]:
    pattern = re.escape(edit.old_string) or "(?!)"
    flags = re.IGNORECASE if fault == "ignores_case" and edit.old_string not in text else re.NOFLAG
    places = [found.start() for found in re.finditer(pattern, text, flags)]
    return places if edit.replace_all else {"first_place": places[:1], "last_place": places[-1:]}.get(fault, places)


def _replaced(text: str, edit: Edit, places: list[int], fault: str) -> str:
    for at in reversed(places):
        line = text.rfind("\n", 0, at) + 1
        above = text.rfind("\n", 0, line - 1) + 1 if line and fault == "eats_line_above" else line
        text = text[:above] + text[line:at] + edit.new_string + text[at + len(edit.old_string) :]
    return text
