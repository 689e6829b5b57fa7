"""Split corpora."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.load import load
from corpora.merge import split
from corpora.sample import Provenance, Sample
from editcore.errors import UsageError
from editcore.types import File
from tests.samples import sample, write_jsonl, write_parquet


def of_repositories(*sizes: int) -> list[Sample]:
    """Samples of repositories of these sizes, interleaved."""
    repos = [f"o/r{repo}" for repo, size in enumerate(sizes) for _ in range(size)]
    return [sample(number, provenance=Provenance(repo=repo)) for number, repo in enumerate(repos)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.01, 0.4, 0.99])
def test_no_repository_is_on_both_sides_and_neither_side_is_empty(tmp_path: Path, seed: int, share: float) -> None:
    made = of_repositories(5, 3, 1, 8, 2)
    n_dev, n_test = split(str(write_jsonl(tmp_path / "a.jsonl", made)), tmp_path / "cut", share=share, seed=seed)
    dev, test = (list(load(tmp_path / "cut" / f"{part}.jsonl")) for part in ("dev", "test"))
    assert (len(dev), len(test)) == (n_dev, n_test)
    assert sorted(one.id for one in dev + test) == sorted(one.id for one in made)
    assert not {one.provenance.repo for one in dev} & {one.provenance.repo for one in test}


@pytest.mark.parametrize("share", [0.2, 0.4, 0.5])
def test_about_the_share_is_in_test(tmp_path: Path, share: float) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", of_repositories(*[1, 2, 3] * 20))
    n_dev, n_test = split(str(path), tmp_path / "cut", share=share)
    assert n_test / (n_dev + n_test) == pytest.approx(share, abs=0.02)


def test_the_seed_draws_the_repositories(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", of_repositories(*[2] * 12))
    drawn = []
    for seed in (0, 0, 1):
        split(str(path), tmp_path / "cut", share=0.5, seed=seed, replace=True)
        drawn.append({one.provenance.repo for one in load(tmp_path / "cut/test.jsonl")})
    assert drawn[0] == drawn[1] != drawn[2]


def test_without_repositories_samples_of_one_file_stay_together(tmp_path: Path) -> None:
    made = [replace(sample(number), before=(File(f"{number % 3}.py", "x = 1\n"),)) for number in range(9)]
    split(str(write_jsonl(tmp_path / "a.jsonl", made)), tmp_path / "cut", share=0.4)
    dev, test = ({one.before[0].path for one in load(tmp_path / "cut" / f"{part}.jsonl")} for part in ("dev", "test"))
    assert dev
    assert test
    assert not dev & test


def test_a_parquet_file_is_cut_into_parquet_files(tmp_path: Path) -> None:
    split(str(write_parquet(tmp_path / "a.parquet", of_repositories(1, 1))), tmp_path / "cut", share=0.5)
    assert sorted(path.name for path in (tmp_path / "cut").iterdir()) == ["dev.parquet", "test.parquet"]


def test_one_repository_cannot_be_split(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", of_repositories(4))
    with pytest.raises(UsageError, match="from one repository"):
        split(str(path), tmp_path / "cut", share=0.5)
    assert not (tmp_path / "cut").exists()


def test_what_is_there_already_is_written_over_only_if_asked_for(tmp_path: Path) -> None:
    path = str(write_jsonl(tmp_path / "a.jsonl", of_repositories(1, 1)))
    (tmp_path / "test.jsonl").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        split(path, tmp_path, share=0.5)
    assert ((tmp_path / "test.jsonl").read_text(), (tmp_path / "dev.jsonl").exists()) == ("mine", False)
    assert split(path, tmp_path, share=0.5, replace=True) == (1, 1)
