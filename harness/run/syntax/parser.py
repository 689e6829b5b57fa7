"""The process in which texts are parsed.

A grammar is a program in C. Some texts send it into endless loops, gigabytes of memory or a crash: a thousand levels
of indentation for YAML, `a<` repeated for Java and C#, `a|` repeated for bash. So the parser has a process of its
own, which such a text kills, and which is then replaced.
"""

from __future__ import annotations

import atexit
import os
import resource
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter
from select import select

from harness.run.syntax import data_formats
from harness.run.syntax.trees import Parsed, is_same, likeness, parsed, parsed_like

CPU_S = 2.0
"""Seconds of CPU time that one comparison of two texts may take."""
_WALL_S = 60.0
"""Seconds after which a silent process is given up. The machine may be busy."""
_MEMORY = 1 << 30
"""Bytes of address space that the process may have."""
_TREES_KEPT = 8
_ALIKE = 0.5
"""The share of a text that two texts must have in common at their ends; then one tree is a start for the other."""


class ParserProcess:
    """A process that compares texts. It is started at the first comparison, and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def severity(self, language: str, right: bytes, given: bytes) -> str | None:
        """The severity of a text compared with the right text, both as `source` returns them.

        None if a parser is missing, failed or took too long.
        """
        if self._process is None or self._owner != os.getpid():
            self._start()
        process = self._process
        assert process
        assert process.stdin
        assert process.stdout
        with suppress(OSError, ValueError):
            process.stdin.writelines([f"{language} {len(right)} {len(given)}\n".encode(), right, given])
            process.stdin.flush()
            if select([process.stdout], [], [], _WALL_S)[0] and (answer := process.stdout.readline()).endswith(b"\n"):
                return answer.decode().strip() or None
        self.stop()
        return None

    def _start(self) -> None:
        if not self._owner:
            atexit.register(self.stop)  # A forked worker does not run it: its parsers end as their stdin is closed.
        self._owner = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "harness.run.syntax.parser"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def stop(self) -> None:
        """End the process, if there is one. The next comparison starts another."""
        process, self._process = self._process, None
        if process and self._owner == os.getpid():
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe:
                        pipe.close()


def _parsed(language: str, data: bytes, known: Sequence[Parsed | None]) -> Parsed | None:
    """The tree of a text, made from the most similar known tree if that is similar enough."""
    alike = [(likeness(one, data), one) for one in known if one and one.language == language]
    share, nearest = max(alike, key=itemgetter(0), default=(0.0, None))
    return parsed_like(nearest, data) if nearest and share > _ALIKE else parsed(language, data)


def _by_trees(language: str, right: bytes, given: bytes, trees: OrderedDict[tuple[str, bytes], Parsed | None]) -> str:
    """The severity by the grammar of the language; `trees` are those of recent right texts."""
    key = (language, right)
    if key not in trees:
        trees[key] = _parsed(language, right, list(trees.values()))
        if len(trees) > _TREES_KEPT:
            trees.popitem(last=False)
    right_tree = trees[key]
    if right_tree is None:  # There is no grammar.
        return ""
    given_tree = parsed_like(right_tree, given)
    if given_tree.n_errors > right_tree.n_errors:
        return "broken"
    if right_tree.n_errors:
        return "unknown"
    return "same_tree" if is_same(right_tree, given_tree) else "other_tree"


def _limit() -> None:
    """Limit the memory of this process, and let the CPU timer end it."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> None:
    """Answer each question on stdin, a line `LANGUAGE N M` and texts of N and M bytes, with a line: the severity.

    The line is empty without a grammar.
    """
    _limit()
    trees: OrderedDict[tuple[str, bytes], Parsed | None] = OrderedDict()
    for line in iter(sys.stdin.buffer.readline, b""):
        language, *sizes = line.decode().split()
        right, given = (sys.stdin.buffer.read(int(size)) for size in sizes)
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        answer = data_formats.severity(language, right, given) or _by_trees(language, right, given, trees)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
