"""A run that is divided among machines, each a process here, and put together again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from corpora.load import load
from corpora.sample import encode
from editcore.errors import UsageError
from harness.run.plan import Request, Selection, Shard
from harness.run.runner import run
from harness.strategies.registry import select
from reports.runs.manifest import ShardUsed, read_manifest
from reports.runs.merge import merge
from tests.harness.program import call
from tests.harness.same import assert_same, rows
from tests.samples import sample, samples, write_jsonl, write_parquet


@pytest.mark.parametrize(("n_samples", "n"), [(10, 3), (3, 10), (0, 2), (7, 7), (1_000_003, 64)])
def test_the_stretches_are_alike_in_size_and_leave_nothing_out(n_samples: int, n: int) -> None:
    stretches = [Shard(index, n).positions(n_samples) for index in range(1, n + 1)]
    assert [0, *(one.stop for one in stretches)] == [*(one.start for one in stretches), n_samples]
    assert max(map(len, stretches)) - min(map(len, stretches)) <= 1


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "1/0", "a/b", " 1/2", ""])
def test_what_is_no_shard_is_the_users_mistake(text: str) -> None:
    with pytest.raises(UsageError, match="is not a shard"):
        Shard.parse(text)


STRATEGIES = ["cascade/exact", "replacer/line_trimmed", "replacer/block_anchor", "unified_diff/fuzz"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of both kinds, of one shard and of several, with blank lines."""
    folder = tmp_path_factory.mktemp("corpus")
    smoke = list(load("smoke"))
    path = write_jsonl(folder / "a.jsonl", smoke)
    path.write_text(path.read_text().replace("\n", "\n\n \n", 20))
    write_jsonl(folder / "b.jsonl", [replace(one, id=f"{n}/{one.id}") for n in range(5) for one in smoke])
    write_parquet(folder / "c.parquet", [replace(one, id=f"c/{one.id}") for one in smoke], row_group_size=11)
    return folder


def request(corpus: Path, folder: Path, **changes: Any) -> Request:
    made = Request([str(corpus)], select(STRATEGIES), folder, n_workers=1)
    return replace(made, **changes)


