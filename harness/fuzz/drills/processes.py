"""Drill: commands that flood, hang, crash or leave daemons behind. Memory, disk and processes stay bounded.

Each trial asks one command, in a process of its own, which is then killed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from time import monotonic, sleep

from editcore.errors import UsageError
from editcore.types import Applied
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.faults.operation import run_forked
from harness.processes import kill_processes
from harness.run.latency import Stopwatch, TimedOut
from harness.scratch import scratch
from harness.strategies.command_process import keep_stderr
from harness.strategies.external import external_strategy
from harness.strategies.strategy import example_sample

_TIMEOUT_S = 1.5
_MAX_MEMORY = 150 << 20
"""The most bytes that one call may add to its process: an answer of 16 MB, its copies and its values."""
_MAX_DISK = 3 << 20
_END_S = 10.0
"""How long the processes of a command may take to end."""

_PRELUDE = """
import json, os, signal, sys, time

def answer(request):
    after = [{**file, "content": file["content"] + "# after\\n"} for file in request["before"]]
    os.write(1, json.dumps({"id": request["id"], "status": "applied", "after": after}).encode() + b"\\n")

def daemon():
    ours, theirs = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(theirs, b".")
            os.closerange(0, 100)
            time.sleep(60)
        os._exit(0)
    os.read(ours, 1)

if "late" in sys.argv:
    time.sleep(0.5)
request = json.loads(sys.stdin.readline())
"""


@dataclass(frozen=True, slots=True)
class _Case:
    what: str
    code: str
    result: str
    """A pattern of the result: `applied`, `timed out` or an error."""


_CASES = (
    _Case("an answer", "answer(request)\nsys.stdin.readline()", "applied"),
    _Case("a slow start", "answer(request)\nsys.stdin.readline()", "applied"),
    _Case("stdout without line feeds", "while True: os.write(1, b'x' * 65536)", "bytes on stdout without a line feed"),
    _Case("stdout with line feeds", "while True: os.write(1, b'x\\n' * 32768)", "more than one line"),
    _Case(
        "stderr, then an answer",
        "for _ in range(1000): os.write(2, b'x' * 65536)\nanswer(request)\nsys.stdin.readline()",
        "applied",
    ),
    _Case("stderr without end", "while True: os.write(2, b'x\\n' * 32768)", "timed out"),
    _Case("a daemon, then an answer", "daemon()\nanswer(request)\nsys.stdin.readline()", "applied"),
    _Case("a daemon, then an exit", "daemon()\nsys.exit(3)", "exit code 3"),
    _Case("a daemon, then a hang", "daemon()\ntime.sleep(60)", "timed out"),
    _Case("many children", "for _ in range(4): os.fork()\ntime.sleep(60)", "timed out"),
    _Case("an exit", "sys.exit(0)", "exit code 0"),
    _Case("a signal", "os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    _Case("garbage", "os.write(1, bytes(range(128, 256)) + b'\\n')\ntime.sleep(60)", "not JSON"),
    _Case("half a line", "os.write(1, b'{\"id\":')\ntime.sleep(60)", "timed out"),
    _Case("deep JSON", "os.write(1, b'[' * 1000000 + b'\\n')\ntime.sleep(60)", "not JSON|wrong shape"),
    _Case("a long name", "sys.stdout.write(json.dumps(['x' * 9000000]) + '\\n')", "wrong shape"),
    _Case("another id", "answer({**request, 'id': 'x' * 1000000})", "the answer has another `id` than its request"),
)


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    if sys.platform != "linux":
        raise UsageError("The drill processes looks processes up in /proc", "Run it on Linux.")
    until = settings.deadline()
    yield from map(run_case, takewhile(lambda _: monotonic() < until, _CASES[: settings.runs]))


def run_case(case: _Case) -> Trial:
    """Ask the command of a case once, and measure what it used and what it left."""
    with scratch() as folder:
        program = folder / "command.py"
        program.write_text(_PRELUDE + case.code)
        start = monotonic()
        command = [sys.executable, "-I", "-S", str(program), *(["late"] if "slow" in case.what else [])]
        answer = run_forked(lambda: json.dumps(_asked(folder, command))).answer
        result, memory = json.loads(answer) if answer[:1] == "[" else (answer or "no result", 0)
        left = _left(os.fsencode(program))
        kill_processes(left)
        seconds = monotonic() - start
        disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    wrong = []
    if not re.search(case.result, result):
        wrong.append(f"the result is {result[:200]!r}, not {case.result}")
    if memory > _MAX_MEMORY:
        wrong.append(f"{memory >> 20} MB of memory")
    if disk > _MAX_DISK:
        wrong.append(f"{disk >> 20} MB on disk")
    if left:
        wrong.append(f"{len(left)} processes are left")
    figures = {"memory MB": memory / 2**20, "disk MB": disk / 2**20, "s": seconds}
    return Trial("commands", case.what, "; ".join(wrong) or None, figures)


def _asked(folder: Path, command: list[str]) -> tuple[str, int]:
    keep_stderr(folder)
    before = _memory("VmRSS")
    strategy = external_strategy("cmd/drill", command)
    with Stopwatch() as stopwatch:
        # Asked once, because the stopwatch repeats short calls.
        call = cache(partial(strategy.apply, example_sample("str_replace"), None))
        value = stopwatch.time(call, timeout_s=_TIMEOUT_S).value
    result = "timed out" if isinstance(value, TimedOut) else "applied" if isinstance(value, Applied) else str(value)
    return result[:1000], _memory("VmHWM") - before


def _memory(field: str) -> int:
    found = re.search(rf"^{field}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _left(program: bytes) -> list[int]:
    """The processes that still run the program after some time."""
    until = monotonic() + _END_S
    while True:
        left = [number for number in _numbers() if program in _command_line(number)]
        if not left or monotonic() > until:
            return left
        sleep(0.01)


def _numbers() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid())


def _command_line(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


PROCESSES = Drill(
    "processes",
    "Commands that flood, hang, crash or leave daemons behind: memory, disk and processes stay bounded.",
    _trials,
)
