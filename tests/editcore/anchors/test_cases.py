"""The text cases of `tests/cases/anchors`: a call in an anchored format, and what each rule makes of it.

    # hashline_h2
    --- seen
    the file's lines as they were shown; left out where they are those of now
    --- content
    the file's lines now
    --- call
    the call; «2» is the anchor of line 2 as it was shown, «tag» the tag of the text
    --- result by RULE
    the file's lines afterwards
    --- rejected REASON in RULE

As in `tests/cases/stale`; an outcome that names no rule is that of `recommended`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editcore import Applied, Reason
from editcore.anchors import ANCHOR_RULES, apply_anchored, show
from editcore.anchors.views import h4_tag
from tests.rule_cases import RuleCase, read_rule_case

CASES = Path(__file__).parents[2] / "cases" / "anchors"
FILES = sorted(CASES.glob("*.txt"))


def read_case(path: Path) -> RuleCase:
    """A case whose first comment is its format."""
    case = read_rule_case(path.read_text("utf-8"), files=("seen", "content"), strings=("call",))
    assert {"content", "call"} <= case.texts.keys(), sorted(case.texts)
    return case


def call_of(format: str, call: str, shown: str) -> str:
    """The call with the anchors that the text was shown with."""
    rows = show(shown, format).split("\n")
    anchors = [re.split(r"[|]|(?<=#..):", row)[0].strip() for row in rows]
    call = call.replace("«tag»", h4_tag(shown))
    return re.sub(r"«(\d+)»", lambda found: anchors[int(found[1]) - 1], call)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_anchored_call(path: Path) -> None:
    (format, *_), texts, outcomes = read_case(path)
    call = call_of(format, texts["call"], texts.get("seen", texts["content"]))
    seen = {"a.py": texts["seen"]} if "seen" in texts else None
    results = {
        rule: apply_anchored({"a.py": texts["content"]}, call, format, rule=rule, seen=seen) for rule in outcomes
    }
    assert {
        rule: result.content if isinstance(result, Applied) else result.reason for rule, result in results.items()
    } == outcomes


def test_every_rule_has_a_case_that_it_applies_and_one_that_it_refuses_and_every_file_name_is_a_sentence() -> None:
    cases = [read_case(path).outcomes for path in FILES]
    assert {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, Reason)} == {*ANCHOR_RULES}
    assert {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, str)} >= {*ANCHOR_RULES}
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
