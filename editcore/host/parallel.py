"""Several calls at once: results in the order of the calls, and calls that touch the same file one after the other.

1 read a       2 edit a       3 read b       4 bash       5 read a
2 waits for 1, 3 for nobody, 4 for all before it (it may touch anything), 5 for 2 and 4
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from editcore.host.tool import Result
from editcore.text.keys import normal_form


@dataclass(frozen=True, slots=True)
class Step:
    """One of several calls."""

    run: Callable[[], Result]
    paths: frozenset[str] | None
    """Canonical paths of the files and directories that it touches; None where they are not known beforehand."""
    writes: bool

    def waits_for(self, earlier: Step) -> bool:
        """Whether it must not run before an earlier call is done."""
        if not (self.writes or earlier.writes):
            return False
        if self.paths is None or earlier.paths is None:
            return True
        return any(_overlap(one, other) for one in self.paths for other in earlier.paths)


def canonical(root: str, paths: Iterable[str]) -> frozenset[str]:
    """The paths, absolute or relative to `root`, without links and folded as some file systems do; no invalid ones."""
    found = set()
    for path in paths:
        try:
            found.add(normal_form(os.path.realpath(os.path.join(root, path))).casefold())
        except (OSError, ValueError):
            continue  # The call will be refused.
    return frozenset(found)


def run_steps(steps: Sequence[Step], *, jobs: int) -> list[Result]:
    """The results in order. Where a call raises, none is begun any more, and the first exception is raised."""
    needed = [{n for n in range(number) if step.waits_for(steps[n])} for number, step in enumerate(steps)]
    futures: dict[int, Future[Result]] = {}
    running: dict[Future[Result], int] = {}
    waiting, done = list(range(len(steps))), set[int]()
    with ThreadPoolExecutor(max(1, min(jobs, len(steps)))) as pool:
        while waiting or running:
            for number in [one for one in waiting if needed[one] <= done]:
                waiting.remove(number)
                futures[number] = pool.submit(steps[number].run)
                running[futures[number]] = number
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            done |= {running.pop(one) for one in finished}
            if any(one.exception() is not None for one in finished):
                break
    return [futures[number].result() for number in sorted(futures)]


def _overlap(one: str, other: str) -> bool:
    """Whether two paths are the same, or one is below the other."""
    return one == other or one.startswith(other.rstrip("/") + "/") or other.startswith(one.rstrip("/") + "/")
