"""Runs: their folders, and their samples."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from corpora.sample import encode
from editcore.errors import UsageError
from harness.cli import main
from harness.run.plan import Request, Selection
from harness.run.runner import run
from harness.strategies.registry import select
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes
from tests.harness.same import rows
from tests.samples import sample, samples, write_jsonl, write_parquet

# Folders


def request(folder: Path, **changes: Any) -> Request:
    """A request for a small run in a folder; nothing starts as long as it is refused."""
    made = Request(["smoke"], select(["cascade/exact"]), folder, n_workers=1)
    return replace(made, **changes)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(request(tmp_path_factory.mktemp("small") / "run"))


def test_a_run_is_not_overwritten(small_run: Path) -> None:
    with pytest.raises(UsageError, match="already holds a run") as caught:
        run(request(small_run))
    assert "--resume" in caught.value.tip
    assert "--replace" in caught.value.tip


def test_a_run_that_was_killed_at_its_first_manifest_is_resumed(tmp_path: Path) -> None:
    (tmp_path / ".manifest.json.77.tmp").write_text("{")
    folder = run(request(tmp_path, resume=True))
    assert read_manifest(folder).finished
    assert [path.name for path in tmp_path.glob(".*")] == []


@pytest.mark.parametrize(
    "changes",
    [
        {"corpora": ["house"]},
        {"corpora": ["smoke", "house"]},
        {"strategies": select(["cascade/*"])},
        {"strategies": select(["cascade/reference"])},
        {"selection": Selection(limit=3)},
        {"selection": Selection("right")},
        {"timeout_s": 6.0},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_run_is_resumed_with_the_same_arguments_only(small_run: Path, changes: dict[str, Any]) -> None:
    before = read_manifest(small_run)
    with pytest.raises(UsageError, match="other samples, strategies or limits"):
        run(request(small_run, resume=True, **changes))
    assert read_manifest(small_run) == before


def test_the_same_samples_from_elsewhere_are_the_same_arguments(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        write_jsonl(tmp_path / name / "a.jsonl", samples(3))
    folder = run(request(tmp_path / "run", corpora=[str(tmp_path / "here")]))
    run(request(folder, corpora=[str(tmp_path / "there" / "a.jsonl")], n_workers=2, resume=True))
    assert len(rows(folder)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("option", ["resume", "replace"])
def test_a_folder_that_is_not_there_is_a_new_run(tmp_path: Path, option: str) -> None:
    assert len(rows(run(request(tmp_path / "a" / "b", **{option: True})))) == 50


@pytest.mark.parametrize("option", [{}, {"resume": True}, {"replace": True}])
def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path, option: dict[str, bool]) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(UsageError, match="neither empty nor a run folder"):
        run(request(tmp_path, **option))
    with pytest.raises(UsageError, match="neither empty nor a run folder"):
        run(request(tmp_path / "thesis.txt", **option))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["all of it"]


def test_a_folder_that_cannot_be_made_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        run(request(tmp_path / "file" / "run"))


def test_a_folder_that_cannot_be_written_later_on_is_the_users_mistake(small_run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small_run, tmp_path / "run")
    shutil.rmtree(folder / "outcomes")
    (folder / "outcomes").touch()
    with pytest.raises(UsageError, match="cannot be written: ") as caught:
        run(request(folder, resume=True))
    assert "--resume" in caught.value.tip


def test_replacing_a_run_leaves_nothing_of_it(small_run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small_run, tmp_path / "run")
    (folder / "report.html").touch()
    run(request(folder, strategies=select(["cascade/reference"]), replace=True))
    assert {row["strategy"] for row in rows(folder)} == {"cascade/reference"}
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("mistake", [["nowhere.jsonl"], ["smoke", "-s", "cascade/exakt"], ["smoke", "-k", "nothing"]])
def test_a_mistake_does_not_cost_the_run_that_was_to_be_replaced(small_run: Path, mistake: list[str]) -> None:
    assert CliRunner().invoke(main, ["run", *mistake, "-o", str(small_run), "--replace"]).exit_code == 2
    assert len(rows(small_run)) == 50


@pytest.mark.slow
def test_runs_are_merged_by_putting_the_folders_together(tmp_path: Path) -> None:
    one, two = write_jsonl(tmp_path / "1.jsonl", samples(5)), write_parquet(tmp_path / "2.parquet", samples(9)[5:])
    for corpora, folder in ((["1"], one), (["2"], two)):
        run(request(tmp_path / corpora[0], corpora=[str(folder)]))
    both = run(request(tmp_path / "both", corpora=[str(one), str(two)]))
    shutil.copytree(tmp_path / "2", tmp_path / "1", dirs_exist_ok=True)
    assert rows(tmp_path / "1") == rows(both)


# Samples


def test_runs_that_begin_in_one_second_have_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    moment = datetime(2026, 11, 27, 4, 41, 34, tzinfo=UTC)
    monkeypatch.setattr("harness.run.runner.now", lambda: moment)
    asked = replace(request(tmp_path, selection=Selection(limit=1)), folder=None)
    first, second = run(asked), run(asked)
    assert second.name == f"{first.name}-2"
    assert read_manifest(first).plan == read_manifest(second).plan


def test_a_run_without_a_folder_of_its_own_leaves_none_where_it_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.run.runner._run_locked", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(replace(request(tmp_path), folder=None))
    assert list((tmp_path / "runs").iterdir()) == []


def test_the_run_folder_is_named_after_time_and_plan_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = run(replace(request(tmp_path), folder=None))
    assert folder.parent == Path("runs")
    assert folder.name.endswith(f"Z-{read_manifest(folder).plan[:6]}")


def test_the_manifest_says_what_was_run(small_run: Path) -> None:
    manifest = read_manifest(small_run)
    assert [(corpus.name, corpus.n_samples) for corpus in manifest.corpora] == [("smoke", 60)]
    assert [strategy.name for strategy in manifest.strategies] == ["cascade/exact"]
    assert (manifest.n_samples, manifest.n_left_out, manifest.n_bad, manifest.n_shards) == (50, 10, 0, 1)
    assert manifest.finished
    assert manifest.wall_ns > manifest.strategy_ns > 0
    assert manifest.machine["python"]


def test_the_fingerprint_is_that_of_the_samples_whatever_file_they_come_in(tmp_path: Path) -> None:
    made = samples(8)
    one = write_jsonl(tmp_path / "a.jsonl", made)
    other = write_parquet(tmp_path / "b.parquet", made[::-1], row_group_size=3)
    manifests = [read_manifest(run(request(tmp_path / path.stem, corpora=[str(path)]))) for path in (one, other)]
    assert manifests[0].corpus_fingerprint == manifests[1].corpus_fingerprint
    assert manifests[0].n_shards == 1
    assert manifests[1].n_shards == 3


def test_a_corpus_that_is_named_twice_is_run_once(tmp_path: Path) -> None:
    assert len(rows(run(request(tmp_path / "run", corpora=["smoke", "smoke"])))) == 50


@pytest.mark.parametrize(
    ("selection", "n_samples", "n_left_out"),
    [
        (Selection(limit=60), 50, 10),
        (Selection("unified_diff"), 0, 1),
        (Selection("unified_diff or blocks"), 1, 1),
        (Selection("blocks"), 1, 0),
    ],
)
def test_only_chosen_samples_are_run_or_left_out(
    tmp_path: Path, selection: Selection, n_samples: int, n_left_out: int
) -> None:
    folder = run(request(tmp_path / "run", selection=selection))
    manifest = read_manifest(folder)
    assert (manifest.n_samples, manifest.n_left_out) == (n_samples, n_left_out)
    assert len(rows(folder)) == n_samples


def test_blank_lines_are_not_left_out_samples(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    path.write_text(path.read_text().replace("\n", "\n\n \n"))
    manifest = read_manifest(run(request(tmp_path / "run", corpora=[str(path)])))
    assert (manifest.n_samples, manifest.n_left_out, manifest.corpora[0].n_samples) == (2, 0, 2)


def test_no_sample_selected_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No sample is selected"):
        run(request(tmp_path / "run", selection=Selection("nothing-like-it")))
    assert not (tmp_path / "run").exists()


@pytest.fixture
def with_bad_line(tmp_path: Path) -> Path:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([encode(sample(1)), '{"id": "x"}', encode(sample(2))]))
    return path


def test_a_malformed_sample_stops_the_run(tmp_path: Path, with_bad_line: Path) -> None:
    with pytest.raises(UsageError, match=r"bad\.jsonl, line 2: .*`format`"):
        run(request(tmp_path / "run", corpora=["smoke", str(with_bad_line)]))


@pytest.mark.parametrize(("selection", "n_bad"), [(Selection(), 1), (Selection(limit=10), 0)])
def test_a_malformed_sample_is_left_out_and_told(
    tmp_path: Path, with_bad_line: Path, selection: Selection, n_bad: int
) -> None:
    told: list[str] = []
    wanted = request(tmp_path / "run", corpora=[str(with_bad_line)], skip_bad=True, selection=selection)
    manifest = read_manifest(run(wanted, warn=told.append))
    assert (manifest.n_samples, manifest.n_left_out, manifest.n_bad) == (2, 0, n_bad)
    assert len(told) == 1
    assert told[0].startswith(f"left out: {with_bad_line}, line 2: ")


def test_progress_is_told_from_nothing_to_all(tmp_path: Path) -> None:
    for number in range(3):
        write_jsonl(tmp_path / f"{number}.jsonl", [sample(10 * number + n) for n in range(2**number)])
    told = []
    counts = []

    def report(*progress: int, below: Sequence[str]) -> None:
        told.append(progress)
        counts.append(below)

    run(request(tmp_path / "run", corpora=[str(tmp_path)]), report=report)
    assert told == sorted(told)
    assert (told[0], told[-1]) == ((0, 7), (7, 7))
    assert {(4, 7), (6, 7)} < set(told)
    assert counts[0] == []
    four = counts[told.index((4, 7))]
    assert [line.split("  ")[1] for line in four] == ["0 correct, 4 wrong, 0 missed, 0 refused"]
    assert [line.split("  ")[1] for line in counts[-1]] == ["0 correct, 7 wrong, 0 missed, 0 refused"]


def test_a_sample_of_two_corpora_is_counted_once_and_two_with_one_id_are_refused(tmp_path: Path) -> None:
    one, two = write_jsonl(tmp_path / "one.jsonl", samples(6)), write_jsonl(tmp_path / "two.jsonl", samples(9)[3:])
    told: list[str] = []
    request = Request([str(one), str(two)], select(["cascade/exact"]), tmp_path / "r", n_workers=1)
    folder = run(request, warn=told.append)
    assert sorted(outcome.sample_id for outcome in outcomes(folder)) == [f"s{n}" for n in range(9)]
    assert [used.n_samples for used in read_manifest(folder).corpora] == [6, 3]
    assert told == ["counted once: 3 samples that occur twice, with the same id"]
    write_jsonl(two, [sample(4, old="else")])
    with pytest.raises(UsageError, match=r"Two different samples have the id 's4': .*one\.jsonl, line 5, and .*line 1"):
        run(replace(request, folder=tmp_path / "r2"))
    assert not (tmp_path / "r2").exists()
