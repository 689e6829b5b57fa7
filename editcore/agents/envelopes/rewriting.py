"""Blocks of lines replaced by others, context too: what Codex did before 0.169, and OpenCode does.

    file  |  a       hunk  | a        written  |a
          |  b             |-b                 |B
                           |+B

The block is found by ever looser comparison, from the last one on; the first place is taken. What is written is the
patch's own text, also for lines of context, so that a loose match changes lines that the patch does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from editcore.agents.envelopes.chunks import place_of
from editcore.agents.envelopes.trees import Tree, not_found
from editcore.errors import PatchError
from editcore.text.line_index import EQUALITIES, Equality, LineIndex
from editcore.types import FilePatch, Landing, Reason

STEPS = ("exact", "right_trimmed", "trimmed", "folded")

Seek = Callable[[LineIndex, list[str], int, bool], tuple[int, str] | None]
"""(lines of the file, block, first line to look at, whether it is the end of the file) -> line and step, or None."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines that replace others."""

    at: int
    n_old: int
    new: list[str]


def first_place(seeker: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    """The first place from the cursor on, all of the file at one step before the next; only the end if that is said."""
    if not block:
        return cursor, "exact"
    start = max(len(seeker.lines) - len(block), 0) if end_of_file else cursor
    return place_of(seeker, block, STEPS, (start,))


def updated(
    text: str,
    section: FilePatch,
    tree: Tree,
    *,
    steps: Mapping[str, Equality] = EQUALITIES,
    seek: Seek = first_place,
    above_blank: bool = True,
    keeps_final: bool = False,
) -> str:
    """A text with the hunks of an update applied at their first places; it ends in a line feed.

    With `keeps_final` that of the text stays also where its last line is blank after the update.
    """
    lines = text.split("\n")
    had_final = not lines[-1]
    if had_final:
        lines.pop()
    after = replaced(lines, section, seek, tree, steps=steps, above_blank=above_blank)
    if (had_final and keeps_final) or not after or after[-1]:
        after.append("")
    return "\n".join(after)


def replaced(
    lines: list[str],
    section: FilePatch,
    seek: Seek,
    tree: Tree,
    *,
    steps: Mapping[str, Equality] = EQUALITIES,
    above_blank: bool = True,
) -> list[str]:
    """The lines with the hunks of an update applied. Raises PatchError for one that is not found.

    Lines without context are added at the end, with `above_blank` above a blank last line.
    """
    seeker = LineIndex(lines, equalities=steps)
    found: list[Replacement] = []
    cursor = 0
    for number, hunk in enumerate(section.hunks, 1):
        for anchor in hunk.anchors:
            place = seek(seeker, [anchor], cursor, False)
            if place is None:
                raise PatchError(
                    f"Failed to find context {anchor!r} in {section.path}.",
                    line=hunk.patch_line,
                    reason=Reason.NO_MATCH,
                )
            cursor = place[0] + 1
        old, new = hunk.old, hunk.new
        if not old:
            at = len(lines) - 1 if above_blank and lines and not lines[-1] else len(lines)
            found.append(Replacement(at, 0, new))
            tree.landings.append(Landing(section.path, number, at + 1, "appended"))
            continue
        place = seek(seeker, old, cursor, hunk.end_of_file)
        if place is None and not old[-1]:
            old = old[:-1]
            new = new[:-1] if new and not new[-1] else new
            place = seek(seeker, old, cursor, hunk.end_of_file)
        if place is None:
            raise not_found(hunk.old, section.path, hunk.patch_line)
        at, step = place
        found.append(Replacement(at, len(old), new))
        tree.landings.append(Landing(section.path, number, at + 1, step))
        cursor = at + len(old)
    return _written(lines, found)


def _written(lines: Sequence[str], found: Sequence[Replacement]) -> list[str]:
    out: list[str] = []
    done = 0
    for one in sorted(found, key=lambda one: one.at):
        out += lines[done : one.at]
        out += one.new
        done = max(one.at + one.n_old, done)
    return out + list(lines[done:])
