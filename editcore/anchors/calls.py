"""Calls that name lines by their anchors, in one form for all formats, and the changes of a text that they mean.

PUT 2.=3: / +new        Call(edits=(LineEdit("replace", Anchor(2), Anchor(3), ("new",)),))
in a text of 9 lines    Change("replace", 2, 3, ("new",))
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from editcore.errors import PatchError
from editcore.text.endings import is_mostly_crlf
from editcore.text.lines import BOM, mark_of, with_feeds
from editcore.text.whitespace import indent
from editcore.types import Applied, Match, Reason


class NoSuchAnchor(PatchError):
    """The error for an anchor without a line number. `hash` is the hash that it has; "" if it has none."""

    def __init__(self, message: str, hash: str = "") -> None:
        super().__init__(message)
        self.hash = hash


Kind = Literal["replace", "before", "after"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line as a call names it."""

    line: int
    """1-based line of the text that the call was written against. No bounds are checked."""
    hash: str = ""
    """Empty in H4, whose calls have one hash for the whole text."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One edit of a call."""

    kind: Kind
    """replace: the lines from `first` to `last`; before, after: new lines next to `first`."""
    first: Anchor | None
    """None: before the first line of the text, or after its last."""
    last: Anchor | None
    """None if the edit names one line."""
    new: tuple[str, ...]
    """The new lines, without line feeds; none to delete."""
    block: bool = False
    """True if the edit is for all lines of the block that begins in `first`."""
    captured: str | None = None
    """The register that keeps the replaced lines."""
    pasted: str | None = None
    """The register that holds the new lines."""


@dataclass(frozen=True, slots=True)
class Call:
    """The part of a call for one file."""

    edits: tuple[LineEdit, ...] = ()
    path: str | None = None
    """None if the call names no file."""
    tag: str | None = None
    """The hash of the whole text that the call was written against; in H4 only."""
    is_deleted: bool = False
    moved_to: str | None = None
    """The new path of the file."""
    forgiven: tuple[str, ...] = ()
    """Names of `FORGIVEN`: deviations from the grammar that were accepted."""


FORGIVEN = (
    "range_sign", "missing_put", "cut_colon", "bare_rows", "blank_rows", "pasted_rows", "minus_rows",
    "bullets", "empty_put",
)  # fmt: skip
"""Deviations from H4's grammar that its reader accepts."""

# Ends of blocks, found as gptme finds them. A block is its first line up to the end of its brackets and strings, then
# all lines with deeper indentation, then, in Python, the clauses of the same statement (`else`, `except`).
_TOKEN = re.compile(r"\\.|\"\"\"|'''|[\"'#()\[\]{}]")
_STATEMENT = re.compile(r"(?:async\s+)?(?:def|class|if|for|while|with|try)\b")
_CLAUSE = re.compile(r"(?:elif|else|except|finally)\b")


def block_end(lines: Sequence[str], first: int) -> int:
    """The 1-based last line of the block that begins in line `first`. Raises PatchError if the block has no end."""
    if not 1 <= first <= len(lines):
        raise PatchError(f"Line {first} does not exist (file has {len(lines)} lines)")
    header = lines[first - 1]
    width, has_clauses = len(indent(header)), bool(_STATEMENT.match(header.lstrip()))
    depth, quote = _scanned(header, "")
    end = first
    for n in range(first + 1, len(lines) + 1):
        line = lines[n - 1]
        bare = line.lstrip()
        if depth > 0 or quote:
            opened, quote = _scanned(line, quote)
            depth, end = depth + opened, n
        elif not bare:
            continue
        elif len(line) - len(bare) > width:
            _, quote = _scanned(line, quote)
            end = n
        elif not bare.startswith("#"):
            if not (has_clauses and len(line) - len(bare) == width and _CLAUSE.match(bare)):
                break
            end = n
    if depth > 0 or quote:
        raise PatchError(f"the block that begins in line {first} does not end: give its last line instead.")
    return end