@pytest.fixture(scope="module")
def whole(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the corpus by one machine."""
    return run(request(corpus, tmp_path_factory.mktemp("whole") / "run", n_workers=2))


def divided(corpus: Path, folder: Path, n: int, **changes: Any) -> dict[str, Path]:
    """The shards of a run, each in a folder of its own."""
    found = {}
    for index in range(1, n + 1):
        path = folder / str(index)
        found[str(index)] = run(request(corpus, path, shard=Shard(index, n), **changes))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "changes"),
    [
        (1, {}),
        (2, {}),
        (5, {}),
        (3, {"selection": Selection(limit=31, seed=4)}),
        (4, {"selection": Selection("python and not blocks")}),
    ],
)
def test_shards_put_together_are_the_whole_run_to_the_byte(
    corpus: Path, whole: Path, tmp_path: Path, n: int, changes: dict[str, Any]
) -> None:
    if changes:
        whole = run(request(corpus, tmp_path / "whole", **changes))
    shards = divided(corpus, tmp_path, n, **changes)
    merge(shards, tmp_path / "merged")
    assert_same(tmp_path / "merged", whole)

    manifests = [read_manifest(folder) for folder in shards.values()]
    n_samples = [one.n_samples + one.n_left_out for one in manifests]
    assert max(n_samples) - min(n_samples) <= 1
    assert len(rows(whole)) == sum(len(rows(folder)) for folder in shards.values())


@pytest.mark.slow
def test_folders_of_shards_put_together_by_hand_hold_every_outcome(corpus: Path, whole: Path, tmp_path: Path) -> None:
    first, *others = divided(corpus, tmp_path, 3).values()
    for other in others:
        shutil.copytree(other, first, dirs_exist_ok=True)

    def in_order(folder: Path) -> list[dict[str, Any]]:
        return sorted(rows(folder), key=lambda row: (row["sample_id"], row["strategy"]))

    assert in_order(first) == in_order(whole)


def test_a_shard_says_which_one_it_is(corpus: Path, whole: Path, tmp_path: Path) -> None:
    manifest = read_manifest(run(request(corpus, tmp_path / "run", shard=Shard(2, 3))))
    assert manifest.shard == ShardUsed(2, 3)
    all_of_it = read_manifest(whole)
    assert (manifest.plan, manifest.corpora) == (all_of_it.plan, all_of_it.corpora)
    assert all_of_it.shard is None


def test_a_shard_with_nothing_to_do_is_a_finished_run(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    done = call("run", path, "-s", "cascade/exact", "-j", 1, "-q", "--shard", "1/3", "-o", tmp_path / "run")
    assert (done.exit_code, done.stderr) == (0, f"run: {tmp_path / 'run'}\n")
    assert "Nothing was measured" in done.stdout
    manifest = read_manifest(tmp_path / "run")
    assert (bool(manifest.finished), manifest.n_samples, manifest.n_shards) == (True, 0, 0)


@pytest.mark.slow
def test_empty_shards_are_put_together_too(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    merge(divided(path, tmp_path, 5), tmp_path / "merged")
    assert_same(tmp_path / "merged", run(request(path, tmp_path / "whole")))


@pytest.mark.slow
def test_malformed_samples_are_counted_in_the_shard_that_they_fall_to(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([encode(sample(1)), '{"id": "x"}', "", encode(sample(2)), '{"id": "y"}', ""]))
    shards = divided(path, tmp_path, 2, skip_bad=True)
    assert [read_manifest(folder).n_bad for folder in shards.values()] == [1, 1]
    merge(shards, tmp_path / "merged")
    assert_same(tmp_path / "merged", run(request(path, tmp_path / "whole", skip_bad=True)))


@pytest.mark.slow
def test_a_shard_is_resumed_as_the_same_shard_only(corpus: Path, tmp_path: Path) -> None:
    folder = run(request(corpus, tmp_path / "run", shard=Shard(2, 3)))
    before = rows(folder)
    lost, *_ = (folder / "outcomes").iterdir()
    lost.unlink()
    for other in (None, Shard(1, 3), Shard(2, 4)):
        with pytest.raises(UsageError, match="other samples"):
            run(request(corpus, folder, shard=other, resume=True))
    run(request(corpus, folder, shard=Shard(2, 3), resume=True))
    assert rows(folder) == before


@pytest.mark.slow
def test_a_merge_of_some_shards_is_resumed_to_the_whole(corpus: Path, whole: Path, tmp_path: Path) -> None:
    shards = divided(corpus, tmp_path, 4)
    del shards["2"]
    merge(shards, tmp_path / "merged", partial=True)
    assert read_manifest(tmp_path / "merged").finished is None
    run(request(corpus, tmp_path / "merged", resume=True))
    assert_same(tmp_path / "merged", whole)


def test_shards_that_start_in_the_same_second_have_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    folder = run(replace(request(path, tmp_path, shard=Shard(2, 3)), folder=None))
    assert folder.name.endswith("-2-of-3")


@pytest.mark.slow
def test_the_command_prints_what_the_whole_run_prints(corpus: Path, tmp_path: Path) -> None:
    asked = ("run", corpus / "b.jsonl", "-s", "cascade/*", "-n", 40, "-q", "-j", 1)
    whole = call(*asked, "--json", "-o", tmp_path / "whole")
    for index in (1, 2):
        assert call(*asked, "--shard", f"{index}/2", "-o", tmp_path / str(index)).exit_code == 0
    merged = call("merge", tmp_path / "2", tmp_path / "1", "-o", tmp_path / "merged", "--json")
    assert merged.stderr.endswith(f"run: {tmp_path / 'merged'}\n")

    def said(done: Result) -> Any:
        """The document without what depends on the clock."""
        document = json.loads(done.stdout)
        for strategy in document["strategies"]:
            del strategy["latency"]
        for key in ("argv", "created", "finished", "wall_ns", "strategy_ns"):
            del document["run"][key]
        return document

    assert said(merged) == said(whole)
    argv = read_manifest(tmp_path / "merged").argv
    assert "--shard" not in argv
