"""The same from outside of the process: strace has a system call fail, or kills the process at it.

Nothing in the process is another than when it runs for real. It is forked, and strace attached to it, because a Python
that is started makes some thousand calls before the first that matters.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from harness.fuzz.drills.drill import Drill, Orders, Trial
from harness.fuzz.drills.faults.child import Ended, forked
from harness.fuzz.drills.faults.documents import DOCUMENT_EDITS
from harness.fuzz.drills.faults.edits import EDITS
from harness.fuzz.drills.faults.injection import in_turn, ordinal
from harness.fuzz.drills.faults.operation import Operation, Struck
from harness.fuzz.engine.scratch import scratch

_CALLS = (
    "openat,read,write,pread64,pwrite64,fsync,fdatasync,ftruncate,close,newfstatat,mkdirat,fchmod,fchown,flock,?rename,renameat,?renameat2,linkat,"
    "?unlink,unlinkat,getdents64"
)
"""Those with `?` are not there on every machine."""
_INJECTED = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "EINTR": "error=EINTR", "SIGKILL": "signal=SIGKILL"}
_RETRIED = "EINTR"
"""Python calls again by itself."""
_AS_PYTHON = {"unlink": "os.unlink", "unlinkat": "os.unlink", "fsync": "os.fsync"}
_LINE = re.compile(r"(?:\d+ +)?(\w+)\(")
_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)
_ATTACHING_S = 10.0


def strace(orders: Orders, edits: Iterable[Operation] = (*EDITS, *DOCUMENT_EDITS)) -> Iterator[Trial]:
    """Each edit in a process of its own, under each fault at each system call that concerns its folder; in turn."""
    why_not = _refusal()
    if why_not:
        yield Trial("skipped", why_not, n=0)
        return
    with scratch() as folder:
        yield from in_turn([_Traced(one, folder / str(n)).trials() for n, one in enumerate(edits)], orders)


def _refusal() -> str | None:
    """Why there is no strace here."""
    program = shutil.which("strace")
    if program is None:
        return "strace is not installed"
    tried = subprocess.run([program, "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace: {tried.stderr.strip()[-100:]}" if tried.returncode else None


@dataclass(frozen=True, slots=True)
class _Call:
    """A system call, and the how-manieth of its name."""

    name: str
    n: int


class _Traced:
    """A folder in which an edit is traced, again and again."""

    def __init__(self, one: Operation, folder: Path) -> None:
        self._edit, self._laid, self._tried = one, folder / "laid", folder / "tried"
        self._log = folder / "log"

    def trials(self) -> Iterator[Trial]:
        self._laid.mkdir(parents=True)
        self._edit.lay(self._laid)
        self._fresh()
        forked(self._only_ready)
        old = self._edit.state(self._tried)
        ended, calls = self._trace()
        new = self._edit.state(self._tried)
        flaw = self._edit.flaw(self._tried, Struck("", "", ended), old, new)
        yield Trial(self._edit.name, "nothing fails", flaw, {"calls": len(calls)})
        for call in calls:
            for kind, how in _INJECTED.items():
                ended, injected = self._trace(f"inject={call.name}:{how}:when={call.n}")
                what = f"{ordinal(call.n)} {call.name}, {kind}"
                if call not in injected:  # The fault hit something else.
                    yield Trial(self._edit.name, what, None, {"missed": 1}, n=0)
                    continue
                struck = Struck(_AS_PYTHON.get(call.name, call.name), "" if kind == _RETRIED else kind, ended)
                yield Trial(self._edit.name, what, self._edit.flaw(self._tried, struck, old, new))

    def _fresh(self) -> None:
        shutil.rmtree(self._tried, ignore_errors=True)
        shutil.copytree(self._laid, self._tried)

    def _only_ready(self) -> str:
        self._edit.ready(self._tried)
        return ""

    def _trace(self, injected: str | None = None) -> tuple[Ended, list[_Call]]:
        """How the edit ended, and the calls that concern the folder; only those that failed, where one is to."""
        self._fresh()
        hears, tells = os.pipe()
        start = signal.SIGUSR1
        tracing = ["strace", "-f", "-y", "-s", "4096", "-o", str(self._log), "-e", f"trace={_CALLS}"]
        tracing += ["-e", injected] if injected else []

        def work() -> str:
            operation = self._edit.ready(self._tried)
            ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY)
            os.write(tells, b"!")
            signal.sigwait([start])
            return operation()

        def attach(process: int) -> None:
            os.read(hears, 1)
            tracer = subprocess.Popen([*tracing, "-p", str(process)], stderr=subprocess.DEVNULL)
            tracers.append(tracer)
            until = monotonic() + _ATTACHING_S
            while not _is_traced(process) and tracer.poll() is None and monotonic() < until:
                sleep(0.001)
            os.kill(process, start)

        tracers: list[subprocess.Popen[bytes]] = []
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [start])
        try:
            ended = forked(work, beside=attach)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(hears)
            os.close(tells)
            for tracer in tracers:
                tracer.wait()
        return ended, list(self._calls(only_injected=injected is not None))

    def _calls(self, *, only_injected: bool) -> Iterator[_Call]:
        n_seen: Counter[str] = Counter()
        lines = self._log.read_text(errors="replace").splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            match = _LINE.match(line)
            if match is None:
                continue
            n_seen[match[1]] += 1
            hit = "INJECTED" in line or "killed by SIGKILL" in following
            if str(self._tried) in line and (hit or not only_injected):
                yield _Call(match[1], n_seen[match[1]])


def _is_traced(process: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text()
    return "TracerPid:\t0\n" not in status


STRACE = Drill(
    "strace",
    "The tools under strace, which has each system call fail, or kills the process at it; skipped without strace.",
    strace,
)
