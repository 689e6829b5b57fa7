"""How the apply_patch tool of OpenAI's Agents SDK for Python applies an envelope.

    patch |@@ class Basket:        several `@@` lines narrow the search one after the other, and each must stand
          |@@     def total():     below the last; a single one is a hint that may stand nowhere, as in the cookbook
          |-    go()
          |+    walk()

Evidence: run (`peer/openai_agents`, openai-agents 0.24.0) and read (its `apply_diff.py` and `apply_patch_tool.py`).

Policy: first. Three tiers, each over the whole rest of the file: equal, without whitespace at the right, at both ends.
Line endings: CRLF throughout if the file has any, else LF. The end of a file stays as it is. Sections are carried out
one by one, so that the second one of a file reads what the first one wrote, and a failing one leaves those before it.

Known failures: an insertion without context goes to where the search begins, mostly the top of the file; lines are not
re-indented; `*** End of File` falls back to the first place, and what follows it is dropped in silence; a mixture of
line endings becomes CRLF; an added file does not end in a line feed. Its JSON form of an envelope is not rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PureWindowsPath
from posixpath import normpath

from editcore.agents.envelopes.chunks import Chunk, chunks_of, place_of, with_chunks
from editcore.agents.envelopes.trees import Tree, is_outside, not_found
from editcore.agents.rule import AgentRule
from editcore.errors import PatchError
from editcore.patches.placing.seek import Equality, Seeker, exact
from editcore.types import EditResult, Landing, Reason, Rejected

_TIERS: Mapping[str, Equality] = {"exact": exact, "right_trimmed": str.rstrip, "trimmed": str.strip}
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_HEADERS = (_ADD, _DELETE, _UPDATE)
_BEGIN, _END, _EOF = "*** Begin Patch", "*** End Patch", "*** End of File"
_SECTIONS = (_END, "*** Update File:", "*** Delete File:", "*** Add File:")


def openai_agents(files: Mapping[str, str], patch: str) -> EditResult:
    """The Agents SDK's envelopes: stacked `@@` lines must stand, one alone is a hint, the first of three tiers."""
    lines = [line.removesuffix("\r") for line in patch.removesuffix("\n").split("\n")]
    if lines[0] != _BEGIN:
        raise PatchError(f"apply_patch input must start with '{_BEGIN}'", line=1)
    if len(lines) < 2 or lines[-1] != _END:
        raise PatchError(f"apply_patch input must end with '{_END}'", line=len(lines))
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
        header = next((one for one in _HEADERS if line.startswith(one)), None)
        if header:
            found.append((header, _path(line, header, number), [], number))
        elif found:
            found[-1][2].append(line)
        else:
            raise PatchError(f"Invalid apply_patch file operation header: {line}", line=number)
    if not found:
        raise PatchError("apply_patch input must include at least one file operation", line=2)
    for header, path, body, number in found:
        if (header == _DELETE) == bool(body):
            raise PatchError(f"{path}: a section has {'lines' if body else 'no lines'} below it", line=number + 1)
        if header == _ADD and (wrong := next((one for one in body if not one.startswith("+")), None)) is not None:
            raise PatchError(f"Invalid Add File line: {wrong}", line=number)
        if header == _UPDATE and body[0].startswith(_MOVE):
            _path(body[0], _MOVE, number + 1)
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
    if header == _ADD:
        if normpath(path) in tree.files:
            raise PatchError(f"{path} cannot be created: it exists", line=at, reason=Reason.NOT_ALLOWED)
        tree.write(path, "\n".join(line[1:].rstrip("\r") for line in body))
        return
    text = tree.text(path, at)
    if header == _DELETE:
        tree.remove(path)
        return
    move_to = _path(body[0], _MOVE, at + 1) if body[0].startswith(_MOVE) else path
    hunks = [line.rstrip("\r") for line in (body[1:] if body[0].startswith(_MOVE) else body)]
    after = _Update(tree, path, text, [*hunks, _END], at + len(body) - len(hunks)).applied()
    tree.write(move_to, after)
    if normpath(move_to) != normpath(path):
        tree.remove(path)


