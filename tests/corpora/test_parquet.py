"""Parquet files that decode to more than their size suggests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import parquet
from corpora import segments as reading
from corpora.load import load, segments
from corpora.sample import SampleError, encode
from corpora.segments import described
from corpora.write import schema
from editcore.errors import UsageError
from tests.samples import sample, samples

MB = 1 << 20


def write(path: Path, text: str, n: int = 40, **options: Any) -> Path:
    """A file of n samples with the same file text; {} in `text` stands for the number of the sample."""
    rows = [json.loads(encode(sample(number, before=text.format(number)))) for number in range(n)]
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
    with pytest.raises(UsageError, match=r"a\.parquet, row group 1: 40 rows, \d+ MB when .* limit is 8 MB"):
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
    with pytest.raises(UsageError, match=r"row group 1: 600000 rows, 9 MB .* limit is 8 MB"):
        segments(tmp_path / "a.parquet")


def test_an_encoding_without_a_bound_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "x", use_dictionary=False, column_encoding={"patch": "DELTA_BYTE_ARRAY"})
    with pytest.raises(UsageError, match="row group 1, column patch: its encoding DELTA_BYTE_ARRAY"):
        list(load(path))


@pytest.mark.parametrize("column", [pa.array([b"abcd"], pa.binary(4)), pa.array([[[[[[[[[["x"]]]]]]]]]])])
def test_a_column_of_a_type_that_no_sample_has_is_refused(tmp_path: Path, column: pa.Array) -> None:
    pq.write_table(pa.table({"id": ["a"], "before": column}), tmp_path / "a.parquet")
    with pytest.raises(UsageError, match=r"column before.*: it is of the type"):
        list(load(tmp_path / "a.parquet"))


def test_the_bytes_of_texts_are_given_for_each_row(tmp_path: Path) -> None:
    rows = [json.loads(encode(one)) for one in samples(100)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema()), tmp_path / "a.parquet", row_group_size=70)
    assert list(load(tmp_path / "a.parquet")) == samples(100)
    sizes = [n for _, some in parquet.row_batches(tmp_path / "a.parquet", 0, ["id", "patch"]) for n in some]
    assert sizes == [2] * 10 + [3] * 60


def test_what_takes_more_memory_than_its_metadata_say_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "{}" + "x" * 30 * MB, n=10, use_dictionary=False)
    assert path.stat().st_size < 200_000
    # In a process of its own, since this one has free memory of what it has written.
    program = f"""
import resource
from corpora import load, parquet
parquet.check_row_group, parquet._MOST_MEMORY = lambda *_: None, {100 * MB}
before = resource.getrlimit(resource.RLIMIT_AS)
try:
    list(load.load({str(path)!r}))
except parquet.UsageError as error:
    print(error.message, before == resource.getrlimit(resource.RLIMIT_AS))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == f"{path}: decoded, it takes over 100 MB, more than its metadata say True\n"


def test_a_row_group_with_fewer_rows_than_it_says_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = segments(write(tmp_path / "a.parquet", "x", n=3))
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", lambda *_, **__: pa.table({"id": []}))
    with pytest.raises(UsageError, match="row group 1 has 0 of its 3 rows"):
        list(reading.read_segment(found[0]))
