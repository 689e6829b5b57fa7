"""Segments of corpus files: every sample once, whatever the file; and datasets of the hub."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpora import parquet
from corpora import segments as reading
from corpora.load import load, segments
from corpora.sample import encode
from corpora.segments import check_reachable, described, read_segment
from editcore.errors import UsageError
from editcore.types import File
from tests.samples import sample, samples, write_jsonl, write_parquet

# The check that the hub can be reached


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port of this machine to which the hub is moved, and where nobody listens unless a test does."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = taken.getsockname()[1]
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{found}")
        yield found


@pytest.mark.usefixtures("port")
def test_a_server_that_refuses_is_named_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"hub:a/b cannot be loaded: 127\.0\.0\.1 cannot be reached \(") as caught:
        check_reachable("hub:a/b")
    assert "HF_HUB_OFFLINE=1" in caught.value.tip


def test_a_server_that_listens_is_enough(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    del port
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        check_reachable("hub:a/b")


@pytest.mark.usefixtures("port")
def test_nothing_is_asked_behind_a_proxy_or_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    check_reachable("hub:a/b")
    monkeypatch.delenv("http_proxy")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    check_reachable("hub:a/b")


@pytest.mark.usefixtures("port")
def test_nothing_is_asked_where_the_library_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    check_reachable("hub:a/b")


ROOT = Path(__file__).parents[2]


def numbers(path: Path, **options: Any) -> list[int]:
    return [number for segment in segments(path) for number, _ in read_segment(segment, **options)]


def test_a_parquet_file_damaged_in_the_middle_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(100))
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"a\.parquet"):
        list(load(path))
    with pytest.raises(UsageError, match=r"a\.parquet"):
        list(described(segments(path)[0]))


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_numbers_of_a_segment_are_known_without_reading_its_samples(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".jsonl":
        path.write_text("\nnot JSON\n \n" + "{}\n" * 300)
    else:
        write_parquet(path, samples(302), row_group_size=250)
    found = [list(reading.sample_numbers(segment)) for segment in segments(path)]
    blank = suffix == ".jsonl"
    assert list(map(len, found)) == [250, 51 if blank else 52]
    assert [number for some in found for number in some] == [2, *range(4, 304)] if blank else list(range(1, 303))


def test_blank_lines_are_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n" + "\n \n".join(encode(one) for one in samples(3)) + "\n\n")
    assert list(load(path)) == samples(3)
    assert sum(segment.n_samples for segment in segments(path)) == 3
    assert numbers(path) == [3, 5, 7]


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SEGMENT_SAMPLES", 4)
    monkeypatch.setattr(reading, "_LARGEST_ROW_GROUP", 8)
    monkeypatch.setattr(parquet, "_BATCH", 3)


@pytest.mark.usefixtures("small_segments")
def test_the_segments_of_jsonl_cover_each_sample_once(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(10))
    assert [segment.n_samples for segment in segments(path)] == [4, 4, 2]
    assert numbers(path) == list(range(1, 11))
    assert list(load(path)) == samples(10)


def test_a_segment_of_long_lines_holds_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_SEGMENT_BYTES", 1000)
    path = write_jsonl(tmp_path / "a.jsonl", [sample(number, before="x" * 900) for number in range(3)])
    assert [segment.n_samples for segment in segments(path)] == [1, 1, 1]
    assert numbers(path) == [1, 2, 3]


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("row_group_size", [1, 3, 7, 8, 9, 20, 100])
def test_the_segments_of_parquet_cover_each_sample_once(tmp_path: Path, row_group_size: int) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(50), row_group_size=row_group_size)
    assert numbers(path) == list(range(1, 51))
    assert list(load(path)) == samples(50)
    assert max(segment.n_samples for segment in segments(path)) <= 8
    assert [name for segment in segments(path) for _, name, *_ in described(segment)] == [f"s{n}" for n in range(50)]


@pytest.mark.usefixtures("small_segments")
def test_segments_are_named_after_the_content_of_the_file_wherever_it_lies(tmp_path: Path) -> None:
    names = []
    for folder, n in (("here", 10), ("there", 10), ("changed", 9)):
        (tmp_path / folder).mkdir()
        path = write_jsonl(tmp_path / folder / "a.jsonl", samples(n))
        names.append([segment.name for segment in segments(path)])
    here, there, changed = names
    assert here == there
    assert not {*here} & {*changed}


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_segment_gives_only_the_numbers_and_formats_that_are_asked_for(tmp_path: Path, suffix: str) -> None:
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
def test_a_selection_sees_number_id_tags_and_properties(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    (write_jsonl if suffix == "jsonl" else write_parquet)(path, samples(2))
    found = list(described(segments(path)[0], ["label", "model"]))
    values = {"label": ("refuse",), "model": ()}
    assert found == [(n + 1, f"s{n}", ["language:python", f"number:{n}"], values) for n in range(2)]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_selection_sees_what_was_seen_without_its_texts(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    found = [replace(sample(0), seen=(File("a.py", "y"),)), replace(sample(1), tags=("seen:same",)), sample(2)]
    (write_jsonl if suffix == "jsonl" else write_parquet)(path, found)
    assert [row[3] for row in described(segments(path)[0], ["seen"])] == [
        {"seen": (value,)} for value in ("other", "same", "unknown")
    ]


# Datasets of the hub


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A stand-in for the package `datasets`, which takes seconds to import."""
    module = ModuleType("datasets")
    monkeypatch.setitem(sys.modules, "datasets", module)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    reading._hub_dataset.cache_clear()
    return module


