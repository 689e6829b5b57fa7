"""Ids that occur twice in the corpora of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.duplicates import likeness, repeats
from corpora.load import segments
from corpora.sample import Provenance, Sample
from editcore.errors import UsageError
from editcore.types import Edit, File
from tests.samples import sample, samples, write_jsonl, write_parquet

# Near-duplicates

FAR = "".join(f"line {n}\n" for n in range(40))
TEXT = f"{FAR}def total(xs):\n    return sum(x)\n{FAR}"


def made(text: str = TEXT, old: str = "sum(x)", new: str = "sum(xs)", **fields: object) -> Sample:
    target = (File("a.py", text.replace(old.strip(), new.strip())),)
    return sample(before=text, old=old, new=new, **{"label": "apply", "target": target} | fields)


@pytest.mark.parametrize(
    "copy",
    [
        replace(made(), id="other", tags=(), provenance=Provenance(repo="some/where")),
        replace(made(), before=(File("b.py", TEXT),), target=(File("b.py", TEXT.replace("sum(x)", "sum(xs)")),)),
        made(TEXT.replace("line 3\n", "another line\n", 1)),
        made(TEXT.replace("    return", "\treturn")),
        made(new="  sum(xs)"),
    ],
    ids=["names", "path", "far away", "indentation", "whitespace of the edit"],
)
def test_a_copy_is_a_near_duplicate(copy: Sample) -> None:
    assert likeness(copy) == likeness(made())


@pytest.mark.parametrize(
    "other",
    [
        made(TEXT.replace("total", "mean")),
        made(new="sum(ys)"),
        replace(made(), edits=(Edit("sum(x)", "sum(xs)", replace_all=True),)),
    ],
    ids=["another function", "another new text", "all places"],
)
def test_another_edit_or_place_is_another_sample(other: Sample) -> None:
    assert likeness(other) != likeness(made())


def test_without_a_right_answer_the_place_is_that_of_the_search_text() -> None:
    refused = replace(made(), label="refuse", target=None)
    assert likeness(refused) == likeness(replace(refused, before=(File("a.py", TEXT + FAR),)))
    lost = replace(refused, edits=(Edit("nowhere", "x"),))
    assert likeness(lost) != likeness(replace(lost, before=(File("a.py", TEXT + FAR),)))


def test_a_file_that_is_made_or_deleted_has_a_likeness_too() -> None:
    empty = replace(made(), format="unified_diff", edits=None, patch="+++ b", before=())
    assert likeness(empty) != likeness(replace(empty, patch="+++ c"))
    assert likeness(replace(made(), target=())) >= 0


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
