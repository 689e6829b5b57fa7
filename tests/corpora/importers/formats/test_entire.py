from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.collect import collect
from corpora.importers.formats import entire
from corpora.importers.formats.entire import IMPORTER
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Event, Opened, Read, SeenUnknown, Wrote
from corpora.load import load
from editcore.types import Edit, File
from tests.corpora.importers.formats import test_codex
from tests.corpora.importers.logs import git, read, read_all

PATH = "/home/user/demo/a.py"
BRANCH = "refs/heads/entire/checkpoints/v1"


def checkpoint(folder: Path, files: dict[str, Any], ref: str = BRANCH) -> None:
    """Commit files to a ref without touching the branch that is checked out."""
    if not (folder / ".git").exists():
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    for place, content in files.items():
        blob = git(
            folder, "hash-object", "-w", "--stdin", stdin=content if isinstance(content, str) else json.dumps(content)
        )
        git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{place}")
    git(folder, "update-ref", ref, git(folder, "commit-tree", "-m", "checkpoint", git(folder, "write-tree")))
    git(folder, "read-tree", "--empty")


def commit(folder: Path, files: dict[str, str]) -> None:
    """Commit files to the branch that is checked out."""
    folder.mkdir()
    git(folder, "init", "-q")
    for name, content in files.items():
        (folder / name).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    git(folder, "read-tree", "--empty")


def gemini(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"type": "gemini", "toolCalls": [*calls]}]}


def call(key: str, name: str = "replace", status: str = "success", **args: str) -> dict[str, Any]:
    given = {"file_path": PATH, "old_string": "x = 1", "new_string": "x = 2"} | args
    result = [{"functionResponse": {"response": {"output": args.get("output", "")}}}]
    return {"id": key, "name": name, "status": status, "args": given, "result": result}


def attempt(key: str, **fields: Any) -> Attempt:
    known = {"path": PATH, "edits": (Edit("x = 1", "x = 2"),), "outcome": "applied"}
    return Attempt(key, "str_replace", **(known | fields))


def events(folder: Path) -> list[Event]:
    return read_all(IMPORTER, folder)[0]


def test_a_log_is_read_by_the_importer_of_its_agent(tmp_path: Path) -> None:
    copilot = {
        "type": "tool.execution_start",
        "data": {
            "toolCallId": "c2",
            "toolName": "edit",
            "arguments": {"path": PATH, "old_str": "x = 1", "new_str": "x = 2"},
        },
    }
    done = {"type": "tool.execution_complete", "data": {"toolCallId": "c2", "success": True, "model": "n"}}
    checkpoint(
        tmp_path,
        {
            "a1/b2c3d4e5f6/0/full.jsonl": json.dumps(gemini(call("c1")), indent=1),
            "a1/b2c3d4e5f6/0/metadata.json": {"agent": "Gemini CLI", "model": "m"},
            "a1/b2c3d4e5f6/0/transcript.jsonl": "{}\n",
            "a1/b2c3d4e5f6/metadata.json": {"checkpoint_id": "a1b2c3d4e5f6"},
            "b1/b2c3d4e5f6/full.jsonl": json.dumps(copilot) + "\n" + json.dumps(done) + "\n",
            "b1/b2c3d4e5f6/metadata.json": {"agent": "GitHub Copilot CLI", "model": "m"},
        },
    )
    assert [log.name for log in IMPORTER.logs(tmp_path)] == [
        f"{tmp_path}:a1b2c3d4e5f6/0/full.jsonl",
        f"{tmp_path}:b1b2c3d4e5f6/full.jsonl",
    ]
    assert events(tmp_path) == [
        Opened(agent="gemini_cli"),
        Opened(),
        attempt("c1", model="m"),
        Opened(agent="copilot_cli"),
        attempt("c2", model="n"),
    ]


def test_a_ref_of_its_own_names_its_checkpoint(tmp_path: Path) -> None:
    files = {"0/full.jsonl": gemini(call("c1")), "metadata.json": {"agent": "gemini"}}
    checkpoint(tmp_path, files, "refs/entire/checkpoints/a1/b2c3")
    assert [log.name for log in IMPORTER.logs(tmp_path)] == [f"{tmp_path}:a1b2c3/0/full.jsonl"]
    assert events(tmp_path) == [Opened(agent="gemini_cli"), Opened(), attempt("c1")]


def test_equal_copies_of_a_session_are_read_once(tmp_path: Path) -> None:
    one = {"full.jsonl": gemini(call("c1")), "metadata.json": {"agent": "gemini"}}
    checkpoint(tmp_path, {f"{place}/{name}": value for place in ("a1/b2/0", "c1/b2/0") for name, value in one.items()})
    assert len(list(IMPORTER.logs(tmp_path))) == 1


