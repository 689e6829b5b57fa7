"""Corpora loaded by name, file, folder and dataset card."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.load import BUNDLED, load, segments
from corpora.sample import SampleError, combined_fingerprint, encode, fingerprint
from corpora.segments import ids
from editcore.errors import UsageError
from tests.samples import sample, samples, write_jsonl, write_parquet

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize(("name", "tip"), [("mansion", "Give a file"), ("huose", "Did you mean house? Give a file")])
def test_an_unknown_name_says_which_there_are(name: str, tip: str) -> None:
    with pytest.raises(UsageError) as caught:
        segments(name)
    assert caught.value.message == f"There is no corpus '{name}'"
    assert caught.value.tip.startswith(tip)
    assert "house, smoke" in caught.value.tip


def test_a_parquet_file_cut_short_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", samples(100))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UsageError, match="cannot be read"):
        list(load(path))


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


def test_a_parquet_file_of_something_else_holds_no_samples(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(UsageError, match=r"a\.parquet holds no samples: it has no column id"):
        list(load(tmp_path / "a.parquet"))


def test_a_row_without_an_id_is_malformed(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", None]}), tmp_path / "a.parquet")
    with pytest.raises(SampleError, match="row 1: Object missing required field `format`"):
        list(load(tmp_path / "a.parquet"))
    assert [name for _, name in ids(segments(tmp_path / "a.parquet")[0])] == ["a", ""]


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
        ("configs:\n- data_files: data/three.jsonl", r"do not exist: data/three\.jsonl"),
        ("configs:\n- data_files: /data/one.jsonl", "do not exist: /data/one"),
        ("configs:\n- data_files: ''", "do not exist"),
        ("configs:\n- config_name: default", "do not exist"),
        ("configs:\n- data_files: README.md", r"README\.md is neither"),
    ],
)
def test_a_card_that_cannot_be_followed_is_the_users_mistake(two_files: Path, front: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        segments(card(two_files, front))


@pytest.mark.parametrize(
    "front",
    [
        "configs:\n- data_files: ../secret.jsonl",
        "configs:\n- data_files: data/../../secret.jsonl",
        "configs:\n- data_files: '**/**/**/**/*.jsonl'",
        "configs:\n- data_files: {path: [[data/one.jsonl]]}",
        "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
        "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
        "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\nh: &h [*g, *g, *g, *g, *g, *g, *g, *g, *g]\n"
        "configs:\n- {config_name: *h, data_files: {path: *h}}",
        "x: " + "[" * 50_000,
    ],
    ids=["upwards", "upwards within", "many stars", "nested", "aliases", "deep"],
)
def test_a_hostile_card_is_refused(two_files: Path, front: str) -> None:
    write_jsonl(two_files.parent / "secret.jsonl", samples(1))
    with pytest.raises(UsageError, match=r"do not exist|is not YAML"):
        segments(card(two_files, front))


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_card_names_no_file_outside_its_folder_through_a_link(tmp_path: Path, two_files: Path) -> None:
    folder = two_files / "data"
    (folder / "link.jsonl").symlink_to(write_jsonl(tmp_path / "secret.jsonl", samples(1)))
    (folder / "up").symlink_to(tmp_path)
    for name in ("link.jsonl", "up/secret.jsonl"):
        with pytest.raises(UsageError, match="which is not in the folder") as caught:
            segments(card(folder, f"configs:\n- data_files: {name}"))
        assert "\n" not in caught.value.message


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
