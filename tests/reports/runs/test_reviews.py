"""What readers say of samples, and where it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.errors import UsageError
from reports.runs.run_folder import Review, read_reviews, reviews_path, write_review

MINE = Review("s0", True, "known: U+2028 \u2028", "2026-11-26T00:00:00+00:00")


def test_the_last_review_of_a_sample_counts(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    assert read_reviews(run) == {}
    write_review(run, Review("s0", False, "look again", "2026-11-25T00:00:00+00:00"))
    assert write_review(run, MINE) == tmp_path / "run.notes.jsonl"
    assert read_reviews(run) == {"s0": MINE}


def test_all_nights_of_a_history_share_one_file(tmp_path: Path) -> None:
    first, second = (tmp_path / "nights" / f"night={name}" for name in ("a", "b"))
    for one in (first, second):
        one.mkdir(parents=True)
    assert reviews_path(first) == tmp_path / "notes.jsonl"
    write_review(first, MINE)
    assert read_reviews(second) == {"s0": MINE}


@pytest.mark.parametrize("text", ["{", "[]", '{"sample_id": 1}', "[" * 100_000])
def test_a_line_that_is_no_review_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.notes.jsonl").write_text(f"\n{text}\n")
    with pytest.raises(UsageError, match="Line 2 of"):
        read_reviews(tmp_path / "run")
