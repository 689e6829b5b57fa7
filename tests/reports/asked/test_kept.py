"""The answer that a run folder keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.errors import UsageError
from reports.asked.wording import keep_answer, kept_answer


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    assert kept_answer(tmp_path) == []
    keep_answer(tmp_path, ["For m: a with b.", "It is better."])
    assert kept_answer(tmp_path) == ["For m: a with b.", "It is better."]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"sentences": 1}', "\xff"])
def test_a_damaged_answer_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(content, encoding="latin-1")
    with pytest.raises(UsageError, match=r"answer\.json cannot be read"):
        kept_answer(tmp_path)
