"""The history as a folder: nights come in whole or not at all, and say what they said before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from editcore.errors import UsageError
from reports.compare.gate import Failure, Rule
from reports.history import nights as module
from reports.history.nights import Accepted, History, Judged
from reports.runs.manifest import ShardUsed, read_manifest, write_manifest
from reports.runs.merge import merge
from reports.runs.parts import (
    PartWriter,
    part_metadata,
    part_path,
    part_table,
    parts_done,
    samples_used,
    steps,
    wrong_edits,
)
from reports.runs.rows import KINDS, Outcome, SampleUsed, Step, WrongEdit
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

A = "cascade/a"
NAME = "2026-11-21T030000Z-plan"
N_PARTS, N_SAMPLES = 5, 4


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", {A: "ccwm"})


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "nights")


def write_parts(folder: Path) -> Path:
    """A run of several parts, each with strategies and words of its own."""
    write_run(folder, {A: "c" * N_PARTS * N_SAMPLES})
    for path in folder.glob("*/part-0.parquet"):
        path.unlink()
    for part in range(N_PARTS):
        with PartWriter(folder, f"made-{part:05}") as writer:
            for number in range(N_SAMPLES):
                one = f"s{part}-{number}"
                writer.add(
                    [
                        Outcome(one, A, "wrong_edit", "text", None, f"r{part}", 1, 10),
                        Outcome(one, f"x/{part}", "missed"),
                    ],
                    [WrongEdit(one, A, "text", f"r{part}", "a.py", number, "right", "wrong", "edit")],
                    [SampleUsed(one, "str_replace", "apply", repo=f"repo-{part}", tags=(f"part:{part}", "x"))],
                    [Step(one, number, "simple", None, "correct")],
                )
            counts = {"n_samples": "4", "n_left_out": str(part), "n_bad": "1", "strategy_ns": "40", "fingerprint": "f"}
            writer.close(counts)
    write_manifest(folder, replace(read_manifest(folder), n_shards=N_PARTS))
    return folder


# Nights


def test_a_folder_that_is_not_there_is_an_empty_history(history: History) -> None:
    assert history.nights() == []
    assert history.baseline() is None
    assert history.acceptances() == []
    assert not history.folder.exists()
    with pytest.raises(UsageError, match="has no night 'x'") as caught:
        history.night("x")
    assert caught.value.tip == "It has none yet. Run `editgauge nightly` first, or name another folder."
    with pytest.raises(UsageError, match="has no nights"):
        history.check_begun()


def test_a_run_is_added_as_a_night_which_is_a_run_folder(run: Path, history: History) -> None:
    assert history.add(run) == NAME
    night = history.night(NAME)
    assert night == history.folder / "nights" / f"night={NAME}"
    assert read_manifest(night) == replace(read_manifest(run), n_shards=1, night_number=1)
    assert (RunFolder(night).table("outcomes").to_pylist(), list(wrong_edits(night)), list(samples_used(night))) == (
        RunFolder(run).table("outcomes").to_pylist(),
        list(wrong_edits(run)),
        list(samples_used(run)),
    )
    assert (run / "manifest.json").exists()
    assert History(history.folder).nights() == [NAME]


TIMES = ("2026-11-23T00:30:00+00:00", "2026-11-22T03:00:00+00:00", "2026-11-23T00:00:00+02:00")


def test_nights_are_in_the_order_they_came_in_whatever_the_clock_said(tmp_path: Path, history: History) -> None:
    for number, time in enumerate(TIMES):
        history.add(write_run(tmp_path / str(number), {A: "c"}, created=time))
    assert [night[:18] for night in History(history.folder).nights()] == [
        "2026-11-23T003000Z", "2026-11-22T030000Z", "2026-11-22T220000Z",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="has no night 'gone'") as caught:
        history.night("gone")
    assert caught.value.tip == f"The last ones: {', '.join(history.nights())}."


@pytest.mark.parametrize("number", [None, 0])
def test_nights_without_a_number_go_first_by_their_clock(number: int | None, tmp_path: Path, history: History) -> None:
    for name, time in enumerate(TIMES):
        night = history.night(history.add(write_run(tmp_path / str(name), {A: "c"}, created=time)))
        write_manifest(night, replace(read_manifest(night), night_number=number))
        history = History(history.folder)
    history.add(write_run(tmp_path / "last", {A: "c"}, created="2020-01-01T00:00:00+00:00"))
    history.add(write_run(tmp_path / "damaged", {A: "c"}, created="2019-01-01T00:00:00+00:00"))
    assert [night[:18] for night in history.nights()] == [
        "2026-11-22T030000Z", "2026-11-22T220000Z", "2026-11-23T003000Z", "2020-01-01T000000Z", "2019-01-01T000000Z",
    ]  # fmt: skip
    (history.night(history.nights()[-1]) / "manifest.json").write_text("{")
    assert History(history.folder).nights()[0].startswith("2019-01-01")


def test_a_clock_that_went_back_is_noticed_from_the_night_before_and_from_the_baseline(
    tmp_path: Path, history: History
) -> None:
    first, second, third, fourth = (
        history.add(write_run(tmp_path / str(number), {A: "c"}, created=f"2026-11-{day}T03:00:00+00:00"))
        for number, day in enumerate((10, 12, 11, 13))
    )
    assert [history.later_by_clock(one) for one in (first, second, third, fourth)] == [None, None, second, None]
    ahead = history.add(write_run(tmp_path / "ahead", {A: "c"}, created="2030-01-01T00:00:00+00:00"))
    history.accept(ahead, "so far the best")
    for day in (14, 15):
        name = history.add(write_run(tmp_path / str(day), {A: "c"}, created=f"2026-11-{day}T03:00:00+00:00"))
        assert history.later_by_clock(name) == ahead


def test_a_night_is_found_by_its_folders_name_too(run: Path, history: History) -> None:
    history.add(run)
    assert history.night(f"night={NAME}") == history.night(NAME)


def test_many_parts_become_one_file_of_each_kind(tmp_path: Path, history: History) -> None:
    run = write_parts(tmp_path / "run")
    night = history.night(history.add(run))
    assert parts_done(night) == {"all"}
    assert {str(path.relative_to(night)) for path in night.rglob("*") if path.is_file()} == {
        "manifest.json",
        *(f"{kind}/part-all.parquet" for kind in KINDS),
    }
    for kind, schema in KINDS.items():
        rows = [row for part in sorted(parts_done(run)) for row in part_table(run, kind, part).to_pylist()]
        assert part_table(night, kind, "all").to_pylist() == rows
        assert pq.read_schema(part_path(night, kind, "all")).remove_metadata() == schema
    assert RunFolder(night).table("outcomes").to_pylist() == RunFolder(run).table("outcomes").to_pylist()
    assert list(steps(night)) == list(steps(run))
    assert len(list(steps(night))) == N_PARTS * N_SAMPLES
    told = part_metadata(night, "all")
    sums = {name: told[name] for name in ("n_samples", "n_left_out", "n_bad", "strategy_ns")}
    assert sums == {"n_samples": "20", "n_left_out": "10", "n_bad": "5", "strategy_ns": "200"}


@pytest.mark.parametrize(("bound", "value"), [("_ROW_GROUP", 2 * 2 * N_SAMPLES), ("_ROW_GROUP_BYTES", 1)])
def test_no_more_is_held_in_memory_than_a_row_group(
    bound: str, value: int, tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The outcomes of two parts at a time, or of one where their bytes are enough."""
    run = write_parts(tmp_path / "run")
    monkeypatch.setattr(module, bound, value)
    night = history.night(history.add(run))
    metadata = pq.read_metadata(part_path(night, "outcomes", "all"))
    groups = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    assert groups == ([16, 16, 8] if bound == "_ROW_GROUP" else [8] * N_PARTS)
    assert RunFolder(night).table("outcomes").to_pylist() == RunFolder(run).table("outcomes").to_pylist()


