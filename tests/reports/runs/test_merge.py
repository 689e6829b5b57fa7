from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.sample import combined_fingerprint
from editcore.errors import UsageError
from reports.runs.manifest import CorpusUsed, Manifest, ShardUsed, StrategyUsed, read_manifest, write_manifest
from reports.runs.merge import PartialPart, merge, parse_name
from reports.runs.parts import PartWriter, outcomes
from reports.runs.rows import KINDS, Outcome, SampleUsed, Step, WrongEdit

SIZES = {"a-00000": 5, "a-00001": 5}
"""The parts of the whole run, and how many samples each has."""
MakeShard = Callable[..., Path]


def write_part(folder: Path, part: str, numbers: Sequence[int], *, verdict: str = "wrong_edit", ns: int = 7) -> None:
    """Outcomes, wrong edits, samples and steps of some samples, under two strategies."""
    with PartWriter(folder, part) as writer:
        for number in numbers:
            sample_id = f"s{number}"
            writer.add(
                [Outcome(sample_id, one, verdict, "place", None, f"r{number}", 1, ns) for one in ("x/a", "x/b")],
                [WrongEdit(sample_id, "x/a", "place", None, "a.py", number, "right", "wrong", "edit")],
                [SampleUsed(sample_id, "str_replace", "apply", tags=(f"number:{number}", "language:python"))],
                [Step(sample_id, number, "simple", None, "correct")],
            )
        writer.close(
            {
                "n_samples": str(len(numbers)),
                "n_left_out": "0",
                "n_bad": "0",
                "strategy_ns": str(len(numbers) * ns),
                "fingerprint": f"{combined_fingerprint(number + (1 << 127) for number in numbers):032x}",
            }
        )


def write_run(folder: Path, parts: dict[str, Sequence[int]], shard: ShardUsed | None, **changes: object) -> Path:
    for part, numbers in parts.items():
        write_part(folder, part, numbers)
    manifest = Manifest(
        argv=["run", "a", "--shard", "1/2", "-q"] if shard else ["run", "a", "-q"],
        seed=0,
        corpora=[CorpusUsed("a", sum(SIZES.values()))],
        strategies=[StrategyUsed("x/a", "1"), StrategyUsed("x/b", "1")],
        timeout_s=5.0,
        plan="abc",
        created=f"2026-11-21T03:0{shard.index if shard else 1}:00+00:00",
        finished=f"2026-11-21T03:1{shard.index if shard else 3}:00+00:00",
        n_samples=sum(map(len, parts.values())),
        n_shards=len(parts),
        shard=shard,
        wall_ns=10,
        strategy_ns=0,
    )
    write_manifest(folder, replace(manifest, **changes))  # type: ignore[arg-type]
    return folder


@pytest.fixture
def shards(tmp_path: Path) -> dict[str, Path]:
    """Three shards of one run; the first cut falls into the first part, the second into the second."""

    def piece(part: str, start: int, end: int) -> str:
        return PartialPart(start, end, SIZES[part]).name(part)

    made: list[dict[str, Sequence[int]]] = [
        {piece("a-00000", 0, 3): [0, 1, 2]},
        {piece("a-00000", 3, 5): [3, 4], piece("a-00001", 0, 1): [5]},
        {piece("a-00001", 1, 5): [6, 7, 8, 9]},
    ]
    return {
        f"shard {index}": write_run(tmp_path / f"shard{index}", parts, ShardUsed(index, 3))
        for index, parts in enumerate(made, 1)
    }


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return write_run(tmp_path / "whole", {"a-00000": range(5), "a-00001": range(5, 10)}, None)


def files(folder: Path) -> dict[str, bytes]:
    return {f"{kind}/{path.name}": path.read_bytes() for kind in KINDS for path in (folder / kind).iterdir()}


