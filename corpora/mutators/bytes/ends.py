"""Characters that some programs take for line ends or drop, and line endings that differ within the span of an edit."""

from __future__ import annotations

from random import Random

from corpora.mutators.bytes.odd_file import OddFile, among_comments, mutators_of
from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Mutator
from corpora.mutators.spans import is_unique
from editcore.types import Edit


def _with_comments(said: list[str], clean: CleanEdit, random: Random) -> OddFile | None:
    found = among_comments(clean, said, random)
    if found is None:
        return None
    return OddFile(found.path, found.content, found.target, Edit(clean.old, clean.new), is_plain=True)


def bom_mid_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Comments hold a byte order mark, as files do that were joined; degree is the number of them."""
    return _with_comments([f"\ufeffpart {n}" for n in range(degree)], clean, random)


def lone_cr(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Comments hold a lone carriage return; degree is the number of them."""
    return _with_comments([f"one\rtwo {n}" for n in range(degree)], clean, random)


def mixed_region(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Lines of the span end in CRLF and LF by turns, and each keeps its own; degree is the share with CRLF."""
    lines, new = clean.lines, clean.new.split("\n")
    is_odd = "\r" in clean.content + clean.new or not clean.whole_lines or not is_unique(clean)
    if is_odd or len(lines) < 2 or len(lines) != len(new) or clean.old == clean.new:
        return None
    ends = ["\r\n" if random.random() < degree / 6 else "\n" for _ in lines[1:]]
    if len(set(ends)) < 2 and len(ends) > 1:
        ends[0], ends[-1] = "\r\n", "\n"
    below = clean.content[clean.end :]
    before, target = (_joined(one, ends) for one in (lines, new))
    if before == clean.old:
        return None
    above, edit = clean.content[: clean.start], Edit(clean.old, clean.new)
    return OddFile(clean.path, above + before + below, above + target + below, edit, is_plain=True, block=before)


def _joined(lines: list[str], ends: list[str]) -> str:
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *mutators_of(bom_mid_file),
    *mutators_of(lone_cr),
    *mutators_of(mixed_region),
)
