"""Small programs, written for a test, as commands that answer over the protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from corpora.sample import Sample
from editcore.types import Applied
from harness.strategies.strategy import Strategy
from tests.harness.program import ROOT
from tests.processes import is_alive
from tests.samples import sample

EXACT = ROOT / "tests" / "harness" / "exact.py"
"""The cascade `exact` again, as a command."""
PYTHON = [sys.executable, "-S"]

PRELUDE = """
import json, os, signal, subprocess, sys, time

def requests():
    for line in sys.stdin:
        yield json.loads(line)

def line(request, **fields):
    return json.dumps({"id": request["id"], "status": "applied", "after": request["before"], **fields})

def say(request, **fields):
    print(line(request, **fields), flush=True)

def write_whole(ending, *words):
    # A reader sees the file whole or not at all.
    with open(sys.argv[0] + ending + ".new", "w") as file:
        print(*words, file=file)
    os.replace(file.name, sys.argv[0] + ending)

def pid(request):
    say(request, after=[{"path": "pid", "content": str(os.getpid())}])
"""
"""What every command begins with."""

OWNER = """
import os, signal, sys
from harness.strategies.external import external_strategy
from tests.processes import is_alive
from tests.samples import sample
mine = external_strategy("cmd/mine", sys.argv[2:])
def pid():
    return mine.apply(sample(), None).files["pid"]
"""
"""The start of a program that has a command of its own, given by its arguments."""


Written = Callable[[str], Strategy]
"""The code of a command, after the prelude -> the strategy."""


def script(folder: Path, code: str) -> list[str]:
    path = folder / "command.py"
    path.write_text(PRELUDE + code)
    return [*PYTHON, str(path)]


def asking(find: str, before: str = "x = 1\n") -> Sample:
    return sample(before=before, old=find)


def files(strategy: Strategy, sample: Sample) -> Mapping[str, str]:
    result = strategy.apply(sample, None)
    assert isinstance(result, Applied)
    assert result.files is not None
    return result.files


def pid(strategy: Strategy) -> int:
    return int(files(strategy, asking("pid"))["pid"])


def assert_gone(*pids: int) -> None:
    until = time.monotonic() + 30
    while any(map(is_alive, pids)):
        assert time.monotonic() < until, "it lives on"
        time.sleep(0.01)
