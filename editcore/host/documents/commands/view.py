"""`view`: the numbered lines of a document, in its session's version; or the names in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from editcore.cascade import Cascade
from editcore.host.documents.commands.command import Command, Turn
from editcore.host.documents.commands.parameters import Parameters
from editcore.host.documents.paths import document_path, folder_path, invalid, is_folder
from editcore.host.documents.suggestions import Suggestion

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents


_MAX_BYTES = 45_000
"""Of the content as JSON. A longer result would be cut for the model, and then not be JSON."""
_MAX_LINE = 5_000
"""Characters shown of a line that is too long by itself."""


def _validate(params: Parameters) -> None:
    (folder_path if is_folder(params.path) else document_path)(params.path)
    if params.view_range is not None and len(params.view_range) != 2:
        raise invalid("view_range: give two numbers, the first and the last line; -1 as the last means the end.")


def _execute(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    if is_folder(params.path):
        path, lines = folder_path(params.path), list(documents.names(params.path))
        first, last = _window(params.view_range, len(lines))
        content = "\n".join(lines[first - 1 : last])
    else:
        path, version = document_path(params.path), documents.version(params.path)
        lines = lines_of(version)
        first, last = _window(params.view_range, len(lines))
        shown = _fitting(f"{n}: {line}" for n, line in enumerate(lines[first - 1 : last], first))
        content, wanted, last = "\n".join(shown), last, first + len(shown) - 1
        turn.seen.show(path, version)
        if last < wanted:
            rest = f"Lines {first} to {last} are shown: view with view_range [{last + 1}, {wanted}] to continue."
            return {**_answer(path, content, lines, first, last), "message": rest}
    return _answer(path, content, lines, first, last)


def _answer(path: str, content: str, lines: Sequence[str], first: int, last: int) -> dict[str, Any]:
    return {"path": path, "content": content, "line_count": len(lines), "view_range": [first, last]}


def _fitting(lines: Iterable[str]) -> list[str]:
    """The first lines, as many as a model gets in one piece; at least one, shortened if needed."""
    room, chosen = _MAX_BYTES, list[str]()
    for line in lines:
        room -= len(json.dumps(line, ensure_ascii=False).encode())
        if room < 0:
            cut = f"{line[:_MAX_LINE]}... (cut: the line has {len(line):,} characters)"
            return chosen or [cut]
        chosen.append(line)
    return chosen


def lines_of(text: str) -> list[str]:
    """The lines as `insert` counts them: a line feed at the end does not begin another line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _window(view_range: Sequence[int] | None, n_lines: int) -> tuple[int, int]:
    """The first and the last line to show; (1, 0) for an empty text."""
    first, last = view_range or (1, -1)
    wanted_last = n_lines if last == -1 else last
    is_all = (first, wanted_last) == (1, n_lines)
    if is_all or 1 <= first <= wanted_last <= n_lines:
        return first, wanted_last
    there = "there is 1 line" if n_lines == 1 else f"there are {n_lines} lines"
    raise invalid(
        f"view_range: [{first}, {last}] is not a range of its lines, {there}: give the first and the last line, "
        "counted from 1; -1 as the last means the end."
    )


def _unchanged(version: str, _: Suggestion, __: Cascade) -> str:
    return version


VIEW = Command("view", _validate, _execute, _unchanged)
