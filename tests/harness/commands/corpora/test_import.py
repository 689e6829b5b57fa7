"""`editgauge import`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corpora.load import load
from editcore.types import File
from tests.corpora.importers.log_cases import FOLDER, RETRIED, restore
from tests.corpora.importers.logs import git, write_lines
from tests.harness.program import Program, call, document, mistake


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A log of Claude Code with an applied and a refused edit."""
    case = FOLDER / "claude_code" / "an_edit_has_the_texts_of_its_result" / "s.jsonl"
    edit, result = map(json.loads, case.read_text().splitlines())
    missed = json.loads(json.dumps(edit).replace('"t1"', '"t2"').replace('"x = ', '"z = '))
    error = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    block = {"type": "tool_result", "tool_use_id": "t2", "content": error, "is_error": True}
    refused = {"type": "user", "message": {"content": [block]}, "toolUseResult": "Error: x"}
    write_lines(tmp_path / "home/.claude/projects/demo/s.jsonl", edit, result, missed, refused)
    return tmp_path / "home/.claude/projects"


def test_a_session_log_becomes_a_corpus(editgauge: Program, tmp_path: Path, logs: Path) -> None:
    done = editgauge("import", "claude_code", logs, "-o", "mine.jsonl", "-q")
    assert (done.returncode, done.stderr) == (0, "corpus: mine.jsonl\n")
    lines = done.stdout.splitlines()
    assert lines[0] == "2 edit calls, by what became of them:"
    assert lines[2] == "        1   50.0 %  no_match: the search text was not found"
    assert lines[3] == "2 samples from 1 log"
    found = list(load(tmp_path / "mine.jsonl"))
    assert [one.provenance.recorded_outcome for one in found] == ["applied", "no_match"]
    assert found[0].target == (File("a.py", "x = 2\ny\n"),)
    checked = call("corpus", "check", tmp_path / "mine.jsonl")
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, "2 samples, 0 problems")


def test_whole_files_are_said_to_be_what_they_are(tmp_path: Path) -> None:
    head = "# aider chat started at 2026-01-01 00:00:00\n\n> Aider v0.86.0  \n> Model: m with whole edit format  \n\n"
    reply = "#### do it\n\na.py\n```\nx = 2\n```\n\n> Tokens: 1k sent, 1 received.  \n> Applied edit to a.py  \n"
    (tmp_path / ".aider.chat.history.md").write_text(head + reply)
    done = call("import", "aider", tmp_path, "-q", "-o", tmp_path / "mine.jsonl")
    assert done.stdout.splitlines()[0] == "no edit calls: the model wrote 1 whole file"
    (tmp_path / ".aider.chat.history.md").write_text(head)
    done = call("import", "aider", tmp_path, "-q", "-o", tmp_path / "mine.jsonl", "--replace")
    assert done.stdout.splitlines()[0] == "no edit calls: another agent may have written the logs"


def test_import_prints_one_document(tmp_path: Path, logs: Path) -> None:
    found = document("import", "claude_code", logs, "-q", "-o", tmp_path / "mine.jsonl")
    assert (found["n_logs"], found["n_samples"]) == (1, 2)
    assert sum(label["n"] for label in found["labels"]) == 2


