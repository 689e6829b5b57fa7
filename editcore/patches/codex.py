"""Applying an envelope exactly as Codex 0.169 does, for comparison.

The first match wins, by four equalities, each over the rest of the file. A hunk without old lines is appended to the
file. Every file ends in a line feed afterwards. Each section is applied to the result of the previous ones, which
stays if a later one fails (`Rejected.files`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from posixpath import normpath

from editcore.errors import PatchError
from editcore.quoting import quoted
from editcore.text.line_index import LineIndex
from editcore.types import Applied, EditResult, FilePatch, Hunk, Landing, Reason, Rejected

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
EQUALITIES = ("exact", "right_trimmed", "trimmed", "folded")
"""Equalities of lines, strictest first."""
_SHOWN = 300


def apply_sections(files: Mapping[str, str], sections: Sequence[FilePatch]) -> EditResult:
    """Apply sections in order. If one fails, `Rejected.files` has the result of the sections before it."""
    after = dict(files)
    landings: list[Landing] = []
    try:
        if not sections:
            raise PatchError("No files were modified: the patch has no sections.")
        for section in sections:
            _apply(after, section, landings)
    except PatchError as error:
        return Rejected(error.reason, error.message, files=after)
    return Applied(files=after, landings=tuple(landings))


def _apply(files: dict[str, str], section: FilePatch, landings: list[Landing]) -> None:
    path = normpath(section.path)
    if section.action == "add":
        files[path] = "".join(line[1:] + "\n" for hunk in section.hunks for line in hunk.lines)
        return
    if path not in files:
        raise PatchError(f"{section.path} does not exist.", line=section.patch_line, reason=Reason.NOT_FOUND)
    if section.action == "delete":
        del files[path]
        return
    text = _updated(files[path], section, landings)
    files[normpath(section.move_to) if section.move_to is not None else path] = text
    if section.move_to is not None:
        # A move onto itself deletes the file, as in Codex.
        del files[path]


Seek = Callable[[LineIndex, list[str], int, bool], tuple[int, str] | None]
"""(index of the file's lines, block, first line to look at, True at the marked end) -> line and equality, or None."""


def placed_hunks(
    index: LineIndex,
    section: FilePatch,
    landings: list[Landing],
    seek: Seek,
    *,
    end: int,
    seek_anchor: Seek | None = None,
    below_anchor: bool = False,
) -> list[tuple[int, Hunk]]:
    """(0-based line, hunk) of each hunk of an update, each at the first place below the previous one. Raises
    PatchError.

    Hunks that only add lines go to line `end`; with `below_anchor`, below their anchor. A hunk whose last line is
    blank, and that is found only without it, loses it.
    """
    found: list[tuple[int, Hunk]] = []
    cursor = 0
    for number, hunk in enumerate(section.hunks, 1):
        for anchor in hunk.anchors:
            place = (seek_anchor or seek)(index, [anchor], cursor, False)
            if place is None:
                message = f"Failed to find context {anchor!r} in {section.path}."
                raise PatchError(message, line=hunk.patch_line, reason=Reason.NO_MATCH)
            cursor = place[0] + 1
        old = hunk.old
        if not old:
            at = cursor if below_anchor and hunk.anchors else end
            found.append((at, hunk))
            landings.append(Landing(section.path, number, at + 1, "appended"))
            continue
        place = seek(index, old, cursor, hunk.end_of_file)
        if place is None and not old[-1]:
            hunk = _without_last_blank(hunk)
            place = seek(index, hunk.old, cursor, hunk.end_of_file)
        if place is None:
            raise lines_not_found(old, section.path, hunk.patch_line)
        at, equality = place
        found.append((at, hunk))
        landings.append(Landing(section.path, number, at + 1, equality))
        cursor = at + len(hunk.old)
    return found


def lines_not_found(lines: list[str], path: str, line: int) -> PatchError:
    """The refusal of lines that do not occur below the previous place."""
    shown = quoted("\n".join(lines[:_SHOWN]), limit=_SHOWN)
    return PatchError(f"Failed to find expected lines in {path}: {shown}", line=line, reason=Reason.NO_MATCH)


def _updated(text: str, section: FilePatch, landings: list[Landing]) -> str:
    lines, ends = _split(text)
    return _joined(lines, ends, placed_hunks(LineIndex(lines), section, landings, _seek, end=len(lines)))


def _seek(index: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    if not block:
        return cursor, "exact"  # A hunk of one blank line that was dropped: it is where the search begins.
    last = len(index.lines) - len(block)
    for equality in EQUALITIES:
        if end_of_file:
            at = last if last >= cursor and index.matches_at(block, equality, last) else None
        else:
            at = next(index.places(block, equality, start=cursor), None)
        if at is not None:
            return at, equality
    return None


def _without_last_blank(hunk: Hunk) -> Hunk:
    """The hunk without its last old line, a blank one, and without its last new line if that is blank, too."""
    marks = [line[0] for line in hunk.lines]
    last_old = max(n for n, mark in enumerate(marks) if mark != "+")
    last_new = max((n for n, mark in enumerate(marks) if mark != "-"), default=-1)
    marks[last_old] = "+" if marks[last_old] == " " else ""
    if hunk.new and not hunk.new[-1]:
        marks[last_new] = "-" if marks[last_new] == " " else ""
    lines = (mark + line[1:] for mark, line in zip(marks, hunk.lines, strict=True) if mark)
    return replace(hunk, lines=tuple(lines))


def _split(text: str) -> tuple[list[str], list[str]]:
    """The lines, and their line endings (LF, CRLF, CR, or "" for the last)."""
    if "\r" not in text:
        lines = text.split("\n")
        ends = ["\n"] * (len(lines) - 1) + [""]
        return (lines, ends) if lines[-1] else (lines[:-1], ends[:-1])
    pairs = [pair for pair in _LINE.findall(text) if pair != ("", "")]
    return [line for line, _ in pairs], [end for _, end in pairs]


def _joined(lines: list[str], ends: list[str], placed: list[tuple[int, Hunk]]) -> str:
    """The text afterwards. Lines added at one place are in the order of their hunks in the patch.

    Lines that replace others are added at the first of them, above lines that are appended below the last.
    """
    first = next((end for end in ends if end), "\n")
    removed: set[int] = set()
    added: dict[int, list[str]] = {}
    for at, hunk in placed:
        for is_context, run in groupby(hunk.lines, key=lambda line: line[0] == " "):
            changed = list(run)
            if not is_context:
                new = [line[1:] + first for line in changed if line[0] == "+"]
                added.setdefault(at, []).extend(new)
            n_old = sum(line[0] != "+" for line in changed)
            removed.update(() if is_context else range(at, at + n_old))
            at += n_old
    if ends:
        ends = [*ends[:-1], ends[-1] or first]
    out: list[str] = []
    done = 0
    for at in sorted({*removed, *added}):
        out += chain.from_iterable(zip(lines[done:at], ends[done:at], strict=True))
        out += added.get(at, ())
        done = at + (at in removed)
    out += chain.from_iterable(zip(lines[done:], ends[done:], strict=True))
    return "".join(out)
