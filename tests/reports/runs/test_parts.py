from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from editcore.errors import UsageError
from reports.runs.parts import part_paths, part_table
from reports.runs.rows import Change, Outcome
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part

ROWS = [Outcome(f"s{at}", "x/a", "missed", message="Not found.", latency_ns=at) for at in range(5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_part(tmp_path, "a", ROWS, [], metadata={})
    return tmp_path


def test_texts_are_encoded_where_that_is_asked_for(tmp_path: Path) -> None:
    changes = [Change(f"s{at}", 0, ("x/a", "x/b"), "a.py", 1, "x", "y" * at) for at in range(3_000)]
    write_part(tmp_path, "a", ROWS, [], changes=changes, metadata={})
    (table,) = RunFolder(tmp_path).tables("changes", "path", "strategies", as_dictionaries=True)
    assert table["path"].unify_dictionaries().chunk(0).dictionary.to_pylist() == ["a.py"]
    assert table["strategies"].to_pylist() == [["x/a", "x/b"]] * 3_000


def test_an_older_version_may_lack_a_column_that_is_encoded(folder: Path) -> None:
    (path,) = part_paths(folder, "outcomes")
    pq.write_table(pq.read_table(path).drop_columns(["message", "lines"]), path)
    (table,) = RunFolder(folder).tables("outcomes", "sample_id", "message", "error", as_dictionaries=True)
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
        RunFolder(folder).table("outcomes")
