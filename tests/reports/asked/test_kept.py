"""The answer that a run folder keeps is shown as it is, cut to size; a damaged or foreign one is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reports.asked.wording import keep_answer, kept_answer


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    keep_answer(tmp_path, ["For m: a with b.", "It is better."])
    assert kept_answer(tmp_path) == ["For m: a with b.", "It is better."]
    keep_answer(tmp_path, ["x" * 5_000] * 100)
    assert [len(one) for one in kept_answer(tmp_path)] == [1_000] * 40


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"sentences": 1}', '{"sentences": [1]}', "\xff", "[" * 5_000])
def test_anything_else_is_no_answer(content: str, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(content, encoding="latin-1")
    assert kept_answer(tmp_path) == []


def test_a_link_and_a_long_file_are_no_answer(tmp_path: Path) -> None:
    assert kept_answer(tmp_path) == []
    (tmp_path / "other").write_text('{"sentences": ["secret"]}')
    os.symlink(tmp_path / "other", tmp_path / "answer.json")
    assert kept_answer(tmp_path) == []
    (tmp_path / "answer.json").unlink()
    (tmp_path / "answer.json").write_text('{"sentences": ["' + "x" * 70_000 + '"]}')
    assert kept_answer(tmp_path) == []
