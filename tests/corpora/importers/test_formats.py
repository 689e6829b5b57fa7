"""Importers beyond the cases of logs: finding logs, damaged databases and repositories, commands that read."""

from __future__ import annotations

import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from corpora.importers import IMPORTERS
from corpora.importers.collect import collect
from corpora.importers.formats import entire, zed
from corpora.importers.formats.codex import Shown, read_of, shown_file
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Opened, Read
from corpora.importers.swe_agent_runs import blob_id
from tests.corpora.importers.log_cases import FOLDER, database, restore
from tests.corpora.importers.logs import git, read, write_lines

TEXT = "x = 1\ny = 1\n"


def restored(folder: Path, name: str) -> Path:
    """The logs of a case, in a folder."""
    return restore(FOLDER / name, folder)


def test_logs_are_found_below_a_folder_in_order(tmp_path: Path) -> None:
    logs = IMPORTERS["claude_code"].logs
    one, other = (write_lines(tmp_path / name) for name in ("a/1.jsonl", "b/2.jsonl"))
    write_lines(tmp_path / "a" / "notes.txt")
    assert [log.path for log in logs(tmp_path)] == [one, other]
    assert [log.name for log in logs(one)] == [str(one)]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"command": ["bash", "-lc", "cat a.py"]}, Shown("a.py")),
        ({"command": ["cat", "a b.py"], "workdir": "/w"}, Shown("/w/a b.py")),
        ({"cmd": "sed -n '1,200p' src/a.py"}, Shown("src/a.py", 1, 200)),
        ({"command": "sed -n 5,9p 'a b.py'"}, Shown("a b.py", 5, 9)),
        ({"command": "sed -n 0,9p a.py"}, None),
        ({"command": "sed -n 5p a.py"}, None),
        ({"command": "sed -i s/a/b/ a.py"}, None),
        ({"command": "cat a.py b.py"}, None),
        ({"command": "cat -n a.py"}, None),
        ({"command": "cat a.py | head"}, None),
        ({"command": "cat a.py; make"}, None),
        ({"command": "cat <<E > a.py"}, None),
        ({"command": "cat *.py"}, None),
        ({"command": "cat 'a.py"}, None),
        ({"command": "cat " + "a" * 20_000}, None),
        ({"command": ["bash", "-lc", "cat a.py", "x"]}, None),
        ({"command": ["cat", 7]}, None),
        ({"command": 7}, None),
        (None, None),
    ],
)
def test_a_command_that_shows_one_file_and_does_nothing_else_is_a_read(arguments: Any, shown: Shown | None) -> None:
    assert shown_file(arguments) == shown


@pytest.mark.parametrize(
    ("shown", "said", "code", "read"),
    [
        (Shown("a.py"), TEXT, 0, Read("a.py", TEXT)),
        (Shown("a.py", 1, 3), TEXT, 0, Read("a.py", TEXT)),
        (Shown("a.py", 1, 2), TEXT, 0, Read("a.py", TEXT, whole=False)),
        (Shown("a.py", 4, 9), TEXT, 0, Read("a.py", TEXT, 4, whole=False)),
        (Shown("a.py"), TEXT, 1, None),
        (Shown("a.py"), TEXT, None, None),
        (Shown("a.py"), TEXT.rstrip(), 0, None),
        (Shown("a.py"), "x\n[... omitted 12 of 300 lines ...]\ny\n", 0, None),
        (Shown("a.py"), "x\n…300 tokens truncated…\ny\n", 0, None),
    ],
)
def test_an_output_is_the_text_unless_it_may_be_cut(shown: Shown, said: str, code: int | None, read: Read) -> None:
    assert read_of(shown, said, code) == read


def test_of_a_storage_folder_only_the_sessions_are_logs_of_others_every_document(tmp_path: Path) -> None:
    importer = IMPORTERS["opencode"]
    restored(tmp_path, "opencode/a_session_in_storage_finds_its_messages_and_parts_beside_it")
    log = tmp_path / "storage" / "session" / "p1" / "ses_1.json"
    (tmp_path / "export.json").write_text("{}")
    assert [found.path for found in importer.logs(tmp_path)] == [tmp_path / "export.json", log]
    assert [found.path for found in importer.logs(tmp_path / "storage" / "session")] == [log]
    assert [found.path for found in importer.logs(log)] == [log]


def test_a_stored_session_without_its_folder_is_counted() -> None:
    log = Log("blob", lambda: io.BytesIO(b'{"id": "ses_1", "version": "1.14.30", "directory": "/demo"}'))
    found, counts = read(IMPORTERS["opencode"], log)
    assert (found, counts) == ([Opened("/demo", "1.14.30")], {"session without its messages": 1})


