"""Calls of exhash: `{"path": P, "cmds": [["12|vN|", "c", "new line"], ["3|yq|,5|Uh|", "d"]]}`.

The commands of its `file_exhash`, as JSON. They are made in order: numbers are those of the text that the commands
above leave. `a` puts lines after one, `i` before it, `c` changes lines and `d` deletes them; `0|AA|` is before the
first line, `$` the last one, `%` all. Its other commands (`s`, `g`, `m`, ...) are refused by name: patterns are those
of its own engine.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.anchors.call import Anchor, Call, Kind, LineEdit
from editcore.anchors.reading.json_call import fields_of_call, line_number, optional_text
from editcore.errors import PatchError

LAST = Anchor(0)
"""The last line of the text, which no hash names."""
_FIRST = Anchor(1)
_MOST_COMMANDS = 1_000
_LONGEST_ADDRESS = 100
_ONE = r"(?:([0-9]{1,12})\|([\w-]{2})\||\$)"
_ADDRESS = re.compile(rf"\s*{_ONE}\s*(?:,\s*{_ONE}\s*)?", re.ASCII)
_KINDS: dict[str, Kind] = {"a": "after", "i": "before", "c": "replace", "d": "replace"}


def read_commands(patch: str) -> list[Call]:
    """The call, its edits in order, each for the text that those above it leave. Raises PatchError."""
    fields = fields_of_call(patch, ("path", "cmds"))
    commands = fields.get("cmds")
    if not isinstance(commands, list) or not commands:
        raise PatchError("`cmds` must be a list of commands.")
    if len(commands) > _MOST_COMMANDS:
        raise PatchError(f"the call has {len(commands)} commands; at most {_MOST_COMMANDS} are read.")
    edits = [_edit(command, f"command {n}") for n, command in enumerate(commands, 1)]
    return [Call(tuple(edits), optional_text(fields, "path", "the call"))]


def read_exhash(patch: str) -> list[Call]:
    """The call with all numbers those of the text it was written against. Raises PatchError.

    It does so too for a line that the call has made itself, and for one that no hash names.
    """
    [call] = read_commands(patch)
    made = list[tuple[int, int, int]]()
    edits = [_of_the_first_text(edit, made, n) for n, edit in enumerate(call.edits, 1)]
    return [Call(tuple(edits), call.path)]


def _edit(command: Any, what: str) -> LineEdit:
    if not isinstance(command, list) or not all(isinstance(field, str) for field in command) or len(command) < 2:
        raise PatchError(f"{what} must be a list of texts: an address, a, i, c or d, and the lines.")
    address, op, *texts = command
    if op not in _KINDS:
        raise PatchError(f"{what}: {op!a:.20} is not read; a, i, c and d are.")
    if len(texts) != (op != "d"):
        raise PatchError(f"{what}: {op} takes {'no lines' if op == 'd' else 'one text with its lines'}.")
    new = tuple([line.removesuffix("\r") for line in texts[0].split("\n")]) if texts else ()
    if address.strip() == "0|AA|" and op in "ai":
        return LineEdit("before", None, None, new)
    first, last = _ends(address, what)
    if _KINDS[op] == "replace" or last is None:
        return LineEdit(_KINDS[op], first, last, new)
    return LineEdit(_KINDS[op], last if op == "a" else first, None, new)


def _ends(address: str, what: str) -> tuple[Anchor, Anchor | None]:
    if address.strip() == "%":
        return _FIRST, LAST
    found = _ADDRESS.fullmatch(address) if len(address) <= _LONGEST_ADDRESS else None
    if found is None:
        raise PatchError(f"{what}: the address must be LINE|HASH| as the view shows it, not {address!a:.80}.")
    if "0" in (found[1], found[3]):
        raise PatchError(f"{what}: 0|AA| is an address of a and i alone, which put lines above the first one.")
    first, last = (Anchor(line_number(found[n], what), found[n + 1]) if found[n] else LAST for n in (1, 3))
    return first, last if "," in address else None


def _of_the_first_text(edit: LineEdit, made: list[tuple[int, int, int]], n: int) -> LineEdit:
    """The edit with the numbers of the text before the call; `made` has what the edits above it did, and takes it."""
    if edit.first is None or (edit.kind == "after" and edit.first is LAST):
        made += [(1, 0, len(edit.new))] if edit.first is None else []
        return LineEdit(edit.kind, None, None, edit.new)
    ends = [one for one in (edit.first, edit.last) if one is not None]
    if not all(one.hash for one in ends):
        raise PatchError(f"command {n} names a line without its hash: give the address that the view shows.")
    first, last = (_before(one.line, made, n) for one in (ends[0], ends[-1]))
    if last - first != ends[-1].line - ends[0].line:
        raise PatchError(
            f"command {n} names lines between which the call has changed others: make one command of both."
        )
    if edit.kind == "replace":
        made.append((ends[0].line, last - first + 1, len(edit.new)))
    else:
        made.append((ends[0].line + (edit.kind == "after"), 0, len(edit.new)))
    end = Anchor(last, ends[-1].hash) if edit.last is not None else None
    return LineEdit(edit.kind, Anchor(first, ends[0].hash), end, edit.new)


def _before(line: int, made: list[tuple[int, int, int]], n: int) -> int:
    """The number that a line had before the edits: each took some lines from a place on, and put others there."""
    for start, n_old, n_new in reversed(made):
        if start <= line < start + n_new:
            raise PatchError(
                f"command {n} names line {line}, which the call has made itself: write it once, as it shall be."
            )
        if line >= start + n_new:
            line += n_old - n_new
    return line
