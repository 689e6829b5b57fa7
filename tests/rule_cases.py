"""Text cases of rules that each make of one input what they make: `tests/cases/stale` and `tests/cases/anchors`.

Below the comments at the top come sections: the texts, `--- result by RULE` with the file's lines afterwards, and
`--- rejected REASON in RULE`. An outcome that names no rule is that of `recommended`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from editcore import Reason
from tests.drawn import undrawn

_HEADING = re.compile(r"--- (?:result(?: by (\w+))?|rejected (\w+)(?: in (\w+))?|(\w+))")


class RuleCase(NamedTuple):
    """One case."""

    comments: list[str]
    """Those at the top, without their sign."""
    texts: dict[str, str]
    outcomes: dict[str, str | Reason]
    """Rule -> the content, or the reason of its refusal."""


def read_rule_case(text: str, *, files: Collection[str], strings: Collection[str]) -> RuleCase:
    """The case that a file's text describes; its texts are files, whose last lines end in a line feed, or strings."""
    head, *sections = re.split(r"^(?=--- )", text, flags=re.MULTILINE)
    assert all(line.startswith("# ") for line in head.splitlines()), head
    case = RuleCase([line.removeprefix("# ") for line in head.splitlines()], {}, {})
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = _HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        rule, reason, refusing, name = heading.groups()
        if name:
            assert name in (*files, *strings), f"not a heading: {title}"
            assert name not in case.texts, f"twice: {title}"
            case.texts[name] = undrawn(lines, is_file=name in files)
            continue
        rule = rule or refusing or "recommended"
        assert rule not in case.outcomes, f"twice: {title}"
        assert not reason or lines == [], f"text under a refusal: {lines}"
        case.outcomes[rule] = Reason(reason) if reason else undrawn(lines, is_file=True)
    assert case.outcomes, "has no outcome"
    return case
