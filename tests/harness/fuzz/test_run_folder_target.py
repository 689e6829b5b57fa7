"""The fuzz target of run folders finds the defects that it is for."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest

from harness.fuzz.generators.patches import diff
from harness.fuzz.generators.run_folders import UNIT, run_folder
from harness.fuzz.inputs import Fields
from harness.fuzz.targets.run_folders import run_folders_are_read
from reports.history import nights
from reports.runs import contents, manifest, parts
from reports.runs.manifest import Manifest
from reports.runs.rows import SampleUsed


def _folder(*entries: str, plan: str = "0a1b2c3d") -> Fields:
    written = Manifest(["run"], 0, [], [], 1.0, plan, "2026-11-21T03:00:00+00:00", finished="2026-11-21T03:01:00+00:00")
    return (json.dumps(asdict(written)), *entries)


def _found(fields: Fields) -> list[tuple[str, str]]:
    return [(one.property, one.path) for one in run_folders_are_read(fields, thorough=True)]


def test_a_run_that_removes_what_no_run_wrote_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = _folder(UNIT.join(("file", "background.js", "x")))
    assert _found(fields) == []
    monkeypatch.setattr(contents, "foreign_entry", lambda _: None)
    assert ("only_its_own_is_changed", "--replace") in _found(fields)


def test_a_plan_that_is_part_of_a_path_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = _folder(plan="/../..")
    assert _found(fields) == []
    monkeypatch.setattr(manifest, "_check", lambda _: None)
    monkeypatch.setattr(nights, "remove_leftover", lambda folder: shutil.rmtree(folder, ignore_errors=True))
    assert ("only_its_own_is_changed", "baseline accept") in _found(fields)


def test_rows_of_other_types_that_are_not_refused_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = json.dumps([asdict(SampleUsed("s", "str_replace", "apply")) | {"tags": True}])
    fields = _folder(UNIT.join(("rows", "samples/part-a.parquet", rows)))
    assert _found(fields) == []
    monkeypatch.setattr(parts, "_of_schema", lambda table, _: table)
    with pytest.raises(TypeError):
        run_folders_are_read(fields, thorough=True)


@pytest.mark.timeout(60)
def test_a_part_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    os.mkfifo(tmp_path / "outcomes" / "part-a.parquet")
    assert parts.parts_done(tmp_path) == set()


def test_generated_folders_hold() -> None:
    assert [run_folders_are_read(run_folder(Random(seed)), thorough=False) for seed in range(8)] == [()] * 8


def test_generated_diffs_name_files_whose_names_end_alike() -> None:
    twins = [fields for seed in range(300) if {"d/f", "f"} <= {*(fields := diff(Random(seed)))[1::2]}]
    assert any("\n--- d/f\n" in f"\n{fields[0]}" for fields in twins)
    assert any("\n--- a/d/f\n" in f"\n{fields[0]}" for fields in twins)
