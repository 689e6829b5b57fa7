from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora import segments as reading
from corpora.load import segments
from corpora.sample import SampleError
from corpora.segments import read_segment
from editcore.errors import UsageError
from harness.run.selection import Selection, expression
from tests.samples import samples, write_jsonl, write_parquet

SAMPLE = ("house/Shop-012", ["language:python", "drift:stale", "several-edits", "a.b[1]"])


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("python", True),
        ("PYTHON", True),
        ("java", False),
        ("language:python", True),
        ("shop-0", True),
        ("house/", True),
        ("a.b[1]", True),
        ("python and stale", True),
        ("python and java", False),
        ("python or java", True),
        ("not java", True),
        ("not python", False),
        ("not not python", True),
        ("python and not stale", False),
        ("java or python and stale", True),
        ("(java or python) and fresh", False),
        ("not (java or python)", False),
        ("((python))", True),
        ("(python)and(stale)", True),
        ("  python\n  and\tstale  ", True),
        ("'python'", False),
        ('"', False),
        ("and-so-on or notes or order", False),
        ("True", False),
        ("_0", False),
        ("python;import", False),
        ("λ", False),
        ("\x00", False),
        ("\ud800", False),
    ],
)
def test_pieces_of_ids_and_tags_are_joined_by_and_or_not(text: str, chosen: bool) -> None:
    assert expression(text)(*SAMPLE) is chosen


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a b", "a and", "and a", "a or", "not", "a not b", "a and or b", "and", "'a b'"),
        *(")", "(", "()", "(a", "a)", "a ()", "a (b)", "(a) (b)", "(a)(b)", "a and ()", "( and )", ")("),
        "not " * 50_000 + "a",
        "(" * 50_000 + "a" + ")" * 50_000,
    ],
    ids=lambda text: text[:12] or "empty",
)
def test_what_is_no_expression_is_the_users_mistake(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as caught:
        expression(text)
    assert "python and not stale" in caught.value.tip


@given(
    st.lists(st.sampled_from([*"()[]{}.,:=+'\"\\#@", "and", "or", "not", "a", "python", "lambda", " "])).map(" ".join)
)
@example("a and " * 3000 + "b")
@example("not (" * 150 + "b" + ")" * 150)
def test_any_text_is_an_expression_or_the_users_mistake(text: str) -> None:
    try:
        matches = expression(text)
    except UsageError:
        return
    assert matches(*SAMPLE) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "open('made','w')",
        "__import__('os').mkdir('made')",
        "(lambda:open('made','w'))()",
        "[open('made','w')]",
        "python and open('made','w')",
        "python if open('made','w') else java",
        "f\"{open('made','w')}\"",
        "a\nopen('made','w')",
    ],
)
def test_no_expression_runs_code(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with suppress(UsageError):
        expression(text)(*SAMPLE)
    assert not (tmp_path / "made").exists()


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
