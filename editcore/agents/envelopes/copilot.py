"""How the apply_patch tool of GitHub Copilot in VS Code applies an envelope.

    file |    def f():       hunk |def f():          added lines get the extra levels of the place, in the file's own
         |        go()            |-    go()         tabs or spaces
         |                        |+    walk()

All files are computed before anything is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import normpath

from editcore.agents.envelopes.copilot_indentation import Indentation, changed, guessed, level
from editcore.agents.envelopes.copilot_steps import Found, Steps, plain_lines, plain_tabs
from editcore.agents.envelopes.sections import (
    STOPS,
    Chunk,
    Dialect,
    Marker,
    SectionReader,
    Tree,
    chunks_of,
    is_outside,
    with_chunks,
)
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.patches.codex import lines_not_found
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.whitespace import trim
from editcore.types import EditResult, Landing, Reason

_DIALECT = Dialect(
    "Copilot",
    may_lack_path=False,
    unknown="Unknown Line",
    duplicate="Duplicate Path",
    unmarked_added="Invalid Add File Line",
)
_WITH_COMMANDS = re.compile(r"\.(?:tex|latex|sty|cls|bib|bst|ins)\Z", re.IGNORECASE)
r"""Names of files in which a backslash and t begin a word, such as \textbf."""


def copilot_patch(files: Mapping[str, str], patch: str, *, distance: float = 0.34) -> EditResult:
    if not patch.startswith(f"{Marker.BEGIN}\n"):
        raise PatchError(f"Patch must start with {Marker.BEGIN}", line=1)
    lines = trim(patch).split("\n")
    if lines[-1] != Marker.END:
        lines.append(Marker.END)
    reader = _Reader(files, lines, distance)
    for number, path in reader.paths():
        if is_outside(path):
            raise PatchError(f"{path} is outside the workspace.", line=number, reason=Reason.OUTSIDE_WORKSPACE)
    reader.sections()
    return reader.written()


@dataclass(frozen=True, slots=True)
class _Hunk:
    old: list[str]
    chunks: list[Chunk]
    after: int
    is_end: bool
    n_unmarked: int
    """Lines without a mark that have added lines, or removed lines, on both sides."""


class _Reader(SectionReader):
    """Reads a patch section by section, each against the files as they were, and writes in the end."""

    def __init__(self, files: Mapping[str, str], lines: list[str], distance: float) -> None:
        super().__init__(Tree(files), Tree(files), lines, 1, _DIALECT)
        self.distance = distance
        named = (Marker.UPDATE, Marker.DELETE)
        self.named = {line[len(one) :] for line in lines for one in named if line.startswith(one)}

    def is_there(self, path: str) -> bool:
        return path in self.named

    def add(self, path: str) -> None:
        if added := self.added():
            self.texts[path] = added + self.before.files.get(normpath(path), "")

    def written(self) -> EditResult:
        for path, text in self.texts.items():
            target = self.moves.get(path) or path
            if text is None or normpath(target) != normpath(path):
                self.tree.remove(path)
            if text is not None:
                self.tree.write(target, text)
        return self.tree.applied()

    def updated(self, path: str, text: str) -> str:
        crlf = 2 * text.count("\r\n") > text.count("\n")
        mark = text[: text.startswith("\ufeff")]
        lines = with_crlf(line_feeds(text[len(mark) :]), crlf).split("\n")
        steps = Steps(lines, self.distance)
        style = guessed(lines, Indentation(4, has_spaces=False))
        chunks: list[Chunk] = []
        cursor = number = 0
        while not self.lines[self.at].startswith((*STOPS, Marker.END_OF_FILE)):
            start = self.at
            number += 1
            cursor = self._below_hint(steps, cursor)
            hunk, found = self._found(steps, cursor)
            if hunk.after == start:
                raise PatchError(f"Copilot reads this line for ever: {self.lines[start]!r}", line=start + 1)
            # An empty hunk is found where the search begins, which may be below the last line.
            if found is None or found.line >= len(lines):
                raise lines_not_found(hunk.old, path, start + 1)
            has_commands = _WITH_COMMANDS.search(path.rstrip()) is not None
            chunks += _adjusted(hunk, found, lines[found.line], style, has_commands=has_commands)
            self.tree.landings.append(Landing(path, number, found.line + 1, found.step))
            cursor, self.at = found.line + len(hunk.old), hunk.after
        after = line_feeds("\n".join(with_chunks(lines, chunks, path)))
        after += "\n" * max(_blank_lines_at_the_end(line_feeds(text)) - _blank_lines_at_the_end(after), 0)
        return mark + with_crlf(after, crlf)

    def _below_hint(self, steps: Steps, cursor: int) -> int:
        """The line under the line named after `@@`, if that is below the cursor only; else the cursor."""
        line = self.lines[self.at]
        if not line.startswith("@@"):
            if cursor > 0:
                raise PatchError(f"Invalid line: {line}", line=self.at + 1)
            return cursor
        self.at += 1
        hint = trim(line[2:])
        return steps.below(hint, cursor) if hint else cursor

    def _found(self, steps: Steps, cursor: int) -> tuple[_Hunk, Found | None]:
        """The hunk here and its place. If it has none, each line without a mark is read like its neighbours in turn."""
        hunk, merged = self._read(0), 0
        while True:
            found = steps.place(hunk.old, cursor, hunk.is_end) or steps.place(hunk.old, 0, hunk.is_end)
            merged += 1
            steps.work.spend(1000 + 50 * len(hunk.old))
            if found or merged > hunk.n_unmarked:
                return hunk, found
            hunk = self._read(merged)

    def _read(self, merged: int) -> _Hunk:
        """The hunk here. Line `merged` of its lines without a mark, counted from 1, is read like its neighbours."""
        at, n_unmarked, mode = self.at, 0, " "
        marked: list[tuple[str, str]] = []
        while not self.lines[at].startswith(("@@", *STOPS, Marker.END_OF_FILE)) and self.lines[at] != "***":
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
        is_end = self.lines[at] == Marker.END_OF_FILE
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


RULES: dict[str, Rule] = {"copilot_patch": copilot_patch}
