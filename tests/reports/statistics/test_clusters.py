"""Clusters of samples: by repository, by what they are variants of, and by near-duplicates."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.runs.columns import table_of
from reports.runs.rows import KINDS, SampleUsed
from reports.runs.run_folder import RunFolder
from reports.statistics.clusters import COLUMNS, ClustersOfRun, clusters_of_run


def used(sample_id: str, repo: str | None = None, parent_id: str | None = None, like: int | None = None) -> SampleUsed:
    return SampleUsed(sample_id, "str_replace", "apply", repo=repo, parent_id=parent_id, likeness=like)


def of(*samples: SampleUsed) -> ClustersOfRun:
    return ClustersOfRun(table_of(samples, KINDS["samples"]).select(COLUMNS))


def sets(codes: list[int], names: str) -> set[str]:
    return {"".join(name for name, own in zip(names, codes, strict=True) if own == code) for code in codes}


def test_samples_of_a_repository_and_variants_of_a_sample_belong_together() -> None:
    found = of(
        used("a", repo="r"), used("b"), used("c", repo="r", parent_id="b"), used("d", parent_id="b"),
        used("e", parent_id="gone"), used("r"),
    ).of(list("abcder"))  # fmt: skip
    assert sets(found.code.tolist(), "abcder") == {"ac", "bd", "e", "r"}
    assert found.share.tolist() == [1] * 6


def test_near_duplicates_join_their_repositories_and_share_one() -> None:
    found = of(
        used("a", "r1", like=7), used("b", "r2", like=7), used("c", "r2", like=8), used("d", "r3", like=9),
        used("e", "r4", like=8), used("f", "r5"), used("g", "r6"),
    ).of(list("abcdefg"))  # fmt: skip
    assert sets(found.code.tolist(), "abcdefg") == {"abce", "d", "f", "g"}
    assert found.share.tolist() == [0.5, 0.5, 0.5, 1, 0.5, 1, 1]


def test_a_sample_that_the_run_did_not_record_is_a_cluster_by_itself(tmp_path: Path) -> None:
    found = of(used("a", "r"), used("b", "r")).of(["x", "b", "y", "a"])
    assert sets(found.code.tolist(), "xbya") == {"x", "ba", "y"}
    nothing = clusters_of_run(RunFolder(tmp_path))
    assert (len(nothing), nothing.of(["x", "y"]).code.tolist()) == (0, [0, 1])


@pytest.mark.parametrize("n", [0, 1])
def test_few_samples_have_few_clusters(n: int) -> None:
    assert len(of(*[used("a")] * n).of(["a"] * n).code) == n
