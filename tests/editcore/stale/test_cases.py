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

from editcore import Applied, Edit, Reason, apply_edit, apply_search_replace
from editcore.stale import STALE_RULES
from tests.rule_cases import RuleCase, read_rule_case

CASES = Path(__file__).parents[2] / "cases" / "stale"
FILES = sorted(CASES.glob("*.txt"))


def read_case(path: Path) -> RuleCase:
    case = read_rule_case(path.read_text("utf-8"), files=("seen", "content"), strings=("old", "new"))
    assert case.texts.keys() == {"seen", "content", "old", "new"}, sorted(case.texts)
    return case


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stale_edit(path: Path) -> None:
    comments, texts, outcomes = read_case(path)
    edit = Edit(texts["old"], texts["new"], "replace_all" in comments)
    results = {rule: apply_edit(texts["content"], edit, seen=texts["seen"], stale=rule) for rule in outcomes}
    assert {
        rule: result.content if isinstance(result, Applied) else result.reason for rule, result in results.items()
    } == outcomes


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_search_replace_block_of_the_same_lines_has_the_same_outcome(path: Path) -> None:
    comments, texts, outcomes = read_case(path)
    old, new = texts["old"], texts["new"]
    if "recommended" not in outcomes or "replace_all" in comments or f"\n{old}\n" not in f"\n{texts['seen']}":
        pytest.skip("a block is of whole lines, and of one place")
    patch = "\n".join(["a.txt", "<<<<<<< SEARCH", old, "=======", *[new][: bool(new)], ">>>>>>> REPLACE", ""])
    result = apply_search_replace({"a.txt": texts["content"]}, patch, seen={"a.txt": texts["seen"]})
    found = result.files["a.txt"] if isinstance(result, Applied) else result.reason
    assert found == outcomes["recommended"]


def test_every_rule_has_a_case_that_it_applies_and_one_that_it_refuses_and_every_file_name_is_a_sentence() -> None:
    cases = [read_case(path).outcomes for path in FILES]
    refusing = {rule for case in cases for rule, outcome in case.items() if isinstance(outcome, Reason)}
    applying = {rule for case in cases for rule, outcome in case.items() if not isinstance(outcome, Reason)}
    assert refusing == {*STALE_RULES}
    assert applying == {*STALE_RULES} - {"gate", "mtime"}
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
