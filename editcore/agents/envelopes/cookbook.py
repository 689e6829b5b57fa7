"""How the apply_patch script of OpenAI's cookbook applies an envelope, and aider's patch coder, which grew out of it.

    patch |@@ def f():        In the cookbook the text after `@@` is a hint. If it occurs below, the search begins under
          |-    go()          it. If it occurs nowhere, or only above, it means nothing. In aider it must occur below.
          |+    walk()

Three steps, each over the whole rest of the file: equal, without whitespace at the right, at both ends. All files are
computed before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from operator import attrgetter

from editcore.agents.envelopes.sections import STOPS, Chunk, Dialect, Marker, SectionReader, Tree, place_of, with_chunks
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.text.line_index import LineIndex
from editcore.types import EditResult, Reason

_EQUALITIES = ("exact", "right_trimmed", "trimmed")
_COOKBOOK = Dialect("The cookbook's script", is_end_exact=False)
_AIDER = Dialect("Aider", unmarked="blank", is_end_exact=False, ends=STOPS)


def cookbook(files: Mapping[str, str], patch: str) -> EditResult:
    lines = patch.splitlines()
    if len(lines) < 2 or not lines[0].startswith(Marker.BEGIN) or lines[-1] != Marker.END:
        raise PatchError("Invalid patch text: missing sentinels", line=1)
    return _Reader(files, lines, 1, _COOKBOOK).applied()


def aider_patch(files: Mapping[str, str], patch: str) -> EditResult:
    lines = patch.splitlines()
    has_begin = len(lines) > 1 and lines[0].startswith(Marker.BEGIN)
    if not has_begin and not any(line.startswith(("@@", *STOPS[1:])) for line in lines):
        raise PatchError("Response does not appear to be in patch format.", line=1)
    return _Reader(files, lines, 1 if has_begin else 0, _AIDER).applied()


class _Reader(SectionReader):
    def __init__(self, files: Mapping[str, str], lines: list[str], at: int, dialect: Dialect) -> None:
        super().__init__(Tree(files), Tree(files), lines, at, dialect)
        self.is_aider = dialect is _AIDER
        self.seen: dict[str, str] = {}
        """Path -> action."""
        self.chunks: dict[str, list[Chunk]] = {}
        self.new: dict[str, list[str]] = {}

    def applied(self) -> EditResult:
        while not self.is_at(Marker.END):
            if self.at >= len(self.lines):
                if self.is_aider:
                    break
                raise PatchError(f"Missing {Marker.END} sentinel", line=len(self.lines))
            self._read_section()
        self._write()
        return self.tree.applied()

    def _lines(self, path: str, line: int) -> list[str]:
        text = self.before.text(path, line)
        return text.splitlines() if self.is_aider else text.split("\n")

    def _read(self, prefix: str) -> str:
        if not self.is_at(prefix):
            return ""
        self.at += 1
        text = self.lines[self.at - 1][len(prefix) :]
        return text.strip() if self.is_aider else text

    def _read_section(self) -> None:
        start = self.at + 1
        for action, prefix, read in (
            ("update", Marker.UPDATE, self._update),
            ("delete", Marker.DELETE, self._delete),
            ("add", Marker.ADD, self._add),
        ):
            path = self._read(prefix)
            if path:
                is_again = self.is_aider and action in ("update", "delete") and self.seen.get(path) == action
                if path in self.seen and not is_again:
                    raise PatchError(f"Duplicate {action} for file: {path}", line=start)
                self.seen[path] = action
                read(path, start)
                return
        if self.is_aider and not self.lines[self.at].strip():
            self.at += 1
            return
        raise PatchError(f"{self.dialect.unknown}: {self.lines[self.at]}", line=self.number)

    def _delete(self, path: str, line: int) -> None:
        self.before.text(path, line)

    def _add(self, path: str, line: int) -> None:
        # The cookbook's script loads just the files that other sections name.
        is_known = self.is_aider or not {Marker.UPDATE + path, Marker.DELETE + path}.isdisjoint(self.lines)
        if path in self.before.files and is_known:
            raise PatchError(f"Add File Error: file already exists: {path}", line=line, reason=Reason.NOT_ALLOWED)
        body = list(takewhile(lambda one: not one.startswith(STOPS), self.lines[self.at :]))
        for n, one in enumerate(body, self.at + 1):
            if not one.startswith("+") and not (self.is_aider and not one.strip()):
                raise PatchError(f"{self.dialect.unmarked_added}: {one}", line=n)
        self.new[path] = [one[1:] for one in body]
        self.at += len(body)

    def _update(self, path: str, line: int) -> None:
        move_to = self._read(Marker.MOVE)
        if move_to:
            self.moves[path] = move_to
        seeker, below = LineIndex(self._lines(path, line)), self._below_scope if self.is_aider else self._below_hint
        found = self.hunks(path, seeker, below, _find)
        self.chunks[path] = [*self.chunks.get(path, ()), *found]

    def _below_hint(self, seeker: LineIndex, index: int) -> int:
        """The line under the line named after `@@`, if that is below `index`; else `index`."""
        text = self._read("@@ ")
        is_bare = not text and self.is_at("@@") and self.lines[self.at].rstrip("\r") == "@@"
        self.at += is_bare
        if not (text or is_bare or index == 0):
            raise PatchError(f"Invalid line in update section: {self.lines[self.at]}", line=self.number)
        for equality in ("exact", "trimmed") if text.strip() else ():
            places = list(seeker.first_places([text], equality, 1_000_000))
            if places and places[0] < index:
                continue  # It stands above already.
            if places:
                return places[0] + 1
        return index

    def _below_scope(self, seeker: LineIndex, index: int) -> int:
        """The line under the lines that all `@@` lines name, each below the last. Raises PatchError without one."""
        scope = []
        start = self.at + 1
        while self.is_at("@@"):
            scope.append(self.lines[self.at][2:].strip())
            self.at += 1
        scope = [one for one in scope if one]
        at = next(seeker.places(scope, "trimmed", start=index), None) if scope else None
        if scope and at is None:
            raise PatchError(f"Could not find scope context: {scope}", line=start, reason=Reason.NO_MATCH)
        return index if at is None else at + len(scope)

    def _write(self) -> None:
        for path, action in self.seen.items():
            if action == "delete":
                self.tree.remove(path)
            elif action == "add":
                text = "\n".join(self.new[path])
                self.tree.write(path, text if not self.is_aider or text.endswith("\n") else f"{text}\n")
            else:
                text = self._updated(path)
                target = self.moves.get(path, path)
                self.tree.write(target, text)
                if path in self.moves and not (self.is_aider and target == path):
                    self.tree.remove(path)

    def _updated(self, path: str) -> str:
        lines, chunks = self._lines(path, 1), self.chunks[path]
        if self.is_aider:
            chunks = sorted(chunks, key=attrgetter("at"))
        text = "\n".join(with_chunks(lines, chunks, path))
        return f"{text}\n" if self.is_aider and (text or lines) else text


def _find(seeker: LineIndex, old: list[str], index: int, is_end: bool) -> tuple[int, str] | None:
    """Line and equality of a block: at the end of the file if that is marked and fits, else from `index` on."""
    if not old:
        return (len(seeker.lines) if is_end else index), "exact"
    starts = (max(len(seeker.lines) - len(old), 0), index) if is_end else (index,)
    return place_of(seeker, old, _EQUALITIES, starts)


RULES: dict[str, Rule] = {"cookbook": cookbook, "aider_patch": aider_patch}
