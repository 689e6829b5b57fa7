"""Logs made to exhaust time or memory: their excess is counted and named, the rest is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from corpora.importers import collect as collecting
from corpora.importers import log as logs
from corpora.importers.collect import Imported, collect
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log, Tally, json_document, json_lines
from corpora.importers.rebuilding.results import apply_exactly
from corpora.importers.session import Attempt, Event, Opened, Read
from corpora.load import load
from corpora.sample import Sample
from editcore.types import Edit


def imported(tmp_path: Path, made: list[Event]) -> tuple[Imported, list[Sample]]:
    def events(log: Log, surroundings: Surroundings) -> Iterator[Event | Sample]:
        del log, surroundings
        yield from made

    (tmp_path / "a.log").write_text("")
    importer = Importer("hostile", "nothing", files_matching("*.log"), events)
    done = collect([(importer, tmp_path / "a.log")], tmp_path / "out.jsonl", replace=True)
    return done, list(load(tmp_path / "out.jsonl")) if done.n_samples else []


def doubling(n: int) -> list[Event]:
    """A session whose edits double a file."""
    edit = Edit("a", "aa", True)
    tries: list[Event] = [
        Attempt(f"k{at}", "str_replace", path="a.py", edits=(edit,), outcome="applied") for at in range(n)
    ]
    return [Opened("/home/u/demo"), Read("a.py", "a\n"), *tries]


@pytest.mark.slow
def test_a_file_that_doubles_with_every_edit_ends_at_the_largest_sample(tmp_path: Path) -> None:
    start = process_time()
    done, found = imported(tmp_path, doubling(60))
    assert process_time() - start < 60
    assert 0 < done.n_samples < 30
    assert all(len(sample.before[0].content) <= 1 << 25 for sample in found)


def test_the_samples_of_one_log_have_a_largest_size_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "LARGEST_SESSION", 1 << 20)
    done, found = imported(tmp_path, doubling(60))
    assert len(found) >= 10
    assert done.tally.counts["log given up: samples of over 1 MB"] == 1
    assert done.tally.named["log given up: samples of over 1 MB"] == [str(tmp_path / "a.log")]


def test_events_and_time_have_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "MOST_EVENTS", 10)
    done, found = imported(tmp_path, doubling(60))
    assert len(found) == 8
    assert done.tally.counts["log given up: over 10 events"] == 1
    monkeypatch.setattr(collecting, "LONGEST_READ_S", -1)
    done, found = imported(tmp_path, doubling(60))
    assert not found
    assert done.tally.counts["log given up: over -1 s"] == 1


def test_a_search_text_that_is_everywhere_is_found_twice_and_no_more() -> None:
    start = process_time()
    for whole in ("str_replace", "search_replace"):
        for find in ("a" * 500_000, "\n" * 500_000):
            attempt = Attempt("k", whole, path="p", edits=(Edit(find, "x"),))  # type: ignore[arg-type]
            assert apply_exactly(attempt, find * 4).n_found in (1, 2)
    many = Attempt("k", "str_replace", path="p", edits=(Edit("a", "b" * 1000, True),))
    assert apply_exactly(many, "a" * 100_000).text is None
    assert apply_exactly(many, "a" * 2_000_000).text is None
    assert process_time() - start < 10


def test_lines_and_documents_of_too_many_values_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_VALUES", 5)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": [0,0,0,0,0,0,0,0]}\n{"a": 2}\n' + "[" * 100_000 + "\n")
    tally = Tally()
    assert [number for number, _ in json_lines(Log.at(path), tally)] == [1, 3]
    assert tally.named["line of over 5 values"] == [f"{path}:2"]
    assert tally.named["line is not JSON"] == [f"{path}:4"]
    assert json_document(Log.at(path), tally) is None
    assert tally.counts["document of over 5 values"] == 1
