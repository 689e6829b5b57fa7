"""Readers of the formats whose calls are JSON: H2, in the dialects of two programs, and exhash.

Models write these calls. A field of another type, an unknown field, or too many edits is a PatchError.

    H2      {"filePath": P, "edits": [{"op": "replace", "pos": "12#VK", "end": "14#XJ", "lines": [...]}]}
            `append` and `prepend` insert below and above `pos`; without `pos`, at the end and the start of the file
    H2 as oh-my-pi writes it since 13.15
            {"loc": {"range": {"pos": "12#VK", "end": "14#XJ"}}, "content": [...]}, {"loc": {"append": "12#VK"}, ...},
            {"loc": "append", ...}
    exhash  {"path": P, "cmds": [["12|vN|", "c", "new line"], ["3|yq|,5|Uh|", "d"]]}
            `a` and `i` insert below and above a line, `c` replaces and `d` deletes; `0|AA|` is the place above line 1,
            `$` the last line, `%` all lines
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from editcore.anchors.calls import Anchor, Call, Kind, LineEdit, NoSuchAnchor
from editcore.anchors.views import LETTERS
from editcore.errors import PatchError

_LONGEST = 8 << 20
"""Characters of a call."""
_MOST_EDITS = 10_000
_LONGEST_NUMBER = 12
"""Digits of a line number."""


def fields_of_call(patch: str, known: Collection[str]) -> dict[str, Any]:
    """The fields of the JSON object `patch`. Raises PatchError."""
    if len(patch) > _LONGEST:
        raise PatchError(f"the call has {len(patch)} characters; at most {_LONGEST} are read.")
    try:
        call = json.loads(patch)
    except (ValueError, RecursionError) as error:
        raise PatchError(f"the call is not JSON: {error!s:.200}.") from None
    return _checked(call, known, "the call")


def edits_of_call(call: Mapping[str, Any], known: Collection[str]) -> list[dict[str, Any]]:
    """The objects in the field `edits`. Raises PatchError."""
    edits = call.get("edits")
    if not isinstance(edits, list):
        raise PatchError("`edits` must be a list of edits.")
    if len(edits) > _MOST_EDITS:
        raise PatchError(f"the call has {len(edits)} edits; at most {_MOST_EDITS} are read.")
    return [_checked(edit, known, f"edit {n}") for n, edit in enumerate(edits, 1)]


def _checked(value: object, known: Collection[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PatchError(f"{what} must be an object.")
    strange = [key for key in value if key not in known]
    if strange:
        raise PatchError(f"{what} has a field {strange[0]!a:.80}; known are {', '.join(known)}.")
    return value


def text_in(value: Mapping[str, Any], key: str, what: str) -> str:
    """The string in the field `key`. Raises PatchError."""
    found = value.get(key)
    if not isinstance(found, str):
        raise PatchError(f"{what}: `{key}` must be a text.")
    return found


def optional_text(value: Mapping[str, Any], key: str, what: str) -> str | None:
    """The string in the field `key`; None if it is null or missing. Raises PatchError."""
    return None if value.get(key) is None else text_in(value, key, what)


def _first_text(call: Mapping[str, Any], key: str, other: str) -> str | None:
    return optional_text(call, key, "the call") or optional_text(call, other, "the call")


def is_deleted(call: Mapping[str, Any]) -> bool:
    """True if the call deletes its file. Raises PatchError."""
    found = call.get("delete")
    if found is not None and not isinstance(found, bool):
        raise PatchError("the call: `delete` must be true or false.")
    return bool(found)


def line_number(digits: str, what: str) -> int:
    """The line number in `digits`. Raises PatchError for more digits than any file needs."""
    if len(digits) > _LONGEST_NUMBER:
        raise PatchError(f"{what} names a line that no file has.")
    return int(digits)


_ANCHOR = re.compile(rf"([0-9]+)#([{LETTERS}]{{2}})")
_OF_NO_LINE = re.compile(rf"[^0-9#][^#]*#([{LETTERS}]{{2}})")
"""An anchor whose model wrote the line's text where its number belongs."""
_DECORATION = re.compile(r"^(?:>>>|[+-])\s*")
_KINDS: dict[str, Kind] = {"replace": "replace", "append": "after", "prepend": "before"}
FIELDS_OF_EDITS = ("op", "pos", "end", "lines", "loc", "content")
LONGEST_ANCHOR = 2_000
"""Characters of an anchor that are read."""


