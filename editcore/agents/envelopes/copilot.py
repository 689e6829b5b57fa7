"""How the apply_patch tool of GitHub Copilot in VS Code applies an envelope.

    file |    def f():       hunk |def f():          added lines get the levels by which the first line of the
         |        go()            |-    go()         place is deeper than the first line of the hunk, and the
         |                        |+    walk()       file's own tabs or spaces

Evidence: read (vscode-copilot-chat, applyPatch/parser.ts at 2cd2f8bc and applyPatchTool.tsx at 1e761eae, of 2026).

Policy: first, in tiers (below), below the hunk before; if there is none, from the top of the file. Line endings: VS
Code gives the whole file the ending that most of its lines have. Blank lines at the end of a file are never fewer than
before. All is computed before anything is written.

Known failures: a line without a mark is context, and so is the line between added or removed ones, unless the hunk
fits in no other way; the distance stops being counted once it reaches what is allowed, so that the lines below may
differ in anything; a hunk above the one before it is found, and then refused as overlapping; an insertion without
context goes to where the search begins, indented like the line there; an added file that exists gets the lines on
top. A patch that fails is given to a model to mend, which is not rebuilt, nor are comments that name the file in its
first line. Whether VS Code carries out the renaming of a moved file is not known; here it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import normpath

from editcore.agents.envelopes.chunks import Chunk, chunks_of, with_chunks
from editcore.agents.envelopes.copilot_indentation import Indentation, changed, guessed, level
from editcore.agents.envelopes.copilot_tiers import Found, Tiers, plain_lines, plain_tabs
from editcore.agents.envelopes.trees import Tree, is_outside, not_found
from editcore.agents.rule import AgentRule
from editcore.errors import PatchError
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.whitespace import trim
from editcore.thresholds import Threshold
from editcore.types import EditResult, Landing, Reason

_BEGIN, _END, _EOF = "*** Begin Patch", "*** End Patch", "*** End of File"
_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
_STOPS = (_END, "*** Update File:", "*** Delete File:", "*** Add File:")
_WITH_COMMANDS = re.compile(r"\.(?:tex|latex|sty|cls|bib|bst|ins)\Z", re.IGNORECASE)
"""Files in which backslash and t begin a word."""


def copilot_patch(files: Mapping[str, str], patch: str, *, distance: float = 0.34) -> EditResult:
    """Copilot's envelopes: the first place of six tiers, escapes undone, added lines re-indented."""
    if not patch.startswith(f"{_BEGIN}\n"):
        raise PatchError(f"Patch must start with {_BEGIN}", line=1)
    lines = trim(patch).split("\n")
    if lines[-1] != _END:
        lines.append(_END)
    for number, line in enumerate(lines, 1):
        path = next((line[len(one) :] for one in (_ADD, _UPDATE, _DELETE, _MOVE) if line.startswith(one)), "")
        if is_outside(path):
            raise PatchError(f"{path} is outside the workspace.", line=number, reason=Reason.OUTSIDE_WORKSPACE)
    reader = _Reader(files, lines, distance)
    while not reader.lines[reader.at].startswith(_END):
        reader.section()
    return reader.written()


@dataclass(frozen=True, slots=True)
class _Hunk:
    old: list[str]
    chunks: list[Chunk]
    after: int
    """The line of the patch below it."""
    is_end: bool
    n_unmarked: int
    """Lines without a mark between added ones, or between removed ones."""


