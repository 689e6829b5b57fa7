"""Ids that occur twice in the corpora of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.duplicates import repeats
from corpora.load import segments
from editcore.errors import UsageError
from tests.samples import sample, samples, write_jsonl, write_parquet


def write(path: Path, made: list) -> Path:  # type: ignore[type-arg]
    return (write_jsonl if path.suffix == ".jsonl" else write_parquet)(path, made)


@pytest.mark.parametrize("first", ["a.jsonl", "a.parquet"])
@pytest.mark.parametrize("second", ["b.jsonl", "b.parquet"])
def test_the_same_sample_is_counted_once(tmp_path: Path, first: str, second: str) -> None:
    some = [*segments(write(tmp_path / first, samples(300)))]
    more = [*segments(write(tmp_path / second, [sample(999, old="z"), *samples(3), *samples(2)]))]
    assert repeats([*some, *more]) == {more[0].name: {2, 3, 4, 5, 6}}
    assert repeats([*some, *some]) == {}
    assert repeats(more) == {more[0].name: {5, 6}}


@pytest.mark.parametrize("name", ["b.jsonl", "b.parquet"])
def test_two_samples_with_one_id_are_refused(tmp_path: Path, name: str) -> None:
    some = segments(write(tmp_path / "a.jsonl", samples(300)))
    other = segments(write(tmp_path / name, [sample(7, old="something else")]))
    unit = "line" if name.endswith("l") else "row"
    with pytest.raises(UsageError) as caught:
        repeats([*some, *other])
    message = f"Two different samples have the id 's7': {tmp_path}/a.jsonl, line 8, and {tmp_path}/{name}, {unit} 1"
    assert caught.value.message == message
    assert caught.value.tip


def test_another_label_is_another_sample_and_another_tag_is_not(tmp_path: Path) -> None:
    one = sample(1)
    same = segments(write_jsonl(tmp_path / "a.jsonl", [one, replace(one, tags=("more",))]))
    assert repeats(same) == {same[0].name: {2}}
    with pytest.raises(UsageError):
        repeats(segments(write_jsonl(tmp_path / "b.jsonl", [one, replace(one, label="unlabelled")])))


def test_malformed_samples_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a"}\n{"id": "a"}\n{\n{"id": 3}\n"\\ud800"\n{"id":"\\ud800"}\n' * 2)
    assert repeats(segments(tmp_path / "a.jsonl")) == {}


def test_ids_are_found_in_lines_with_lone_surrogates(tmp_path: Path) -> None:
    one = segments(write_jsonl(tmp_path / "a.jsonl", [sample(1, before="\ud800"), sample(1, before="\ud800")]))
    assert repeats(one) == {one[0].name: {2}}