def test_a_run_of_a_version_without_steps_or_samples_is_a_night(run: Path, history: History) -> None:
    for kind in ("steps", "samples"):
        (run / kind / "part-0.parquet").unlink()
        (run / kind).rmdir()
    night = history.night(history.add(run))
    assert (list(steps(night)), list(samples_used(night))) == ([], [])
    assert RunFolder(night).table("outcomes").to_pylist() == RunFolder(run).table("outcomes").to_pylist()


def test_a_night_is_a_run_to_merge(run: Path, history: History, tmp_path: Path) -> None:
    """As its manifest says of its parts what is there."""
    night = history.night(history.add(run))
    write_manifest(night, replace(read_manifest(night), shard=ShardUsed(1, 1)))
    assert merge({"night": night}, tmp_path / "merged").n_shards == 1


# What is refused


def test_a_folder_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for folder in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(UsageError, match="is not a history of nights") as caught:
            History(folder)
        assert "--history" in caught.value.tip
    (tmp_path / "empty").mkdir()
    assert History(tmp_path / "empty").nights() == []


def test_a_history_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be created: Not a directory"):
        History(tmp_path / "file" / "nights").make()


def test_a_history_that_was_made_is_one_though_it_has_no_night(history: History) -> None:
    tonight = history.make()
    tonight.mkdir()
    (history.folder / ".lock").touch()
    assert History(history.folder).nights() == []


