"""Sixty edits of one file by the official client, between changes by another hand: each result is the intended one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import anyio

from tests.harness.mcp.connected import call, connected

N_EDITS, N_FUNCTIONS, EVERY = 60, 24, 6
Sent = tuple[str, dict[str, Any]]
"""A tool, and the parameters of a call."""


class Shelf:
    """A file of functions, the session's knowledge of it, and the changes of another hand since."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.order = list(range(N_FUNCTIONS))
        self.value = dict.fromkeys(self.order, 0)
        self.read: list[int] = []
        """Functions in the order of the session's last read."""
        self.known: dict[int, int] = {}
        self.own: set[int] = set()
        """Functions that the session has changed since, or put something below."""
        self.theirs: set[int] = set()
        """Functions that the other hand has changed or deleted since."""
        self.below: set[int] = set()
        """Functions that the other hand has put something below."""
        self.lay()

    def text(self) -> str:
        return "\n\n".join(f"def f{n}(x):\n    y{n} = x * {n}\n    return y{n} + {self.value[n]}\n" for n in self.order)

    def lay(self) -> None:
        self.file.write_text(self.text())

    def shown(self) -> None:
        """Note that the session has read the file."""
        self.read, self.known = list(self.order), dict(self.value)
        self.own.clear()
        self.theirs.clear()
        self.below.clear()

    def line(self, function: int, order: list[int]) -> int:
        """1-based number of a function's last line, if the functions are in this order."""
        return 5 * order.index(function) + 3

    def add(self, below: int) -> None:
        new = len(self.value)
        self.order.insert(self.order.index(below) + 1, new)
        self.value[new] = 0

    def other_hand(self, random: Random) -> None:
        """Change, delete or add a function."""
        one = random.choice(self.order)
        match random.choice(("change", "delete", "add")):
            case "change":
                self.value[one] += 100
            case "delete":
                self.order.remove(one)
            case _:
                self.add(one)
                self.below.add(one)
                self.lay()
                return
        self.theirs.add(one)
        self.lay()


def edit(one: int, old: int) -> Sent:
    return "edit", {"filePath": "a.py", "oldString": f"y{one} + {old}\n", "newString": f"y{one} + {old + 1}\n"}


def inexact_edit(one: int, old: int) -> Sent:
    lines = f"y{one} = x * {one}\nreturn y{one} + "
    return "edit", {"filePath": "a.py", "oldString": f"{lines}{old}", "newString": f"{lines}{old + 1}"}


def multi_edit(one: int, old: int) -> Sent:
    names = ("oldString", "newString")
    steps = ((f"return y{one} + {old}\n", f"return y{one} + soon\n"), (f"y{one} + soon", f"y{one} + {old + 1}"))
    return "multi_edit", {"filePath": "a.py", "edits": [dict(zip(names, step, strict=True)) for step in steps]}


def edit_file(one: int, old: int) -> Sent:
    texts = {"old_content": f"return y{one} + {old}\n", "new_content": f"return y{one} + {old + 1}\n"}
    return "edit_file", {"path": "a.py", **texts}


def patch_file(one: int, old: int) -> Sent:
    hunk = f" def f{one}(x):\n     y{one} = x * {one}\n-    return y{one} + {old}\n+    return y{one} + {old + 1}\n"
    return "patch_file", {"path": "a.py", "patch": f"@@ -1,3 +1,3 @@\n{hunk}"}


def edit_patch(one: int, old: int) -> Sent:
    hunk = f"@@ def f{one}(x):\n-    return y{one} + {old}\n+    return y{one} + {old + 1}\n"
    return "edit_patch", {"patch": f"*** Begin Patch\n*** Update File: a.py\n{hunk}*** End Patch"}


EDITS: tuple[Callable[[int, int], Sent], ...] = (edit, inexact_edit, multi_edit, edit_file, patch_file, edit_patch)


def test_sixty_edits_with_another_hand_in_between_are_each_what_was_meant(tmp_path: Path) -> None:
    (root := tmp_path / "project").mkdir()
    random, shelf, counted = Random(0), Shelf(root / "a.py"), Counter[str]()

    async def session() -> None:
        async with connected(root, level="nothing") as client:
            for step in range(N_EDITS):
                if step % EVERY == 0:
                    await call(client, "read", filePath="a.py")
                    shelf.shown()
                if step % EVERY in (2, 4):
                    shelf.other_hand(random)
                one = random.choice(shelf.read)
                sent, meant = drawn(one)
                is_error, text = await call(client, sent[0], **sent[1])
                counted[sent[0]] += 1
                said = f"step {step}: {sent}: {text}"
                if one in shelf.theirs:
                    counted["refused"] += 1
                    assert is_error, said
                    assert shelf.file.read_text() == shelf.text(), said
                    continue
                assert not is_error, said
                meant()
                assert shelf.file.read_text() == shelf.text(), said
                is_told(sent[0], text, one)

    def drawn(one: int) -> tuple[Sent, Callable[[], None]]:
        """A call, and the change of the shelf that it intends."""
        if one not in shelf.own | shelf.below and random.random() < 0.2:
            new = len(shelf.value)
            lines = f"\n\ndef f{new}(x):\n    y{new} = x * {new}\n    return y{new} + 0\n"
            at = shelf.line(one, shelf.read)
            return ("insert_at", {"path": "a.py", "line": at, "content": lines}), lambda: insert(one)
        old = shelf.known[one]
        return random.choice(EDITS)(one, old), lambda: keep(one, old + 1)

    def insert(one: int) -> None:
        shelf.own.add(one)
        shelf.add(one)

    def keep(one: int, value: int) -> None:
        shelf.value[one] = shelf.known[one] = value
        shelf.own.add(one)

    def is_told(tool: str, text: str, one: int) -> None:
        """Assert that the answer names the line that was changed."""
        if tool == "edit_patch":
            assert json.loads(text.split("\n")[0])["summary"] == "A 0, M 1, D 0, R 0"
        elif tool != "insert_at":
            at = shelf.line(one, shelf.order)
            assert text.startswith(f"Edit applied successfully: line {at}.") or " in 2 places: " in text, text

    anyio.run(session)
    assert set(counted) >= {"edit", "multi_edit", "edit_file", "patch_file", "edit_patch", "insert_at", "refused"}
