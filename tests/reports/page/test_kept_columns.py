from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.page import kept_columns as module
from reports.page.columns import Columns, read_columns
from reports.page.kept_columns import kept_columns
from reports.runs import run_cache
from reports.runs.manifest import read_manifest, write_manifest
from reports.runs.parts import part_paths
from reports.runs.rows import Outcome
from reports.runs.run_folder import RunFolder
from tests.reports.page.test_columns import recorded
from tests.run_parts import write_part


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of two samples that counts as large."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "WORTH_KEEPING", 1)
    folder = recorded(tmp_path / "run")
    write_manifest(folder, replace(read_manifest(folder), n_samples=2))
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The run folders that are read."""
    found: list[Path] = []

    def noted(run: RunFolder, **options: Any) -> Columns:
        found.append(run.folder)
        return read_columns(run, **options)

    monkeypatch.setattr(module, "read_columns", noted)
    return found


def as_lists(columns: Columns) -> dict[str, Any]:
    found: dict[str, Any] = {one.name: getattr(columns, one.name) for one in fields(columns)}
    found["run"], found["ids"], found["path"] = str(columns.run), [*columns.ids], columns.path.to_pylist()
    found["facets"] = {name: (facet.codes.tolist(), facet.words) for name, facet in columns.facets.items()}
    return {name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in found.items()}


def test_the_parts_of_a_large_run_are_read_once(folder: Path, read: list[Path]) -> None:
    first, second = kept_columns(RunFolder(folder)), kept_columns(RunFolder(folder))
    assert as_lists(first) == as_lists(second) == as_lists(read_columns(RunFolder(folder)))
    assert second.ids.find("s2") == 1
    assert read == [folder]


def test_a_run_that_changed_is_read_again(folder: Path, read: list[Path]) -> None:
    assert len(kept_columns(RunFolder(folder)).ids) == 2
    write_part(folder, "1", [Outcome("s3", "x/a", "missed")], [], metadata={})
    assert len(kept_columns(RunFolder(folder)).ids) == 3
    write_manifest(folder, replace(read_manifest(folder), strategies=[]))
    assert kept_columns(RunFolder(folder)).strategies == ["x/a", "x/b"]
    assert len(read) == 3
    (path, _) = part_paths(folder, "outcomes")
    os.utime(path, ns=(1, 1))
    kept_columns(RunFolder(folder))
    assert len(read) == 4


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_a_damaged_file_counts_as_none(folder: Path, read: list[Path], cut: int) -> None:
    kept_columns(RunFolder(folder))
    (path,) = (folder.parent / "cache" / "editgauge" / "columns").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    assert as_lists(kept_columns(RunFolder(folder))) == as_lists(read_columns(RunFolder(folder)))
    at = whole.index(b"s1s2")
    path.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
    assert kept_columns(RunFolder(folder)).ids == ["s1", "s2"]
    assert len(read) == 3


def test_three_runs_are_kept_and_those_last_used_stay(folder: Path, tmp_path: Path, read: list[Path]) -> None:
    runs = [folder]
    for name in ("b", "c", "d"):
        runs.append(recorded(tmp_path / name))
        write_manifest(runs[-1], replace(read_manifest(runs[-1]), n_samples=2))
    for run in (*runs[:3], folder, runs[3], folder, *runs[2:]):
        kept_columns(RunFolder(run))
    assert read == runs
    kept_columns(RunFolder(runs[1]))
    assert len(read) == 5


def test_a_run_whose_columns_cannot_be_kept_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent / "file"))
    assert kept_columns(RunFolder(folder)).ids == ["s1", "s2"]


def test_a_small_run_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_KEEPING", run_cache.WORTH_KEEPING)
    kept_columns(RunFolder(folder))
    assert not (folder.parent / "cache").exists()
