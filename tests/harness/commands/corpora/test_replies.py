"""`editgauge replies`."""

from __future__ import annotations

from pathlib import Path

from tests.corpora.importers.log_cases import FOLDER, RETRIED, restore
from tests.harness.program import call, document, mistake


def test_the_replies_of_logs_and_of_corpora_are_counted(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    logs = restore(FOLDER / "claude_code" / RETRIED, tmp_path / "logs")
    found = document("replies", logs, "-q")
    [group] = found["groups"]
    assert (found["n"], group["agent"], group["kind"], group["n"]) == (1, "claude_code", "no_match", 1)
    assert group["next"]["made"]["share"] == 1
    shown = call("replies", logs, "-q", "--by", "wording").stdout
    assert "String to replace not found" in shown
    assert shown.splitlines()[-1] == "1 replies"
    call("import", "claude_code", logs, "-q", "-o", tmp_path / "mine.jsonl")
    assert document("replies", tmp_path / "mine.jsonl", "-q")["groups"][0]["next"]["made"]["share"] == 1


def test_logs_without_a_refusal_are_a_mistake(tmp_path: Path) -> None:
    case = restore(FOLDER / "claude_code" / "an_edit_has_the_texts_of_its_result", tmp_path)
    assert "No edit of these logs was refused" in mistake("replies", case, "-q")
