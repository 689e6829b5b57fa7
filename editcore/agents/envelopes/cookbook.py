"""How the apply_patch script of OpenAI's cookbook applies an envelope, and aider's patch coder, which grew out of it.

    patch |@@ def f():        the text after `@@` is a hint: where it stands below, the search begins under it;
          |-    go()          where it stands nowhere, or above already, it means nothing
          |+    walk()

Evidence: read (the script in OpenAI's GPT-4.1 prompting guide; aider 0.86, aider/coders/patch_coder.py at 194a6c1f).

Policy: first. Three tiers, each over the whole rest of the file: equal, without whitespace at the right, at both ends.
Line endings: the cookbook splits at line feeds, and its lines of a CRLF file are found without their carriage returns;
aider splits at every line boundary that Python knows and writes line feeds. The cookbook leaves the end of a file as it
is; aider ends every file in a line feed.

Known failures: an Add overwrites in the cookbook; an insertion without context goes to where the search begins, mostly
the top of the file; lines are not re-indented; `*** End of File` falls back to the first place; a hunk after it is
refused by the cookbook; a move onto itself loses the file; in aider, form feeds become line feeds and text below the
end marker is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter

from editcore.agents.envelopes.chunks import Chunk, chunks_of, place_of, with_chunks
from editcore.agents.envelopes.trees import Tree, not_found
from editcore.agents.rule import AgentRule
from editcore.errors import PatchError
from editcore.patches.placing.seek import Seeker
from editcore.types import EditResult, Landing, Reason

_TIERS = ("exact", "right_trimmed", "trimmed")
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_END, _EOF = "*** End Patch", "*** End of File"
_SECTIONS = (_END, "*** Update File:", "*** Delete File:", "*** Add File:")


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How aider differs from the cookbook."""

    is_aider: bool

    def lines(self, text: str) -> list[str]:
        """The lines of a file."""
        return text.splitlines() if self.is_aider else text.split("\n")


def cookbook(files: Mapping[str, str], patch: str) -> EditResult:
    """The cookbook's envelopes: `@@` is a hint, the first place of three tiers is taken, context stays."""
    lines = patch.splitlines()
    if len(lines) < 2 or not lines[0].startswith("*** Begin Patch") or lines[-1] != _END:
        raise PatchError("Invalid patch text: missing sentinels", line=1)
    return _Reader(files, lines, 1, _Dialect(is_aider=False)).applied()


def aider_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """Aider's envelopes: the markers may lack, `@@` lines must stand in the file, files end in a line feed."""
    lines = patch.splitlines()
    has_begin = len(lines) > 1 and lines[0].startswith("*** Begin Patch")
    if not has_begin and not any(line.startswith(("@@", *_SECTIONS[1:])) for line in lines):
        raise PatchError("Response does not appear to be in patch format.", line=1)
    return _Reader(files, lines, 1 if has_begin else 0, _Dialect(is_aider=True)).applied()


