"""How the apply_patch tool of OpenAI's Agents SDK for Python applies an envelope.

    patch |@@ class Basket:        Several `@@` lines narrow the search one after the other, and each must occur below
          |@@     def total():     the last. A single one is a hint that may occur nowhere, as in the cookbook.
          |-    go()
          |+    walk()

Three steps, each over the whole rest of the file: equal, without whitespace at the right, at both ends. Sections are
applied one by one: the second section of a file reads what the first one wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PureWindowsPath
from posixpath import normpath

from editcore.agents.envelopes.sections import (
    HEADERS,
    Dialect,
    Marker,
    SectionReader,
    Tree,
    is_outside,
    place_of,
    with_chunks,
)
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.text.line_index import Equality, LineIndex, exact
from editcore.types import EditResult, Reason, Rejected

_EQUALITIES: Mapping[str, Equality] = {"exact": exact, "right_trimmed": str.rstrip, "trimmed": str.strip}
_DIALECT = Dialect("The Agents SDK")


def openai_agents(files: Mapping[str, str], patch: str) -> EditResult:
    lines = [line.removesuffix("\r") for line in patch.removesuffix("\n").split("\n")]
    if lines[0] != Marker.BEGIN:
        raise PatchError(f"apply_patch input must start with '{Marker.BEGIN}'", line=1)
    if len(lines) < 2 or lines[-1] != Marker.END:
        raise PatchError(f"apply_patch input must end with '{Marker.END}'", line=len(lines))
    sections = _sections(lines[:-1])
    tree = Tree(files)
    try:
        for header, path, body, at in sections:
            _carry_out(tree, header, path, body, at)
    except PatchError as error:
        return Rejected(error.reason, error.message, files=tree.files)
    return tree.applied()


def _sections(lines: list[str]) -> list[tuple[str, str, list[str], int]]:
    """(header, path, lines below the header, 1-based line of the header) of each section."""
    found: list[tuple[str, str, list[str], int]] = []
    for number, line in enumerate(lines[1:], 2):
        header: str | None = next((one for one in HEADERS if line.startswith(one)), None)
        if header:
            found.append((header, _path(line, header, number), [], number))
        elif found:
            found[-1][2].append(line)
        else:
            raise PatchError(f"Invalid apply_patch file operation header: {line}", line=number)
    if not found:
        raise PatchError("apply_patch input must include at least one file operation", line=2)
    for header, path, body, number in found:
        if (header == Marker.DELETE) == bool(body):
            raise PatchError(f"{path}: a section has {'lines' if body else 'no lines'} below it", line=number + 1)
        if header == Marker.ADD and (wrong := next((one for one in body if not one.startswith("+")), None)) is not None:
            raise PatchError(f"Invalid Add File line: {wrong}", line=number)
        if header == Marker.UPDATE and body[0].startswith(Marker.MOVE):
            _path(body[0], Marker.MOVE, number + 1)
            if not body[1:]:
                raise PatchError(f"Update File patch for {path} must include a hunk", line=number + 1)
    return found


def _path(line: str, header: str, number: int) -> str:
    path = line.removeprefix(header).strip()
    if not path:
        raise PatchError(f"Missing path in apply_patch header: {line}", line=number)
    windows = PureWindowsPath(path)
    path = path.replace("\\", "/")
    if is_outside(path) or windows.anchor:
        raise PatchError(f"{path} is outside the workspace", line=number, reason=Reason.OUTSIDE_WORKSPACE)
    return path


def _carry_out(tree: Tree, header: str, path: str, body: list[str], at: int) -> None:
    if header == Marker.ADD:
        if normpath(path) in tree.files:
            raise PatchError(f"{path} cannot be created: it exists", line=at, reason=Reason.NOT_ALLOWED)
        tree.write(path, "\n".join(line[1:].rstrip("\r") for line in body))
        return
    text = tree.text(path, at)
    if header == Marker.DELETE:
        tree.remove(path)
        return
    move_to = _path(body[0], Marker.MOVE, at + 1) if body[0].startswith(Marker.MOVE) else path
    hunks = [line.rstrip("\r") for line in (body[1:] if body[0].startswith(Marker.MOVE) else body)]
    lines = text.replace("\r\n", "\n").split("\n")
    reader = _Reader(tree, tree, [*hunks, Marker.END], 0, _DIALECT, above=at + len(body) - len(hunks))
    seeker = LineIndex(lines, equalities=_EQUALITIES)
    chunks = reader.hunks(path, seeker, reader.below_anchors, _place)
    after = ("\r\n" if "\r\n" in text else "\n").join(with_chunks(lines, chunks, path))
    tree.write(move_to, after)
    if normpath(move_to) != normpath(path):
        tree.remove(path)


class _Reader(SectionReader):
    def below_anchors(self, seeker: LineIndex, cursor: int) -> int:
        """The line below the lines that the texts after `@@` name."""
        first, searched = self.at, cursor
        while self.is_at("@@ ") or self.lines[self.at] == "@@":
            self.at += 1
        if self.at == first and cursor > 0:
            raise PatchError(f"{self.dialect.invalid}: {self.lines[self.at]}", line=self.number)
        anchors = [line[3:] for line in self.lines[first : self.at] if line[3:].strip()]
        for number, anchor in enumerate(anchors):
            below = _below(seeker, anchor, searched, onward=number > 0)
            if below is None and self.at - first > 1:
                raise PatchError(f"Invalid Anchor {searched}: {anchor}", line=self.number - 1, reason=Reason.NO_MATCH)
            searched = searched if below is None else below
        return searched


def _below(seeker: LineIndex, anchor: str, cursor: int, *, onward: bool) -> int | None:
    """The line under the first one from the cursor on that equals the anchor; None if there is none.

    The cursor itself if such a line is above it, unless `onward`.
    """
    for equality in ("exact", "trimmed"):
        first = next(seeker.places([anchor], equality), None)
        if first is not None and first < cursor and not onward:
            return cursor
        below = next(seeker.places([anchor], equality, start=cursor), None)
        if below is not None:
            return below + 1
    return None


def _place(seeker: LineIndex, old: list[str], cursor: int, is_end: bool) -> tuple[int, str] | None:
    """Line and equality of a block: at the end of the file if that is marked and fits, else from the cursor on."""
    lines = seeker.lines
    # The empty string below a final line feed is no line for a block at the end.
    n_lines = len(lines) - (not lines[-1]) if is_end else len(lines)
    starts = (max(n_lines - len(old), 0), min(cursor, n_lines)) if is_end else (cursor,)
    if not old:
        return starts[0], "exact"
    if is_end and n_lines < len(lines):
        seeker = LineIndex(lines[:n_lines], equalities=_EQUALITIES)
    return place_of(seeker, old, _EQUALITIES, starts)


RULES: dict[str, Rule] = {"openai_agents": openai_agents}