class _Reader:
    """Reads a patch section by section, each against the files as they were, and writes in the end."""

    def __init__(self, files: Mapping[str, str], lines: list[str], distance: float) -> None:
        self.before, self.tree = Tree(files), Tree(files)
        self.lines, self.at, self.distance = lines, 1, distance
        self.named = {line[len(one) :] for line in lines for one in (_UPDATE, _DELETE) if line.startswith(one)}
        self.texts: dict[str, str | None] = {}
        """Path -> text to write, None for a file to delete."""
        self.moves: dict[str, str] = {}

    def section(self) -> None:
        """Read the section that begins here."""
        start, line = self.at + 1, self.lines[self.at]
        header = next((one for one in (_UPDATE, _DELETE, _ADD) if line.startswith(one) and line != one), None)
        if header is None:
            raise PatchError(f"Unknown Line: {line}", line=start)
        path = line[len(header) :]
        if path in self.texts:
            raise PatchError(f"Duplicate Path: {path}", line=start)
        self.at += 1
        if header == _ADD:
            if path in self.named:
                raise PatchError(f"Add File Error: File already exists: {path}", line=start, reason=Reason.NOT_ALLOWED)
            added = self._added()
            if added:
                self.texts[path] = added + self.before.files.get(normpath(path), "")
            return
        text = self.before.text(path, start)
        if header == _DELETE:
            self.texts[path] = None
            return
        if self.lines[self.at].startswith(_MOVE):
            self.moves[path] = self.lines[self.at][len(_MOVE) :]
            self.at += 1
        self.texts[path] = self._updated(path, text)

    def written(self) -> EditResult:
        """Write all files."""
        for path, text in self.texts.items():
            target = self.moves.get(path) or path
            if text is None or normpath(target) != normpath(path):
                self.tree.remove(path)
            if text is not None:
                self.tree.write(target, text)
        return self.tree.applied()

    def _added(self) -> str:
        added = []
        while not self.lines[self.at].startswith(_STOPS):
            if not self.lines[self.at].startswith("+"):
                raise PatchError(f"Invalid Add File Line: {self.lines[self.at]}", line=self.at + 1)
            added.append(self.lines[self.at][1:])
            self.at += 1
        return "\n".join(added)

    def _updated(self, path: str, text: str) -> str:
        crlf = 2 * text.count("\r\n") > text.count("\n")
        mark = text[: text.startswith("\ufeff")]
        lines = with_crlf(line_feeds(text[len(mark) :]), crlf).split("\n")
        tiers = Tiers(lines, self.distance)
        style = guessed(lines, Indentation(4, has_spaces=False))
        chunks: list[Chunk] = []
        cursor = number = 0
        while not self.lines[self.at].startswith((*_STOPS, _EOF)):
            start = self.at
            number += 1
            cursor = self._below_hint(tiers, cursor)
            hunk, found = self._found(tiers, cursor)
            if hunk.after == start:
                raise PatchError(f"Copilot reads this line for ever: {self.lines[start]!r}", line=start + 1)
            if found is None or found.line >= len(lines):
                raise not_found(hunk.old, path, start + 1)
            has_commands = _WITH_COMMANDS.search(path.rstrip()) is not None
            chunks += _adjusted(hunk, found, lines[found.line], style, has_commands=has_commands)
            self.tree.landings.append(Landing(path, number, found.line + 1, found.tier))
            cursor, self.at = found.line + len(hunk.old), hunk.after
        after = line_feeds("\n".join(with_chunks(lines, chunks, path)))
        after += "\n" * max(_blank_lines_at_the_end(line_feeds(text)) - _blank_lines_at_the_end(after), 0)
        return mark + with_crlf(after, crlf)

    def _below_hint(self, tiers: Tiers, cursor: int) -> int:
        """The line under the one that the text after `@@` names, if it stands below only; else where the search is."""
        line = self.lines[self.at]
        if not line.startswith("@@"):
            if cursor > 0:
                raise PatchError(f"Invalid line: {line}", line=self.at + 1)
            return cursor
        self.at += 1
        hint = trim(line[2:])
        return tiers.below(hint, cursor) if hint else cursor

    def _found(self, tiers: Tiers, cursor: int) -> tuple[_Hunk, Found | None]:
        """The hunk here and its place; where it has none, one line without a mark after the other is not context."""
        hunk, merged = self._hunk(0), 0
        while True:
            found = tiers.place(hunk.old, cursor, hunk.is_end) or tiers.place(hunk.old, 0, hunk.is_end)
            merged += 1
            tiers.work.spend(1000 + 50 * len(hunk.old))
            if found or merged > hunk.n_unmarked:
                return hunk, found
            hunk = self._hunk(merged)

    def _hunk(self, merged: int) -> _Hunk:
        """The hunk here, with the line without a mark of that number read like its neighbours."""
        at, n_unmarked, mode = self.at, 0, " "
        marked: list[tuple[str, str]] = []
        while not self.lines[at].startswith(("@@", *_STOPS, _EOF)) and self.lines[at] != "***":
            line = self.lines[at]
            if line.startswith("***"):
                raise PatchError(f"Invalid Line: {line}", line=at + 1)
            at += 1
            if line.startswith(("+", "-", " ")):
                mode, line = line[0], line[1:]
            else:
                is_between = mode != " " and self.lines[at].startswith(mode)
                n_unmarked += is_between
                mode = mode if is_between and n_unmarked == merged else " "
            marked.append((mode, line))
        old, chunks = chunks_of(marked)
        if mode == " " and old and not trim(old[-1]) and self.lines[at] != "***":
            old.pop()
        is_end = self.lines[at] == _EOF
        return _Hunk(old, chunks, at + is_end, is_end, n_unmarked)


def _adjusted(hunk: _Hunk, found: Found, line: str, style: Indentation, *, has_commands: bool) -> list[Chunk]:
    """The chunks of a hunk at their place, with escapes undone and added lines indented as the file is."""
    first = hunk.old[0] if hunk.old else ""
    if found.has_tabs:
        first = plain_tabs(first)
    own = guessed([*(one for chunk in hunk.chunks for one in chunk.new), *hunk.old], style)
    deeper = style.unit * max(level(line, style.size) - (level(first, own.size) if hunk.old else 0), 0)

    def adjusted(added: str) -> str:
        if found.has_lines:
            added = plain_lines(added)
        if found.has_tabs or not has_commands:
            added = plain_tabs(added)
        return deeper + "\n".join([changed(one, own, style) for one in added.split("\n")]) if trim(added) else added

    return [Chunk(chunk.at + found.line, chunk.n_old, [*map(adjusted, chunk.new)]) for chunk in hunk.chunks]


def _blank_lines_at_the_end(text: str) -> int:
    lines = text.split("\n")
    return next((n for n, line in enumerate(reversed(lines)) if trim(line)), len(lines))


COPILOT_ENVELOPES = (
    AgentRule(
        "copilot_patch",
        "vscode-copilot-chat 2cd2f8bc",
        "read",
        "first",
        copilot_patch,
        (Threshold("distance", 0, 1, (0.0, 0.1, 0.34, 0.5, 1.0), "edit distance allowed for each line of a hunk"),),
        format="begin_patch",
    ),
)