def test_a_hub_dataset_is_read_split_by_split(datasets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SEGMENT_SAMPLES", 4)
    rows = {"train": [asdict(one) for one in samples(6)], "test": [asdict(one) for one in samples(1)]}
    monkeypatch.setattr(datasets, "load_dataset", lambda name: {"owner/name": rows}[name], raising=False)
    found = segments("hub:owner/name")
    assert [(one.name, one.first, one.n_samples) for one in found] == [
        ("owner-name-train-00000", 1, 4),
        ("owner-name-train-00001", 5, 2),
        ("owner-name-test-00000", 1, 1),
    ]
    assert [list(read_segment(one)) for one in found[1:]] == [
        [(5, samples(6)[4]), (6, samples(6)[5])],
        [(1, samples(1)[0])],
    ]
    assert [number for number, _ in read_segment(found[0], only={2, 5})] == [2]


def test_a_hub_dataset_that_cannot_be_loaded_is_the_users_mistake(
    datasets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_dataset(name: str) -> None:
        raise ConnectionError(f"no route to {name}\nand more")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset, raising=False)
    with pytest.raises(UsageError) as caught:
        segments("hub:owner/name")
    assert caught.value.message == "hub:owner/name cannot be loaded: no route to owner/name"
    assert "network" in caught.value.tip


def test_the_hub_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    reading._hub_dataset.cache_clear()
    with pytest.raises(UsageError) as caught:
        segments("hub:owner/name")
    assert caught.value.message.startswith("hub:owner/name needs")
    assert "datasets" in caught.value.message
    assert "editgauge[hub]" in caught.value.tip


# The real package, offline, in a process of its own

ASK_DATASETS = """
import json, sys
import datasets
from corpora.load import segments
from corpora.segments import described, read_segment
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
    "names": [segment.name for segment in found],
    "samples": [[number, sample.id, len(sample.edits)] for one in found for number, sample in read_segment(one)],
    "only": [number for segment in found for number, _ in read_segment(segment, only={2})],
    "labels": [row for segment in found for row in described(segment)],
    "house": [[name, split.num_rows] for name, split in house.items()],
    "unknown": unknown,
}))
"""


@pytest.fixture(scope="module")
def datasets_says(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("hub")
    (folder / "owner" / "local").mkdir(parents=True)
    write_jsonl(folder / "owner" / "local" / "a.jsonl", samples(3))
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK_DATASETS, "owner/local", ROOT / "corpora"],
        env=os.environ | offline | {"PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.slow
def test_a_corpus_is_loaded_through_datasets(datasets_says: dict[str, Any]) -> None:
    assert datasets_says["samples"] == [[1, "s0", 1], [2, "s1", 1], [3, "s2", 1]]
    assert datasets_says["only"] == [2]
    assert datasets_says["labels"][2] == [3, "s2", ["language:python", "number:2"], {}]
    assert len(datasets_says["names"]) == 1
    assert "/" not in datasets_says["names"][0]


@pytest.mark.slow
def test_an_unknown_hub_name_is_the_users_mistake(datasets_says: dict[str, Any]) -> None:
    message, tip = datasets_says["unknown"]
    assert message.startswith("hub:nobody/has-this cannot be loaded: ")
    assert "\n" not in message
    assert "network" in tip


@pytest.mark.slow
def test_datasets_loads_the_corpus_that_ships_by_its_card(datasets_says: dict[str, Any]) -> None:
    assert datasets_says["house"] == [["test", 1431]]


def test_a_line_over_the_limit_is_one_malformed_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1000)
    lines = [encode(one) for one in samples(3)]
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join([lines[0], "x" * 5_000_000, " " * 2000, lines[1], " " * 1001 + "{", lines[2], "y" * 1001])
    )
    told: list[str] = []
    assert list(load(path, skip_bad=True, on_bad=lambda error: told.append(error.message))) == samples(3)
    assert [message.partition(".jsonl, ")[2] for message in told] == [
        f"line {number}: the line is over 0 MB, the limit for a sample" for number in (2, 3, 5, 7)
    ]
    assert [segment.n_samples for segment in segments(path)] == [7]


@pytest.mark.parametrize(
    "name", ["", "json", "..", "../x", "/etc/x", "a/b/c", "a/..", ".a/b", "a/b\n", "C:/x", "a b/c", "x" * 97 + "/y"]
)
def test_a_path_is_no_name_of_the_hub(name: str) -> None:
    with pytest.raises(UsageError, match="is no name of a hub dataset"):
        segments(f"hub:{name}")


def test_segments_have_names_that_files_can_have(tmp_path: Path) -> None:
    for stem in ("a\nb", "x" * 240, "\u00e9" * 100, "\x1b[2J"):
        (found,) = segments(write_jsonl(tmp_path / f"{stem}.jsonl", samples(1)))
        assert found.name.isprintable()
        assert len(found.name.encode()) < 150
