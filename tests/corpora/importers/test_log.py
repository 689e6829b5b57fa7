"""Logs of lines, documents and databases: what is broken or too large is counted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from time import process_time

import pytest

from corpora.importers import log as module
from corpora.importers import log as sqlite_log
from corpora.importers.log import Log, Tally, database, dig, items, json_document, json_lines, rows, text, text_lines


def written(tmp_path: Path, data: bytes) -> Log:
    path = tmp_path / "log"
    path.write_bytes(data)
    return Log.at(path)


def test_lines_that_are_no_objects_are_counted_and_named(tmp_path: Path) -> None:
    data = b'{"a": 1}\n\n  \n[1]\n{"a":\nnull\n\xff\xfe\n' + b"[" * 100_000 + b'\n{"a": "\\ud800"}\r\n{"b": 2}'
    log, tally = written(tmp_path, data), Tally()
    assert list(json_lines(log, tally)) == [(1, {"a": 1}), (9, {"a": "\ud800"}), (10, {"b": 2})]
    assert tally.counts == {"line is not an object": 1, "line is not JSON": 4}
    assert tally.named["line is not an object"] == [f"{log.name}:4"]
    assert len(tally.named["line is not JSON"]) == 3


def test_lines_without_what_is_looked_for_are_not_decoded(tmp_path: Path) -> None:
    log, tally = written(tmp_path, b'{"a": 1}\n{broken\n{"b": 1}\n'), Tally()
    assert list(json_lines(log, tally, only=(b'"b"',))) == [(3, {"b": 1})]
    assert not tally.counts


def test_a_line_beyond_measure_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 20)
    log, tally = written(tmp_path, b'{"a": 1}\n{"a": "' + b"x" * 99 + b'"}\n{"a": 3}\n'), Tally()
    assert list(json_lines(log, tally)) == [(1, {"a": 1}), (3, {"a": 3})]
    assert tally.named == {"line over 0 MB": [f"{log.name}:2"]}


def test_lines_of_text_lose_their_ends_only(tmp_path: Path) -> None:
    assert list(text_lines(written(tmp_path, b" a \r\n\xff\x0c\n\nb"), Tally())) == [
        (1, " a "),
        (2, "\ufffd\x0c"),
        (3, ""),
        (4, "b"),
    ]


def test_a_document_that_is_broken_too_large_or_gone_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Tally()
    assert json_document(written(tmp_path, b'\xef\xbb\xbf{"a": ["\\ud800"]}'), tally) == {"a": ["\ud800"]}
    assert json_document(written(tmp_path, b'{"a": '), tally) is None
    assert json_document(Log.at(tmp_path / "gone"), tally) is None
    assert list(json_lines(Log.at(tmp_path), tally)) == []
    monkeypatch.setattr(module, "LARGEST_DOCUMENT", 3)
    assert json_document(written(tmp_path, b"[1,2]"), tally) is None
    assert tally.counts == {"document is not JSON": 1, "cannot be read": 2, "document over 0 MB": 1}


def test_values_are_dug_out_of_whatever_stands_there() -> None:
    value = {"a": [{"b": 1}, None]}
    assert dig(value, "a", 0, "b") == 1
    assert (
        dig(value, "a", -1, "b") is dig(value, "a", 2) is dig(value, 0) is dig(value, "a", "b") is dig(7, "a") is None
    )
    assert (text("x"), text(7), items([1, {}, "x"]), items({})) == ("x", "", [{}], [])


# Databases as logs: bounded, read-only, and nothing in them is run.

TABLE = "CREATE TABLE t (a TEXT, b BLOB);"


def read(path: Path, columns: tuple[str, ...] = ("a",)) -> tuple[list[object], Tally]:
    tally = Tally()
    log = Log.at(path)
    with database(log, tally) as opened:
        return ([] if opened is None else list(rows(opened, "t", columns, log, tally))), tally


def make(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.executescript(script)
    return path


def test_rows_come_in_the_order_of_their_insertion(tmp_path: Path) -> None:
    path = make(tmp_path / "a ?#%.db", TABLE + "INSERT INTO t VALUES ('z', x'00ff'); INSERT INTO t VALUES ('a', NULL);")
    assert read(path, ("a", "b"))[0] == [("z", b"\x00\xff"), ("a", None)]


def test_what_is_not_merged_yet_is_read_too_and_the_folder_stays_as_it_is(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "PRAGMA journal_mode = WAL;" + TABLE)
    with closing(sqlite3.connect(path)) as writer, writer:
        writer.execute("INSERT INTO t VALUES ('new', NULL)")
        writer.commit()
        names = sorted(file.name for file in tmp_path.iterdir())
        assert "a.db-wal" in names
        assert read(path)[0] == [("new",)]
        assert sorted(file.name for file in tmp_path.iterdir()) == names


@pytest.mark.parametrize(
    "script",
    [
        "CREATE VIEW t AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n;",
        "CREATE VIRTUAL TABLE t USING fts5(a);",
        "CREATE TABLE other (a);",
        "CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('x');",
        "CREATE TABLE t (b, a AS (upper(b))); INSERT INTO t (b) VALUES ('x');",
        "CREATE TABLE t (b); INSERT INTO t VALUES ('x');",
    ],
    ids=["view", "virtual", "none", "without row ids", "computed", "other columns"],
)
def test_only_plain_tables_are_read(tmp_path: Path, script: str) -> None:
    start = process_time()
    found, tally = read(make(tmp_path / "a.db", script))
    assert found == []
    assert process_time() - start < 2
    assert tally.counts.total() == 1


def test_what_is_no_database_is_counted(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", TABLE + "INSERT INTO t VALUES ('x', NULL);")
    whole = path.read_bytes()
    for data in (b"", b"{}", whole[:4096], whole[:100] + b"\xff" * 4000 + whole[4100:]):
        path.write_bytes(data)
        found, tally = read(path)
        assert found == []
        assert tally.counts.total() == 1
    assert read(tmp_path / "none.db")[1].counts == {"cannot be read": 1}
    tally = Tally()
    with database(Log("x", (tmp_path / "a.db").open), tally) as opened:  # type: ignore[arg-type]
        assert opened is None


def test_sizes_have_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = TABLE + "".join(f"INSERT INTO t VALUES ('{'x' * size}', NULL);" for size in (1, 5000, 2))
    path = make(tmp_path / "a.db", script)
    monkeypatch.setattr(sqlite_log, "LONGEST_LINE", 4000)
    found, tally = read(path)
    assert found == [("x",), ("xx",)]
    assert tally.counts == {"value over 0 MB": 1}
    monkeypatch.setattr(sqlite_log, "MOST_ROWS", 1)
    found, tally = read(path)
    assert (found, tally.counts) == ([("x",)], {"table of over 1 rows": 1})
    monkeypatch.setattr(sqlite_log, "LARGEST_DATABASE", 1)
    assert read(path)[1].counts == {"cannot be read": 1}


def test_work_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "a.db", TABLE + "INSERT INTO t VALUES " + ", ".join(["('x', NULL)"] * 500) + ";")
    monkeypatch.setattr(sqlite_log, "_STEPS", 2000)
    monkeypatch.setattr(sqlite_log, "_STEPS_A_CALL", 100)
    found, tally = read(path)
    assert len(found) < 500
    assert tally.counts == {"cannot be read": 1}
