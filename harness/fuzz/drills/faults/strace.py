"""Drill: strace makes each system call of an edit fail, or kills the process at it.

The process runs the same code as in normal use. It is forked before strace attaches to it: a Python that starts under
strace makes a thousand calls before the first one of interest.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.faults.documents import DOCUMENT_EDITS
from harness.fuzz.drills.faults.edits import EDITS
from harness.fuzz.drills.faults.operation import (
    ChildResult,
    FaultOutcome,
    Operation,
    Tried,
    ordinal,
    round_robin,
    run_forked,
)
from harness.scratch import scratch

_CALLS = (
    "openat,read,write,pread64,pwrite64,fsync,fdatasync,ftruncate,close,newfstatat,mkdirat,fchmod,fchown,flock,?rename,renameat,?renameat2,linkat,"
    "?unlink,unlinkat,getdents64"
)
"""Calls with `?` do not exist on every machine."""
_INJECTED = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "EINTR": "error=EINTR", "SIGKILL": "signal=SIGKILL"}
_RETRIED = "EINTR"
"""Python repeats such a call by itself."""
_AS_PYTHON = {"unlink": "os.unlink", "unlinkat": "os.unlink", "fsync": "os.fsync"}
_LINE = re.compile(r"(\d+ +)?(\w+)\(")
_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)
_ATTACH_TIMEOUT_S = 10.0


def strace(settings: DrillSettings, edits: Iterable[Operation] = (*EDITS, *DOCUMENT_EDITS)) -> Iterator[Trial]:
    """Try each edit in a process of its own, with each fault at each system call on its folder. Edits take turns."""
    reason = _reason_to_skip()
    if reason:
        yield Trial("skipped", reason, n=0)
        return
    with scratch() as folder:
        yield from round_robin([_TracedEdit(one, folder / str(n)).trials() for n, one in enumerate(edits)], settings)


def _reason_to_skip() -> str | None:
    """The reason why strace cannot be used here; None if it can."""
    program = shutil.which("strace")
    if program is None:
        return "strace is not installed"
    tried = subprocess.run([program, "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return f"strace is not allowed to trace: {tried.stderr.strip()[-100:]}" if tried.returncode else None


@dataclass(frozen=True, slots=True)
class _Call:
    """A system call, and its ordinal among the calls of that name in its thread, as strace counts them."""

    name: str
    n: int


class _TracedEdit:
    """An edit that is traced with one fault after the other."""

    def __init__(self, one: Operation, folder: Path) -> None:
        self._edit, self._folder, self._log = one, folder, folder / "log"

    def trials(self) -> Iterator[Trial]:
        calls: list[_Call] = []
        tried = Tried(self._edit, self._folder, lambda tried: self._trace(tried, calls))
        yield Trial(self._edit.name, "nothing fails", tried.without_fault, {"calls": len(calls)})
        for call in calls:
            for kind, how in _INJECTED.items():
                injected: list[_Call] = []
                ended = self._trace(tried, injected, f"inject={call.name}:{how}:when={call.n}")
                what = f"{ordinal(call.n)} {call.name}, {kind}"
                if call not in injected:  # The fault hit something else.
                    yield Trial(self._edit.name, what, None, {"missed": 1}, n=0)
                    continue
                outcome = FaultOutcome(_AS_PYTHON.get(call.name, call.name), "" if kind == _RETRIED else kind, ended)
                yield Trial(self._edit.name, what, tried.violation(outcome))

    def _trace(self, tried: Tried, calls: list[_Call], injected: str | None = None) -> ChildResult:
        tried.fresh()
        ready_reader, ready_writer = os.pipe()
        start = signal.SIGUSR1
        tracing = ["strace", "-f", "-y", "-s", "4096", "-o", str(self._log), "-e", f"trace={_CALLS}"]
        tracing += ["-e", injected] if injected else []

        def work() -> str:
            operation = self._edit.prepare(tried.folder)
            ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY)
            os.write(ready_writer, b"!")
            signal.sigwait([start])
            return operation()

        def attach(process: int) -> None:
            if not _is_ready(ready_reader, process):
                return
            tracer = subprocess.Popen([*tracing, "-p", str(process)], stderr=subprocess.DEVNULL)
            tracers.append(tracer)
            until = monotonic() + _ATTACH_TIMEOUT_S
            while not _is_traced(process) and tracer.poll() is None and monotonic() < until:
                sleep(0.001)
            os.kill(process, start)

        tracers: list[subprocess.Popen[bytes]] = []
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [start])
        try:
            ended = run_forked(work, while_running=attach)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(ready_reader)
            os.close(ready_writer)
            for tracer in tracers:
                with suppress(subprocess.TimeoutExpired):
                    tracer.wait(_ATTACH_TIMEOUT_S)
                tracer.kill()
                tracer.wait()
        calls += self._calls(str(tried.folder), only_injected=injected is not None)
        return ended

    def _calls(self, folder: str, *, only_injected: bool) -> Iterator[_Call]:
        n_seen: Counter[tuple[str, str]] = Counter()
        lines = self._log.read_text(errors="replace").splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            match = _LINE.match(line)
            if match is None:
                continue
            thread, name = match[1] or "", match[2]
            n_seen[thread, name] += 1
            hit = "INJECTED" in line or "killed by SIGKILL" in following
            if folder in line and (hit or not only_injected):
                yield _Call(name, n_seen[thread, name])


def _is_ready(pipe: int, process: int) -> bool:
    """Wait until a child process has written to the pipe; False if it ended before."""
    while not select.select([pipe], [], [], 0.05)[0]:
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
    os.read(pipe, 1)
    return True


def _is_traced(process: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text()
    return "TracerPid:\t0\n" not in status


STRACE = Drill(
    "strace",
    "Each system call of an edit fails, or the process is killed at it, by strace; skipped if strace is missing.",
    strace,
)
