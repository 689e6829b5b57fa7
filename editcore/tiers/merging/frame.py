"""The frame test: whether new text is indented like the search text, or already like the file.

    search text  |x = 1          file  |    x = 1        new text, in the frame of the search text  |if a:
                                                                                                     |    x = 1
                                                         new text, in the frame of the file         |    if a:
                                                                                                     |        x = 1

The first line and the outermost indentation decide; where they do not, the lines that search text and new text share.
New text in the frame of the search text is re-indented: by the whitespace that every line of the file has more (or
less), else by the one indentation of the file that stands for each of the search text. What fits neither is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Pair = tuple[str, str]
"""The indentation of a line in the search text, and that of the same line in the file."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How indentation of the new text becomes indentation of the file."""

    added: str = ""
    """Whitespace that the file has more before every line."""
    removed: str = ""
    """Whitespace that it has less."""
    table: dict[str, str] | None = None
    """Indentation of the edit -> of the file, where the difference is no even shift."""
    first: Pair | None = None
    """The indentation of the first line, where this line alone is off in another way."""
    is_local: bool = False
    """Whether no rule holds for all lines: the nearest kept lines above and below decide, where they agree."""

    def indent(self, written: str, *, is_first: bool = False) -> str | None:
        """The file's indentation for one of the new text; None where it is not certain."""
        if is_first and self.first and written == self.first[0]:
            return self.first[1]
        if self.table is not None:
            return self.table.get(written)
        return None if self.is_local else shifted(written, self)


def shifted(written: str, by: Frame) -> str | None:
    """An indentation with whitespace added or removed at its start; None where it has not that much."""
    return by.added + written[len(by.removed) :] if written.startswith(by.removed) else None


AS_WRITTEN = Frame()
"""The frame of the file: the new text is indented as it should be."""


def frame_of(pairs: Sequence[Pair], shared: Sequence[tuple[str, str, str]], new: Sequence[str]) -> Frame | None:
    """The frame of a new text; None where it is not certain.

    `pairs` are those of all lines of the place, `shared` the indentation in new text, search text and file of each
    line that the edit keeps, `new` the indentation of each line of the new text.
    """
    if all(old == there for old, there in pairs) or not new:
        return AS_WRITTEN
    is_like_file = _by_ends(pairs, new)
    if not is_like_file and even(pairs) is None and len(pairs) > 1 and even(pairs[1:]) is not None:
        return _with_its_own_first_line(pairs, shared, new)
    if is_like_file is None:
        is_like_file = _by_shared_lines(shared)
    if is_like_file is None:
        is_like_file = _by_one_end(pairs, new)
    if is_like_file is None:
        return None
    return AS_WRITTEN if is_like_file else _frame_of_search(pairs)


def _with_its_own_first_line(
    pairs: Sequence[Pair], shared: Sequence[tuple[str, str, str]], new: Sequence[str]
) -> Frame | None:
    """The frame of the lines below the first, and the first line's own indentation if the new text begins like it."""
    if new[0] != pairs[0][0]:
        return frame_of(pairs[1:], shared, new)
    rest = frame_of(pairs[1:], shared[1:], new[1:])
    return None if rest is None else replace(rest, first=pairs[0])


def _by_shared_lines(shared: Sequence[tuple[str, str, str]]) -> bool | None:
    """Whether the lines that the edit keeps are indented like the file; None where they disagree, or none says so."""
    like_old = any(written == old != there for written, old, there in shared)
    like_file = any(written == there != old for written, old, there in shared)
    return like_file if like_old != like_file else None


def _by_ends(pairs: Sequence[Pair], new: Sequence[str]) -> bool | None:
    """Whether the new text is indented like the file, by its first line and its outermost one; None if uncertain."""
    old_first, there_first = pairs[0]
    old_least, there_least = (min((pair[side] for pair in pairs), key=len) for side in (0, 1))
    least = min(new, key=len)
    like_old = new[0] == old_first and least == old_least
    like_file = new[0] == there_first and least == there_least
    if like_old != like_file:
        return like_file
    if like_old:
        old, there = ({pair[side] for pair in pairs} for side in (0, 1))
        if (set(new) <= old) != (set(new) <= there):
            return set(new) <= there
        return None
    return None


def _by_one_end(pairs: Sequence[Pair], new: Sequence[str]) -> bool | None:
    """The same by the outermost indentation alone, else by the first line alone."""
    least = min(new, key=len)
    old_least, there_least = (min((pair[side] for pair in pairs), key=len) for side in (0, 1))
    for old, there, written in ((old_least, there_least, least), (*pairs[0], new[0])):
        if old != there and written in (old, there):
            return written == there
    return None


def _frame_of_search(pairs: Sequence[Pair]) -> Frame:
    """The frame of a new text that is indented like the search text."""
    shift = even(pairs)
    if shift is not None:
        return shift
    table: dict[str, str] = {}
    for old, there in pairs:
        if table.setdefault(old, there) != there:
            return Frame(is_local=True)
    return Frame(table=table) if len(set(table.values())) == len(table) else Frame(is_local=True)


def even(pairs: Sequence[Pair]) -> Frame | None:
    """The frame where the file has the same whitespace more, or less, before every line; None where it has not."""
    old, there = min(pairs, key=lambda pair: len(pair[0]))
    if there.endswith(old):
        added = there.removesuffix(old) if old else there
        return Frame(added=added) if all(one == added + other for other, one in pairs) else None
    if old.endswith(there):
        removed = old.removesuffix(there) if there else old
        return Frame(removed=removed) if all(other == removed + one for other, one in pairs) else None
    return None
