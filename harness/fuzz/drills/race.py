"""Drill: folders of a workspace are swapped for links that lead out of it while files in them are edited.

The attacker is a process that does nothing else. A control first shows that the attack can succeed: a careless reader
checks where the path leads and then opens it.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from time import monotonic

from editcore.errors import WorkspaceError
from editcore.host.workspace import Workspace
from editcore.host.workspace.boundary import directory_of, followed, read_file
from editcore.types import Applied, EditResult
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.processes import end_with_parent
from harness.scratch import scratch

N_TRIES = 1_000_000
_BATCH = 10_000
_CONTROL_BATCH, _MAX_CONTROLS = 1_000, 50_000
"""The careless reader is tried until it is led out of the workspace, or up to this number of tries."""
_WRITES_PER_BATCH = 200
"""A write takes fifty times as long as a read."""
_INSIDE, _OUTSIDE, _CHANGED = b"inside", b"outside", b"Inside"
_PATH, _LEAF, _TURN = "d/file", "leaf", "turn"
"""A file in a folder that is swapped, a file that is swapped itself, and a link inside that is swapped for one out."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2

ESCAPED, REFUSED, DONE = "escapes", "refused", "done"
Try = Callable[[str], str]
"""One try of a path: `done`, `refused` or `escapes`."""


def race(settings: DrillSettings) -> Iterator[Trial]:
    """Control tries, then batches of reads, each followed by some writes."""
    until = settings.deadline()
    n_left = N_TRIES if settings.runs is None else settings.runs
    with scratch() as folder, _attacked(folder):
        root = folder / "root"
        yield _control(root)
        workspace = Workspace(root, lock_directory=folder / "locks", durable=False)
        while n_left > 0 and monotonic() < until:
            n_reads = min(_BATCH, n_left)
            n_left -= n_reads
            yield _batch("read", partial(_read, root), (_PATH, _LEAF, _TURN), n_reads, folder)
            n_writes = -(-n_reads * _WRITES_PER_BATCH // _BATCH)
            yield _batch("write", partial(_write, workspace), (_PATH, _TURN), n_writes, folder)


def _batch(group: str, one: Try, paths: Sequence[str], n: int, folder: Path) -> Trial:
    counts = Counter(one(path) for path in islice(cycle(paths), n))
    found = counts[ESCAPED] + _is_touched(folder / "outside")
    broken = f"{found} of {n} left the workspace" if found else None
    return Trial(group, f"{n} of {' and '.join(paths)}", broken, _figures(counts), n)


def _control(root: Path) -> Trial:
    """The same attack on the careless reader. Its success shows that the attack works."""
    counts: Counter[str] = Counter()
    while counts[ESCAPED] == 0 and counts.total() < _MAX_CONTROLS:
        counts.update(_read_carelessly(root, _PATH) for _ in range(_CONTROL_BATCH))
    never = None if counts[ESCAPED] else "the attack never won against the careless reader: it proves nothing"
    return Trial("control", "the real path, then open", never, _figures(counts), counts.total())


def _figures(counts: Mapping[str, int]) -> dict[str, float]:
    return {what: counts[what] for what in (ESCAPED, REFUSED, DONE)}


def _read(root: Path, path: str) -> str:
    """A read as the tools do it: links that stay inside are resolved, then the file is opened without following
    links.
    """
    there = followed(os.fspath(root), path)
    try:
        with directory_of(os.fspath(root), there) as (directory, name):
            found = read_file(directory, name, there, max_bytes=100)
    except (WorkspaceError, FileNotFoundError):
        return REFUSED
    return ESCAPED if found and found.data == _OUTSIDE else DONE


def _read_carelessly(root: Path, path: str) -> str:
    try:
        real = os.path.realpath(root / path)
        if not real.startswith(f"{root}/"):
            return REFUSED
        return ESCAPED if Path(real).read_bytes() == _OUTSIDE else DONE
    except OSError:
        return REFUSED


def _write(workspace: Workspace, path: str) -> str:
    """A write that alternates between two texts."""
    read: list[str] = []
    there = workspace.followed(path)

    def decide(files: Mapping[str, str]) -> EditResult:
        read.extend(files.values())
        text = _CHANGED if files.get(there) == _INSIDE.decode() else _INSIDE
        return Applied(files={there: text.decode()})

    try:
        outcome = workspace.change("race", {}, [there], decide)
    except WorkspaceError:
        return REFUSED
    if _OUTSIDE.decode() in read:
        return ESCAPED
    return DONE if outcome.is_written else REFUSED


def _is_touched(outside: Path) -> bool:
    return [*outside.iterdir()] != [outside / "file"] or (outside / "file").read_bytes() != _OUTSIDE


@contextmanager
def _attacked(folder: Path) -> Iterator[None]:
    """In the block, names alternate between files inside the workspace and links that lead out of it."""
    inside = ("root/d/file", "root/leaf", "root/kept")
    for name, text in (*((name, _INSIDE) for name in inside), ("outside/file", _OUTSIDE)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    (folder / "root" / _TURN).symlink_to("kept")
    pairs = []
    for name, target in (("d", folder / "outside"), (_LEAF, folder / "outside/file"), (_TURN, folder / "outside/file")):
        link = folder / "root" / f"{name}.link"
        link.symlink_to(target)
        pairs.append((os.fsencode(folder / "root" / name), os.fsencode(link)))
    parent, attacker = os.getpid(), os.fork()
    if not attacker:
        try:
            end_with_parent(parent)
            _swap_for_ever(pairs)
        finally:
            os._exit(1)
    try:
        yield
    finally:
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)


def _swap_for_ever(pairs: Sequence[tuple[bytes, bytes]]) -> None:
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    swap = _swap_in_steps
    if exchange and exchange(_AT_FDCWD, pairs[0][0], _AT_FDCWD, pairs[0][1], _RENAME_EXCHANGE) == 0:
        swap = partial(_exchange, exchange)
    while True:
        for one, other in pairs:
            swap(one, other)


def _exchange(renameat2: Callable[..., int], one: bytes, other: bytes) -> None:
    renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)


def _swap_in_steps(one: bytes, other: bytes) -> None:
    """Swap two names without an atomic exchange; for moments one of them is missing."""
    aside = one + b".aside"
    os.rename(one, aside)
    os.rename(other, one)
    os.rename(aside, other)


RACE = Drill(
    "race",
    "Folders are swapped for links out of the workspace while files in them are read and written: none leaves it.",
    race,
)