def test_an_unfinished_run_is_refused(tmp_path: Path, history: History) -> None:
    with pytest.raises(UsageError, match="is not finished") as caught:
        history.add(write_run(tmp_path / "run", {A: "c"}, finished=None))
    assert "--resume" in caught.value.tip
    assert not history.folder.exists()


def test_a_run_is_one_night(run: Path, history: History) -> None:
    history.add(run)
    with pytest.raises(UsageError, match=f"already has that run, as night {NAME}"):
        history.add(run)
    # Nor by another name, nor after it was resumed for nothing.
    other = run.rename(run.with_name("moved"))
    write_manifest(other, replace(read_manifest(other), finished="2026-11-21T05:00:00+00:00", wall_ns=7))
    with pytest.raises(UsageError, match="already has that run"):
        history.add(other)
    with pytest.raises(UsageError, match="already has that run"):
        history.add(history.night(NAME))
    assert history.nights() == [NAME]


def test_runs_begun_in_the_same_second_are_nights_of_their_own(tmp_path: Path, history: History) -> None:
    runs = [write_run(tmp_path / str(number), {A: "c"}, strategy_ns=number) for number in range(3)]
    assert [history.add(run) for run in runs] == [NAME, f"{NAME}-2", f"{NAME}-3"]
    assert history.nights() == [NAME, f"{NAME}-2", f"{NAME}-3"]
    with pytest.raises(UsageError, match=f"as night {NAME}-2"):
        history.add(runs[1])


def test_runs_of_other_plans_begun_in_the_same_second_keep_the_order_they_came_in(
    tmp_path: Path, history: History
) -> None:
    plans = ["f" * 16, "0" * 16, "f" * 16, *["8" * 16] * 8]
    names = []
    for number, plan in enumerate(plans):
        run = write_run(tmp_path / str(number), {A: "c"}, strategy_ns=number)
        write_manifest(run, replace(read_manifest(run), plan=plan))
        names.append(history.add(run))
        assert history.added(run) == names[-1]
    second = NAME.rpartition("-")[0]
    assert names[:3] == [f"{second}-ffffff", f"{second}-000000-2", f"{second}-ffffff-3"]
    assert names[-1] == f"{second}-888888-11"
    assert history.nights() == names


@pytest.mark.parametrize("broken", ["rename", "write_manifest", "_join"])
def test_an_add_that_is_cut_short_leaves_no_night(
    broken: str, run: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path if broken == "rename" else module, broken, fail)
        with pytest.raises(UsageError, match="cannot be written: No space left on device"):
            history.add(run)
    assert list((history.folder / "nights").iterdir()) == []
    assert history.add(run) == NAME
    assert history.nights() == [NAME]


@pytest.mark.parametrize("left", [".night={}.77.tmp", "night={}"])
def test_what_a_killed_add_leaves_is_no_night_and_goes_with_the_next(left: str, run: Path, history: History) -> None:
    torn = history.folder / "nights" / left.format(NAME)
    (torn / "outcomes").mkdir(parents=True)
    (torn / "outcomes" / "part-all.parquet").write_text("half")
    if left.startswith("."):
        (torn / "manifest.json").write_text("{}")
    assert History(history.folder).nights() == []
    history.add(run)
    assert [path.name for path in (history.folder / "nights").iterdir()] == [f"night={NAME}"]
    assert len(RunFolder(history.night(NAME)).table("outcomes")) == 4


# The baseline