def _scanned(line: str, quote: str) -> tuple[int, str]:
    """The brackets that `line` opens minus those it closes, and the triple quote that is open at its end, or "".

    `quote` is the triple quote that is open before the line.
    """
    depth, short = 0, ""
    for found in _TOKEN.finditer(line):
        token = found[0]
        if quote or short:
            if token == quote:
                quote = ""
            elif token == short:
                short = ""
        elif token == "#":
            break
        elif len(token) == 3:
            quote = token
        elif token in "'\"":
            short = token
        elif token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
    return depth, quote


_MOST_BLOCKS = 100
"""Blocks in a call. Finding the end of each reads the text."""
_MOST_PASTED = 1_000_000
"""Lines that a call inserts from registers. A register may be inserted any number of times."""
Registers = dict[str, tuple[str, ...]]
"""Name -> lines that a hunk has cut out. Hunks that name no register use "" as its name."""


@dataclass(frozen=True, slots=True)
class Change:
    """A replacement of lines of a text, or an insertion next to a line."""

    kind: Kind
    first: int
    """1-based. An insertion after line 0 or before line 1 is valid in an empty text."""
    last: int
    """Inclusive; equal to `first` for an insertion."""
    new: tuple[str, ...]
    at: int = 0
    """The index of the edit in the call."""
    is_range: bool = False
    """True if the call names both ends."""
    is_anchored: bool = True
    """False for an insertion at the start or the end of the text that names no line."""

    @property
    def n_lines(self) -> int:
        """The number of replaced lines."""
        return self.last - self.first + 1 if self.kind == "replace" else 0


def resolved(call: Call, lines: Sequence[str], registers: Registers, *, in_order: bool = True) -> list[Change]:
    """The changes that `call` means in a text with these lines. Raises PatchError.

    An edit may insert the register of an edit above it; with `in_order=False`, of any edit of the call.
    """
    found = list[Change]()
    if sum(edit.block for edit in call.edits) > _MOST_BLOCKS:
        raise PatchError(f"the call has more than {_MOST_BLOCKS} hunks of blocks: give their last lines.")
    for at, edit in enumerate(call.edits):
        last = edit.last.line if edit.last else edit.first.line if edit.first else 0
        if edit.first is None:
            first = 1 if edit.kind == "before" else len(lines)
            found.append(Change(edit.kind, first, first, edit.new, at, is_anchored=False))
        elif edit.block:
            last = block_end(lines, edit.first.line)
            first = edit.first.line if edit.kind == "replace" else last
            found.append(Change(edit.kind, first, last, edit.new, at, is_range=True))
        else:
            found.append(Change(edit.kind, edit.first.line, last, edit.new, at, edit.last is not None))
        if edit.captured is not None:
            registers[edit.captured] = tuple(lines[found[-1].first - 1 : found[-1].last])
        if in_order and edit.pasted is not None:
            found[-1] = _pasted(found[-1], edit.pasted, registers)
    if not in_order:
        found = [
            change if edit.pasted is None else _pasted(change, edit.pasted, registers)
            for change, edit in zip(found, call.edits, strict=True)
        ]
    if sum(len(change.new) for change, edit in zip(found, call.edits, strict=True) if edit.pasted) > _MOST_PASTED:
        raise PatchError(f"the call puts in more than {_MOST_PASTED} lines from registers.")
    return found


def _pasted(change: Change, register: str, registers: Registers) -> Change:
    if register not in registers:
        raise PatchError(f"no hunk before this one has put lines into the register @{register}.")
    return replace(change, new=registers[register])


def check_lines(changes: Iterable[Change], n_lines: int) -> None:
    """Raise PatchError for a change outside of lines 1 to `n_lines` or with its end above its start."""
    for change in changes:
        for line in (change.first, change.last) if change.is_anchored else ():
            if not 1 <= line <= n_lines:
                raise no_such_line(line, n_lines)
        if change.first > change.last:
            raise PatchError(f"the range ends at line {change.last}, above its start at line {change.first}.")


def named_lines(changes: Iterable[Change]) -> Iterator[int]:
    """The 1-based lines that the changes replace or insert next to. Insertions without an anchor name none."""
    for one in changes:
        if one.is_anchored:
            yield from range(one.first, one.last + 1)


