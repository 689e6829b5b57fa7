"""`fuzz reproduce` on files that are no findings: two lines and exit code 2, which no other answer has."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.fuzz import finding
from harness.fuzz.engine.known import kept_findings
from harness.fuzz.finding import Finding, line_of, read_findings
from harness.fuzz.targets import targets
from tests.harness.program import ROOT, call

FINDING = {"target": "cascade/exact", "property": "one_place", "path": "p", "detail": "d", "fields": ["a", "b", "c"],
           "format": "str_replace"}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"fields": [1, 2, 3]}, "is not a finding: Expected `str`, got `int` - at `$.fields[0]`"),
        ({"fields": "abc"}, "is not a finding: Expected `array`"),
        ({"target": None}, "is not a finding: Expected `str`, got `null` - at `$.target`"),
        ({"format": "prose"}, "its format 'prose' is not known"),
        ({"format": None, "fields": ["a"]}, "The 1 field of "),
        ({"property": "one_plaice"}, "cascade/exact has no property 'one_plaice'"),
        ({"property": "second_file_kept"}, "cascade/exact has no property"),
        ({"target": "*"}, "'*' is not a fuzz target of this installation"),
        ({"target": "a\x1b[2J"}, "is not a fuzz target of this installation"),
    ],
)
def test_a_finding_that_says_nothing_is_the_users_mistake(
    changed: dict[str, object], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(FINDING) + "\n" + json.dumps(FINDING | changed) + "\n")
    done = call("fuzz", "reproduce", path)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not done.stdout


@pytest.mark.parametrize(
    "line", [b'{"fields":[1,2,3]}', b"{}", b"[]", b"[" * 100_000, b"\xff", b'{"id": 1}', b"9" * 9999]
)
def test_a_line_that_is_no_finding_is_named(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n" + line + b"\n")
    done = call("fuzz", "reproduce", path)
    assert done.exit_code == 2
    assert "a.jsonl:2 is not a finding" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_only_a_regular_file_of_bounded_size_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "large.jsonl").write_bytes(b" " * 101)
    (tmp_path / "there.jsonl").write_text(line_of(Finding(**{**FINDING, "fields": ("a", "b", "c")})))  # type: ignore[arg-type]
    (tmp_path / "link.jsonl").symlink_to("there.jsonl")
    assert len(list(read_findings(tmp_path / "link.jsonl"))) == 1
    monkeypatch.setattr(finding, "_LARGEST", 100)
    for name, says in (
        ("/dev/zero", "it is not a regular file"),
        ("pipe.jsonl", "it is not a regular file"),
        ("large.jsonl", "it has more than 100 bytes"),
        ("none.jsonl", "No such file"),
        (".", "it is not a regular file"),
    ):
        done = call("fuzz", "reproduce", tmp_path / name)
        assert done.exit_code == 2
        assert f"cannot be read: {says}" in done.stderr
    monkeypatch.undo()
    (tmp_path / "large.jsonl").unlink()
    (tmp_path / "findings").mkdir()
    os.mkfifo(tmp_path / "findings" / "pipe.jsonl")
    with pytest.raises(UsageError, match="it is not a regular file"):  # What a campaign asks before it begins.
        kept_findings(tmp_path)


def test_every_property_that_a_target_checks_is_in_its_table() -> None:
    declared = {name for target in targets().values() for name in target.properties}
    declared |= {
        "applies_what_the_other_refuses",
        "refuses_what_the_other_applies",
    }  # Of two strategies that are named.
    reported: set[str] = set()
    for path in sorted((ROOT / "harness" / "fuzz" / "targets").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Violation":
                reported |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    assert len(reported) > 20
    assert reported <= declared
