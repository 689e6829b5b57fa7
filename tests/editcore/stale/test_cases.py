"""The text cases of `tests/cases/stale`: an edit of a text that was changed since it was seen.

    --- seen
    the file's lines as the model saw them
    --- content
    the file's lines now
    --- old
    --- new
    --- result by RULE
    the file's lines afterwards
    --- rejected REASON in RULE

As in `tests/cases/replace`; an outcome that names no rule is that of `recommended`. The edit is matched by the cascade
`recommended`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editcore import Applied, Edit, Reason, apply_edit
from editcore.stale import STALE_RULES
from tests.drawn import undrawn

CASES = Path(__file__).parents[2] / "cases" / "stale"
FILES = sorted(CASES.glob("*.txt"))
HEADING = re.compile(r"--- (?:(seen|content|old|new)|result(?: by (\w+))?|rejected (\w+)(?: in (\w+))?)")

Outcome = str | Reason


def read_case(text: str) -> tuple[dict[str, str], bool, dict[str, Outcome]]:
    """The texts of a case, whether all places are meant, and the outcome of each rule: the content, or the reason."""
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
            texts[name] = undrawn(lines, is_file=name in ("seen", "content"))
            continue
        rule = rule or refusing or "recommended"
        assert rule not in outcomes, f"twice: {title}"
        assert not reason or lines == [], f"text under a refusal: {lines}"
        outcomes[rule] = Reason(reason) if reason else undrawn(lines, is_file=True)
    assert texts.keys() == {"seen", "content", "old", "new"}, sorted(texts)
    assert outcomes, "has no outcome"
    return texts, "# replace_all" in head.splitlines(), outcomes


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stale_edit(path: Path) -> None:
    texts, is_everywhere, outcomes = read_case(path.read_text("utf-8"))
    edit = Edit(texts["old"], texts["new"], is_everywhere)
    results = {rule: apply_edit(texts["content"], edit, seen=texts["seen"], stale=rule) for rule in outcomes}
    assert {
        rule: result.content if isinstance(result, Applied) else result.reason for rule, result in results.items()
    } == outcomes


def test_every_rule_has_a_case_that_it_applies_and_one_that_it_refuses_and_every_file_name_is_a_sentence() -> None:
    cases = [read_case(path.read_text("utf-8"))[2] for path in FILES]
    refusing = {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, Reason)}
    applying = {rule for case in cases for rule, outcome in case.items() if not isinstance(outcome, Reason)}
    assert refusing == {*STALE_RULES}
    assert applying == {*STALE_RULES} - {"gate", "mtime"}
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
