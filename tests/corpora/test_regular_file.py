"""Regular files are read up to a bound, and nothing else is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpora.importers.log import Log, Tally, json_document, json_lines
from corpora.regular_file import content
from tests.harness.program import call


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    assert content(tmp_path / "file", 5) == content(tmp_path / "link", 5) == b"12345"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        content(tmp_path / "file", 4)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        content(tmp_path / "link", 5, follows=False)


@pytest.mark.parametrize("name", ["pipe", "folder", "/dev/zero"])
def test_whatever_is_named_is_read_only_if_it_is_a_regular_file(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    path, tally = tmp_path / name, Tally()
    with pytest.raises(OSError, match="it is not a regular file"):
        content(path, 5)
    assert json_document(Log.at(path), tally) is None
    assert list(json_lines(Log.at(path), tally)) == []
    assert tally.counts == {"cannot be read": 2}
    for arguments in (
        ("try", path, "--old", "a", "--new", "b"),
        ("fuzz", "reproduce", path),
        ("run", path, "-q", "-o", tmp_path / "run"),
        ("import", "claude_code", path, "-o", tmp_path / "out.jsonl", "-q"),
        ("corpus", "apply", "smoke", path, "-o", tmp_path / "out.jsonl"),
        ("corpus", "agree", path, path),
        ("mutate", "--from-files", path, "-o", tmp_path / "out.jsonl", "-q"),
        ("replay", path, "-q"),
        ("label", "smoke", "--readings", path),
    ):
        done = call(*arguments)
        assert done.exit_code == 2, done.output
        assert "Traceback" not in done.output
    assert {one.name for one in tmp_path.iterdir()} == {"pipe", "folder"}