def read_h2(patch: str) -> list[Call]:
    """The call as oh-my-openagent reads it. Anchors may be decorated as views decorate lines. Raises PatchError."""
    fields = fields_of_call(patch, ("filePath", "path", "edits", "delete", "rename", "move"))
    path, moved_to = _first_text(fields, "filePath", "path"), _first_text(fields, "rename", "move")
    deletes = is_deleted(fields)
    edits = [_edit(edit, f"edit {n}") for n, edit in enumerate(edits_of_call(fields, FIELDS_OF_EDITS), 1)]
    if deletes and (edits or moved_to):
        raise PatchError("a file that is deleted takes neither edits nor a new name.")
    if not edits and not deletes and not moved_to:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), path, is_deleted=deletes, moved_to=moved_to)]


def kind_and_fields(edit: dict[str, Any], what: str) -> tuple[Kind, dict[str, Any]]:
    """The kind of an edit, and the edit in the fields `op`, `pos`, `end` and `lines`. Raises PatchError."""
    edit = _in_four_fields(edit, what)
    kind = _KINDS.get(edit["op"]) if isinstance(edit.get("op"), str) else None
    if kind is None:
        raise PatchError(f"{what}: `op` must be replace, append or prepend.")
    if "lines" not in edit:
        raise PatchError(f"{what}: `lines` is missing; null deletes.")
    return kind, edit


def _in_four_fields(edit: dict[str, Any], what: str) -> dict[str, Any]:
    if "loc" not in edit:
        return edit
    if not edit.keys() <= {"loc", "content"}:
        raise PatchError(f"{what} has `loc`, which goes with `content` alone.")
    loc, lines = edit["loc"], {"lines": edit["content"]} if "content" in edit else {}
    if loc in ("append", "prepend"):
        return {"op": loc, **lines}
    if isinstance(loc, dict) and len(loc) == 1:
        [(name, at)] = loc.items()
        if name in ("append", "prepend"):
            return {"op": name, "pos": at, **lines}
        if name == "line":
            return {"op": "replace", "pos": at, **lines}
        if name in ("range", "block") and isinstance(at, dict) and at.keys() == {"pos", "end"}:
            return {"op": "replace", **at, **lines}
    raise PatchError(f"{what}: `loc` must be append, prepend, or an object with one of append, prepend, line or range.")


def _edit(edit: dict[str, Any], what: str) -> LineEdit:
    kind, edit = kind_and_fields(edit, what)
    new = lines_of(edit["lines"], what)
    first, last = _anchor(edit, "pos", what), _anchor(edit, "end", what)
    if kind == "replace":
        if first is None and last is None:
            raise PatchError(f"{what}: replace needs an anchor in `pos`.")
        return LineEdit(kind, first or last, last, new)
    if not new:
        raise PatchError(f"{what}: {edit['op']} needs lines that are not empty.")
    return LineEdit(kind, first or last, None, new)


def lines_of(value: Any, what: str) -> tuple[str, ...]:
    """The new lines in a list of strings, each split at line feeds, or in one string. Raises PatchError."""
    if value is None:
        return ()
    pieces = value if isinstance(value, list) else [value]
    if not all(isinstance(piece, str) for piece in pieces):
        raise PatchError(f"{what}: `lines` must be a list of texts, a text, or null.")
    return tuple([line for piece in pieces for line in piece.replace("\r\n", "\n").split("\n")])


def _anchor(edit: dict[str, Any], key: str, what: str) -> Anchor | None:
    written = optional_text(edit, key, what)
    if written is None or not written.strip():
        return None
    plain = _DECORATION.sub("", written[:LONGEST_ANCHOR].strip()).partition("|")[0]
    plain = "#".join([piece.strip() for piece in plain.split("#", 1)])
    found = _ANCHOR.fullmatch(plain) or _ANCHOR.search(plain)
    if found is None:
        hash = _OF_NO_LINE.fullmatch(plain)
        message = f"{what}: `{key}` must be LINE#HASH as read shows it, such as 12#VK, not {written!a:.80}."
        raise NoSuchAnchor(message, hash[1] if hash else "")
    return Anchor(line_number(found[1], what), found[2])


_OH_MY_PI_ANCHOR = re.compile(rf"\s*[>+-]*\s*([0-9]+)\s*#\s*([{LETTERS}]{{2}})")


def read_h2_oh_my_pi(patch: str) -> list[Call]:
    """The call as oh-my-pi reads it. Raises PatchError.

    An anchor may have any text behind it. `end` takes precedence over `pos` in `prepend`. An insertion of no lines
    inserts a blank one.
    """
    fields = fields_of_call(patch, ("path", "filePath", "edits", "delete", "move", "rename"))
    path, moved_to = _first_text(fields, "path", "filePath"), _first_text(fields, "move", "rename")
    if is_deleted(fields):
        return [Call(path=path, is_deleted=True)]
    edits = [_oh_my_pi_edit(edit, f"edit {n}") for n, edit in enumerate(edits_of_call(fields, FIELDS_OF_EDITS), 1)]
    if not edits and not moved_to:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), path, moved_to=moved_to)]


