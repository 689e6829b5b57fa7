"""The gate as SARIF: a result for each reason, at the program's file where a command names one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reports.compare.gate import Failure, Rule
from reports.runs.manifest import read_manifest
from reports.views.ci import program_files, sarif
from tests.twins import write_run


def test_each_reason_is_a_result_and_a_command_has_a_place() -> None:
    failures = [
        Failure(Rule.WRONG_EDIT, "cmd/mine", "2 samples newly edited wrongly", ("a\x1b", "b")),
        Failure(Rule.LATENCY, "cascade/exact", "slower", ()),
    ]
    found = sarif(failures, {"cmd/mine": "bin/edit.js"})
    [run] = found["runs"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {"wrong_edit", "latency"}
    first, second = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "bin/edit.js"}, "region": {"startLine": 1}}
    assert "\x1b" not in first["message"]["text"]
    assert "locations" not in second
    assert json.loads(json.dumps(found))["version"] == "2.1.0"


def test_without_a_failure_there_is_no_result() -> None:
    assert sarif((), {})["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("./edit", "edit"),
        ("node ./src/../edit --fast", "edit"),
        ("node gone.js", None),
        ("/bin/cat", None),
        ("../edit", None),
        ("node 'unclosed", None),
    ],
)
def test_only_a_file_below_the_folder_is_a_place(command: str, file: str | None, tmp_path: Path) -> None:
    (tmp_path / "edit").write_text("")
    folder = write_run(tmp_path / "run", {"cmd/mine": "cc"})
    manifest = read_manifest(folder)
    [one] = manifest.strategies
    for options in ("", "[once=60]"):
        argv = ("run", "house", "-s", f"cmd:mine{options}={command}")
        found = program_files(replace(manifest, strategies=(one,), argv=argv), tmp_path)
        assert found == ({} if file is None else {"cmd/mine": file})
