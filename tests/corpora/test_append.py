"""Samples appended to a corpus file: by several processes, after one that was killed, and to no other file."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corpora import append
from corpora.append import SampleAppender
from corpora.load import load
from corpora.sample import encode
from editcore.errors import UsageError
from tests.samples import sample


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
    monkeypatch.setattr(append, "_PIECE", 16)
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
    monkeypatch.setattr(append, "LONGEST_LINE", 900)
    with SampleAppender(tmp_path / "edits.jsonl") as appender:
        assert not appender.add(sample(before="x" * 900))
    assert not (tmp_path / "edits.jsonl").read_text()


def test_a_sample_that_would_go_to_a_file_without_a_name_is_an_error(tmp_path: Path) -> None:
    with SampleAppender(tmp_path / "a.jsonl") as appender:
        (tmp_path / "a.jsonl").unlink()
        with pytest.raises(OSError, match="was removed or replaced meanwhile"):
            appender.add(sample())
        assert not appender.n_written
