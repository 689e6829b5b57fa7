"""Edits of a call with their line numbers in a text, and that text with them made."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from editcore.anchors.blocks import block_end
from editcore.anchors.call import Call, Kind
from editcore.errors import PatchError
from editcore.text.endings import is_mostly_crlf
from editcore.text.lines import BOM
from editcore.types import Applied, Match, Reason

_MOST_BLOCKS = 100
"""Hunks of a call that leave the end of their lines to be found, each of which reads the text."""
_MOST_PASTED = 1_000_000
"""Lines that a call puts in from registers, which it may name any number of times."""
Registers = dict[str, tuple[str, ...]]
"""Name -> lines that a hunk has taken out; the empty name is that of hunks which give none."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of a text, and what they become, or what is put next to them."""

    kind: Kind
    first: int
    """1-based. Where lines are put after line 0 or before line 1, there need not be such a line."""
    last: int
    """Inclusive; the first where lines are put next to it."""
    new: tuple[str, ...]
    at: int = 0
    """The position of the edit in the call."""
    is_range: bool = False
    """Whether the call names both ends."""
    is_anchored: bool = True
    """False for lines that are put at the start or the end of the text, without naming a line of it."""

    @property
    def n_lines(self) -> int:
        """The number of lines that are replaced."""
        return self.last - self.first + 1 if self.kind == "replace" else 0


def resolved(call: Call, lines: Sequence[str], registers: Registers, *, in_order: bool = True) -> list[Change]:
    """The changes of a call in a text of these lines, which its numbers are for. Raises PatchError.

    Registers are read after they were written by an edit above or, unless `in_order`, by any.
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
    return Change(
        change.kind, change.first, change.last, registers[register], change.at, change.is_range, change.is_anchored
    )


def check_lines(changes: Iterable[Change], n_lines: int) -> None:
    """Raise PatchError for a change that names a line which the text does not have, or ends above its start."""
    for change in changes:
        for line in (change.first, change.last) if change.is_anchored else ():
            if not 1 <= line <= n_lines:
                raise no_such_line(line, n_lines)
        if change.first > change.last:
            raise PatchError(f"the range ends at line {change.last}, above its start at line {change.first}.")


def named_lines(changes: Iterable[Change]) -> Iterator[int]:
    """The 1-based lines that changes replace or stand next to; none of those at the ends of the text."""
    for one in changes:
        if one.is_anchored:
            yield from range(one.first, one.last + 1)


def check_shown(changes: Iterable[Change], shown: Sequence[tuple[int, int]] | None) -> None:
    """Raise PatchError for a line that was not among the lines shown, from the first to the last of each pair.

    The text must have all lines of the changes. None is all of them.
    """
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
    """The error for a line that is not in the text."""
    return PatchError(f"Line {line} does not exist (file has {n_lines} lines)", reason=Reason.NOT_FOUND)


def made(lines: Sequence[str], changes: Iterable[Change]) -> list[str]:
    """The lines after the changes, each at its numbers, in the order given: bottom-up, if all are to be right."""
    found = list(lines)
    for change in changes:
        start = change.first - (change.kind != "after")
        found[start : start + change.n_lines] = change.new
    return found


def written(text: str, changes: Sequence[Change], name: str) -> Applied:
    """The text with changes that share no line, and whose lines it has, all at once.

    Lines that stay keep their endings, and new ones get that of the first line they replace or of the one they are put
    next to. Whether the text ends in a line feed does not change.
    """
    mark = BOM if text.startswith(BOM) else ""
    pieces = [f"{line}\n" for line in text.removeprefix(BOM).split("\n")]
    pieces[-1] = pieces[-1][:-1]
    if not pieces[-1]:
        pieces.pop()
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
    return Applied(mark + content, _matches(pieces, changes, len(mark), name), name)


def _ending(pieces: Sequence[str], n: int, usual: str) -> str:
    """The line ending of line `n`, or of the one above where it has none."""
    for at in (n - 1, n - 2):
        if 0 <= at < len(pieces) and pieces[at].endswith("\n"):
            return "\r\n" if pieces[at].endswith("\r\n") else "\n"
    return usual


def _apart(pieces: list[str], usual: str) -> list[str]:
    """The lines, of which each but the last ends in a line feed."""
    pieces = [piece for piece in pieces if piece]
    return [*(piece if piece.endswith("\n") else piece + usual for piece in pieces[:-1]), *pieces[-1:]]


def _ended_alike(content: str, text: str) -> str:
    """The content without its last line ending where the text has none, unless that ends a blank line."""
    if not text.removeprefix(BOM) or text.endswith("\n") or not content.endswith("\n"):
        return content
    bare = content[: -2 if content.endswith("\r\n") else -1]
    return content if not bare or bare.endswith("\n") else bare


def _matches(pieces: Sequence[str], changes: Iterable[Change], start: int, name: str) -> tuple[Match, ...]:
    """The lines that the changes replace, or stand next to."""
    starts = list(accumulate(map(len, pieces), initial=start))
    spans = {(min(one.first - 1, len(pieces)), min(one.last, len(pieces))) for one in changes}
    return tuple([Match(starts[max(first, 0)], starts[max(last, first, 0)], name) for first, last in sorted(spans)])