def test_nothing_is_written_beside_a_database(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", [])
    path.chmod(0o444)
    before = path.read_bytes()
    read(IMPORTERS["crush"], Log.at(path))
    assert [file.name for file in tmp_path.iterdir()] == ["crush.db"]
    assert path.read_bytes() == before


def threads(path: Path, kind: str, *data: Any) -> Log:
    """A database of Zed with a thread for each of these texts."""
    path.unlink(missing_ok=True)
    row = {"table": "threads", "summary": "title", "updated_at": "2026", "data_type": kind}
    return Log.at(database(path, [row | {"id": str(number), "data": one} for number, one in enumerate(data)]))


def test_a_thread_may_be_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = FOLDER / "zed" / "an_edit_has_the_texts_of_its_result" / "threads.db.jsonl"
    thread = json.loads(case.read_text().splitlines()[0])["data"]
    log = threads(tmp_path / "threads.db", "zstd", thread, b"\x28\xb5\x2f\xfd broken")
    found, counts = read(IMPORTERS["zed"], log)
    assert [one.outcome for one in found if isinstance(one, Attempt)] == ["applied"]
    assert counts == {"thread is not JSON": 1}
    bomb = pa.compress(b"[" + b" " * 1_000_000 + b"]", "zstd", asbytes=True)
    assert len(bomb) < 1000
    monkeypatch.setattr(zed, "LARGEST_DOCUMENT", 100_000)
    assert read(IMPORTERS["zed"], threads(log.path or tmp_path, "zstd", bomb))[1] == {"thread that is too large": 1}


def test_threads_of_other_versions_are_counted(tmp_path: Path) -> None:
    found, counts = read(IMPORTERS["zed"], threads(tmp_path / "threads.db", "json", {"version": "0.2.0"}, b"{"))
    assert [type(one) for one in found] == [Opened, Opened]
    assert counts == {"thread of another version": 1, "thread is not JSON": 1}


# Entire: the repository of checkpoints.


def checkpoint(folder: Path, places: tuple[str, ...] = ("a1/b2/0",)) -> list[Log]:
    """The logs of a repository with a log of Gemini CLI at some places of its branch of checkpoints."""
    git(folder, "init", "-q")
    for place in places:
        for name, text in (("full.jsonl", '{"messages": []}'), ("metadata.json", '{"agent": "gemini"}')):
            blob = git(folder, "hash-object", "-w", "--stdin", stdin=text)
            git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{place}/{name}")
    made = git(folder, "commit-tree", "-m", "checkpoint", git(folder, "write-tree"))
    git(folder, "update-ref", "refs/heads/entire/checkpoints/v1", made)
    return list(IMPORTERS["entire"].logs(folder))


def test_equal_copies_of_a_session_are_read_once(tmp_path: Path) -> None:
    assert len(checkpoint(tmp_path, ("a1/b2/0", "c1/b2/0"))) == 1


def test_a_log_that_is_missing_and_one_that_is_too_large_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [log] = checkpoint(tmp_path)

    def refusal() -> str:
        with closing(Surroundings()) as surroundings:
            assert list(IMPORTERS["entire"].events(log, surroundings))[2:] == []
        return " ".join(surroundings.tally.named["cannot be read"])

    monkeypatch.setattr(entire, "LARGEST_DOCUMENT", 10)
    assert "over 0 MB" in refusal()
    blob = git(tmp_path, "rev-parse", "refs/heads/entire/checkpoints/v1:a1/b2/0/full.jsonl")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert "not in the repository" in refusal()


def test_a_folder_without_a_repository_has_no_logs(tmp_path: Path) -> None:
    assert list(IMPORTERS["entire"].logs(tmp_path)) == []
    git(tmp_path, "init", "-q")
    assert list(IMPORTERS["entire"].logs(tmp_path)) == []


def test_a_log_that_is_no_checkpoint_is_counted(tmp_path: Path) -> None:
    (tmp_path / "full.jsonl").write_text("{}")
    log = Log.at(tmp_path / "full.jsonl")
    assert read(IMPORTERS["entire"], log) == ([], {"not a checkpoint of a repository": 1})


# SWE-agent: what a run submits.


def submitted(folder: Path, submission: Any, **given: Any) -> list[str | None]:
    """The label sources of the samples of a run with this submission."""
    case = restored(folder, "swe_agent/the_ids_of_a_submission_prove_each_text_in_between")
    log = case / "logs" / "demo-1.traj"
    run = json.loads(log.read_text()) | {"info": {"submission": submission}}
    done = collect(
        [(IMPORTERS["swe_agent"], write_lines(log, run))], folder / "out.jsonl", repo=folder / "project", **given
    )
    return [source for (_, source), n in done.labels.items() for _ in range(n)]


def test_a_base_has_the_texts_of_files_that_no_submission_names(tmp_path: Path) -> None:
    assert submitted(tmp_path, None, base="HEAD") == ["exact", "exact"]


@pytest.mark.parametrize("submission", [7, "", "diff --git a/x b/y\nindex 1234..5678\n", "index 1234..5678\n" * 9])
def test_a_submission_of_any_shape_is_no_trouble(tmp_path: Path, submission: Any) -> None:
    assert submitted(tmp_path, submission) == []


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert git(tmp_path, "hash-object", "--stdin", stdin="é\n") == blob_id("é\n")