def _oh_my_pi_edit(edit: dict[str, Any], what: str) -> LineEdit:
    kind, edit = kind_and_fields(edit, what)
    new = _oh_my_pi_lines(edit["lines"], what)
    first, last = (_oh_my_pi_anchor(edit, key, what) for key in ("pos", "end"))
    if kind == "replace":
        if first is None and last is None:
            raise PatchError(f"{what}: replace needs an anchor in `pos` or `end`.")
        return LineEdit(kind, first or last, last if first else None, new)
    ends = (first, last) if kind == "after" else (last, first)
    return LineEdit(kind, ends[0] or ends[1], None, new or ("",))


def _oh_my_pi_lines(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value.removesuffix("\n").replace("\r", "").split("\n"))
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise PatchError(f"{what}: `lines` must be a list of texts, a text, or null.")
    return tuple(value)


def _oh_my_pi_anchor(edit: dict[str, Any], key: str, what: str) -> Anchor | None:
    written = optional_text(edit, key, what)
    if not written:
        return None
    found = _OH_MY_PI_ANCHOR.match(written[:LONGEST_ANCHOR])
    if found is None:
        raise PatchError(f"{what}: `{key}` must be LINE#HASH as read shows it, such as 12#VK, not {written!a:.80}.")
    return Anchor(line_number(found[1], what), found[2])


LAST = Anchor(0)
"""The address `$`: the last line of the text."""
_FIRST = Anchor(1)
_MOST_COMMANDS = 1_000
_LONGEST_ADDRESS = 100
_ONE = r"(?:([0-9]{1,12})\|([\w-]{2})\||\$)"
_ADDRESS = re.compile(rf"\s*{_ONE}\s*(?:,\s*{_ONE}\s*)?", re.ASCII)
_COMMANDS: dict[str, Kind] = {"a": "after", "i": "before", "c": "replace", "d": "replace"}


def read_commands(patch: str) -> list[Call]:
    """The call as exhash reads it: the numbers of an edit count the lines that the edits before it leave.

    Commands with patterns (`s`, `g`, `m`, ...) are refused: exhash matches them with its own engine. Raises PatchError.
    """
    fields = fields_of_call(patch, ("path", "cmds"))
    commands = fields.get("cmds")
    if not isinstance(commands, list) or not commands:
        raise PatchError("`cmds` must be a list of commands.")
    if len(commands) > _MOST_COMMANDS:
        raise PatchError(f"the call has {len(commands)} commands; at most {_MOST_COMMANDS} are read.")
    edits = [_command(command, f"command {n}") for n, command in enumerate(commands, 1)]
    return [Call(tuple(edits), optional_text(fields, "path", "the call"))]


def read_exhash(patch: str) -> list[Call]:
    """The call with line numbers of the text before its first edit. Raises PatchError.

    Refused are addresses of lines that the call itself has written, and addresses without a hash.
    """
    [call] = read_commands(patch)
    made = list[tuple[int, int, int]]()
    edits = [_of_the_first_text(edit, made, n) for n, edit in enumerate(call.edits, 1)]
    return [Call(tuple(edits), call.path)]


def _command(command: Any, what: str) -> LineEdit:
    if not isinstance(command, list) or not all(isinstance(field, str) for field in command) or len(command) < 2:
        raise PatchError(f"{what} must be a list of texts: an address, a, i, c or d, and the lines.")
    address, op, *texts = command
    if op not in _COMMANDS:
        raise PatchError(f"{what}: {op!a:.20} is not read; a, i, c and d are.")
    if len(texts) != (op != "d"):
        raise PatchError(f"{what}: {op} takes {'no lines' if op == 'd' else 'one text with its lines'}.")
    new = tuple([line.removesuffix("\r") for line in texts[0].split("\n")]) if texts else ()
    if address.strip() == "0|AA|" and op in "ai":
        return LineEdit("before", None, None, new)
    first, last = _ends(address, what)
    if _COMMANDS[op] == "replace" or last is None:
        return LineEdit(_COMMANDS[op], first, last, new)
    return LineEdit(_COMMANDS[op], last if op == "a" else first, None, new)


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
    """The edit with line numbers of the text before the call.

    `made` has (first line, number of old lines, number of new lines) of each edit above. This edit is appended.
    """
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
    """The number that `line` had before the edits in `made`."""
    for start, n_old, n_new in reversed(made):
        if start <= line < start + n_new:
            raise PatchError(
                f"command {n} names line {line}, which the call has made itself: write it once, as it shall be."
            )
        if line >= start + n_new:
            line += n_old - n_new
    return line
