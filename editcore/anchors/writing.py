"""Calls in anchored formats that make given changes of a text: what a careful writer would send."""

from __future__ import annotations

import json
from collections.abc import Sequence

from editcore.anchors.change import Change
from editcore.anchors.hashes import exhash_hash, h2_hash, h4_tag
from editcore.anchors.views import ended_lines, shown_lines, split_lines
from editcore.text.diff import changed_ranges

_OPS = {"replace": "replace", "after": "append", "before": "prepend"}


def write_call(format: str, text: str, changes: Sequence[Change], *, path: str) -> str:
    """The call in an anchored format that makes changes of a text, which has all their lines.

    The changes are in order, and apart.
    """
    if format == "hashline_h4":
        rows = [row for change in changes for row in _hunk(change)]
        return "\n".join([f"[{path}#{h4_tag(text)}]", *rows]) + "\n"
    lines = shown_lines(text, format)
    if format == "exhash":
        commands = [_command(change, lines) for change in reversed(changes)]
        return json.dumps({"path": path, "cmds": commands}, ensure_ascii=False)
    edits = [_operation(change, lines) for change in changes]
    return json.dumps({"filePath": path, "edits": edits}, ensure_ascii=False)


def anchor_of(format: str, lines: Sequence[str], n: int) -> str:
    """The anchor of a 1-based line as the view of a format shows it; in H4, its number. `lines` are `shown_lines`."""
    if format == "exhash":
        return f"{n}|{exhash_hash(lines[n - 1])}|"
    if format == "hashline_h4":
        return str(n)
    return f"{n}#{h2_hash(lines[n - 1], n)}"


def _operation(change: Change, lines: Sequence[str]) -> dict[str, object]:
    edit: dict[str, object] = {"op": _OPS[change.kind]}
    if change.is_anchored:
        edit["pos"] = anchor_of("hashline_h2", lines, change.first)
    if change.last != change.first:
        edit["end"] = anchor_of("hashline_h2", lines, change.last)
    return {**edit, "lines": list(change.new)}


def _command(change: Change, lines: Sequence[str]) -> list[str]:
    """The command of a change; those of a call are from the last one up, so that no number moves."""
    new = "\n".join(change.new)
    if not change.is_anchored:
        return ["0|AA|" if change.kind == "before" or not any(lines) else "$", "a", new]
    ends = dict.fromkeys(anchor_of("exhash", lines, n) for n in (change.first, change.last))
    if change.kind != "replace":
        return [next(iter(ends)), change.kind[0].replace("b", "i"), new]
    return [",".join(ends), *(["c", new] if change.new else ["d"])]


def _hunk(change: Change) -> list[str]:
    rows = [f"+{line}" for line in change.new]
    if change.kind == "replace":
        lines = f"{change.first}.={change.last}"
        return [f"PUT {lines}:", *rows] if rows else [f"CUT {lines}"]
    if not change.is_anchored:
        return ["PUT <1:" if change.kind == "before" else "PUT >$:", *rows]
    return [f"PUT {'<' if change.kind == 'before' else '>'}{change.first}:", *rows]


def changes_between(before: str, after: str) -> list[Change]:
    """The changes of whole lines that make one text of another, each as few lines as the diff has."""
    old, new = ("\n".join(split_lines(text)) for text in (before, after))
    found = list[Change]()
    for at, (first, last, text) in enumerate(changed_ranges(old, new)):
        lines = tuple(ended_lines(text))
        if last >= first:
            found.append(Change("replace", first, last, lines, at))
        else:
            found.append(
                Change("after" if last else "before", max(last, 1), max(last, 1), lines, at, is_anchored=bool(old))
            )
    return found
