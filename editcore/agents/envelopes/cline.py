"""How Cline's apply_patch applies an envelope.

    file |def total(basket):       hunk |def total(basket):     a line without a mark is context
         |    amount = 0                |-    amout = 0         and lines that are 66 % alike are enough
         |                              |+    amount = 1

Evidence: run (`peer/cline_apply_patch`, @cline/core 0.0.86) and read (cline/cline, sdk/packages/core, apply-patch.ts
and apply-patch-parser.ts at 0449c412 and 2eebce68).

Policy: first. Four tiers, each over the whole rest of the file: equal, without whitespace at the right, at both ends,
similar by Levenshtein's distance of the whole window; in all of them dashes, quotes and spaces are folded and escaped
quotes taken for plain ones. Line endings: CRLF throughout if the file has any, else LF. The end of a file stays as it
is. All is computed before anything is written, and a hunk that is not found refuses the patch.

Known failures: the first window that is two thirds alike is taken for the place; a line without a mark is context;
lines are not re-indented; text after `@@` that is nowhere below means nothing; an insertion without context goes to
where the search begins; a move onto itself loses the file; a blank line where a hunk should begin, at the top of a
file, is read for ever, which is a refusal here. The program counts distance in UTF-16 units, which differs beyond the
basic plane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from posixpath import normpath

from editcore.agents.envelopes import canonical
from editcore.agents.envelopes.chunks import Chunk, chunks_of, place_of, with_chunks
from editcore.agents.envelopes.trees import Tree, is_outside, not_found
from editcore.agents.matching.similarity import within
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule
from editcore.errors import PatchError
from editcore.patches.placing.seek import Seeker
from editcore.text.whitespace import trim
from editcore.thresholds import Threshold
from editcore.types import EditResult, Landing, Reason

_BEGIN, _END, _EOF = "*** Begin Patch", "*** End Patch", "*** End of File"
_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
_STOPS = (_END, "*** Update File:", "*** Delete File:", "*** Add File:")
_WRAPPERS = ("%%bash", "apply_patch", "EOF", "```")


def _unescaped(line: str) -> str:
    return line.replace("\\`", "`").replace("\\'", "'").replace('\\"', '"') if "\\" in line else line


_TIERS = {
    "folded": lambda line: _unescaped(canonical.canonical(line)),
    "right_trimmed": lambda line: _unescaped(canonical.right_trimmed(line)),
    "trimmed": lambda line: _unescaped(canonical.trimmed(line)),
}


def cline_patch(files: Mapping[str, str], patch: str, *, similarity: float = 0.66) -> EditResult:
    """Cline's envelopes: lines without a mark are context, the first place of three tiers or 66 % alike is taken."""
    lines = _lines(patch)
    for number, line in enumerate(lines, 1):
        path = next((trim(line[len(one) :]) for one in (_ADD, _UPDATE, _DELETE, _MOVE) if line.startswith(one)), "")
        if is_outside(path) or normpath(path).startswith(".."):
            raise PatchError(f"Path must stay within cwd: {path}", line=number, reason=Reason.OUTSIDE_WORKSPACE)
    reader = _Reader(files, lines, similarity)
    while not reader.lines[reader.at].startswith(_END):
        reader.section()
    return reader.written()


def _lines(patch: str) -> list[str]:
    """The lines from the first marker to the last, or between wrappers if there is none."""
    lines = [line.removesuffix("\r") for line in patch.split("\n")]
    first = next((n for n, line in enumerate(lines) if line.startswith(_BEGIN)), None)
    last = next((n for n in reversed(range(len(lines))) if lines[n].startswith(_END)), None)
    if first is not None and last is not None and first <= last:
        return lines[first : last + 1]
    if first is not None or last is not None:
        raise PatchError("Invalid patch text - incomplete sentinels.", line=1)
    while lines and lines[0].startswith(_WRAPPERS):
        del lines[0]
    while lines and lines[-1].startswith(_WRAPPERS):
        del lines[-1]
    body = "\n".join(lines).strip("\n")
    return [_BEGIN, *(body.split("\n") if body else ()), _END]


