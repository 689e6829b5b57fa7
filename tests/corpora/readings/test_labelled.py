"""Corpora with the labels of readers, and the agreement of two readers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.check import check
from corpora.load import load
from corpora.readings.labelled import agreement, cohens_kappa, label_corpus
from corpora.readings.reading import Answer, Reading, question_fingerprint
from corpora.readings.readings_file import ReadingsFile
from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.types import File
from tests.samples import sample, write_jsonl, write_parquet

AT = "2026-11-22T21:00:00Z"


def unlabelled(number: int) -> Sample:
    return sample(number, label="unlabelled", tags=("language:python", "refuse:old"))


def reading(of: Sample, answer: Answer, text: str = "", reader: str = "jane") -> Reading:
    target = (File("a.py", text),) if answer == "apply" else None
    reason = "absent" if answer == "refuse" else None
    return Reading(of.id, question_fingerprint(of), answer, reader, AT, target, reason)


def readings(path: Path, *given: Reading) -> Path:
    with ReadingsFile(path) as file:
        for one in given:
            file.add(one)
    return path


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_new_corpus_has_the_labels_and_says_who_gave_them(tmp_path: Path, form: str) -> None:
    made = [unlabelled(number) for number in range(4)]
    corpus = (write_jsonl if form == "jsonl" else write_parquet)(tmp_path / f"a.{form}", made)
    before = corpus.read_bytes()
    path = readings(
        tmp_path / "a.jane.readings", reading(made[0], "apply", "x = 2\n"), reading(made[1], "refuse"),
        reading(made[2], "skip"),
    )  # fmt: skip
    counts = label_corpus(str(corpus), [path], tmp_path / f"b.{form}")
    found = list(load(tmp_path / f"b.{form}"))
    assert (counts.n_samples, counts.n_labelled, counts.n_changed, counts.n_unknown) == (4, 2, 0, 0)
    assert [one.label for one in found] == ["apply", "refuse", "unlabelled", "unlabelled"]
    assert found[0].target == (File("a.py", "x = 2\n"),)
    assert found[0].label_source == found[1].label_source == "read"
    assert found[1].tags == ("language:python", "refuse:absent", "reader:jane", f"read:{AT}")
    assert found[2] == made[2]
    assert corpus.read_bytes() == before
    assert not check(str(tmp_path / f"b.{form}")).problems


def test_where_readers_disagree_or_read_something_else_a_sample_stays_as_it_was(tmp_path: Path) -> None:
    made = [unlabelled(number) for number in range(3)]
    corpus = write_jsonl(tmp_path / "a.jsonl", made)
    other = replace(made[1], edits=made[0].edits, before=(File("a.py", "other\n"),))
    one = readings(
        tmp_path / "one", reading(made[0], "apply", "x = 2\n"), reading(other, "refuse"), reading(made[2], "refuse"),
        reading(sample(9), "refuse"),
    )  # fmt: skip
    two = readings(tmp_path / "two", reading(made[0], "apply", "x = 3\n"), reading(made[2], "refuse", reader="joe"))
    counts = label_corpus(str(corpus), [one, two], tmp_path / "b.jsonl")
    assert (counts.n_disputed, counts.n_other, counts.n_labelled, counts.n_unknown) == (1, 1, 1, 1)
    found = list(load(tmp_path / "b.jsonl"))
    assert found[:2] == made[:2]
    assert found[2].tags[-3:] == ("reader:jane", f"read:{AT}", "reader:joe")


def test_a_label_that_a_reader_changes_is_counted(tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "a.jsonl", [sample(0)])
    path = readings(tmp_path / "one", reading(sample(0), "apply", "x = 2\n"))
    assert label_corpus(str(corpus), [path], tmp_path / "b.jsonl").n_changed == 1


def test_the_corpus_itself_is_never_written_over(tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "a.jsonl", [sample(0)])
    path = readings(tmp_path / "one", reading(sample(0), "apply", "x = 2\n"))
    before = corpus.read_bytes()
    with pytest.raises(UsageError, match="is one of the files that are read"):
        label_corpus(str(corpus), [path], corpus, replace_out=True)
    with pytest.raises(UsageError, match="exists already"):
        label_corpus(str(corpus), [path], write_jsonl(tmp_path / "b.jsonl", []))
    assert corpus.read_bytes() == before


def test_readings_of_another_corpus_are_a_mistake(tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "a.jsonl", [sample(0)])
    path = readings(tmp_path / "one", reading(sample(5), "refuse"))
    with pytest.raises(UsageError, match="1 are of other samples"):
        label_corpus(str(corpus), [path], tmp_path / "b.jsonl")
    assert not (tmp_path / "b.jsonl").exists()


def by_id(*given: Reading) -> dict[str, Reading]:
    return {one.sample_id: one for one in given}


def test_agreement_counts_labels_and_results() -> None:
    """Of 4: one same result, one other result, both refuse, one disagrees; chance gives (3 x 2 + 1 x 2) / 16."""
    s = [unlabelled(number) for number in range(7)]
    one = by_id(
        reading(s[0], "apply", "a"), reading(s[1], "apply", "a"), reading(s[2], "refuse"), reading(s[3], "apply", "a"),
        reading(s[4], "refuse"), reading(replace(s[6], before=(File("b.py", ""),)), "refuse"),
    )  # fmt: skip
    two = by_id(
        reading(s[0], "apply", "a"), reading(s[1], "apply", "b"), reading(s[2], "refuse"), reading(s[3], "refuse"),
        reading(s[5], "refuse"), reading(s[6], "refuse"),
    )  # fmt: skip
    found = agreement(one, two)
    assert (found.n, found.n_same_label, found.n_same) == (4, 3, 2)
    assert (found.n_only_first, found.n_only_second, found.n_other) == (1, 1, 1)
    assert [pair[0].sample_id for pair in found.disagreements] == ["s1", "s3"]
    assert found.kappa == pytest.approx((3 / 4 - 8 / 16) / (1 - 8 / 16))
    assert agreement(by_id(one["s2"]), by_id(two["s2"])).kappa is None


@given(st.lists(st.tuples(st.sampled_from("ar"), st.sampled_from("ar")), max_size=30))
def test_kappa_is_the_same_both_ways_and_1_for_full_agreement(pairs: list[tuple[str, str]]) -> None:
    kappa = cohens_kappa(pairs)
    assert kappa == cohens_kappa([(other, one) for one, other in pairs])
    assert kappa is None or -1 <= kappa <= 1
    full = cohens_kappa([(one, one) for one, _ in pairs])
    assert full in (None, 1.0)
