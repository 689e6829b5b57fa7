"""Merged corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.edit_calls import CallCounts, outcomes_beside
from corpora.load import load
from corpora.merge import merge
from editcore.errors import UsageError
from tests.samples import sample, samples, write_jsonl, write_parquet


def test_corpora_are_merged_in_their_order_and_what_is_the_same_is_written_once(tmp_path: Path) -> None:
    one = write_jsonl(tmp_path / "a.jsonl", samples(3))
    other = write_parquet(tmp_path / "b.parquet", [*samples(4)[2:], sample(9)])
    assert merge([str(one), str(other)], tmp_path / "c.parquet") == (5, 1)
    assert list(load(tmp_path / "c.parquet")) == [*samples(4), sample(9)]


def test_a_merge_may_take_the_place_of_what_it_was_made_of(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(3))
    assert merge([str(path), str(path)], path, replace=True) == (3, 3)
    assert list(load(path)) == samples(3)


def test_the_edit_calls_of_all_corpora_are_beside_the_merged_one_and_beside_its_parts(tmp_path: Path) -> None:
    paths = [write_jsonl(tmp_path / f"{name}.jsonl", [sample(n), sample(n + 2)]) for n, name in enumerate("ab")]
    counted = CallCounts()
    for number, path in enumerate(paths):
        counted.add(number, "no_match", "codex", None, None)
        counted.write_beside(path)
    merge(list(map(str, paths)), tmp_path / "c.jsonl")
    assert outcomes_beside(tmp_path / "c.jsonl") == {"no_match": 3}
    merge([str(tmp_path / "c.jsonl")] * 2, tmp_path / "d.jsonl")
    assert outcomes_beside(tmp_path / "d.jsonl") == {"no_match": 3}


def test_two_samples_of_one_id_are_not_merged(tmp_path: Path) -> None:
    one = write_jsonl(tmp_path / "a.jsonl", [sample(0)])
    other = write_jsonl(tmp_path / "b.jsonl", [sample(0, new="x = 3")])
    with pytest.raises(UsageError, match="the id s0"):
        merge([str(one), str(other)], tmp_path / "c.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]
