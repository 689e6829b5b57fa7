"""Corpora built from source files and from other corpora."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from corpora.generation import build
from corpora.generation.build import BuildSettings, BuiltCorpus, Unit, build_corpus, file_units
from corpora.load import load, segments
from corpora.write import SampleWriter
from editcore.errors import UsageError
from editcore.types import File
from tests.corpora.mutators.documents import documents
from tests.processes import is_alive, offspring
from tests.samples import sample, write_jsonl

SETTINGS = BuildSettings(per_sample=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in documents().items():
        (tmp_path / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / path).write_text(text, "utf-8")
    for number in range(3):
        (tmp_path / f"src/{number}.ts").write_text(documents()["src/rows.ts"].replace("Row", f"Line{number}"))
    return tmp_path / "src"


def made(
    units: list[Unit], out: Path, settings: BuildSettings = SETTINGS, *, jobs: int = 1
) -> tuple[bytes, BuiltCorpus]:
    with SampleWriter(out, replace=True) as writer:
        done = build_corpus(units, settings, writer, jobs=jobs)
    return out.read_bytes(), done


@pytest.mark.parametrize("suffix", ["jsonl", pytest.param("parquet", marks=pytest.mark.slow)])
def test_the_corpus_is_the_same_by_one_process_and_by_two_and_twice(folder: Path, suffix: str) -> None:
    out = folder.parent / f"a.{suffix}"
    (one, done), (two, done_by_two), (again, _) = (made(file_units([folder], 0), out, jobs=jobs) for jobs in (1, 2, 1))
    assert one == two == again
    assert done == done_by_two
    found = list(load(out))
    assert len({one.id for one in found}) == len(found) == done.n_samples
    assert done.labels.total() == done.mutators.total() == done.n_samples


def test_the_corpus_is_the_same_whatever_the_order_of_the_folders(folder: Path) -> None:
    parts = [folder / "json", folder / "src", folder / "0.ts"]
    one, other = (made(file_units(some, 0), folder.parent / "a.jsonl")[0] for some in (parts, parts[::-1]))
    assert one == other


def test_a_file_that_is_named_twice_counts_once(folder: Path) -> None:
    named = file_units([folder, folder / "json", folder, folder / "json/decoder.py"], 0)
    assert named == file_units([folder], 0)


def test_the_same_file_in_two_places_of_one_name_gives_each_sample_once(tmp_path: Path) -> None:
    places = [tmp_path / one / "src" for one in ("here", "there")]
    for place in places:
        place.mkdir(parents=True)
        (place / "a.ts").write_text(documents()["src/rows.ts"])
    one, _ = made(file_units(places[:1], 0), tmp_path / "one.jsonl")
    both, _ = made([*file_units(places[:1], 0), *file_units(places[1:], 0)], tmp_path / "both.jsonl")
    assert one == both


def test_as_many_samples_are_written_as_ordered(folder: Path) -> None:
    whole, _ = made(file_units([folder], 0), folder.parent / "a.jsonl")
    for suffix in ("jsonl", "parquet"):
        some, done = made(file_units([folder], 0), folder.parent / f"b.{suffix}", BuildSettings(per_sample=2, total=7))
        assert (done.n_samples, len(list(load(folder.parent / f"b.{suffix}")))) == (7, 7)
        assert done.labels.total() == 7
        if suffix == "jsonl":
            assert whole.startswith(some)


def test_progress_counts_units_or_the_samples_ordered(folder: Path) -> None:
    units = file_units([folder], 0)
    for settings, last in ((SETTINGS, (len(units), len(units))), (BuildSettings(per_sample=2, total=5), (5, 5))):
        told: list[tuple[int, int]] = []
        with SampleWriter(folder.parent / "a.jsonl", replace=True) as writer:
            build_corpus(units, settings, writer, on_progress=lambda *done, told=told: told.append(done))  # type: ignore[misc]
        assert told[-1] == last


def test_what_is_dropped_is_counted_among_all_that_was_made() -> None:
    done = BuiltCorpus(n_samples=3)
    assert done.dropped_rate == 0
    done.dropped["clean edit: twice"] = 1
    assert done.dropped_rate == 0.25


def test_samples_of_a_corpus_keep_what_is_known_of_their_parents(tmp_path: Path) -> None:
    text = documents()["src/rows.ts"]
    line = "  private readonly rows: string[] = [];"
    right = sample(
        before=text, old=line, new=line + "\n", label="apply", target=(File("a.py", text.replace(line, line + "\n")),)
    )
    path = write_jsonl(tmp_path / "a.jsonl", [right, sample(1), right])
    _, done = made(
        segments(str(path)), tmp_path / "b.jsonl", BuildSettings(("trailing_blanks", "target_deleted"), per_sample=None)
    )
    found = list(load(tmp_path / "b.jsonl"))
    assert {one.provenance.parent_id for one in found} == {"s0"}
    assert len({one.id for one in found}) == len(found) == done.n_samples
    assert done.mutators == {"twin": 1, "target_deleted": 1, "trailing_blanks": 5}


def test_a_corpus_without_a_clean_edit_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [sample()])
    with pytest.raises(UsageError, match="No sample was made"):
        made(segments(str(path)), tmp_path / "b.jsonl")
    assert not (tmp_path / "b.jsonl").exists()


def test_a_malformed_sample_ends_the_other_process_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match="line 1"):
        made(segments(str(tmp_path / "a.jsonl")), tmp_path / "b.jsonl", jobs=2)


@pytest.mark.parametrize(("name", "message"), [("nowhere", "There is no"), ("empty", "No source files")])
def test_places_without_sources_are_the_users_mistake(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=message):
        file_units([tmp_path / name], 0)


def test_the_corpus_is_the_same_however_its_units_are_divided(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = folder.parent / "a.jsonl"
    whole, done = made(file_units([folder], 0), out)
    again, _ = made(segments(str(out)), folder.parent / "b.jsonl", jobs=1)
    monkeypatch.setattr(build, "_PART_CHARACTERS", 100_000)
    monkeypatch.setattr(build, "_PART_SAMPLES", 20)
    assert made(file_units([folder], 0), out, jobs=2) == (whole, done)
    assert made(segments(str(out)), folder.parent / "c.jsonl", jobs=2)[0] == again


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_ends_the_build_and_no_corpus_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, how: int
) -> None:
    parent, before = os.getpid(), offspring()

    def killed(*_: object) -> None:
        assert os.getpid() != parent
        os.kill(os.getpid(), how)

    monkeypatch.setattr(build, "certain_edits", killed)
    start = monotonic()
    with pytest.raises(UsageError, match="was killed"):
        made(file_units([folder], 0), folder.parent / "a.jsonl", jobs=2)
    assert monotonic() - start < 60  # It would wait for ever.
    assert [path.name for path in folder.parent.iterdir()] == ["src"]
    assert offspring() == before


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_the_processes_end_with_the_one_that_builds(folder: Path, tmp_path: Path) -> None:
    code = """
import os, sys, time
from pathlib import Path
from corpora.generation import build
from corpora.write import SampleWriter
def stuck(*_):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(600)
build.certain_edits = stuck
with SampleWriter(Path(sys.argv[2])) as writer:
    build.build_corpus(build.file_units([Path(sys.argv[1])], 0), build.BuildSettings(), writer, jobs=2)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, folder, tmp_path / "a.jsonl"], stdout=subprocess.PIPE, encoding="utf-8"
    ) as builder:
        assert builder.stdout
        try:
            workers = [int(builder.stdout.readline()) for _ in range(2)]
        finally:
            builder.kill()
    until = monotonic() + 20
    while any(map(is_alive, workers)):
        assert monotonic() < until
        sleep(0.05)
