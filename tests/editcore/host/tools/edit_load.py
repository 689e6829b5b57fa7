"""Many threads of many processes count in the same files through `read` and `edit`; no step of the count may be lost.

`python -m tests.editcore.host.tools.edit_load --seconds 60 --processes 8 --threads 16 --files 100` prints one JSON
object: how many edits were acknowledged, what the files say, refusals by reason, how many of them showed both versions
of a conflict and by whom the other one was, edits a second, and times in milliseconds. With `--backups`,
another process restores all files at the end.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic, perf_counter

from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context
from editcore.host.tools import TOOLS
from editcore.host.workspace import Workspace
from editcore.host.workspace.ledger import OTHER_PROCESS

_COUNT = re.compile(r"count: (\d+);")


@dataclass
class Tally:
    """Counts of one process."""

    counts: Counter[str] = field(default_factory=Counter)
    """`applied`, and refusals by reason."""
    conflicts: Counter[str] = field(default_factory=Counter)
    """Refusals that showed both versions, by whom the other one was: a session of this process, or another process."""
    seconds: list[float] = field(default_factory=list)
    """Of each edit that was applied, from the call of `edit` to its answer."""


def name(n: int) -> str:
    """The n-th file; a hundred lie in ten directories."""
    return f"d{n % 10}/file{n}.py"


def work(
    root: str, locks: str, seed: str, n_threads: int, n_files: int, seconds: float, durable: bool, backups: bool
) -> Tally:
    """The counts of one process over all its threads."""
    host = Host(Workspace(root, lock_directory=Path(locks), durable=durable), backups=backups)
    registry, agent, tally = Registry(host, TOOLS), Agent(), Tally()
    until = monotonic() + seconds

    def count(thread: int) -> None:
        rng, context = Random(f"{seed}/{thread}"), Context(f"{seed}/{thread}")
        while monotonic() < until:
            path = name(rng.randrange(n_files))
            seen = registry.call(agent, "read", context, {"filePath": path})
            number = _COUNT.search(seen.output)
            assert number, seen.output
            edit = {"filePath": path, "oldString": number[0], "newString": f"count: {int(number[1]) + 1};"}
            start = perf_counter()
            result = registry.call(agent, "edit", context, edit)
            taken = perf_counter() - start
            tally.counts[str(result.metadata.get("reason", result.output)) if result.is_error else "applied"] += 1
            for one in result.metadata.get("conflicts", ()):
                tally.conflicts[one["by"] if one["by"] == OTHER_PROCESS else "another session"] += 1
            if not result.is_error:
                tally.seconds.append(taken)

    threads = [threading.Thread(target=count, args=(n,)) for n in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 120)
    tally.counts["hanging"] += sum(thread.is_alive() for thread in threads)
    return tally


def _start(n: int) -> str:
    """The text of the n-th file at the start."""
    return f"# file {n}\r\ncount: 0;\r\n" + f"x = {n}\r\n" * 100


def load(
    folder: Path, *, seconds: float, n_processes: int, n_threads: int, n_files: int, durable: bool, backups: bool
) -> dict[str, object]:
    """The counts of all processes, compared with the files at the end."""
    root, locks = folder / "root", folder / "locks"
    for n in range(n_files):
        (root / name(n)).parent.mkdir(parents=True, exist_ok=True)
        (root / name(n)).write_text(_start(n), newline="")
    with ProcessPoolExecutor(n_processes, get_context("spawn")) as pool:
        running = [
            pool.submit(work, str(root), str(locks), f"p{n}", n_threads, n_files, seconds, durable, backups)
            for n in range(n_processes)
        ]
        tallies = [one.result() for one in running]
    counts = sum((tally.counts for tally in tallies), Counter())
    times = sorted(second * 1000 for tally in tallies for second in tally.seconds)
    texts = [(root / name(n)).read_bytes().decode() for n in range(n_files)]
    counted = sum(int(found[1]) for text in texts if (found := _COUNT.search(text)))
    damaged = [n for n, text in enumerate(texts) if not text.endswith(f"{n}\r\n") or text.count("\r\n") != 102]
    if backups:
        Workspace(root, lock_directory=locks, backups=True).rollback()
    n_restored = sum((root / name(n)).read_bytes() == _start(n).encode() for n in range(n_files))
    left = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".py"]
    cuts = statistics.quantiles(times, n=100)
    return {
        "applied": counts["applied"],
        "counted": counted,
        "lost": counts["applied"] - counted,
        "hanging": counts["hanging"],
        "damaged": damaged,
        "left_behind": [path.name for path in left],
        "conflicts": dict(sum((tally.conflicts for tally in tallies), Counter())),
        "restored": n_restored if backups else None,
        "refused": {reason: n for reason, n in sorted(counts.items()) if reason not in ("applied", "hanging")},
        "edits_per_second": round(counts["applied"] / seconds, 1),
        "median_ms": round(cuts[49], 2),
        "p99_ms": round(cuts[98], 2),
        "n_lock_files": len(list(locks.iterdir())),
    }


def main() -> int:
    """The exit code: 0 if nothing was lost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--durable", action="store_true", help="wait for the disk")
    parser.add_argument("--backups", action="store_true", help="keep backups, and restore all files at the end")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="editgauge-load-") as folder:
        found = load(
            Path(folder),
            seconds=chosen.seconds,
            n_processes=chosen.processes,
            n_threads=chosen.threads,
            n_files=chosen.files,
            durable=chosen.durable,
            backups=chosen.backups,
        )
    print(json.dumps(found, indent=2))
    is_restored = found["restored"] in (None, chosen.files)
    return 1 if found["lost"] or found["hanging"] or found["damaged"] or found["left_behind"] or not is_restored else 0


if __name__ == "__main__":
    sys.exit(main())
