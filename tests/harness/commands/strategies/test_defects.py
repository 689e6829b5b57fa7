"""`editgauge defects`: what it says of careful rules, of rules known for a defect, and of a flawed program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

from corpora.defects import defects
from harness.defects import defects_of
from harness.strategies.registry import select
from tests.harness.program import call, document, mistake

_CAREFUL = (
    "cascade/recommended", "search_replace/recommended", "begin_patch/lenient", "unified_diff/tolerant",
    "stale/recommended", "insert/line", "tool/edit", "tool/edit_patch", "tool/patch_file", "tool/insert_at",
)  # fmt: skip
_NOBODYS = {"EG-0058", "EG-0066", "EG-0070"}
"""Defects that no rule of today has; programs of other people have them."""
_EVERYWHERE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    (file,), edit = asked["before"], asked["edits"][0]
    old, text = edit["old_string"], file["content"]
    answer = {"status": "rejected", "reason": "no_match", "message": "not found"}
    if old and old in text:
        after = {"path": file["path"], "content": text.replace(old, edit["new_string"])}
        answer = {"status": "applied", "after": [after]}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


def test_careful_rules_have_none() -> None:
    for one in defects_of(select(_CAREFUL)):
        assert one.tried, one.strategy
        assert not one.found, one.strategy


def test_every_defect_is_had_by_a_rule_of_somebody() -> None:
    some = defects_of(select(["agent/*", "cascade/*", "begin_patch/*", "unified_diff/*", "insert/*", "stale/*"]))
    had = {id for one in some for id in one.found}
    assert set(defects()) - had - {"EG-0059", "EG-0068"} == _NOBODYS  # Those two are of git and of tools.


def test_a_flawed_program_fails_until_its_defects_are_known(tmp_path: Path) -> None:
    program = tmp_path / "everywhere.py"
    program.write_text(_EVERYWHERE)
    spec, report, sarif = f"cmd:everywhere={sys.executable} {program}", tmp_path / "report.xml", tmp_path / "out.sarif"
    done = call("defects", spec, "--junit", report, "--sarif", sarif)
    assert done.exit_code == 1, done.output
    assert "EG-0001  A text that stands twice is replaced at its first place. (wrong: unasked)" in done.stdout
    failed = {
        case.get("name") for case in ElementTree.parse(report).iter("testcase") if case.find("failure") is not None
    }
    assert {"EG-0001", "EG-0040"} <= failed
    assert {one["ruleId"] for one in json.loads(sarif.read_text())["runs"][0]["results"]} == failed
    again = call("defects", spec, "--known", ",".join(map(str, failed)))
    assert again.exit_code == 0, again.output
    fixed = call("defects", "cascade/recommended", "--known", "EG-0001")
    assert "no longer: EG-0001; remove from --known" in fixed.stdout


def test_a_program_that_crashes_has_no_defects_and_fails() -> None:
    done = call("defects", f"cmd:nothing={sys.executable} -c pass")
    assert done.exit_code == 1
    assert "cmd/nothing has 0 of" in done.stdout
    assert "calls crashed or timed out" in done.stdout
    assert "see `editgauge protocol check`" in done.stdout


def test_one_is_shown_with_its_input_and_all_are_listed() -> None:
    shown = call("defects", "EG-0005").stdout
    assert "right: The lines between say something else" in shown
    assert "the right answer: a refusal" in shown
    assert len(call("defects").stdout.splitlines()) == len(defects())
    assert document("defects", "EG-0007")["defects"][0]["mechanism"] == "anchors_of_a_block"


def test_mistakes_are_named() -> None:
    assert "There is no defect 'EG-7'" in mistake("defects", "EG-7")
    assert "There is no defect 'EG-1'" in mistake("defects", "cascade/exact", "--known", "EG-1")
    assert "exclude each other" in mistake("defects", "EG-0007", "cascade/exact")
    assert "No strategy is named" in mistake("defects", "--known", "EG-0007")
    assert "There is no strategy" in mistake("defects", "cascade/nothing")
