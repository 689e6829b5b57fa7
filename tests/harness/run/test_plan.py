from __future__ import annotations

import random
from pathlib import Path

import pytest

from corpora import segments as reading
from corpora.load import segments
from corpora.sample import Provenance, SampleError
from corpora.segments import read_segment
from editcore.errors import UsageError
from harness.run.plan import Selection
from tests.samples import sample, samples, write_jsonl, write_parquet


def ids(path: Path, selection: Selection) -> set[str]:
    found = segments(path)
    chosen = selection.choose(found)
    assert chosen is not None
    return {
        sample.id
        for shard in found
        if shard.name in chosen
        for _, sample in read_segment(shard, only=chosen[shard.name])
    }


def test_no_wish_is_every_sample(tmp_path: Path) -> None:
    assert Selection().choose(segments(write_jsonl(tmp_path / "a.jsonl", samples(3)))) is None


def test_a_limit_draws_the_same_samples_for_any_order_file_format_and_shard_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = samples(40)
    drawn = ids(write_jsonl(tmp_path / "a.jsonl", made), Selection(limit=7))
    assert len(drawn) == 7
    random.Random(1).shuffle(made)
    monkeypatch.setattr(reading, "SEGMENT_SAMPLES", 3)
    assert ids(write_jsonl(tmp_path / "b.jsonl", made), Selection(limit=7)) == drawn
    assert ids(write_parquet(tmp_path / "b.parquet", made, row_group_size=9), Selection(limit=7)) == drawn


def test_a_smaller_limit_draws_some_of_the_samples_of_a_larger_one(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(40))
    assert ids(path, Selection(limit=5)) < ids(path, Selection(limit=15))


def test_other_seeds_draw_other_samples(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(40))
    draws = [frozenset(ids(path, Selection(limit=10, seed=seed))) for seed in range(5)]
    assert len(set(draws)) == 5


def test_a_limit_beyond_the_corpus_takes_all(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(4))
    assert ids(path, Selection(limit=1000)) == {"s0", "s1", "s2", "s3"}


def test_a_limit_counts_what_matches(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(40))
    assert ids(path, Selection("number:3", limit=1000)) == {"s3", *(f"s{n}" for n in range(30, 40))}
    drawn = ids(path, Selection("number:3", limit=4))
    assert len(drawn) == 4
    assert drawn < {"s3", *(f"s{n}" for n in range(30, 40))}


def test_shards_without_a_chosen_sample_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SEGMENT_SAMPLES", 2)
    chosen = Selection("s5").choose(segments(write_jsonl(tmp_path / "a.jsonl", samples(6))))
    assert chosen is not None
    assert [*chosen.values()] == [frozenset({6})]


def test_a_bad_sample_stops_the_choice_or_is_told(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    path.write_text("{\n" + path.read_text())
    with pytest.raises(SampleError, match="line 1"):
        Selection(limit=1).choose(segments(path))
    told: list[SampleError] = []
    assert Selection(limit=5).choose(segments(path), on_bad=told.append) == {segments(path)[0].name: frozenset({2, 3})}
    assert len(told) == 1


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_selection_sees_properties(tmp_path: Path, form: str) -> None:
    made = [sample(1, provenance=Provenance(model="sonnet")), sample(2, provenance=Provenance(model="opus")), sample(3)]
    path = (write_jsonl if form == "jsonl" else write_parquet)(tmp_path / f"a.{form}", made)
    assert ids(path, Selection("model:sonnet or not model:")) == {"s1", "s3"}
    assert ids(path, Selection("number=2 and label=refuse")) == {"s2"}
    with pytest.raises(UsageError, match="no sample has a 'modle'"):
        ids(path, Selection("modle:opus"))