def test_auto_imports_what_is_installed_after_asking(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    refused = call("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="n\n")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"claude_code: 1 log in {logs}" in refused.stderr
    assert refused.stderr.endswith("nothing imported\n")
    assert not (tmp_path / "mine.jsonl").exists()
    agreed = call("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="y\n")
    assert agreed.exit_code == 0
    assert len(list(load(tmp_path / "mine.jsonl"))) == 2


def test_auto_does_not_ask_with_yes(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(logs.parents[1]))
    done = call("import", "auto", "-y", "-q", "-o", tmp_path / "mine.parquet")
    assert (done.exit_code, "Import them" in done.stderr) == (0, False)
    assert len(list(load(tmp_path / "mine.parquet"))) == 2


def test_auto_in_a_folder_recognizes_each_log(tmp_path: Path, logs: Path) -> None:
    restore(FOLDER / "aider_llm" / RETRIED, logs.parents[1])
    done = call("import", "auto", logs.parents[1], "-q", "-o", tmp_path / "mine.jsonl")
    assert (done.exit_code, "claude_code: 1 log\n" in done.stderr, "aider_llm: 1 log\n" in done.stderr) == (
        0,
        True,
        True,
    )
    assert {one.provenance.agent for one in load(tmp_path / "mine.jsonl")} == {"aider_llm", "claude_code"}


def test_auto_without_an_answer_imports_nothing(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(logs.parents[1]))
    assert mistake("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="").splitlines()[-2:] == [
        "error: There is nobody to ask",
        "  Add --yes to import them.",
    ]
    assert not (tmp_path / "mine.jsonl").exists()


def test_a_store_that_no_importer_reads_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".factory/sessions").mkdir(parents=True)
    assert f"Droid in {tmp_path / '.factory/sessions'}" in mistake("import", "auto", "-o", tmp_path / "mine.jsonl")
    (tmp_path / "opencode.db").write_text("no database")
    told = mistake("import", "auto", tmp_path, "-o", tmp_path / "mine.jsonl")
    assert f"No importer reads a call in {tmp_path / 'opencode.db'} (cannot be read)" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "claude", "logs"], "There is no importer 'claude'"),
        (["import", "claude_code"], "No logs of claude_code are named"),
        (["import", "auto", "empty"], "No agent's logs were found"),
        (["import", "auto", "nowhere"], "There is no nowhere"),
        (["import", "auto"], "No agent's logs were found"),
        (["import", "claude_code", "nowhere"], "nowhere"),
        (["import", "claude_code", "empty"], "empty"),
        (["mutate"], "Name one corpus"),
        (["mutate", "house", "smoke"], "Name one corpus"),
        (["mutate", "nowhere.jsonl"], "There is no corpus"),
        (["mutate", "house", "-m", "exakt"], "There is no mutator 'exakt'"),
        (["mutate", "house", "--severity", "6"], "--severity"),
        (["mutate", "house", "-n", "0"], "-n"),
        (["mutate", "--from-files", "nowhere"], "There is no nowhere"),
        (["mutate", "--from-files", "empty"], "No source files"),
        (["corpus", "merge", "nowhere.jsonl"], "There is no corpus"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_told_in_two_lines_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    done = call(*arguments, "-o", "out.jsonl")
    first, second = done.stderr.splitlines()
    assert (done.exit_code, done.stdout, first[:7], second[:2]) == (2, "", "error: ", "  ")
    assert message in first
    assert os.listdir() == ["empty"]


def test_a_misspelt_importer_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    done = call("import", "claudecode", tmp_path, "-o", tmp_path / "mine.jsonl")
    assert "  Did you mean claude_code? Choose from: auto, claude_code, " in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["import", "claude_code", "home/.claude"], ["mutate", "smoke", "-j", "1"], ["corpus", "merge", "smoke"]],
    ids=" ".join,
)
def test_a_corpus_is_neither_written_over_nor_named_wrongly(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert logs.is_dir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text("mine")
    assert "mine.jsonl exists already" in call(*arguments, "-o", "mine.jsonl").stderr
    assert "neither .jsonl nor .parquet" in call(*arguments, "-o", "mine.csv").stderr
    assert (tmp_path / "mine.jsonl").read_text() == "mine"
    assert call(*arguments, "-o", "mine.jsonl", "--replace").exit_code == 0
    assert list(load("mine.jsonl"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--base", "nowhere@HEAD"], "nowhere is in no git repository"),
        (["--base", "{repo}@gone"], "has no commit gone"),
        (["--base", "{repo}"], "is not DIR@COMMIT"),
        (["--base", "{repo}@--help"], "is not DIR@COMMIT"),
        (["--base", "{repo}@HEAD", "--repo", "{repo}"], "or --repo is given too"),
        (["--base", "{repo}@HEAD"], ""),
    ],
)
def test_a_base_is_a_repository_and_a_commit(tmp_path: Path, logs: Path, given: list[str], message: str) -> None:
    repo = tmp_path / "project"
    repo.mkdir()
    git(repo, "init", "-q")
    git(repo, "commit", "-q", "--allow-empty", "-m", "start")
    named = [word.replace("{repo}", str(repo)) for word in given]
    done = call("import", "claude_code", logs, "-q", "-o", tmp_path / "mine.jsonl", *named)
    assert (done.exit_code == 0) == (not message)
    assert message in " ".join(done.stderr.split())


def test_logs_without_a_sample_make_no_corpus(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    log.write_text('{"type": "user", "message": {"role": "user", "content": "hello"}}\n')
    out = tmp_path / "mine.jsonl"
    done = call("import", "claude_code", log, "-o", out)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == f"nothing imported: {out} is not written"
    assert not out.exists()
