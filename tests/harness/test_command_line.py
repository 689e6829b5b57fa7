from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.program import ROOT, run_in
from tests.harness.same import rows
from tests.samples import sample, write_jsonl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="command lines are read in /proc")

BEFORE_DURING_AFTER = """
import os
from pathlib import Path
from harness.command_line import hidden_arguments

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
    print(json.dumps({"id": request["id"], "status": "applied", "after": after}), flush=True)
    with open("seen.json", "w") as file:
        json.dump(found, file)
"""


def test_arguments_are_hidden_from_others_in_the_block_and_are_back_after_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEFORE_DURING_AFTER, "corpus.jsonl"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
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
