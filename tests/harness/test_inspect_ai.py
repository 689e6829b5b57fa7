"""Questions as a task of inspect_ai: requests equal those of `ask`, and a reply is judged like its sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.inspect_ai import Exported
from tests.harness.ask.code import code
from tests.harness.ask.scripted_model import well_written
from tests.harness.program import call, mistake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    words = ("--tasks", f"mutations:{code()}", "-n", 3, "--formats", "unified_diff,hashline_h2", "--style", "text")
    done = call("ask", "--export-inspect", tmp_path / "task", *words)
    assert done.exit_code == 0, done.output
    assert "inspect eval" in done.stdout
    return tmp_path / "task"


def test_right_replies_are_right_and_others_are_not(folder: Path) -> None:
    found = Exported(folder)
    assert len(found.questions) == 6
    for name, question in found.questions.items():
        assert question.task.instruction in found.request(name).turns[0].text
        edit = well_written(question.task, question.format)
        assert edit is not None
        assert found.verdict(name, f"```\n{edit.rstrip()}\n```\n", []) == "correct"
        assert found.verdict(name, "I cannot.", []) == "missed"
        assert found.verdict(name, "```\nnonsense\n```\n", []) == "missed"


def test_the_task_is_python_and_a_folder_is_not_overwritten(folder: Path) -> None:
    compile((folder / "task.py").read_text("utf-8"), "task.py", "exec")
    assert "is not empty" in mistake("ask", "--export-inspect", folder)


def test_settings_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(UsageError, match="cannot be read"):
        Exported(tmp_path)