@pytest.fixture(params=[2000, 4, 1])
def row_group(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.runs.parts.ROW_GROUP", request.param)


@pytest.mark.usefixtures("row_group")
def test_pieces_become_the_part_that_one_machine_would_have_written(
    tmp_path: Path, shards: dict[str, Path], whole: Path
) -> None:
    merge(dict(reversed(shards.items())), tmp_path / "merged")
    assert files(tmp_path / "merged") == files(whole)


def test_the_manifest_is_that_of_the_whole_run(tmp_path: Path, shards: dict[str, Path], whole: Path) -> None:
    merged = merge(shards, tmp_path / "merged")
    assert merged == read_manifest(tmp_path / "merged")
    assert merged == replace(
        read_manifest(whole),
        wall_ns=30,
        strategy_ns=70,
        corpus_fingerprint=f"{combined_fingerprint(number + (1 << 127) for number in range(10)):032x}",
    )


def test_parts_that_are_whole_are_copied_as_they_are(tmp_path: Path, whole: Path) -> None:
    merge({"whole": whole}, tmp_path / "copy")
    assert files(tmp_path / "copy") == files(whole)


def test_missing_shards_are_named(tmp_path: Path, shards: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="Missing shards: 1/3, 3/3"):
        merge({"shard 2": shards["shard 2"]}, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_some_shards_make_an_unfinished_run(tmp_path: Path, shards: dict[str, Path]) -> None:
    del shards["shard 1"]
    merged = merge(shards, tmp_path / "merged", partial=True)
    assert (merged.finished, merged.shard, merged.n_samples) == (None, None, 7)
    assert [row.sample_id for row in outcomes(tmp_path / "merged")][::2] == [f"s{number}" for number in range(3, 10)]
    assert [parse_name(path.stem)[1] is None for path in sorted((tmp_path / "merged" / "samples").iterdir())] == [
        False,
        True,
    ]


def test_partial_makes_no_difference_where_nothing_is_missing(
    tmp_path: Path, shards: dict[str, Path], whole: Path
) -> None:
    assert merge(shards, tmp_path / "merged", partial=True).finished
    assert files(tmp_path / "merged") == files(whole)


def test_a_shard_that_was_run_twice_is_taken_once(tmp_path: Path, shards: dict[str, Path], whole: Path) -> None:
    again = shutil.copytree(shards["shard 3"], tmp_path / "again")
    (part,) = (path.stem.removeprefix("part-") for path in (again / "samples").iterdir())
    write_part(again, part, [6, 7, 8, 9], ns=1_000)
    merge({**shards, "again": again}, tmp_path / "merged")
    assert files(tmp_path / "merged") == files(whole)


def test_a_shard_that_was_run_twice_and_came_out_otherwise_is_named(tmp_path: Path, shards: dict[str, Path]) -> None:
    again = shutil.copytree(shards["shard 2"], tmp_path / "again")
    part, _ = sorted(path.stem.removeprefix("part-") for path in (again / "samples").iterdir())
    write_part(again, part, [3, 4], verdict="timed_out")
    with pytest.raises(UsageError, match=r"shard 2 and again .* with different rows: outcomes of sample s3"):
        merge({**shards, "again": again}, tmp_path / "merged")
    write_part(again, part, [3])
    with pytest.raises(UsageError, match="with different rows: the number of "):
        merge({**shards, "again": again}, tmp_path / "merged")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"timeout_s": 6.0}, r"different time limit \(5 s; 6 s\)"),
        ({"seed": 3}, r"different seed \(0; 3\)"),
        ({"plan": "abd"}, "different samples"),
        (
            {"strategies": [StrategyUsed("x/a", "1"), StrategyUsed("x/b", "2")]},
            r"different strategies \(x/b 1; x/b 2\)",
        ),
        ({"strategies": [StrategyUsed("x/a", "1")]}, r"\(x/b 1; no more\)"),
        ({"corpora": [CorpusUsed("a", 11)]}, r"different number of samples \(10; 11\)"),
        ({"shard": ShardUsed(2, 4)}, r"different number of shards \(3; 4\)"),
        ({"shard": None, "seed": 3}, r"different seed \(0; 3\), number of shards \(3; 1\)"),
    ],
)
def test_shards_of_other_runs_are_refused(
    tmp_path: Path, shards: dict[str, Path], changes: dict[str, object], what: str
) -> None:
    folder = shards["shard 2"]
    write_manifest(folder, replace(read_manifest(folder), **changes))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"shard 1 and shard 2 are not shards of one run: .*{what}"):
        merge(shards, tmp_path / "merged")


def test_the_same_corpora_under_other_names_are_the_same(tmp_path: Path, shards: dict[str, Path]) -> None:
    folder = shards["shard 2"]
    write_manifest(folder, replace(read_manifest(folder), corpora=[CorpusUsed("/elsewhere/a", 10)]))
    assert merge(shards, tmp_path / "merged").corpora == [CorpusUsed("a", 10)]


def test_an_unfinished_shard_is_refused(tmp_path: Path, shards: dict[str, Path]) -> None:
    folder = shards["shard 2"]
    write_manifest(folder, replace(read_manifest(folder), finished=None))
    with pytest.raises(UsageError, match="shard 2 is not finished"):
        merge(shards, tmp_path / "merged", partial=True)


@pytest.mark.parametrize("damage", ["lost", "torn"])
def test_a_shard_that_lost_a_part_on_its_way_is_refused(tmp_path: Path, shards: dict[str, Path], damage: str) -> None:
    part, _ = sorted((shards["shard 2"] / "outcomes").iterdir())
    if damage == "lost":
        part.unlink()
    else:
        part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(UsageError, match="shard 2 has 1 of its 2 parts"):
        merge(shards, tmp_path / "merged")


def test_a_part_that_is_a_link_is_not_copied(tmp_path: Path, whole: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    part = next((whole / "steps").glob("*.parquet"))
    part.unlink()
    part.symlink_to(tmp_path / "secret.txt")
    with pytest.raises(UsageError, match="is a link"):
        merge({"whole": whole}, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_nothing_is_written_over(tmp_path: Path, shards: dict[str, Path]) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.txt").write_text("all of it")
    for out in (tmp_path / "thesis", tmp_path / "thesis" / "thesis.txt", shards["shard 1"]):
        with pytest.raises(UsageError, match="already exists"):
            merge(shards, out)
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["thesis.txt"]


def test_a_merge_that_fails_leaves_nothing(tmp_path: Path, shards: dict[str, Path]) -> None:
    before = sorted(tmp_path.iterdir())
    (part, _) = sorted((shards["shard 2"] / "wrong_edits").iterdir())
    part.write_bytes(b"PAR1")
    with pytest.raises(UsageError, match="cannot be read"):
        merge(shards, tmp_path / "merged")
    assert sorted(tmp_path.iterdir()) == before


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path, shards: dict[str, Path], whole: Path) -> None:
    (tmp_path / "merged").mkdir()
    merge(shards, tmp_path / "merged")
    assert files(tmp_path / "merged") == files(whole)


@pytest.mark.parametrize("name", ["house-4d100e0a-00001", "a.b-00000000-00000", "owner-name-of-00250", "x.1-2-of-3"])
def test_the_name_of_a_part_is_no_piece(name: str) -> None:
    assert parse_name(name) == (name, None)
    piece = PartialPart(3, 120_000, 250_000)
    assert parse_name(piece.name(name)) == (name, piece)