class _Reader:
    """Reads a patch section by section, each against the files as they were, and writes in the end."""

    def __init__(self, files: Mapping[str, str], lines: list[str], at: int, dialect: _Dialect) -> None:
        self.before, self.tree = Tree(files), Tree(files)
        self.lines, self.at, self.dialect = lines, at, dialect
        self.seen: dict[str, str] = {}
        """Path -> action."""
        self.chunks: dict[str, list[Chunk]] = {}
        self.moves: dict[str, str] = {}
        self.added: dict[str, list[str]] = {}

    def applied(self) -> EditResult:
        while not self._is_at((_END,)):
            if self.at >= len(self.lines):
                if self.dialect.is_aider:
                    break
                raise PatchError(f"Missing {_END} sentinel", line=len(self.lines))
            self._section()
        self._write()
        return self.tree.applied()

    def _is_at(self, prefixes: tuple[str, ...]) -> bool:
        return self.at < len(self.lines) and self.lines[self.at].startswith(prefixes)

    def _read(self, prefix: str) -> str:
        if not self._is_at((prefix,)):
            return ""
        self.at += 1
        text = self.lines[self.at - 1][len(prefix) :]
        return text.strip() if self.dialect.is_aider else text

    def _section(self) -> None:
        start = self.at + 1
        for action, prefix, read in (
            ("update", _UPDATE, self._update),
            ("delete", _DELETE, self._delete),
            ("add", _ADD, self._add),
        ):
            path = self._read(prefix)
            if path:
                is_again = self.dialect.is_aider and action in ("update", "delete") and self.seen.get(path) == action
                if path in self.seen and not is_again:
                    raise PatchError(f"Duplicate {action} for file: {path}", line=start)
                self.seen[path] = action
                read(path, start)
                return
        if self.dialect.is_aider and not self.lines[self.at].strip():
            self.at += 1
            return
        raise PatchError(f"Unknown line while parsing: {self.lines[self.at]}", line=self.at + 1)

    def _delete(self, path: str, line: int) -> None:
        self.before.text(path, line)

    def _add(self, path: str, line: int) -> None:
        # The cookbook's script loads just the files that other sections name.
        is_known = self.dialect.is_aider or not {_UPDATE + path, _DELETE + path}.isdisjoint(self.lines)
        if path in self.before.files and is_known:
            raise PatchError(f"Add File Error: file already exists: {path}", line=line, reason=Reason.NOT_ALLOWED)
        body = list(takewhile(lambda one: not one.startswith(_SECTIONS), self.lines[self.at :]))
        for n, one in enumerate(body, self.at + 1):
            if not one.startswith("+") and not (self.dialect.is_aider and not one.strip()):
                raise PatchError(f"Invalid Add File line (missing '+'): {one}", line=n)
        self.added[path] = [one[1:] for one in body]
        self.at += len(body)

    def _update(self, path: str, line: int) -> None:
        move_to = self._read(_MOVE)
        if move_to:
            self.moves[path] = move_to
        seeker = Seeker(self.dialect.lines(self.before.text(path, line)))
        chunks = self.chunks.setdefault(path, [])
        ends = _SECTIONS if self.dialect.is_aider else (*_SECTIONS, _EOF)
        index = number = 0
        while self.at < len(self.lines) and not self._is_at(ends):
            number += 1
            below = self._below_scope if self.dialect.is_aider else self._below_hint
            index = below(seeker, index)
            start = self.at + 1
            old, found, is_end = self._hunk()
            place = _find(seeker, old, index, is_end)
            if place is None:
                raise not_found(old, path, start)
            at, tier = place
            chunks += (chunk.placed(at) for chunk in found)
            self.tree.landings.append(Landing(path, number, at + 1, tier))
            index = at + len(old)

    def _below_hint(self, seeker: Seeker, index: int) -> int:
        """The line under the one that the text after `@@` names, if it is below; else where the search stands."""
        text = self._read("@@ ")
        is_bare = not text and self._is_at(("@@",)) and self.lines[self.at].rstrip("\r") == "@@"
        self.at += is_bare
        if not (text or is_bare or index == 0):
            raise PatchError(f"Invalid line in update section: {self.lines[self.at]}", line=self.at + 1)
        for tier in ("exact", "trimmed") if text.strip() else ():
            places = list(seeker.first_places([text], tier, 1_000_000))
            if places and places[0] < index:
                continue  # It stands above already.
            if places:
                return places[0] + 1
        return index

    def _below_scope(self, seeker: Seeker, index: int) -> int:
        """The line under those that all `@@` lines name, one below the other."""
        scope = []
        start = self.at + 1
        while self._is_at(("@@",)):
            scope.append(self.lines[self.at][2:].strip())
            self.at += 1
        scope = [one for one in scope if one]
        at = next(seeker.places(scope, "trimmed", start=index), None) if scope else None
        if scope and at is None:
            raise PatchError(f"Could not find scope context: {scope}", line=start, reason=Reason.NO_MATCH)
        return index if at is None else at + len(scope)

    def _hunk(self) -> tuple[list[str], list[Chunk], bool]:
        """The old lines of a hunk, its chunks, and whether the file ends there."""
        start = self.at
        marked = []
        while self.at < len(self.lines) and not self._is_at(("@@", *_SECTIONS, _EOF)) and self.lines[self.at] != "***":
            line = self.lines[self.at] or " "
            if line.startswith("***") or (line[0] not in "+- " and not (self.dialect.is_aider and not line.strip())):
                raise PatchError(f"Invalid Line: {line}", line=self.at + 1)
            self.at += 1
            marked.append((line[0] if line[0] in "+-" else " ", line[1:]))
        is_end = self._is_at((_EOF,))
        self.at += is_end
        if self.at == start:
            raise PatchError("Nothing in this section", line=start + 1)
        return *chunks_of(marked), is_end

    def _write(self) -> None:
        for path, action in self.seen.items():
            if action == "delete":
                self.tree.remove(path)
            elif action == "add":
                text = "\n".join(self.added[path])
                self.tree.write(path, text if not self.dialect.is_aider or text.endswith("\n") else f"{text}\n")
            else:
                text = self._updated(path)
                target = self.moves.get(path, path)
                self.tree.write(target, text)
                if path in self.moves and not (self.dialect.is_aider and target == path):
                    self.tree.remove(path)

    def _updated(self, path: str) -> str:
        lines, chunks = self.dialect.lines(self.before.text(path, 1)), self.chunks[path]
        if self.dialect.is_aider:
            chunks = sorted(chunks, key=attrgetter("at"))
        text = "\n".join(with_chunks(lines, chunks, path))
        return f"{text}\n" if self.dialect.is_aider and (text or lines) else text


def _find(seeker: Seeker, old: list[str], index: int, is_end: bool) -> tuple[int, str] | None:
    """The line and the tier of a block: at the end if it is marked and fits there, else the first from a line on."""
    if not old:
        return (len(seeker.lines) if is_end else index), "exact"
    starts = (max(len(seeker.lines) - len(old), 0), index) if is_end else (index,)
    return place_of(seeker, old, _TIERS, starts)


COOKBOOK_ENVELOPES = (
    AgentRule("cookbook", "OpenAI cookbook, GPT-4.1 guide", "read", "first", cookbook, format="begin_patch"),
    AgentRule("aider_patch", "aider 0.86", "read", "first", aider_patch, format="begin_patch"),
)
