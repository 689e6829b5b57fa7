from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora import segments as reading
from corpora.load import BUNDLED, load, segments
from corpora.sample import SampleError, combined_fingerprint, encode, fingerprint
from corpora.segments import ids_and_tags, read_segment
from editcore.errors import UsageError
from tests.samples import sample, samples, write_jsonl, write_parquet

ROOT = Path(__file__).parents[2]


def numbers(path: Path, **options: Any) -> list[int]:
    return [number for shard in segments(path) for number, _ in read_segment(shard, **options)]


# Names


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_corpus_is_loaded_by_name(name: str) -> None:
    assert next(load(name)).before


def test_jsonl_and_parquet_of_the_same_samples_are_the_same(tmp_path: Path) -> None:
    made = [*samples(9), sample(9, before="é\r\n\U0001f600", patch="p", line=3, label_source="x")]
    one, other = write_jsonl(tmp_path / "a.jsonl", made), write_parquet(tmp_path / "a.parquet", made)
    assert list(load(one)) == list(load(other)) == made
    assert combined_fingerprint(map(fingerprint, load(one))) == combined_fingerprint(map(fingerprint, load(other)))


def test_fields_that_only_some_rows_have_are_absent_from_the_others_in_parquet_too(tmp_path: Path) -> None:
    rows = [json.loads(encode(one)) for one in samples(2)]
    del rows[0]["edits"][0]["replace_all"], rows[0]["tags"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows[::-1]), tmp_path / "a.parquet")
    assert list(load(tmp_path / "a.jsonl")) == list(load(tmp_path / "a.parquet"))[::-1]


def test_columns_of_other_people_are_passed_over(tmp_path: Path) -> None:
    rows = [json.loads(encode(one)) | {"mine": {"a": 1}} for one in samples(3)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert list(load(tmp_path / "a.parquet")) == samples(3)


def test_a_folder_stands_for_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    write_parquet(tmp_path / "b.parquet", samples(4)[2:])
    write_jsonl(tmp_path / "a.jsonl", samples(2))
    (tmp_path / "notes.txt").write_text("no sample")
    (tmp_path / "c.jsonl").mkdir()
    assert [one.id for one in load(tmp_path)] == ["s0", "s1", "s2", "s3"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere.jsonl", None, "There is no corpus"),
        ("a.csv", b"id,format\n", "neither .jsonl nor .parquet"),
        ("a.parquet", b"", "cannot be read"),
        ("a.parquet", b"PAR1 and no more", "cannot be read"),
        ("a.parquet", b'{"id": "a"}\n', "cannot be read"),
        ("a.jsonl", b"", "holds no samples"),
        ("a.jsonl", b"\n \r\n\n", "holds no samples"),
    ],
)
def test_what_is_no_corpus_is_the_users_mistake(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        list(load(path))
    assert caught.value.tip
    assert "\n" not in caught.value.message


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        segments("mansion")
    assert "house, smoke" in caught.value.tip


def test_a_parquet_file_cut_short_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(100))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UsageError, match="cannot be read"):
        list(load(path))


def test_a_parquet_file_damaged_in_the_middle_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(100))
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"a\.parquet"):
        list(load(path))
    with pytest.raises(UsageError, match=r"a\.parquet"):
        list(ids_and_tags(segments(path)[0]))


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that cannot be read, even by root")
def test_a_file_that_cannot_be_read_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to("/proc/self/mem")
    with pytest.raises(UsageError, match="cannot be read"):
        segments(tmp_path / "a.jsonl")


def test_a_folder_without_samples_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no"):
        segments(tmp_path)


# Bad samples


