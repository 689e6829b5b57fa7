"""Views of anchored formats: the lines of a file as they are shown, their hashes, and well written calls.

    hashline_h2    12#VK|text            two of sixteen letters hash the line without whitespace at its end; the line
                                         number is hashed too if the line has no letter or digit
    hashline_h4    [a.py#3AE6], 12:text  four hexadecimal digits hash the text without whitespace at the ends of lines
    exhash         12|vN|text            two letters of Base64url: twelve bits of the CRC-32 of the line as it is

xxhash is imported with the first hash: programs that apply other edits need not install it.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from editcore.anchors.calls import Change, Kind
from editcore.errors import UsageError, did_you_mean
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE

LETTERS = "ZPMQVRWSNKTXJBYH"
"""The digits of H2, from 0 to 15."""
BASE64URL = f"{string.ascii_uppercase}{string.ascii_lowercase}{string.digits}-_"
"""The digits of exhash, from 0 to 63."""
_NO_WHITESPACE = dict.fromkeys(map(ord, WHITESPACE))
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def _xxh32() -> Callable[[bytes, int], int]:
    try:
        from xxhash import xxh32_intdigest
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "anchored edits need xxhash, which is not installed: pip install 'editgauge-editcore[anchors]'",
            name="xxhash",
        ) from None
    return xxh32_intdigest


def _hashed(text: str, seed: int = 0) -> int:
    """xxHash32 of the text in UTF-8."""
    return _xxh32()(_encoded(text), seed & 0xFFFFFFFF)


def _encoded(text: str) -> bytes:
    # The programs are written in JavaScript, which encodes a lone surrogate as U+FFFD.
    return (text if text.isascii() else _SURROGATE.sub("\ufffd", text)).encode()


def squeezed(line: str) -> str:
    """The line without its whitespace."""
    return line.translate(_NO_WHITESPACE)


def h2_hash(line: str, number: int) -> str:
    """The two letters of H2 for a line and its 1-based number."""
    return _h2_letters(line.replace("\r", "").rstrip(WHITESPACE), number)


def h2_loose_hash(line: str, number: int) -> str:
    """The two letters that H2 accepts besides `h2_hash`: the hash of the line without any whitespace."""
    return _h2_letters(squeezed(line), number)


def _h2_letters(line: str, number: int) -> str:
    # Brackets alone have the same text in many lines: their number tells them apart.
    value = _hashed(line, 0 if any(map(str.isalnum, line)) else number)
    return LETTERS[value >> 4 & 15] + LETTERS[value & 15]


def h4_tag(text: str) -> str:
    """The four hexadecimal digits of H4 for a text."""
    lines = _line_feeds(text.removeprefix(BOM)).split("\n")
    return f"{_hashed(chr(10).join([line.rstrip(' ' + chr(9)) for line in lines])) & 0xFFFF:04X}"


def gptme_tag(text: str) -> str:
    """The eight hexadecimal digits of gptme for a text, with every line ending read as a line feed."""
    return hashlib.sha256(_line_feeds(text).encode("utf-8", "surrogatepass")).hexdigest()[:8].upper()


def _line_feeds(text: str) -> str:
    return line_feeds(text).replace("\r", "\n")


def tags(text: str) -> tuple[str, str]:
    """The hashes by which H4 may name a text: oh-my-pi's and gptme's."""
    return h4_tag(text), gptme_tag(text)


def exhash_hash(line: str) -> str:
    """The two letters of exhash. The byte order mark of a text is part of its first line."""
    value = zlib.crc32(_encoded(line)) & 0xFFF
    return BASE64URL[value >> 6] + BASE64URL[value & 63]


def split_lines(text: str) -> list[str]:
    """The lines of the text without its byte order mark and the carriage returns of its CRLFs.

    "a\\n" has two lines, "a" and "": an empty line after the last line feed is called the phantom line.
    """
    return line_feeds(text.removeprefix(BOM)).split("\n")


def ended_lines(text: str) -> list[str]:
    """`split_lines` without the phantom line; an empty text has no lines."""
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]


def shown_lines(text: str, view: str) -> list[str]:
    """`split_lines` as a view shows them: in exhash, the first line begins with the byte order mark."""
    lines = split_lines(text)
    return [BOM + lines[0], *lines[1:]] if view == "exhash" and text.startswith(BOM) else lines


@dataclass(frozen=True, slots=True)
class _View:
    prefix: Callable[[Sequence[str], int], str]
    """(all lines, a 1-based number) -> the text before the line."""
    tag: Callable[[str], str] | None = None
    """Text -> the hash in the view's first line, which also has the path. None: the view has no such line."""
    has_phantom: bool = False
    """True if the phantom line is shown."""


