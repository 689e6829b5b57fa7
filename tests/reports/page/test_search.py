from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reports.page import served
from reports.page.served import Hits, LineStore, Search
from reports.runs.columns import Ids
from reports.runs.manifest import Manifest, write_manifest
from reports.runs.rows import Change, Outcome, SampleText
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part

NAMES = ["s0", "S1", "s2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in two parts; the texts of s0 have the word `shared` in several kinds, those of S1 in one."""
    folder = tmp_path_factory.mktemp("run")
    outcomes = [
        Outcome(name, strategy, "missed", message="Not found.\nIn ÜBER.py" if name != "s2" else None)
        for name in NAMES for strategy in ("x/a", "x/b")
    ]  # fmt: skip
    texts = [
        SampleText("s0", "Shared\n\n", "a.py", 1, "one\ntwo shared\n"),
        SampleText("S1", "edit of S1", "shared/b.py", 1, "one\n"),
        SampleText("s2", "", "c", 1, "one"),
    ]
    changes = [Change("s0", 0, ("x/a",), "a.py", 1, "before\n", "after shared")]
    write_part(folder, "0", outcomes[:4], [], [], texts=texts[:2], changes=changes, metadata={})
    write_part(folder, "1", outcomes[4:], [], [], texts=texts[2:], metadata={})
    write_manifest(folder, Manifest([], 0, [], [], 5, "p", "2026-01-01T00:00:00Z"))
    return folder


def search_of(folder: Path) -> Search:
    """The search of that run, which does not say in which part the samples are."""
    return Search(RunFolder(folder), Ids(pa.array(NAMES)), np.full(3, -1))


def sought(one: Search, word: str, *, seconds: float = 60.0) -> tuple[list[str], Hits]:
    hits = one.holding(word, seconds=seconds)
    return [name for name, has in zip(NAMES, hits.samples, strict=True) if has], hits


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("shared", ["s0", "S1"]),
        ("SHARED", ["s0", "S1"]),
        ("two sh", ["s0"]),
        ("one", NAMES),
        ("s1", ["S1"]),
        ("over.py", []),
        ("über.PY", ["s0", "S1"]),
        ("before", ["s0"]),
        ("eone", []),
        ("found.in", []),
        ("o", NAMES),
        ("wo", ["s0"]),
        ("h", ["s0", "S1"]),
        ("ed", ["s0", "S1"]),
        ("edit of s1", ["S1"]),
        ("dit of s", ["S1"]),
        ("t of", ["S1"]),
        ("edit s1", []),
        ("", NAMES),
        ("two\nshared", []),
        (" ", ["s0", "S1"]),
        (" shared", ["s0"]),
        ("in ", ["s0", "S1"]),
    ],
)
def test_a_word_is_found_in_ids_and_in_every_line_of_the_texts(folder: Path, word: str, expected: list[str]) -> None:
    names, hits = sought(search_of(folder), word)
    assert names == expected
    assert (hits.is_complete, hits.share) == (True, 1.0)


def test_a_search_without_time_answers_with_ids_and_goes_on_when_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "_ROWS", 1)
    one = search_of(folder)
    names, hits = sought(one, "s1", seconds=0)
    assert names == ["S1"]
    assert not hits.is_complete
    assert sought(one, "shared")[0] == ["s0", "S1"]
    assert sought(one, "shared/")[0] == ["S1"]  # Only where `shared` is.
    assert sought(one, "s1")[1].is_complete


def test_what_an_empty_word_finds_does_not_narrow_the_next(folder: Path) -> None:
    one = search_of(folder)
    assert sought(one, "")[0] == NAMES
    assert sought(one, "before")[0] == ["s0"]


@pytest.mark.parametrize("word", ["%", "_", "*", "'", '"', "NEAR(", "a OR b", "shared*", "\0", "\\", "[a-z]", "^o"])
def test_a_word_is_no_query(folder: Path, word: str) -> None:
    assert sought(search_of(folder), word)[0] == []


def test_an_index_that_is_full_says_which_share_was_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "_ROWS", 1)
    monkeypatch.setattr(served, "_LARGEST", 1)
    monkeypatch.setattr(served, "_THREADS", 1)
    hits = sought(search_of(folder), "found")[1]
    assert hits.is_complete
    assert 0 < hits.share < 1


def test_an_index_without_room_answers_with_what_there_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "_ROWS", 1)
    monkeypatch.setattr(LineStore, "add", _full)
    names, hits = sought(search_of(folder), "s1")
    assert names == ["S1"]
    assert hits.is_complete
    assert hits.share < 1


def _full(*_: object) -> None:
    raise OSError("no space left on device")