class _Reader:
    """Reads a patch section by section, each against the files as they were, and writes in the end."""

    def __init__(self, files: Mapping[str, str], lines: list[str], similarity: float) -> None:
        self.before, self.tree = Tree(files), Tree(files)
        self.lines, self.at, self.similarity = lines, 1, similarity
        self.work = Work("Cline's similarity of windows")
        self.texts: dict[str, str | None] = {}
        """Path -> text to write, None for a file to delete."""
        self.moves: dict[str, str] = {}
        self.refusal: PatchError | None = None
        """The first hunk that is not found: the program reads on, and refuses in the end."""

    def section(self) -> None:
        """Read the section that begins here."""
        start, line = self.at + 1, self.lines[self.at]
        header = next((one for one in (_UPDATE, _DELETE, _ADD) if line.startswith(one)), None)
        if header is None:
            raise PatchError(f"Unknown line while parsing: {line}", line=start)
        path = trim(line[len(header) :])
        if path in self.texts:
            raise PatchError(f"Duplicate operation for file: {path}", line=start)
        self.at += 1
        if header == _ADD:
            if normpath(path) in self.before.files:
                raise PatchError(f"Add File Error: File already exists: {path}", line=start, reason=Reason.NOT_ALLOWED)
            self.texts[path] = self._added()
            return
        text = self.before.text(path, start)
        if header == _DELETE:
            self.texts[path] = None
            return
        if self.lines[self.at].startswith(_MOVE):
            self.moves[path] = trim(self.lines[self.at][len(_MOVE) :])
            self.at += 1
        self.texts[path] = self._updated(path, text)

    def written(self) -> EditResult:
        """Write all files. Raises PatchError if a hunk was not found."""
        if self.refusal:
            raise self.refusal
        for path, text in self.texts.items():
            target = self.moves.get(path) or path
            if text is not None:
                self.tree.write(target, text)
            if text is None or self.moves.get(path):
                self.tree.remove(path)
        return self.tree.applied()

    def _added(self) -> str:
        added = []
        while not self.lines[self.at].startswith(_STOPS):
            if not self.lines[self.at].startswith("+"):
                raise PatchError(f"Invalid Add File line (missing '+'): {self.lines[self.at]}", line=self.at + 1)
            added.append(self.lines[self.at][1:])
            self.at += 1
        return "\n".join(added)

    def _updated(self, path: str, text: str) -> str:
        before = text.replace("\r\n", "\n").split("\n")
        seeker = Seeker(before, equalities=_TIERS)
        chunks: list[Chunk] = []
        cursor = number = 0
        while not self.lines[self.at].startswith((*_STOPS, _EOF)):
            start = self.at
            number += 1
            cursor = self._below_hint(seeker, cursor)
            old, found, is_end = self._hunk()
            if self.at == start:
                raise PatchError(f"Cline reads this line for ever: {self.lines[start]!r}", line=start + 1)
            place = self._place(seeker, old, cursor, is_end)
            if place is None:
                self.refusal = self.refusal or not_found(old, path, start + 1)
                continue
            at, tier = place
            chunks += (chunk.placed(at) for chunk in found)
            self.tree.landings.append(Landing(path, number, at + 1, tier))
            cursor = at + len(old)
        return ("\r\n" if "\r\n" in text else "\n").join(with_chunks(before, chunks, path))

    def _below_hint(self, seeker: Seeker, cursor: int) -> int:
        """The line under the one that the text after `@@` names, if that stands below; else where the search is."""
        line = self.lines[self.at]
        if line != "@@" and not line.startswith("@@ "):
            if cursor > 0:
                raise PatchError(f"Invalid Line: {line}", line=self.at + 1)
            return cursor
        self.at += 1
        if not trim(line[3:]):
            return cursor
        at = next(seeker.places([line[3:]], "trimmed", start=cursor), None)
        return cursor if at is None else at + 1

    def _hunk(self) -> tuple[list[str], list[Chunk], bool]:
        """The old lines of a hunk, its chunks, and whether the file ends there; a blank line ends it."""
        marked = []
        while True:
            line = self.lines[self.at]
            if not line or line == "***" or line.startswith(("@@", *_STOPS, _EOF)):
                break
            if line.startswith("***"):
                raise PatchError(f"Invalid line: {line}", line=self.at + 1)
            self.at += 1
            marked.append((line[0], line[1:]) if line[0] in "+- " else (" ", line))
        is_end = self.lines[self.at] == _EOF
        self.at += is_end
        return *chunks_of(marked), is_end

    def _place(self, seeker: Seeker, old: Sequence[str], cursor: int, is_end: bool) -> tuple[int, str] | None:
        if not old:
            return cursor, "exact"
        for start in (max(len(seeker.lines) - len(old), 0), cursor) if is_end else (cursor,):
            at = place_of(seeker, old, _TIERS, (start,)) or self._alike(seeker, old, start)
            if at is not None:
                return at
        return None

    def _alike(self, seeker: Seeker, old: Sequence[str], start: int) -> tuple[int, str] | None:
        """The first window from a line on that is as similar as the threshold says; those at the end are shorter."""
        key = _TIERS["folded"]
        sought, lines = "\n".join(map(key, old)), list(map(key, seeker.lines))
        for at in range(start, len(lines)):
            self.work.spend(10 + len(old))
            window = "\n".join(lines[at : at + len(old)])
            longest = max(len(window), len(sought))
            distance = within(window, sought, int((1 - self.similarity) * longest) + 1, self.work)
            if distance is not None and (not longest or (longest - distance) / longest >= self.similarity):
                return at, "similarity"
        return None


CLINE_ENVELOPES = (
    AgentRule(
        "cline_patch",
        "@cline/core 0.0.86",
        "run",
        "first",
        cline_patch,
        (Threshold("similarity", 0, 1, (0.5, 0.66, 0.8, 0.9, 1.0), "least similarity of a window"),),
        format="begin_patch",
    ),
)
