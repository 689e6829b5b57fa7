"""Zed's threads, read."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from corpora.importers.formats import zed
from corpora.importers.formats.zed import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read, spoilt

PATH = "demo/a.py"
BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"
TEXTS = {"input_path": PATH, "old_text": BEFORE, "new_text": AFTER, "diff": "@@ ..."}
EDITS = [{"old_text": "x = 1", "new_text": "x = 2"}]
SCHEMA = """
CREATE TABLE threads (
    id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL
);
ALTER TABLE threads ADD COLUMN folder_paths TEXT;
"""


def call(key: str = "c1", name: str = "edit_file", **given: Any) -> dict[str, Any]:
    asked = given or {"path": PATH, "mode": "edit", "edits": EDITS}
    return {"ToolUse": {"id": key, "name": name, "input": asked, "raw_input": "", "is_input_complete": True}}


def result(output: Any = TEXTS, content: Any = "done", *, failed: bool = False) -> dict[str, Any]:
    return {"is_error": failed, "content": [{"Text": content}], "output": output}


def thread(*calls: Any, version: str = "0.3.0", **results: Any) -> dict[str, Any]:
    agent = {"content": [{"Text": "chat"}, *calls], "tool_results": results}
    model = {"provider": "p", "model": "m"}
    return {"version": version, "model": model, "messages": [{"User": {}}, {"Agent": agent}, "Resume"]}


def make(path: Path, *threads: Any, kind: str = "json") -> Path:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.executescript(SCHEMA)
        for number, one in enumerate(threads):
            data = one if isinstance(one, bytes) else json.dumps(one).encode()
            row = (str(number), "title", "2026", kind, data, "/home/user/demo\n/home/user/other")
            opened.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?, ?)", row)
    return path


def events(tmp_path: Path, *threads: Any) -> list[Event]:
    found, _ = read(IMPORTER, make(tmp_path / "threads.db", *threads))
    assert found[0] == Opened("/home/user", afresh=True)
    return found[1:]


def attempt(**fields: Any) -> Attempt:
    return Attempt("c1", "str_replace", PATH, (Edit("x = 1", "x = 2"),), model="m", **fields)


APPLIED = attempt(outcome="applied", before=(File(PATH, BEFORE),), after=(File(PATH, AFTER),))


def test_an_edit_has_the_texts_of_its_result(tmp_path: Path) -> None:
    assert events(tmp_path, thread(call(), c1=result())) == [APPLIED]
    as_text = call(path=PATH, edits=json.dumps(EDITS))
    assert events(tmp_path, thread(as_text, c1=result())) == [APPLIED]


def test_a_thread_may_be_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.compress(json.dumps(thread(call(), c1=result())).encode(), "zstd", asbytes=True)
    path = make(tmp_path / "threads.db", data, b"\x28\xb5\x2f\xfd broken", kind="zstd")
    found, counts = read(IMPORTER, path)
    assert [one for one in found if isinstance(one, Attempt)] == [APPLIED]
    assert counts == {"thread is not JSON": 1}
    bomb = pa.compress(b"[" + b" " * 1_000_000 + b"]", "zstd", asbytes=True)
    assert len(bomb) < 1000
    monkeypatch.setattr(zed, "LARGEST_DOCUMENT", 100_000)
    assert read(IMPORTER, make(tmp_path / "threads.db", bomb, kind="zstd"))[1] == {"thread that is too large": 1}


def test_a_result_that_a_formatter_changed_is_not_that_of_the_edit(tmp_path: Path) -> None:
    formatted = TEXTS | {"new_text": AFTER.replace("y = 1", "y  =  1 # one")}
    assert events(tmp_path, thread(call(), c1=result(formatted))) == [
        attempt(outcome="applied", before=(File(PATH, BEFORE),))
    ]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Could not find matching text for edit at index 0. The old_text did not match any content", "no_match"),
        ("Edit 0 matched multiple locations in the file at lines: 1, 2.", "ambiguous"),
        ("The file has been modified since you last read it.", "stale"),
        ("Permission to run tool denied by user", "declined"),
        ("something else", "unknown"),
    ],
)
def test_a_failure_is_told_by_its_error(tmp_path: Path, said: str, outcome: str) -> None:
    error = None if outcome == "declined" else said
    expected = [attempt(outcome=outcome, error=error)]
    assert events(tmp_path, thread(call(), c1=result({"error": said}, failed=True))) == expected
    assert events(tmp_path, thread(call(), c1=result(None, said, failed=True))) == expected


def test_an_error_after_which_some_edits_stay_leaves_the_file_unknown(tmp_path: Path) -> None:
    failed = result({"error": "Could not find matching text for edit at index 1.", "diff": "@@ ..."}, failed=True)
    assert events(tmp_path, thread(call(), c1=failed)) == [attempt()]


def test_a_file_that_another_model_wrote_is_written(tmp_path: Path) -> None:
    asked = call(display_description="do it", path=PATH, mode="edit")
    other = [
        call("c2", "terminal", command="make"),
        call("c3", "grep", regex="x"),
        call("c4", path=PATH, mode="create"),
    ]
    assert events(tmp_path, thread(asked, *other, c1=result(), c2=result(None))) == [
        Wrote(PATH, AFTER),
        Disturbed(),
        Attempt("c4", "str_replace", PATH, model="m"),
    ]


def test_threads_of_other_versions_are_counted(tmp_path: Path) -> None:
    found, counts = read(IMPORTER, make(tmp_path / "threads.db", thread(call(), version="0.2.0"), b"{"))
    assert [type(one) for one in found] == [Opened, Opened]
    assert counts == {"thread of another version": 1, "thread is not JSON": 1}


def test_whatever_stands_in_a_thread_nothing_is_raised(tmp_path: Path) -> None:
    whole = thread(call(), c1=result())
    path = make(tmp_path / "threads.db", *spoilt(whole), b"\xff", json.dumps(whole).encode()[:60])
    for event in read(IMPORTER, path)[0]:
        hash(event)
