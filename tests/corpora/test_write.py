"""Samples written to a corpus file at once, and appended to one by several processes."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpora import write
from corpora.load import load
from corpora.sample import Provenance, Sample, encode
from corpora.write import SampleAppender, SampleWriter, record_batch
from editcore.errors import UsageError
from editcore.types import Edit, File
from tests.samples import sample, samples, write_jsonl

# Appended samples


def test_each_sample_is_there_at_once_and_the_next_session_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "edits.jsonl"
    for number in (1, 2):
        with SampleAppender(path) as appender:
            assert appender.add(sample(number))
            assert [one.id for one in load(str(path))] == ["s1", "s2"][:number]
            assert appender.n_written == 1


def test_several_may_append_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "edits.jsonl"

    def one(number: int) -> None:
        with SampleAppender(path) as appender:
            for n in range(20):
                appender.add(sample(100 * number + n))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(4)))
    assert len({one.id for one in load(str(path))}) == 80


@pytest.mark.parametrize("kept", [0, 1, 3, 9, 200])
def test_a_line_that_was_cut_off_is_removed(tmp_path: Path, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_PIECE", 16)
    path = tmp_path / "edits.jsonl"
    path.write_text(f"{encode(sample(1))}\n{encode(sample(2))[:kept]}")
    with SampleAppender(path) as appender:
        appender.add(sample(3))
    assert [one.id for one in load(str(path))] == ["s1", "s3"]


def test_a_file_that_is_no_corpus_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text("my notes")
    with pytest.raises(UsageError, match="does not end in a line feed"), SampleAppender(path):
        pass
    assert path.read_text() == "my notes"


def test_only_a_regular_file_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name, message in (
        ("link.jsonl", "is a link"),
        ("pipe.jsonl", "not a regular file"),
        ("edits.parquet", "does not end in .jsonl"),
        ("none/edits.jsonl", "No such file"),
    ):
        with pytest.raises(UsageError, match=message), SampleAppender(tmp_path / name):
            pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_sample_that_could_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LONGEST_LINE", 900)
    with SampleAppender(tmp_path / "edits.jsonl") as appender:
        assert not appender.add(sample(before="x" * 900))
    assert not (tmp_path / "edits.jsonl").read_text()


def test_a_sample_that_would_go_to_a_file_without_a_name_is_an_error(tmp_path: Path) -> None:
    with SampleAppender(tmp_path / "a.jsonl") as appender:
        (tmp_path / "a.jsonl").unlink()
        with pytest.raises(OSError, match="was removed or replaced meanwhile"):
            appender.add(sample())
        assert not appender.n_written


FULL = Sample(
    "full", "search_replace", (File("a.py", "é\r\n\U0001f600"),), "apply", (Edit("é", "e", True, 2),), "patch", 3, 4,
    (File("a.py", ""), File("b.py", "b")), ((File("a.py", "\n"),), ()), "exact", ("x:y", "z"),
    Provenance(*"abcdefghi", seed=7),
)  # fmt: skip


@pytest.mark.parametrize("name", ["out.jsonl", "sub/folder/out.parquet"])
def test_what_is_written_is_what_is_read(tmp_path: Path, name: str) -> None:
    made = [*samples(5), FULL, Sample("new", "begin_patch", (), "unlabelled", patch="p")]
    with SampleWriter(tmp_path / name) as writer:
        for one in made:
            writer.add(one)
    assert writer.n_written == 7
    assert list(load(tmp_path / name)) == made
    assert [file.name for file in (tmp_path / name).parent.iterdir()] == [Path(name).name]


def test_rows_may_be_made_elsewhere(tmp_path: Path) -> None:
    with SampleWriter(tmp_path / "out.parquet") as writer:
        writer.add_rows(record_batch(samples(3)))
    assert writer.n_written == 3
    assert list(load(tmp_path / "out.parquet")) == samples(3)


def test_rows_are_written_in_groups_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_ROW_GROUP", 4)
    monkeypatch.setattr(write, "_ROW_GROUP_CHARACTERS", 1000)
    with SampleWriter(tmp_path / "out.parquet") as writer:
        for one in [*samples(5), sample(5, before="x" * 2000), sample(6)]:
            writer.add(one)
    groups = pq.ParquetFile(tmp_path / "out.parquet").metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [4, 2, 1]


def break_off(path: Path, error: type[BaseException]) -> None:
    """Write some samples, then fail."""
    with SampleWriter(path, replace=True) as writer:
        writer.add(sample())
        raise error


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_file_that_is_there_is_replaced_whole_and_only_if_asked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        SampleWriter(path)
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error):
            break_off(path, error)
        assert path.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [path]
    with SampleWriter(path, replace=True) as writer:
        writer.add(sample())
    assert list(load(path)) == [sample()]


@contextmanager
def largest_file(n_bytes: int) -> Iterator[None]:
    """No file of this process grows over a size meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def write_all(path: Path) -> None:
    with SampleWriter(path) as writer:
        for one in samples(5):
            writer.add(one)


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
@pytest.mark.parametrize("n_bytes", [0, 3, 300])
def test_a_full_disk_leaves_no_temporary_file(tmp_path: Path, name: str, n_bytes: int) -> None:
    with largest_file(n_bytes), pytest.raises((OSError, UsageError), match="File too large"):
        write_all(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    path, other = write_jsonl(tmp_path / "a.jsonl", [sample()]), write_jsonl(tmp_path / "b.jsonl", [sample()])
    for replace in (False, True):
        with pytest.raises(UsageError, match="is one of the files that are read"):
            SampleWriter(tmp_path / "." / "a.jsonl", inputs=[other, tmp_path / "none", path], replace=replace)


def test_places_that_cannot_be_written_to_are_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(UsageError, match=r"neither \.jsonl nor \.parquet"):
        SampleWriter(tmp_path / "out.csv")
    with pytest.raises(UsageError, match="is a folder"):
        SampleWriter(tmp_path / "folder.jsonl", replace=True)
    with pytest.raises(UsageError, match="cannot be written"), SampleWriter(tmp_path / "file" / "out.jsonl"):
        pass


def test_lone_surrogates_are_for_json_lines_only(tmp_path: Path) -> None:
    odd = sample(before="a\ud800")
    with SampleWriter(tmp_path / "out.jsonl") as writer:
        writer.add(odd)
    assert list(load(tmp_path / "out.jsonl")) == [odd]
    with (
        pytest.raises(UsageError, match="Sample s0 contains lone surrogates"),
        SampleWriter(tmp_path / "o.parquet") as record_batch,
    ):
        record_batch.add(odd)
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_nothing_but_a_regular_file_is_replaced(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / f"link{suffix}").symlink_to(tmp_path / "precious")
    (tmp_path / f"nowhere{suffix}").symlink_to(tmp_path / "made")
    os.mkfifo(tmp_path / f"pipe{suffix}")
    for name, what in (("link", "is a link"), ("nowhere", "is a link"), ("pipe", "is not a regular file")):
        for replace_it in (True, False):
            with pytest.raises(UsageError, match=what):
                SampleWriter(tmp_path / f"{name}{suffix}", replace=replace_it)
    out = tmp_path / f"out{suffix}"
    (tmp_path / f".{out.name}.{os.getpid()}.tmp").symlink_to(tmp_path / "precious")
    with SampleWriter(out):
        pass
    assert (tmp_path / "precious").read_text() == "precious"
    assert out.is_file()
    assert not (tmp_path / "made").exists()