def test_the_last_night_that_was_accepted_is_the_baseline(tmp_path: Path, history: History) -> None:
    first, second = (
        history.add(write_run(tmp_path / day, {A: "c"}, created=f"2026-11-{day}T03:00:00+00:00"))
        for day in ("21", "22")
    )
    made = history.accept(first, "the first")
    history.accept(second, 'a "better" cascade\nfor é, \u202e and \udc80')
    history.accept(first, "back again")
    assert made == Accepted(first, made.accepted, "the first")
    assert made.accepted.endswith("+00:00")
    found = History(history.folder).acceptances()
    assert [one.night for one in found] == [first, second, first]
    assert found[1].why == 'a "better" cascade\nfor é, \u202e and \udc80'
    assert history.baseline() == found[-1]
    assert len((history.folder / "accepted.jsonl").read_text().splitlines()) == 3


def test_only_a_night_is_accepted(run: Path, history: History) -> None:
    history.add(run)
    with pytest.raises(UsageError, match="has no night 'other'"):
        history.accept("other", "why not")
    assert history.acceptances() == []


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"night": "x"}', b'{"night": 3, "accepted": "", "why": ""}', b"\xff"])
def test_a_broken_line_is_named(line: bytes, run: Path, history: History) -> None:
    history.accept(history.add(run), "first")
    path = history.folder / "accepted.jsonl"
    path.write_bytes(path.read_bytes() + b"\n" + line + b"\n")
    for broken in (history.acceptances, history.baseline, lambda: history.accept(NAME, "again")):
        with pytest.raises(UsageError, match=r"Line 3 of .*accepted\.jsonl cannot be read: ") as caught:
            broken()
        assert "\n" not in caught.value.message
    assert path.read_bytes().endswith(line + b"\n")


# What the gate said


def test_what_the_gate_said_of_a_night_is_kept(run: Path, history: History) -> None:
    history.add(run)
    assert history.judged(NAME) is None
    failure = Failure(Rule.WRONG_EDIT, A, "2 samples newly edited wrongly", ("s\udc80", "é\n"))
    for judged in (Judged(None), Judged("before", (failure,)), Judged("before", (), "other samples")):
        history.judge(NAME, judged)
        assert history.judged(NAME) == judged
    assert json.loads((history.night(NAME) / "gate.json").read_text())["schema_version"] == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"failures": 3}'])
def test_a_broken_judgement_is_one_clear_line(text: str, run: Path, history: History) -> None:
    history.add(run)
    (history.night(NAME) / "gate.json").write_text(text)
    with pytest.raises(UsageError, match=r"gate\.json cannot be read: ") as caught:
        history.judged(NAME)
    assert "\n" not in caught.value.message


# Names from elsewhere


@pytest.mark.parametrize("plan", ["/../..", "../", "a/b"])
def test_no_manifest_leads_out_of_the_history(tmp_path: Path, plan: str) -> None:
    history = History(tmp_path / "history")
    history.add(write_run(tmp_path / "good", {"cascade/exact": "c"}))
    before = sorted(tmp_path.rglob("*"))
    evil = write_run(tmp_path / "evil", {"cascade/exact": "c"}, plan=plan)
    with pytest.raises(UsageError, match="is no hash"):
        history.add(evil)
    assert [path for path in sorted(tmp_path.rglob("*")) if evil not in (path, *path.parents)] == before


@pytest.mark.parametrize("created", ["yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "../../x"])
def test_a_run_without_a_time_is_no_night(tmp_path: Path, created: str) -> None:
    history = History(tmp_path / "history")
    with pytest.raises(UsageError, match="as its time, which is none"):
        history.add(write_run(tmp_path / "run", {"cascade/exact": "c"}, created=created))
    assert history.nights() == []


@pytest.mark.parametrize("name", ["../..", "..", "x/../../good", "", "/"])
def test_no_name_of_a_night_leads_out_of_the_history(tmp_path: Path, name: str) -> None:
    history = History(tmp_path / "history")
    history.add(write_run(tmp_path / "good", {"cascade/exact": "c"}))
    (history.folder / "nights" / "night=x").mkdir()
    with pytest.raises(UsageError, match="has no night"):
        history.night(name)


def test_a_folder_in_the_place_of_a_night_is_kept(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    run = write_run(tmp_path / "good", {"cascade/exact": "c"})
    name = history.add(run)
    (history.night(name) / "manifest.json").unlink()
    (history.folder / "nights" / f"night={name}" / "thesis.txt").write_text("all of it")
    with pytest.raises(UsageError, match="which no run writes"):
        history.add(run)
    assert (history.folder / "nights" / f"night={name}" / "thesis.txt").exists()