_VIEWS: Mapping[str, _View] = MappingProxyType(
    {
        "hashline_h2": _View(lambda lines, n: f"{n}#{h2_hash(lines[n - 1], n)}|", has_phantom=True),
        "hashline_h2_oh_my_pi": _View(lambda lines, n: f"{n}#{h2_hash(lines[n - 1], n)}:", has_phantom=True),
        "hashline_h4": _View(lambda _, n: f"{n}:", h4_tag),
        "hashline_h4_gptme": _View(lambda _, n: f"{n:4}\t", gptme_tag),
        "exhash": _View(lambda lines, n: f"{n:{len(str(len(lines) - (not lines[-1])))}}|{exhash_hash(lines[n - 1])}|"),
    }
)
VIEWS = tuple(_VIEWS)
"""Names of the views. Two formats are shown in a second way by another program."""


def show(text: str, view: str, *, path: str = "file", first: int = 1, last: int | None = None) -> str:
    """The lines `first` to `last` (1-based, inclusive; default: all) of a file, as the view shows them.

    Only H4 shows the path. Raises UsageError if there is no such view.
    """
    if view not in _VIEWS:
        raise UsageError(f"There is no view {view!r}", f"{did_you_mean(view, VIEWS)}Choose from: {', '.join(VIEWS)}.")
    lines = shown_lines(text, view)
    n_lines = len(lines) - (not _VIEWS[view].has_phantom and not lines[-1])
    numbers = range(max(first, 1), min(n_lines if last is None else last, n_lines) + 1)
    return "\n".join([*header(text, view, path), *(f"{prefix(lines, view, n)}{lines[n - 1]}" for n in numbers)])


def header(text: str, view: str, path: str) -> list[str]:
    """The first line of a view with the path and the hash of the text; an empty list if the view has none."""
    tag = _VIEWS[view].tag
    return [] if tag is None else [f"[{path}#{tag(text)}]"]


def prefix(lines: Sequence[str], view: str, n: int) -> str:
    """The text before the 1-based line `n` in a view. `lines` are `shown_lines` of the text."""
    return _VIEWS[view].prefix(lines, n)


_OPS = {"replace": "replace", "after": "append", "before": "prepend"}


def write_call(format: str, text: str, changes: Sequence[Change], *, path: str) -> str:
    """The call in an anchored format that makes the changes. They must be in order, apart, and within the text."""
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
    """The anchor of the 1-based line `n`: `12#VK`, `12` in H4, `12|vN|` in exhash. `lines` are `shown_lines`."""
    shown = prefix(lines, format, n).lstrip()
    return shown if format == "exhash" else shown.rstrip("|:")


def _operation(change: Change, lines: Sequence[str]) -> dict[str, object]:
    edit: dict[str, object] = {"op": _OPS[change.kind]}
    if change.is_anchored:
        edit["pos"] = anchor_of("hashline_h2", lines, change.first)
    if change.last != change.first:
        edit["end"] = anchor_of("hashline_h2", lines, change.last)
    return {**edit, "lines": list(change.new)}


def _command(change: Change, lines: Sequence[str]) -> list[str]:
    # The commands of a call are written bottom-up: line numbers do not shift.
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
    """The changes of whole lines from `before` to `after`, one for each stretch of lines in their diff."""
    old, new = ("\n".join(split_lines(text)) for text in (before, after))
    found = list[Change]()
    for at, (first, last, text) in enumerate(changed_ranges(old, new)):
        lines = tuple(ended_lines(text))
        if last >= first:
            found.append(Change("replace", first, last, lines, at))
        else:
            kind: Kind = "after" if last else "before"
            line = max(last, 1)
            found.append(Change(kind, line, line, lines, at, is_anchored=bool(old)))
    return found
