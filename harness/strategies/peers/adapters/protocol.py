"""The loop of all adapters: one sample per line on stdin, its result per line on stdout."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_LONGEST_MESSAGE = 1000

# Some packages log for every edit, which would fill the disk.
logging.disable(logging.INFO)

Sample = Mapping[str, Any]
"""id, format, before ([{path, content}]), edits ([{old_string, new_string, replace_all}]), patch."""


class Refusal(Exception):
    """The peer refuses the edit: one of editgauge's reasons, and the peer's message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = " ".join(message.split())[:_LONGEST_MESSAGE] or reason


def serve(apply: Callable[[Sample], Mapping[str, str]]) -> None:
    """Answer until stdin ends. `apply` returns path -> text afterwards. Any exception but Refusal ends the process."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    # Keeps what the package prints out of the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin.buffer:
        sample = json.loads(line)
        answer: dict[str, Any] = {"id": sample["id"]}
        try:
            after = apply(sample)
        except Refusal as refusal:
            answer |= {"status": "rejected", "reason": refusal.reason, "message": refusal.message}
        else:
            files = [{"path": path, "content": content} for path, content in after.items()]
            answer |= {"status": "applied", "after": files}
        print(json.dumps(answer), file=answers, flush=True)


def contents(sample: Sample) -> dict[str, str]:
    return {file["path"]: file["content"] for file in sample["before"]}


@contextmanager
def on_disk(sample: Sample) -> Iterator[Path]:
    """A temporary folder with the sample's files, for packages that edit files on disk."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        # Some packages compare resolved paths with the paths they were given.
        folder = Path(name).resolve()
        for file, content in contents(sample).items():
            path = folder / file
            if not path.resolve().is_relative_to(folder):
                raise Refusal("outside_workspace", f"{file} is outside the folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        yield folder


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
