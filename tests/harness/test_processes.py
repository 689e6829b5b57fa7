"""The hidden command line, progress on stderr, and temporary folders."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from harness import progress, scratch
from harness.progress import show_progress
from tests.harness.program import ROOT, command, environment, run_in
from tests.harness.same import rows
from tests.samples import sample, write_jsonl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="command lines are read in /proc")

BEFORE_DURING_AFTER = """
import os
from pathlib import Path
from harness.processes import hidden_arguments

def seen():
    return Path("/proc/self/cmdline").read_bytes().replace(bytes(1), b" ").strip()

print(b"corpus.jsonl" in seen())
with hidden_arguments():
    print(seen().decode(), flush=True)
    child = os.fork()
    if not child:
        print(seen().decode(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(b"corpus.jsonl" in seen())
"""

ALL_ABOVE = """
import json, os, sys

def above():
    process = os.getppid()
    while process > 1:
        yield process
        process = int(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[1])

def seen(process, what):
    try:
        return open(f"/proc/{process}/{what}").read()
    except OSError:
        return ""

for line in sys.stdin:
    request = json.loads(line)
    found = {str(one): seen(one, "cmdline") + seen(one, "environ") for one in above()}
    after = [{"path": path, "content": content} for path, content in found.items()]
    # Before the answer, after which this process may be killed; and whole, since another may be writing too.
    with open(f"seen.{os.getpid()}", "w") as file:
        json.dump(found, file)
    os.replace(file.name, "seen.json")
    print(json.dumps({"id": request["id"], "status": "applied", "after": after}), flush=True)
"""


def test_arguments_are_hidden_from_others_in_the_block_and_are_back_after_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEFORE_DURING_AFTER, "corpus.jsonl"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["True", "editgauge", "editgauge", "True"]


def test_no_process_of_the_run_tells_a_command_which_corpus_is_run_or_where_the_run_is_kept(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "unguessable.jsonl", [sample()])
    (tmp_path / "reader.py").write_text(ALL_ABOVE)
    command = f"cmd:reader={sys.executable} -S reader.py"
    done = run_in(tmp_path, "run", "unguessable.jsonl", "-q", "-j", 1, "-o", "kept-here", "-s", command)
    assert done.returncode == 0, done.stderr
    assert [one["verdict"] for one in rows(tmp_path / "kept-here")] == ["wrong_edit"]
    seen = (tmp_path / "seen.json").read_text()
    assert "editgauge" in seen
    assert "unguessable" not in seen
    assert "kept-here" not in seen


def test_elsewhere_than_on_a_terminal_a_line_is_printed_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 9.0, 10.0, 15.0, 30.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    with show_progress() as report:
        for n_done in (0, 1000, 1500, 4000):
            report(n_done, 4000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "1,000 of 4,000 samples, about 30 s left\n4,000 of 4,000 samples, about 0 s left\n"


def test_nothing_is_printed_where_quiet_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_INTERVAL_S", 0.0)
    with show_progress(quiet=True) as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
@pytest.mark.parametrize(("continuous_integration", "has_bar"), [("", True), ("true", False)])
def test_on_a_terminal_there_is_a_bar_and_stdout_has_the_answer_only(
    tmp_path: Path, continuous_integration: str, has_bar: bool
) -> None:
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        command("run", "smoke", "-s", "cascade/exact", "-o", "run", "--json"),
        env=environment({"CI": continuous_integration, "TERM": "xterm"}), cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=theirs, encoding="utf-8",
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    # The end of a terminal is an error on Linux, and nothing to read elsewhere.
    with suppress(OSError):
        while piece := os.read(ours, 4096):
            seen += piece
    os.close(ours)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (b"60/60" in seen) is has_bar
    assert (b" samples/s" in seen) is has_bar
    assert bool(re.search(rb"0:00:0\d\S* \S*elapsed, .*left", seen)) is has_bar
    assert (b"cascade/exact  " in seen and b"5 correct, 1 wrong, " in seen) is has_bar
    assert json.loads(stdout)


# Temporary folders: where they are, and that nothing is left of them.


@pytest.mark.parametrize(
    ("has_memory", "room", "named"), [(True, 0, False), (True, 1 << 60, False), (True, 0, True), (False, 0, False)]
)
def test_a_folder_is_in_memory_where_there_is_room_and_nobody_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_memory: bool, room: int, named: bool
) -> None:
    memory = tmp_path / "memory"
    if has_memory:
        memory.mkdir()
    monkeypatch.setattr(scratch, "_MEMORY", memory)
    monkeypatch.setattr(scratch, "_ENOUGH_MEMORY", room)
    monkeypatch.delenv("TMPDIR", raising=False)
    if named:
        monkeypatch.setenv("TMPDIR", str(tmp_path))
    scratch._folder_in_memory.cache_clear()
    try:
        with scratch.scratch() as folder:
            assert folder.is_dir()
    finally:
        scratch._folder_in_memory.cache_clear()
    assert folder.is_relative_to(memory) == (has_memory and not room and not named)
    assert not folder.exists()