def test_unknown_agents_are_counted(tmp_path: Path) -> None:
    checkpoint(
        tmp_path, {"a1/b2/0/full.jsonl": "{}", "a1/b2/0/metadata.json": {"agent": "Somebody"}, "c1/b2/full.jsonl": "[]"}
    )
    counts = {"no importer for the agent Somebody": 1, "no importer for the agent without a name": 1}
    assert read_all(IMPORTER, tmp_path) == ([], counts)


def test_what_was_redacted_is_left_out_and_a_file_it_changed_is_unknown_from_there_on(tmp_path: Path) -> None:
    log = gemini(
        call("c1", old_string="key = 'REDACTED'"),
        call("c2", old_string="key = 'REDACTED'", status="error", output="0 occurrences found"),
        call("c3", "read_file", output="REDACTED\n"),
        call("c4", "read_file", output="x = 1\n"),
        call("c5", "write_file", content="REDACTED\n"),
        call("c6", "write_file", content="x = 1\n"),
    )
    checkpoint(tmp_path, {"a1/b2/0/full.jsonl": log, "a1/b2/0/metadata.json": {"agent": "gemini"}})
    found, counts = read_all(IMPORTER, tmp_path)
    assert found == [
        Opened(agent="gemini_cli"),
        Opened(),
        Attempt("c1:0", "str_replace", path=PATH),
        SeenUnknown(),
        Read(PATH, "x = 1\n"),
        Attempt(f"{tmp_path}:a1b2/0/full.jsonl:{PATH}:0", "str_replace", path=PATH),
        Wrote(PATH, "x = 1\n"),
    ]
    assert counts == {"left out: secrets were redacted in it": 4}


def test_the_repository_has_the_texts_that_the_logs_lack(tmp_path: Path) -> None:
    repo = tmp_path / "project"
    commit(repo, {"a.py": "x = 1\ny = 1\n"})
    meta = test_codex.META | {
        "payload": test_codex.META["payload"] | {"git": {"commit_hash": git(repo, "rev-parse", "HEAD")}}
    }
    log = "".join(json.dumps(line) + "\n" for line in (meta, test_codex.TURN, test_codex.patch(), test_codex.output()))
    checkpoint(repo, {"a1/b2/0/full.jsonl": log, "a1/b2/0/metadata.json": {"agent": "Codex"}})
    done = collect([(IMPORTER, repo)], tmp_path / "out.jsonl")
    (made,) = load(tmp_path / "out.jsonl")
    assert (made.before, made.label_source) == ((File("a.py", "x = 1\ny = 1\n"),), "exact")
    assert "left out: the file's text is not known" not in done.tally.counts


def test_a_log_that_is_missing_and_one_that_is_too_large_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"full.jsonl": gemini(call("c1")), "metadata.json": {"agent": "gemini"}}
    checkpoint(tmp_path, {f"a1/b2/0/{name}": value for name, value in files.items()})
    logs = list(IMPORTER.logs(tmp_path))
    monkeypatch.setattr(entire, "LARGEST_DOCUMENT", 10)
    assert "over 0 MB" in refusal(logs[0])
    blob = git(tmp_path, "rev-parse", f"{BRANCH}:a1/b2/0/full.jsonl")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert "not in the repository" in refusal(logs[0])


def refusal(log: Log) -> str:
    surroundings = Surroundings()
    assert list(IMPORTER.events(log, surroundings))[2:] == []
    return " ".join(surroundings.tally.named["cannot be read"])


@pytest.mark.parametrize(
    "metadata", ["{", "[]", "7", '{"agent": 7}', '{"agent": ["gemini"]}', '{"agent": null, "model": {}}']
)
def test_metadata_of_any_shape_is_no_trouble(tmp_path: Path, metadata: str) -> None:
    checkpoint(tmp_path, {"a1/b2/0/full.jsonl": gemini(call("c1")), "a1/b2/0/metadata.json": metadata})
    assert read_all(IMPORTER, tmp_path) == ([], {"no importer for the agent without a name": 1})


def test_a_folder_without_a_repository_has_no_logs(tmp_path: Path) -> None:
    assert list(IMPORTER.logs(tmp_path)) == []
    git(tmp_path, "init", "-q")
    assert list(IMPORTER.logs(tmp_path)) == []


def test_a_log_that_is_no_checkpoint_is_counted(tmp_path: Path) -> None:
    (tmp_path / "full.jsonl").write_text("{}")
    assert read(IMPORTER, tmp_path / "full.jsonl") == ([], {"not a checkpoint of a repository": 1})
    assert Log.at(tmp_path).path == tmp_path
