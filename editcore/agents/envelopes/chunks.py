"""What a hunk changes, as the cookbook's parser and all that grew out of it keep it: runs of lines that go and come.

    hunk | a       old lines |a|b|c|       chunks    at line 1 of them, 1 line goes, |B| comes
         |-b
         |+B
         | c

A chunk ends at the next line of context, so context is looked for and never written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editcore.errors import PatchError
from editcore.text.line_index import LineIndex
from editcore.types import Reason


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines that go, and those that come in their place."""

    at: int
    """0-based: counted from the first old line of the hunk, or of the file once the hunk is placed."""
    n_old: int
    new: list[str]

    def placed(self, line: int) -> Chunk:
        """The chunk of a hunk that was found at a 0-based line of the file."""
        return Chunk(self.at + line, self.n_old, self.new)


def chunks_of(lines: Iterable[tuple[str, str]]) -> tuple[list[str], list[Chunk]]:
    """The old lines of a hunk, and its chunks; each line is given as its mark ("+", "-" or " ") and its text."""
    old: list[str] = []
    chunks: list[Chunk] = []
    gone, come, was_kept = 0, list[str](), True
    for mark, text in lines:
        if mark == " " and not was_kept:
            chunks.append(Chunk(len(old) - gone, gone, come))
            gone, come = 0, []
        was_kept = mark == " "
        if mark == "+":
            come.append(text)
        else:
            old.append(text)
            gone += mark == "-"
    if gone or come:
        chunks.append(Chunk(len(old) - gone, gone, come))
    return old, chunks


def place_of(
    seeker: LineIndex, old: Sequence[str], steps: Iterable[str], starts: Iterable[int]
) -> tuple[int, str] | None:
    """The first place of old lines and its step: all steps from the first start on, then from the next one."""
    steps = tuple(steps)
    for start in starts:
        for step in steps:
            at = next(seeker.places(old, step, start=start), None)
            if at is not None:
                return at, step
    return None


def with_chunks(lines: Sequence[str], chunks: Iterable[Chunk], path: str) -> list[str]:
    """The lines with placed chunks applied. Raises PatchError unless they follow one another within the file."""
    out: list[str] = []
    done = 0
    for one in chunks:
        if one.at > len(lines):
            raise PatchError(f"{path}: a chunk at line {one.at + 1} lies below the end.", reason=Reason.NO_MATCH)
        if one.at < done:
            raise PatchError(f"{path}: overlapping chunks at {done} > {one.at}", reason=Reason.AMBIGUOUS)
        out += [*lines[done : one.at], *one.new]
        done = one.at + one.n_old
    return out + list(lines[done:])