class _Update:
    """Reads the hunks of a section against a text."""

    def __init__(self, tree: Tree, path: str, text: str, lines: list[str], offset: int) -> None:
        self.tree, self.path, self.lines, self.offset = tree, path, lines, offset
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.before = text.replace("\r\n", "\n").split("\n")
        self.seeker = Seeker(self.before, equalities=_TIERS)
        self.at = self.cursor = 0

    def applied(self) -> str:
        """The text afterwards."""
        chunks: list[Chunk] = []
        number = 0
        while not self.lines[self.at].startswith((*_SECTIONS, _EOF)):
            number += 1
            self._below_anchors()
            start = self.offset + self.at + 1
            old, found, is_end = self._hunk()
            place = self._place(old, is_end)
            if place is None:
                raise not_found(old, self.path, start)
            at, tier = place
            chunks += (chunk.placed(at) for chunk in found)
            self.tree.landings.append(Landing(self.path, number, at + 1, tier))
            self.cursor = at + len(old)
        return self.newline.join(with_chunks(self.before, chunks, self.path))

    def _below_anchors(self) -> None:
        """Move the search below the lines that the texts after `@@` name."""
        first = self.at
        while self.lines[self.at] == "@@" or self.lines[self.at].startswith("@@ "):
            self.at += 1
        if self.at == first and self.cursor > 0:
            raise PatchError(f"Invalid Line: {self.lines[self.at]}", line=self.offset + self.at + 1)
        anchors = [line[3:] for line in self.lines[first : self.at] if line[3:].strip()]
        for number, anchor in enumerate(anchors):
            if not self._moved_below(anchor, onward=number > 0) and self.at - first > 1:
                raise PatchError(
                    f"Invalid Anchor {self.cursor}: {anchor}", line=self.offset + self.at, reason=Reason.NO_MATCH
                )

    def _moved_below(self, anchor: str, *, onward: bool) -> bool:
        """Whether a line stands in the file; one that stands above already moves nothing, unless `onward`."""
        for tier in ("exact", "trimmed"):
            first = next(self.seeker.places([anchor], tier), None)
            if first is not None and first < self.cursor and not onward:
                return True
            below = next(self.seeker.places([anchor], tier, start=self.cursor), None)
            if below is not None:
                self.cursor = below + 1
                return True
        return False

    def _hunk(self) -> tuple[list[str], list[Chunk], bool]:
        """The old lines of a hunk, its chunks, and whether the file ends there."""
        start = self.at
        marked = []
        while not self.lines[self.at].startswith(("@@", *_SECTIONS, _EOF)) and self.lines[self.at] != "***":
            line = self.lines[self.at] or " "
            if line.startswith("***") or line[0] not in "+- ":
                raise PatchError(f"Invalid Line: {line}", line=self.offset + self.at + 1)
            self.at += 1
            marked.append((line[0], line[1:]))
        is_end = self.lines[self.at] == _EOF
        self.at += is_end
        if self.at == start:
            raise PatchError("Nothing in this section", line=self.offset + start + 1)
        return *chunks_of(marked), is_end

    def _place(self, old: list[str], is_end: bool) -> tuple[int, str] | None:
        """The line and the tier of a block: at the end if that is marked and it fits there, else from the cursor on."""
        # The empty string below a final line feed is no line for a block at the end.
        n_lines = len(self.before) - (not self.before[-1]) if is_end else len(self.before)
        starts = (max(n_lines - len(old), 0), min(self.cursor, n_lines)) if is_end else (self.cursor,)
        if not old:
            return starts[0], "exact"
        if is_end and n_lines < len(self.before):
            return place_of(Seeker(self.before[:n_lines], equalities=_TIERS), old, _TIERS, starts)
        return place_of(self.seeker, old, _TIERS, starts)


OPENAI_AGENTS_ENVELOPES = (
    AgentRule("openai_agents", "openai-agents 0.24.0", "run", "first", openai_agents, format="begin_patch"),
)
