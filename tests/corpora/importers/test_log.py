from __future__ import annotations

from pathlib import Path

import pytest

from corpora.importers import log as module
from corpora.importers.log import Log, Tally, dig, items, json_document, json_lines, text, text_lines


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
