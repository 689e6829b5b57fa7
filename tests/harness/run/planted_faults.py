"""An exact replacement as strategies of a package: `sound`, and one for each fault, which PLANTED switches on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, Reason, Rejected

FAULTS = (
    "first_place", "last_place", "all_places", "ignores_case",
    "drops_last_line_feed", "crlf_to_lf", "eats_line_above", "applies_twice",
)  # fmt: skip
PLANTED = "PLANTED"


def _applied(sample: Sample, fault: str) -> EditResult:
    text = sample.before[0].content
    for edit in sample.edits or ():
        if not edit.old_string or edit.old_string == edit.new_string:
            return Rejected(Reason.IDENTICAL, "nothing to replace")
        places = _places(text, edit, fault)
        if not places:
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
    """The places that are replaced if there is one, or all are meant."""
    places = [found.start() for found in re.finditer(re.escape(edit.old_string), text)]
    if not places and fault == "ignores_case":
        places = [found.start() for found in re.finditer(re.escape(edit.old_string), text, re.IGNORECASE)]
    if not edit.replace_all:
        places = {"first_place": places[:1], "last_place": places[-1:]}.get(fault, places)
    return places


def _replaced(text: str, edit: Edit, places: list[int], fault: str) -> str:
    for at in reversed(places):
        line = text.rfind("\n", 0, at) + 1
        above = text.rfind("\n", 0, line - 1) + 1 if line and fault == "eats_line_above" else line
        text = text[:above] + text[line:at] + edit.new_string + text[at + len(edit.old_string) :]
    return text


def _strategy(fault: str) -> Callable[[Sample], EditResult]:
    planted = partial(_applied, fault=fault if os.environ.get(PLANTED) else "")
    return wraps(_applied)(planted)
