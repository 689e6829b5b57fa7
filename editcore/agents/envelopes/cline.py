"""How Cline's apply_patch applies an envelope.

    file |def total(basket):       hunk |def total(basket):     a line without a mark is context,
         |    amount = 0                |-    amout = 0         and lines that are 66 % alike are enough
         |                              |+    amount = 1

Four steps, each over the whole rest of the file: equal, without whitespace at the right, at both ends, similar by
Levenshtein's distance of the whole window. In all of them dashes, quotes and spaces are folded, and escaped quotes
count as plain ones. All files are computed before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from posixpath import normpath

from editcore.agents.envelopes.sections import Dialect, Marker, SectionReader, Tree, is_outside, place_of, with_chunks
from editcore.agents.matching import Work, canonical, right_trimmed, trimmed, within
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.text.line_index import LineIndex
from editcore.text.whitespace import trim
from editcore.types import EditResult, Reason

_DIALECT = Dialect("Cline", unmarked="context", reads_on=True, path=trim, invalid="Invalid line")
_WRAPPERS = ("%%bash", "apply_patch", "EOF", "```")


def _unescaped(line: str) -> str:
    return line.replace("\\`", "`").replace("\\'", "'").replace('\\"', '"') if "\\" in line else line


_EQUALITIES = {
    "folded": lambda line: _unescaped(canonical(line)),
    "right_trimmed": lambda line: _unescaped(right_trimmed(line)),
    "trimmed": lambda line: _unescaped(trimmed(line)),
}


def cline_patch(files: Mapping[str, str], patch: str, *, similarity: float = 0.66) -> EditResult:
    reader = _Reader(files, _lines(patch), similarity)
    for number, path in reader.paths():
        if is_outside(path) or normpath(path).startswith(".."):
            raise PatchError(f"Path must stay within cwd: {path}", line=number, reason=Reason.OUTSIDE_WORKSPACE)
    reader.sections()
    return reader.written()


def _lines(patch: str) -> list[str]:
    """The lines from the first marker to the last; without markers, the lines between wrappers."""
    lines = [line.removesuffix("\r") for line in patch.split("\n")]
    first = next((n for n, line in enumerate(lines) if line.startswith(Marker.BEGIN)), None)
    last = next((n for n in reversed(range(len(lines))) if lines[n].startswith(Marker.END)), None)
    if first is not None and last is not None and first <= last:
        return lines[first : last + 1]
    if first is not None or last is not None:
        raise PatchError("Invalid patch text - incomplete sentinels.", line=1)
    while lines and lines[0].startswith(_WRAPPERS):
        del lines[0]
    while lines and lines[-1].startswith(_WRAPPERS):
        del lines[-1]
    body = "\n".join(lines).strip("\n")
    return [Marker.BEGIN, *(body.split("\n") if body else ()), Marker.END]


class _Reader(SectionReader):
    def __init__(self, files: Mapping[str, str], lines: list[str], similarity: float) -> None:
        super().__init__(Tree(files), Tree(files), lines, 1, _DIALECT)
        self.similarity, self.work = similarity, Work("Cline's similarity of windows")

    def updated(self, path: str, text: str) -> str:
        lines = text.replace("\r\n", "\n").split("\n")
        chunks = self.hunks(path, LineIndex(lines, equalities=_EQUALITIES), self._below_hint, self._place)
        return ("\r\n" if "\r\n" in text else "\n").join(with_chunks(lines, chunks, path))

    def written(self) -> EditResult:
        """Write all files. Raises PatchError if a hunk was not found."""
        if self.missing:
            raise self.missing[0]
        for path, text in self.texts.items():
            target = self.moves.get(path) or path
            if text is not None:
                self.tree.write(target, text)
            if text is None or self.moves.get(path):
                self.tree.remove(path)
        return self.tree.applied()

    def _below_hint(self, seeker: LineIndex, cursor: int) -> int:
        """The line under the line named after `@@`, if that is below the cursor; else the cursor."""
        line = self.lines[self.at]
        if line != "@@" and not line.startswith("@@ "):
            if cursor > 0:
                raise PatchError(f"Invalid Line: {line}", line=self.number)
            return cursor
        self.at += 1
        if not trim(line[3:]):
            return cursor
        at = next(seeker.places([line[3:]], "trimmed", start=cursor), None)
        return cursor if at is None else at + 1

    def _place(self, seeker: LineIndex, old: Sequence[str], cursor: int, is_end: bool) -> tuple[int, str] | None:
        if not old:
            return cursor, "exact"
        for start in (max(len(seeker.lines) - len(old), 0), cursor) if is_end else (cursor,):
            at = place_of(seeker, old, _EQUALITIES, (start,)) or self._alike(seeker, old, start)
            if at is not None:
                return at
        return None

    def _alike(self, seeker: LineIndex, old: Sequence[str], start: int) -> tuple[int, str] | None:
        """The first window from `start` on that is similar enough. Windows at the end of the file are shorter."""
        key = _EQUALITIES["folded"]
        sought, lines = "\n".join(map(key, old)), list(map(key, seeker.lines))
        for at in range(start, len(lines)):
            self.work.spend(10 + len(old))
            window = "\n".join(lines[at : at + len(old)])
            longest = max(len(window), len(sought))
            distance = within(window, sought, int((1 - self.similarity) * longest) + 1, self.work)
            if distance is not None and (not longest or (longest - distance) / longest >= self.similarity):
                return at, "similarity"
        return None


RULES: dict[str, Rule] = {"cline_patch": cline_patch}
