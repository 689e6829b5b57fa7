"""Forty calls at once that edit forty lines of one file: all of them land, and nothing is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Any

import pytest

from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, PermissionRequest
from editcore.host.tools import TOOLS
from editcore.host.workspace import Workspace

N = 40
TEXT = "".join(f"line {k} = {k}\nbelow {k}\nabove {k + 1}\n" for k in range(N))


def _call(tool: str, k: int) -> dict[str, Any]:
    old, new = f"line {k} = {k}\n", f"line {k} = new {k}\n"
    patch = f"*** Begin Patch\n*** Update File: a\n@@\n-{old}+{new}*** End Patch\n"
    return {
        "edit": {"filePath": "a", "oldString": old, "newString": new},
        "multi_edit": {"filePath": "a", "edits": [{"oldString": old, "newString": new}]},
        "edit_file": {"path": "a", "old_content": old, "new_content": new},
        "insert_at": {"path": "a", "line": 3 * k + 2, "content": f"new {k}"},
        "edit_patch": {"patch": patch},
    }[tool]


def _asked(_: PermissionRequest) -> bool:
    sleep(0.001)
    return True


TEXTS = ("edit", "multi_edit", "edit_file", "edit_patch")
ALL = (*TEXTS, "insert_at")
QUICK = {(("edit",), False, 1), (("insert_at",), False, 1), (ALL, False, 4), (ALL, True, 4)}
CASES = list(product([("edit",), ("insert_at",), TEXTS, ALL], [False, True], [1, 4]))


@pytest.mark.parametrize(
    ("tools", "is_asked", "n_sessions"),
    [pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow) for case in CASES],
)
def test_all_land_and_nothing_is_lost(tmp_path: Path, tools: tuple[str, ...], is_asked: bool, n_sessions: int) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a").write_text(TEXT)
    registry = Registry(Host(Workspace(root, durable=False, lock_directory=tmp_path / "locks")), TOOLS)
    asks = {"on_ask": _asked} if is_asked else {}
    contexts = [Context(session_id=f"s{n}", **asks) for n in range(n_sessions)]  # type: ignore[arg-type]
    for context in contexts:
        assert not registry.call(Agent(), "read", context, {"filePath": "a"}).is_error
    together = Barrier(N)

    def run(k: int) -> str:
        tool = tools[k % len(tools)]
        together.wait()
        result = registry.call(Agent(), tool, contexts[k // len(tools) % n_sessions], _call(tool, k))
        return result.output if result.is_error else ""

    with ThreadPoolExecutor(N) as pool:
        assert [refused for refused in pool.map(run, range(N)) if refused] == []
    after = (root / "a").read_text()
    assert all(f"new {k}\n" in after for k in range(N))
    inserted = [k for k in range(N) if tools[k % len(tools)] == "insert_at"]
    kept = "".join(f"line {k} = {k}\n" for k in inserted) + "".join(f"below {k}\n" for k in range(N))
    assert all(line in after for line in kept.splitlines())
    assert after.count("\n") == TEXT.count("\n") + len(inserted)