@pytest.fixture
def with_bad_lines(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    good = [encode(one) for one in samples(3)]
    lines = ["", good[0], "{", "   ", good[1], good[2].replace('"refuse"', '"never"'), good[2], "\r"]
    path.write_bytes("\n".join(lines).encode())
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_numbers_of_a_shard_are_known_without_reading_its_samples(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".jsonl":
        path.write_text("\nnot JSON\n \n" + "{}\n" * 300)
    else:
        write_parquet(path, samples(302), row_group_size=250)
    found = [list(reading.sample_numbers(shard)) for shard in segments(path)]
    blank = suffix == ".jsonl"
    assert list(map(len, found)) == [250, 51 if blank else 52]
    assert [number for some in found for number in some] == [2, *range(4, 304)] if blank else list(range(1, 303))


def test_blank_lines_are_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n" + "\n \n".join(encode(one) for one in samples(3)) + "\n\n")
    assert list(load(path)) == samples(3)
    assert sum(shard.n_samples for shard in segments(path)) == 3
    assert numbers(path) == [3, 5, 7]


def test_a_malformed_line_stops_the_load_and_is_named_by_file_and_line(with_bad_lines: Path) -> None:
    with pytest.raises(SampleError, match=r"a\.jsonl, line 3: not JSON") as caught:
        list(load(with_bad_lines))
    assert "--skip-bad" in caught.value.tip


def test_malformed_lines_are_left_out_and_told_where_that_is_asked_for(with_bad_lines: Path) -> None:
    told: list[str] = []
    found = list(load(with_bad_lines, skip_bad=True, on_bad=lambda error: told.append(error.message)))
    assert found == samples(3)
    assert [message.split(": ")[0].rpartition(", ")[2] for message in told] == ["line 3", "line 6"]
    assert "$.label" in told[1]
    assert list(load(with_bad_lines, skip_bad=True)) == samples(3)


def test_a_malformed_row_of_parquet_is_named_by_file_and_row(tmp_path: Path) -> None:
    rows = [json.loads(encode(one)) for one in samples(3)]
    rows[1]["label"] = "never"
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    with pytest.raises(SampleError, match=r"a\.parquet, row 2: .*\$\.label"):
        list(load(tmp_path / "a.parquet"))
    assert [one.id for one in load(tmp_path / "a.parquet", skip_bad=True)] == ["s0", "s2"]


def test_a_parquet_file_of_something_else_is_named_with_its_first_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(SampleError, match="row 1: Object missing required field `id`"):
        list(load(tmp_path / "a.parquet"))
    assert [name for _, name, _ in ids_and_tags(segments(tmp_path / "a.parquet")[0])] == ["", ""]


# Dataset cards


def card(folder: Path, front: str) -> Path:
    (folder / "README.md").write_text(f"---\n{front}\n---\n\n# Some samples\n")
    return folder


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    write_jsonl(tmp_path / "data" / "one.jsonl", samples(1))
    write_jsonl(tmp_path / "data" / "two.jsonl", samples(2))
    return tmp_path


@pytest.mark.parametrize(
    ("front", "n_samples"),
    [
        ("configs:\n- data_files: data/one.jsonl", 1),
        ("configs:\n- config_name: default\n  data_files: data/*.jsonl", 3),
        ("configs:\n- config_name: a\n  data_files:\n  - split: test\n    path: data/two.jsonl", 2),
        ("configs:\n- data_files:\n  - split: test\n    path: [data/one.jsonl, data/two.jsonl]", 3),
        (
            "configs:\n- {config_name: a, data_files: data/one.jsonl}\n"
            "- {config_name: b, default: true, data_files: data/two.jsonl}",
            2,
        ),
        (
            "configs:\n- {config_name: a, data_files: data/one.jsonl}\n"
            "- {config_name: default, data_files: data/two.jsonl}",
            2,
        ),
    ],
)
def test_a_card_says_which_files_of_a_folder_are_its_samples(two_files: Path, front: str, n_samples: int) -> None:
    assert len(list(load(card(two_files, front)))) == n_samples


@pytest.mark.parametrize("front", ["license: mit", "- a list", "configs: 3", "configs: []", "configs:\n- word", ""])
def test_a_card_without_configurations_changes_nothing(tmp_path: Path, front: str) -> None:
    write_jsonl(tmp_path / "a.jsonl", samples(2))
    assert len(list(load(card(tmp_path, front)))) == 2


def test_a_readme_that_is_no_card_changes_nothing(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", samples(2))
    (tmp_path / "README.md").write_text("# Samples\n\n---\n")
    assert len(list(load(tmp_path))) == 2


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("configs: [", "is not YAML"),
        ("when: 2020-99-99", "is not YAML"),
        ("configs:\n- {config_name: a, data_files: x.jsonl}\n- {config_name: b}", r"several configurations \(a, b\)"),
        ("configs:\n- data_files: data/three.jsonl", r"not there: data/three\.jsonl"),
        ("configs:\n- data_files: /data/one.jsonl", "not there: /data/one"),
        ("configs:\n- data_files: ''", "not there"),
        ("configs:\n- config_name: default", "not there"),
        ("configs:\n- data_files: README.md", r"README\.md is neither"),
    ],
)
def test_a_card_that_cannot_be_followed_is_the_users_mistake(two_files: Path, front: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        segments(card(two_files, front))


# Shards


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SEGMENT_SAMPLES", 4)
    monkeypatch.setattr(reading, "_LARGEST_ROW_GROUP", 8)
    monkeypatch.setattr(reading, "_BATCH", 3)


@pytest.mark.usefixtures("small_shards")
def test_the_shards_of_jsonl_cover_each_sample_once(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(10))
    assert [shard.n_samples for shard in segments(path)] == [4, 4, 2]
    assert numbers(path) == list(range(1, 11))
    assert list(load(path)) == samples(10)


def test_a_shard_of_long_lines_holds_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_SEGMENT_BYTES", 1000)
    path = write_jsonl(tmp_path / "a.jsonl", [sample(number, before="x" * 900) for number in range(3)])
    assert [shard.n_samples for shard in segments(path)] == [1, 1, 1]
    assert numbers(path) == [1, 2, 3]


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("row_group_size", [1, 3, 7, 8, 9, 20, 100])
def test_the_shards_of_parquet_cover_each_sample_once(tmp_path: Path, row_group_size: int) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(50), row_group_size=row_group_size)
    assert numbers(path) == list(range(1, 51))
    assert list(load(path)) == samples(50)
    assert max(shard.n_samples for shard in segments(path)) <= 8
    assert [name for shard in segments(path) for _, name, _ in ids_and_tags(shard)] == [f"s{n}" for n in range(50)]


@pytest.mark.usefixtures("small_shards")
def test_shards_are_named_after_the_content_of_the_file_wherever_it_lies(tmp_path: Path) -> None:
    names = []
    for folder, n in (("here", 10), ("there", 10), ("changed", 9)):
        (tmp_path / folder).mkdir()
        path = write_jsonl(tmp_path / folder / "a.jsonl", samples(n))
        names.append([shard.name for shard in segments(path)])
    here, there, changed = names
    assert here == there
    assert not {*here} & {*changed}


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_shard_gives_only_the_numbers_and_formats_that_are_asked_for(tmp_path: Path, suffix: str) -> None:
    made = [
        sample(number) if number % 2 else replace(sample(number), format="insert", patch="p") for number in range(10)
    ]
    path = tmp_path / f"a.{suffix}"
    (write_jsonl if suffix == "jsonl" else write_parquet)(path, made)
    assert numbers(path, only={2, 3, 9}) == [2, 3, 9]
    assert numbers(path, formats={"str_replace"}) == [2, 4, 6, 8, 10]
    assert numbers(path, formats={"str_replace"}, only={2, 3, 9}) == [2]
    assert numbers(path, formats=()) == []


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_selection_sees_number_id_and_tags(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    (write_jsonl if suffix == "jsonl" else write_parquet)(path, samples(2))
    found = list(ids_and_tags(segments(path)[0]))
    assert found == [(1, "s0", ["language:python", "number:0"]), (2, "s1", ["language:python", "number:1"])]


def test_memory_stays_flat_while_a_big_corpus_streams(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("w") as file:
        for number in range(600):
            file.write(encode(sample(number, before=f"{number:07} line of text\n" * 4_500)) + "\n")
    assert path.stat().st_size > 50_000_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in load(path)) == 600
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


# The `datasets` package, offline, in a process of its own: it takes seconds to import.

ASK_DATASETS = """
import json, sys
import datasets
from corpora.load import segments
from corpora.segments import ids_and_tags, read_segment
from editcore.errors import UsageError

local, card = sys.argv[1:]
datasets.disable_progress_bars()
found = segments("hub:" + local)
house = datasets.load_dataset(card)
try:
    segments("hub:nobody/has-this")
    unknown = None
except UsageError as error:
    unknown = [error.message, error.tip]
print(json.dumps({
    "names": [shard.name for shard in found],
    "samples": [[number, sample.id, len(sample.edits)] for shard in found for number, sample in read_segment(shard)],
    "only": [number for shard in found for number, _ in read_segment(shard, only={2})],
    "labels": [row for shard in found for row in ids_and_tags(shard)],
    "house": [[name, split.num_rows] for name, split in house.items()],
    "unknown": unknown,
}))
"""


@pytest.fixture(scope="module")
def datasets_says(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("hub")
    (folder / "local").mkdir()
    write_jsonl(folder / "local" / "a.jsonl", samples(3))
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK_DATASETS, folder / "local", ROOT / "corpora"],
        env=os.environ | offline,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_a_corpus_is_loaded_through_datasets(datasets_says: dict[str, Any]) -> None:
    assert datasets_says["samples"] == [[1, "s0", 1], [2, "s1", 1], [3, "s2", 1]]
    assert datasets_says["only"] == [2]
    assert datasets_says["labels"][2] == [3, "s2", ["language:python", "number:2"]]
    assert len(datasets_says["names"]) == 1
    assert "/" not in datasets_says["names"][0]


def test_an_unknown_hub_name_is_the_users_mistake(datasets_says: dict[str, Any]) -> None:
    message, tip = datasets_says["unknown"]
    assert message.startswith("hub:nobody/has-this cannot be loaded: ")
    assert "\n" not in message
    assert "network" in tip


def test_datasets_loads_the_corpus_that_ships_by_its_card(datasets_says: dict[str, Any]) -> None:
    assert datasets_says["house"] == [["test", 444]]
