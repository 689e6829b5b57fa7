"""Parquet files that decode to more than their size suggests."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import parquet, parquet_pages
from corpora import segments as reading
from corpora.load import load, segments
from corpora.parquet_pages import chunk_size
from corpora.sample import SampleError, encode
from corpora.segments import described
from corpora.write import schema
from editcore.errors import UsageError
from reports.history.nights import History
from reports.history.trends import verdict_changes
from reports.runs.manifest import Manifest, write_manifest
from reports.runs.parts import run_table
from reports.runs.rows import KINDS, Outcome
from reports.runs.sql import query
from tests.samples import sample, samples

MB = 1 << 20


def write(path: Path, text: str, n: int = 40, **options: Any) -> Path:
    """A file of n samples with the same file text."""
    rows = [json.loads(encode(sample(number, before=text))) for number in range(n)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema()), path, compression="zstd", **options)
    return path


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "LARGEST_ROW_GROUP", 8 * MB)
    monkeypatch.setattr(reading, "LARGEST_TEXTS", 2 * MB)


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("page", [1000, 1 << 30])
def test_a_row_group_that_decodes_to_more_than_the_limit_is_refused(tmp_path: Path, page: int) -> None:
    path = write(tmp_path / "a.parquet", "x" * MB, use_dictionary=False, data_page_size=page)
    assert path.stat().st_size < 50_000
    with pytest.raises(UsageError, match=r"a\.parquet, row group 1: 40 rows, \d+ MB or more .* limit is 8 MB"):
        list(load(path, skip_bad=True))


@pytest.mark.usefixtures("small_limit")
def test_the_texts_of_other_columns_do_not_keep_ids_from_being_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x" * MB, use_dictionary=False)
    assert [name for _, name, *_ in described(segments(path)[0])] == [f"s{number}" for number in range(40)]


@pytest.mark.usefixtures("small_limit")
def test_a_text_that_many_rows_share_is_in_memory_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x" * MB, dictionary_pagesize_limit=64 * MB)
    before = pa.total_allocated_bytes()
    for number, one in enumerate(load(path)):
        assert len(one.before[0].content) == MB
        assert one.id == f"s{number}"
        assert pa.total_allocated_bytes() - before < 8 * MB
    assert number == 39


@pytest.mark.usefixtures("small_limit")
def test_a_sample_of_more_texts_than_the_limit_is_malformed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x" * 3 * MB, dictionary_pagesize_limit=64 * MB)
    with pytest.raises(SampleError, match=r"a\.parquet, row 1: the texts have 31457\d\d bytes; the limit .* 2097152"):
        list(load(path))
    told: list[str] = []
    assert not list(load(path, skip_bad=True, on_bad=lambda error: told.append(error.message)))
    assert len(told) == 40


@pytest.mark.usefixtures("small_limit")
def test_more_rows_than_the_limit_are_refused_before_they_are_read(tmp_path: Path) -> None:
    n = 600_000
    ids = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["a"]))
    pq.write_table(pa.table({"id": ids}), tmp_path / "a.parquet", row_group_size=n)
    with pytest.raises(UsageError, match="row group 1: 600000 rows; the limit is 8 MB"):
        segments(tmp_path / "a.parquet")


def test_an_encoding_without_a_bound_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x", use_dictionary=False, column_encoding={"patch": "DELTA_BYTE_ARRAY"})
    with pytest.raises(UsageError, match="row group 1, column patch: its encoding DELTA_BYTE_ARRAY"):
        list(load(path))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"abcd"], pa.binary(4)),
        pa.array([[[[[[[[[["x"]]]]]]]]]]),
    ],
)
def test_a_column_of_a_type_that_no_sample_has_is_refused(tmp_path: Path, column: pa.Array) -> None:
    pq.write_table(pa.table({"id": ["a"], "before": column}), tmp_path / "a.parquet")
    with pytest.raises(UsageError, match=r"column before.*: it is of the type"):
        list(load(tmp_path / "a.parquet"))


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_sizes_of_a_column_are_those_of_its_values(tmp_path: Path, codec: str, version: str) -> None:
    path = tmp_path / "a.parquet"
    values = [["x" * 700, "y"], [], None, ["x" * 700] * 3]
    pq.write_table(pa.table({"c": values}), path, compression=codec, data_page_version=version)
    with path.open("rb") as file:
        size = chunk_size(file, pq.read_metadata(path).row_group(0).column(0), MB)
    assert (size.n_values, size.longest) == (7, 709 if codec == "lz4" else 700)
    assert 709 <= size.n_bytes <= 760


def test_sizes_are_read_up_to_the_limit(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x" * 100_000, use_dictionary=False, data_page_size=1000, write_batch_size=1)
    metadata = pq.read_metadata(path).row_group(0)
    content = next(at for at in range(metadata.num_columns) if metadata.column(at).path_in_schema.endswith("content"))
    with path.open("rb") as file:
        assert 300_000 < chunk_size(file, metadata.column(content), 300_000).n_bytes < 500_000


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff" * 3000, b"\x15" * 3000, b"\x1c" * 3000, b"\x19\xfc" + b"\xff" * 20]
)
def test_a_damaged_page_header_is_named(tmp_path: Path, data: bytes) -> None:
    metadata = pq.read_metadata(write(tmp_path / "a.parquet", "x")).row_group(0).column(0)
    with pytest.raises(ValueError, match="a page header"):
        chunk_size(io.BytesIO(b"PAR1" + data), metadata, MB)


def test_a_dictionary_that_cannot_be_looked_into_counts_as_one_value() -> None:
    class Column:
        physical_type, compression = "BYTE_ARRAY", "LZO"

    assert parquet_pages._longest_value(b"...", 5000, 3, Column()) == 5000
    Column.compression = "ZSTD"
    assert parquet_pages._longest_value(b"not zstd", 5000, 3, Column()) == 5000


def test_a_row_group_with_fewer_rows_than_it_says_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.parquet", "x", n=3)
    found = segments(path)
    monkeypatch.setattr(parquet, "_worst_batch", lambda *_: parquet.LARGEST_ROW_GROUP + 1)
    monkeypatch.setattr(parquet, "_with_dictionaries", lambda *_: [])
    with pytest.raises(UsageError, match="row group 1 has 0 of its 3 rows"):
        list(reading.read_segment(found[0]))


def test_dictionaries_give_the_same_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [json.loads(encode(one)) for one in samples(100)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema()), tmp_path / "a.parquet", row_group_size=70)
    monkeypatch.setattr(parquet, "_worst_batch", lambda *_: parquet.LARGEST_ROW_GROUP + 1)
    assert list(load(tmp_path / "a.parquet")) == samples(100)
    sizes = [n for _, some in parquet.row_batches(tmp_path / "a.parquet", 0, ["id", "patch"]) for n in some or ()]
    assert sizes == [2] * 10 + [3] * 60


@pytest.mark.usefixtures("small_limit")
def test_a_part_of_a_run_that_decodes_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    path = tmp_path / "outcomes" / "part-a.parquet"
    for text, options in (
        ("x" * MB, {}),
        ("x" * 10_000, {"row_group_size": 10}),
        ("x" * MB, {"use_dictionary": False}),
    ):
        n = 2000 if len(text) < MB else 40
        columns = {name: [text] * n for name in ("sample_id", "strategy")}
        pq.write_table(pa.table(columns), path, dictionary_pagesize_limit=64 * MB, compression="zstd", **options)
        assert path.stat().st_size < 200_000
        with pytest.raises(UsageError, match=r"part-a\.parquet.* MB"):
            run_table(tmp_path, "outcomes", "sample_id", "strategy")


@pytest.mark.usefixtures("small_limit")
def test_one_long_text_among_short_ones_is_not_counted_for_each_row(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    pq.write_table(pa.table({"sample_id": ["x" * MB, *map(str, range(100))]}), tmp_path / "outcomes" / "part-a.parquet")
    assert len(run_table(tmp_path, "outcomes", "sample_id")) == 101


@pytest.mark.usefixtures("small_limit")
def test_many_row_groups_with_a_long_text_each_are_not_counted_for_every_row(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    path = tmp_path / "outcomes" / "part-a.parquet"
    texts = [("x" * 10_000 if number % 20 == 0 else str(number)) for number in range(1_000)]
    pq.write_table(pa.table({"sample_id": texts}), path, row_group_size=20)
    assert len(run_table(tmp_path, "outcomes", "sample_id")) == 1_000


@pytest.mark.usefixtures("small_limit")
def test_a_night_and_a_query_read_no_row_group_that_decodes_to_more_than_the_limit(tmp_path: Path) -> None:
    run = tmp_path / "nights" / "night=n"
    (run / "outcomes").mkdir(parents=True)
    write_manifest(run, Manifest(["run"], 0, [], [], 1.0, "0a", "2026-11-21T03:00:00+00:00"))
    rows = [asdict(Outcome("s", "cascade/exact", "crashed", error="x" * MB))] * 40
    table = pa.Table.from_pylist(rows, schema=KINDS["outcomes"])
    pq.write_table(table, run / "outcomes" / "part-all.parquet", compression="zstd", use_dictionary=False)
    for reader in (lambda: verdict_changes(History(tmp_path), "s"), lambda: query("select 1", [run])):
        with pytest.raises(UsageError, match=r"part-all\.parquet, row group 1: 40 rows, \d+ MB or more"):
            reader()
