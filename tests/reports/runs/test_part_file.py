from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from editcore.errors import UsageError
from reports.runs import part_file
from reports.runs.parts import encoded_tables, outcomes, part_paths, part_table, run_table
from reports.runs.rows import Change, Outcome
from tests.run_parts import write_part

ROWS = [Outcome(f"s{at}", "x/a", "missed", message="Not found.", latency_ns=at) for at in range(5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_part(tmp_path, "a", ROWS, [], metadata={})
    return tmp_path


def test_a_large_file_has_the_rows_of_a_small_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(outcomes(folder)) == ROWS
    monkeypatch.setattr(part_file, "_SMALL", 10)
    assert list(outcomes(folder)) == ROWS
    (table,) = encoded_tables(folder, "outcomes", "sample_id", "message")
    assert table["message"].chunk(0).dictionary.to_pylist() == ["Not found."]


def test_a_large_file_with_lists_is_read_with_its_texts_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [Change(f"s{at}", 0, ("x/a", "x/b"), "a.py", 1, "x", "y" * at) for at in range(3_000)]
    write_part(tmp_path, "a", ROWS, [], changes=changes, metadata={})
    for small in (1 << 20, 10):
        monkeypatch.setattr(part_file, "_SMALL", small)
        (table,) = encoded_tables(tmp_path, "changes", "path", "strategies")
        assert table["path"].unify_dictionaries().chunk(0).dictionary.to_pylist() == ["a.py"]
        assert table["strategies"].to_pylist() == [["x/a", "x/b"]] * 3_000


def test_an_older_version_may_lack_a_column_that_is_encoded(folder: Path) -> None:
    (path,) = part_paths(folder, "outcomes")
    pq.write_table(pq.read_table(path).drop_columns(["message", "lines"]), path)
    (table,) = encoded_tables(folder, "outcomes", "sample_id", "message", "error")
    assert table["message"].null_count == 5
    assert table["sample_id"].chunk(0).dictionary.to_pylist() == [one.sample_id for one in ROWS]


def test_a_part_without_rows_of_a_kind_has_the_types_that_were_asked_for(folder: Path) -> None:
    table = part_table(folder, "changes", "elsewhere", "path", "line", as_dictionaries=True)
    assert [len(table), *table.schema.types] == [0, pa.dictionary(pa.int32(), pa.string()), pa.int64()]


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"\xff" * 99])
def test_a_damaged_file_is_named(folder: Path, damage: bytes) -> None:
    (path,) = part_paths(folder, "outcomes")
    path.write_bytes(damage)
    with pytest.raises(UsageError, match=r"part-a\.parquet cannot be read"):
        run_table(folder, "outcomes")


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    (path,) = part_paths(folder, "outcomes")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UsageError, match="not a regular file"):
        run_table(folder, "outcomes")
