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
from editcore.anchors.hashes import h4_tag
from tests.drawn import undrawn

CASES = Path(__file__).parents[2] / "cases" / "anchors"
FILES = sorted(CASES.glob("*.txt"))
HEADING = re.compile(r"--- (?:(seen|content|call)|result(?: by (\w+))?|rejected (\w+)(?: in (\w+))?)")

Outcome = str | Reason


def read_case(text: str) -> tuple[str, dict[str, str], dict[str, Outcome]]:
    """The format of a case, its texts, and the outcome of each rule: the content, or the reason."""
    head, *sections = re.split(r"^(?=--- )", text, flags=re.MULTILINE)
    assert all(line.startswith("# ") for line in head.splitlines()), head
    texts: dict[str, str] = {}
    outcomes: dict[str, Outcome] = {}
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        name, rule, reason, refusing = heading.groups()
        if name:
            assert name not in texts, f"twice: {title}"
            texts[name] = undrawn(lines, is_file=name != "call")
            continue
        rule = rule or refusing or "recommended"
        assert rule not in outcomes, f"twice: {title}"
        assert not reason or lines == [], f"text under a refusal: {lines}"
        outcomes[rule] = Reason(reason) if reason else undrawn(lines, is_file=True)
    assert {"content", "call"} <= texts.keys(), sorted(texts)
    assert outcomes, "has no outcome"
    return head.splitlines()[0].removeprefix("# "), texts, outcomes


def call_of(format: str, call: str, shown: str) -> str:
    """The call with the anchors that the text was shown with."""
    rows = show(shown, format).split("\n")
    anchors = [re.split(r"[|]|(?<=#..):", row)[0].strip() for row in rows]
    call = call.replace("«tag»", h4_tag(shown))
    return re.sub(r"«(\d+)»", lambda found: anchors[int(found[1]) - 1], call)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_anchored_call(path: Path) -> None:
    format, texts, outcomes = read_case(path.read_text("utf-8"))
    call = call_of(format, texts["call"], texts.get("seen", texts["content"]))
    seen = {"a.py": texts["seen"]} if "seen" in texts else None
    results = {
        rule: apply_anchored({"a.py": texts["content"]}, call, format, rule=rule, seen=seen) for rule in outcomes
    }
    assert {
        rule: result.content if isinstance(result, Applied) else result.reason for rule, result in results.items()
    } == outcomes


def test_every_rule_has_a_case_that_it_applies_and_one_that_it_refuses_and_every_file_name_is_a_sentence() -> None:
    cases = [read_case(path.read_text("utf-8"))[2] for path in FILES]
    assert {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, Reason)} == {*ANCHOR_RULES}
    assert {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, str)} >= {*ANCHOR_RULES}
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
