"""Logs with a run in each record: Parquet and datasets of the hub give the same rows as JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.importers import IMPORTERS, importer
from corpora.importers.log import Log, Tally
from tests.corpora.importers.log_cases import FOLDER, RETRIED
from tests.corpora.importers.logs import read

CASE = FOLDER / "openhands_messages" / RETRIED / "runs.jsonl"
IMPORTER = IMPORTERS["openhands_messages"]


@pytest.fixture
def rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in CASE.read_text().splitlines()]


def test_parquet_gives_the_same_events(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows * 3), tmp_path / "runs.parquet", row_group_size=2)
    [log] = IMPORTER.logs(tmp_path)
    expected, _ = read(IMPORTER, Log.at(CASE))
    assert read(IMPORTER, log)[0] == expected * 3


def test_a_dataset_of_the_hub_is_streamed(monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]]) -> None:
    asked: list[tuple[str, bool]] = []

    def load_dataset(name: str, *, streaming: bool) -> dict[str, object]:
        asked.append((name, streaming))
        return {"train": iter(rows), "tool": iter(rows)}

    monkeypatch.setattr(importer, "check_reachable", lambda _: None)
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    [log] = IMPORTER.logs(Path("hub:owner/runs"))
    expected, _ = read(IMPORTER, Log.at(CASE))
    assert read(IMPORTER, log)[0] == expected * 2
    assert asked == [("owner/runs", True)]


def test_a_damaged_file_is_counted(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    path, tally = tmp_path / "runs.parquet", Tally()
    pq.write_table(pa.Table.from_pylist(rows), path)
    path.write_bytes(path.read_bytes()[:-50])
    assert list(importer.records(Log.at(path), tally)) == []
    assert tally.counts["cannot be read"] == 1