def check_shown(changes: Iterable[Change], shown: Sequence[tuple[int, int]] | None) -> None:
    """Raise PatchError if a change names a line that is in no pair (first, last) of `shown`. None: all were shown."""
    if shown is None:
        return
    ranges = sorted(shown)
    starts = [first for first, _ in ranges]
    reaches = list(accumulate((last for _, last in ranges), max))
    for n in named_lines(changes):
        at = bisect_right(starts, n) - 1
        if at < 0 or reaches[at] < n:
            raise PatchError(f"line {n} was not shown to you: read it before you edit it.", reason=Reason.UNREAD)


def no_such_line(line: int, n_lines: int) -> PatchError:
    """The error for a line number outside of the text."""
    return PatchError(f"Line {line} does not exist (file has {n_lines} lines)", reason=Reason.NOT_FOUND)


def made(lines: Sequence[str], changes: Iterable[Change]) -> list[str]:
    """The lines after the changes, made in the order given. Numbers do not shift: give the changes bottom-up."""
    found = list(lines)
    for change in changes:
        start = change.first - (change.kind != "after")
        found[start : start + change.n_lines] = change.new
    return found


def written(text: str, changes: Sequence[Change], name: str) -> Applied:
    """The text after all changes, which must not share lines and must be within the text.

    Unchanged lines keep their endings. New lines get the ending of the first line that they replace, or of the line
    that they are inserted next to. The text ends in a line feed if and only if it did before.
    """
    mark, pieces = mark_of(text), with_feeds(text.removeprefix(BOM))
    usual = "\r\n" if is_mostly_crlf(text) else "\n"
    before: dict[int, list[str]] = {}
    instead: dict[int, list[str]] = {}
    for change in sorted(changes, key=lambda one: one.at):
        new = [line.removesuffix("\r") + _ending(pieces, change.first, usual) for line in change.new]
        if change.kind == "replace":
            instead |= {n: [] for n in range(change.first, change.last + 1)}
            instead[change.first] = new
        else:
            before.setdefault(change.first + (change.kind == "after"), []).extend(new)
    after = list[str]()
    for n, piece in enumerate([*pieces, ""], 1):
        after += [*before.get(n, ()), *instead.get(n, [piece])]
    content = _ended_alike("".join(_apart(after, usual)), text)
    runs = sorted((one.first + (one.kind == "after"), one.n_lines, len(one.new)) for one in changes)
    return Applied(mark + content, _matches(pieces, changes, len(mark), name), name, runs=tuple(runs))


def _ending(pieces: Sequence[str], n: int, usual: str) -> str:
    """The line ending of line `n`, or of the line above if `n` has none."""
    for at in (n - 1, n - 2):
        if 0 <= at < len(pieces) and pieces[at].endswith("\n"):
            return "\r\n" if pieces[at].endswith("\r\n") else "\n"
    return usual


def _apart(pieces: list[str], usual: str) -> list[str]:
    """The pieces that are not empty; each but the last ends in a line feed, if need be the usual one."""
    pieces = [piece for piece in pieces if piece]
    return [*(piece if piece.endswith("\n") else piece + usual for piece in pieces[:-1]), *pieces[-1:]]


def _ended_alike(content: str, text: str) -> str:
    """The content, without its last line ending if `text` has none. The ending of a last blank line stays."""
    if not text.removeprefix(BOM) or text.endswith("\n") or not content.endswith("\n"):
        return content
    bare = content[: -2 if content.endswith("\r\n") else -1]
    return content if not bare or bare.endswith("\n") else bare


def _matches(pieces: Sequence[str], changes: Iterable[Change], start: int, name: str) -> tuple[Match, ...]:
    """The matches of the lines that the changes replace or insert next to; the pieces begin at offset `start`."""
    starts = list(accumulate(map(len, pieces), initial=start))
    spans = {(min(one.first - 1, len(pieces)), min(one.last, len(pieces))) for one in changes}
    return tuple([Match(starts[max(first, 0)], starts[max(last, first, 0)], name) for first, last in sorted(spans)])
