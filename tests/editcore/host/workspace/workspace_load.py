"""Work of the tests in `test_workspace_processes.py` that needs processes of its own.

`python workspace_load.py WHAT ROOT LOCKS NUMBER...` prints one JSON object. Everything is imported before
any process is forked or gives up its rights.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import filelock  # noqa: F401

from editcore.errors import WorkspaceError
from editcore.host.tools import edit_patch
from editcore.host.tools.edit_file import insert_at
from editcore.host.workspace.workspace import Workspace
from editcore.types import Applied, EditResult
from tests.trees import temporaries, texts


def appending(workspace: Workspace, name: str, n_edits: int) -> dict[str, object]:
    """Append each line by a call of `insert_at`."""
    for n in range(n_edits):
        result = insert_at(workspace, "shared.txt", -1, f"{name} {n}")
        assert isinstance(result, Applied), result
    return {}


def patching(workspace: Workspace, order: str, n_edits: int) -> dict[str, object]:
    """Patches of two files in the given order."""
    for n in range(n_edits):
        sections = "".join(f"*** Update File: {name}.txt\n@@ top\n top\n+{order} {n}\n" for name in order)
        answer = edit_patch(f"*** Begin Patch\n{sections}*** End Patch\n", workspace=workspace)
        assert answer == {"ok": True, "summary": "A 0, M 2, D 0, R 0"}, answer
    return {}


def killing(workspace: Workspace, seed: str, n_kills: int) -> dict[str, object]:
    """Writers killed at random instants; what each leaves behind is looked at, then written over."""
    rng, root = random.Random(seed), Path(workspace.root)
    versions = {name: [(name + v) * 60_000 for v in "01"] for name in "ab"}
    torn: list[str] = []
    n_left = n_swept = n_new = 0
    for n in range(n_kills):
        child = os.fork()
        if not child:
            while True:
                for v in (0, 1):
                    _write(workspace, {name: versions[name][v] for name in "ab"} | ({"c/d": "c"} if v else {}))
        time.sleep(rng.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = texts(root)
        names = [name for name in found if not Path(name).name.startswith(".editgauge-")]
        for name in names:
            allowed = [b"c"] if name == "c/d" else [text.encode() for text in versions[name]]
            if found[name] not in allowed:
                torn.append(f"{n}: {name}, {len(found[name])} bytes")
        torn += [f"{n}: {name} is gone" for name in "ab" if name not in names]
        n_new += found["a"] == versions["a"][1].encode()
        n_left += bool(temporaries(root))
        _write(workspace, {"a": f"{n}", "b": f"{n}", "c/d": f"{n}"})
        n_swept += not temporaries(root)
        _write(workspace, {name: versions[name][0] for name in "ab"} | {"c/d": "c"})
    return {"torn": torn, "n_left": n_left, "n_swept": n_swept, "n_new": n_new}


def killing_with_backups(workspace: Workspace, seed: str, n_kills: int) -> dict[str, object]:
    """Writers that keep backups, killed at random instants; then another process restores what they were editing.

    `n_restored` counts the kills after which all files were as before the first edit, and nothing else was left.
    """
    rng, root = random.Random(seed), Path(workspace.root)
    backed = workspace.with_callbacks(backups=True)
    start, wrong, counts = texts(root), list[str](), Counter[str]()
    for n in range(n_kills):
        child = os.fork()
        if not child:
            step = 0
            while True:
                step += 1
                _write(
                    backed, {"a": f"{n}.{step}\n" * 20_000, "b": f"{n}.{step}\n"} | ({"c/d": "c"} if step % 3 else {})
                )
        time.sleep(rng.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = texts(root)
        counts["n_edited"] += found["b"] != start["b"]
        counts["n_left"] += bool(temporaries(root))
        try:
            if n % 2:
                backed.rollback()
                found = {name: text for name, text in texts(root).items() if ".editgauge-" not in name}
                if found != start:
                    wrong.append(f"{n}: {sorted(found)} right after the kill")
            # In the directories of the edit, so that the temporary files of the killed process are removed.
            _write(backed, {"a": "swept", "b": "swept", "c/d": f"swept {n}"})
            backed.rollback()
        except WorkspaceError as error:
            wrong.append(f"{n}: {error.message}")
        if texts(root) != start:
            wrong.append(f"{n}: {sorted(texts(root))}")
        counts["n_restored"] += texts(root) == start
    return {"wrong": wrong, **counts}


def attacked(workspace: Workspace, outside: str, n_each: int) -> dict[str, object]:
    """Writes to `d/file` and to `leaf` while another process swaps `d` and `leaf` for links that lead outside.

    It ends when so many writes were applied and as many refused, or after a hundred times as many: how often the
    attacker's turn comes depends on what else the machine does.
    """
    attacker = os.fork()
    if not attacker:
        _swap_for_ever(Path(workspace.root), Path(outside))
    counts: Counter[str] = Counter()
    for n in range(100 * n_each):
        if min(counts["applied"], counts["outside_workspace"]) >= n_each:
            break
        try:
            outcome = workspace.change("t", {}, [("d/file", "leaf")[n % 2]], _flipped)
        except WorkspaceError as error:
            counts[error.message] += 1
        else:
            result = outcome.result
            counts["applied" if isinstance(result, Applied) else str(result.reason)] += 1
    os.kill(attacker, signal.SIGKILL)
    os.waitpid(attacker, 0)
    return {"counts": counts, "temporaries": temporaries(workspace.root)}


def unprivileged(workspace: Workspace, path: str, n_writes: int) -> dict[str, object]:
    """Writes without any rights of root, each followed by a dry run of the same."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    errors = []
    for dry_run in [False, True] * n_writes:
        try:
            workspace.change("t", {}, [path], lambda _: Applied(files={path: "new\n"}), dry_run=dry_run)
        except WorkspaceError as error:
            errors.append(error.message)
    return {"errors": errors}


def _write(workspace: Workspace, after: Mapping[str, str]) -> None:
    outcome = workspace.change("t", {}, ["a", "b", "c/d"], lambda _: Applied(files=after))
    assert outcome.is_written or "Nothing would change" in str(outcome.result), outcome


def _flipped(files: Mapping[str, str]) -> EditResult:
    assert set(files.values()) <= {"0\n", "1\n"}, "a file outside was read"
    return Applied(files={name: "1\n" if text == "0\n" else "0\n" for name, text in files.items()})


def _swap_for_ever(root: Path, outside: Path) -> None:
    """Exchange two names with links in one step, and back, over and over."""
    libc = ctypes.CDLL(None, use_errno=True)
    links = {root / "d": outside, root / "leaf": outside / "file"}
    while True:
        for name, target in links.items():
            link = name.with_suffix(".link")
            if not (link.is_symlink() or name.is_symlink()):  # A write went over the link.
                link.unlink(missing_ok=True)
                link.symlink_to(target)
            libc.renameat2(-100, os.fsencode(name), -100, os.fsencode(link), 2)
        time.sleep(0.00005)


WORK: dict[str, Callable[[Workspace, str, int], dict[str, object]]] = {
    work.__name__: work for work in (appending, patching, killing, killing_with_backups, attacked, unprivileged)
}

if __name__ == "__main__":
    what, root, locks, text, number = sys.argv[1:]
    done = WORK[what](Workspace(root, lock_directory=Path(locks), durable=False), text, int(number))
    print(json.dumps(done))
