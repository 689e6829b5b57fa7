"""Parsing envelopes as models write them (lenient). Raises PatchError."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from editcore.errors import PatchError
from editcore.patches.placing.policy import MARKER_IGNORED
from editcore.patches.reading.envelope import BEGIN, END, UPDATE, lines_of
from editcore.patches.reading.stray_lines import check_head
from editcore.types import FilePatch, Hunk

# Possessive quantifiers where two runs of spaces may meet: lines are a model's text, and are read in linear time.
_LOOSE_BEGIN = re.compile(r"^[\s`>]*+\*{2,4} *+begin patch *+:? *+$", re.IGNORECASE)
_LOOSE_END = re.compile(r"^[\s`]*+\*{2,4} *+end patch *+:? *+[`\s]*+$", re.IGNORECASE)
_GLUED_END = re.compile(r"\*\*\* End Patch *$")
_LOOSE_HEADER = re.compile(r"^\s*+\*\*\* *+(Add|Delete|Update) File *+:(.*)$", re.IGNORECASE)
_LOOSE_MOVE = re.compile(r"^\*\*\* *+Move(?: File)? to *+:(.*)$", re.IGNORECASE)
_LOOSE_EOF = re.compile(r"^\*\*\* *End of File *$", re.IGNORECASE)
_NUMBERS = re.compile(r"^@@ *-(\d{1,99})(?:,\d+)? +\+\d+(?:,\d+)? *(?:@@ *(.*))?$")
_NO_ANCHOR = ".-+, 0123456789"
"""Text after `@@` that consists of these characters only is not an anchor."""
_NO_NEWLINE = re.compile(r"^\\ ?No newline at end of file *$")
_WRAPPING = re.compile(r"^\s*+(```.*|~~~.*|EOF|'EOF'|PATCH|(?:cat|apply_patch)?\s*<<-?\s*['\"]?\w+['\"]?.*)?\s*$")


def parse_lenient(text: str) -> tuple[list[FilePatch], tuple[str, ...]]:
    """The sections, and notes on what was normalised or ignored. Raises PatchError where the meaning is not certain."""
    reader = _LenientReader(text)
    return reader.sections(), tuple(dict.fromkeys(reader.notes))


def _path(text: str) -> str:
    """The path of a header line, without quotation marks."""
    return text.rstrip().strip("`'\" ")


class _LenientReader:
    """Reads an envelope, and everything around and in it that can mean one thing only."""

    def __init__(self, text: str) -> None:
        self.notes: list[str] = []
        if "\n" not in text and "\\n" in text:
            text = self._unescaped(text)
        self._complete = text.endswith("\n")
        self._lines = lines_of(text.removeprefix("\ufeff"))
        self._starred = [n for n, line in enumerate(self._lines) if "**" in line]
        """The 0-based lines that may be markers."""
        self._first, self._last, self._ended = self._bounds()

    def _unescaped(self, text: str) -> str:
        try:
            value = json.loads(f'"{text}"' if not text.startswith('"') else text)
        except ValueError:
            return text
        self.notes.append("read as one JSON string")
        return str(value)

    def _bounds(self) -> tuple[int, int, bool]:
        """The range of lines between the markers (start, exclusive end), and whether the end is marked."""
        lines = self._lines
        begin = next((n for n in self._starred if _LOOSE_BEGIN.match(lines[n])), None)
        if begin is None:
            begin = next((n for n in self._starred if _LOOSE_HEADER.match(lines[n])), None)
            if begin is None:
                raise PatchError(f"there is no '{BEGIN}' and no file header: '{UPDATE}PATH' begins a section.", line=1)
            check_head(lines[:begin], begin)
            self.notes.append(f"'{BEGIN}' is missing")
            begin -= 1
        below = [n for n in self._starred if n > begin]
        for n in below:
            if _LOOSE_BEGIN.match(lines[n]) and not lines[n].startswith((" ", "\t")):
                raise PatchError(f"'{BEGIN}' stands there twice: send one patch at a time.", line=n + 1)
        inner = next((n for n in range(len(lines) - 1, begin, -1) if not _WRAPPING.match(lines[n])), begin)
        for n in below:
            # An indented end marker is a context line, unless only wrapping follows.
            if _LOOSE_END.match(lines[n]) and (not lines[n].startswith((" ", "\t")) or n >= inner):
                after = next((after for after in below if after > n and _LOOSE_HEADER.match(lines[after])), None)
                if after is not None:
                    raise PatchError(f"a section follows after '{END}': put it before.", line=after + 1)
                return begin + 1, n, True
        last = len(lines)
        while last > begin + 1 and _WRAPPING.match(lines[last - 1]):
            self._complete = self._complete or bool(lines[last - 1].strip())
            last -= 1
        glued = _GLUED_END.search(lines[last - 1]) if last > begin + 1 else None
        if glued and glued.start():
            lines[last - 1] = lines[last - 1][: glued.start()]
            self.notes.append("the end marker was glued to the last line")
            return begin + 1, last, True
        self.notes.append(f"'{END}' is missing")
        return begin + 1, last, False

    def sections(self) -> list[FilePatch]:
        """The sections. Raises PatchError for a line that cannot be read, or a patch that may have been cut off."""
        starts = [n for n in self._starred if self._first <= n < self._last and self._header(n)]
        stray = [n for n in range(self._first, starts[0] if starts else self._last) if self._lines[n].strip()]
        if stray:
            n = stray[0]
            raise PatchError(f"{self._lines[n]!r} is no file header: '{UPDATE}PATH' begins a section.", line=n + 1)
        if not starts:
            raise PatchError(
                f"the patch has no sections: '{UPDATE}PATH' begins one, '@@' a hunk in it.", line=self._first
            )
        found = []
        for start, end in zip(starts, [*starts[1:], self._last], strict=True):
            found.append(self._section(start, end, cut=not self._ended and end == self._last))
        return found

    def _header(self, n: int) -> tuple[str, str] | None:
        line = self._lines[n]
        match = _LOOSE_HEADER.match(line)
        # Inside an update, an indented header is a context line.
        if not match or (line[:1] in " \t" and n > self._first and self._lines[n - 1][:1] in (" ", "+", "-", "@")):
            return None
        return match[1].lower(), _path(match[2])

    def _section(self, start: int, end: int, *, cut: bool) -> FilePatch:
        action, path = self._header(start) or ("", "")
        if not path:
            raise PatchError("the file header names no file.", line=start + 1)
        body = list(range(start + 1, end))
        if action == "delete":
            stray = next((n for n in body if self._lines[n].strip()), None)
            if stray is not None:
                raise PatchError("a deletion has no lines.", line=stray + 1)
            return FilePatch(action, path, start + 1)
        if action == "add":
            return FilePatch(action, path, start + 1, hunks=self._added(body, cut=cut))
        starred = [n for n in body if "**" in self._lines[n]]
        moves = {n: move for n in starred if (move := _LOOSE_MOVE.match(self._lines[n]))}
        if len(moves) > 1:
            raise PatchError("the file is moved twice.", line=list(moves)[1] + 1)
        move_to = next((_path(move[1]) for move in moves.values()), None)
        hunks = self._hunks([n for n in body if n not in moves], cut=cut)
        if not hunks and move_to is None:
            raise PatchError(f"the update of {path} has no hunks: nothing would change.", line=start + 1)
        return FilePatch(action, path, start + 1, move_to, hunks)

    def _added(self, body: list[int], *, cut: bool) -> tuple[Hunk, ...]:
        while body and not self._lines[body[-1]].strip():
            body.pop()
        lines = [self._lines[n] for n in body if not _LOOSE_EOF.match(self._lines[n])]
        if not lines:
            return ()
        if cut and not self._complete:
            raise PatchError(
                f"the patch ends in the middle of a file, without '{END}': send it again whole.", line=body[-1] + 1
            )
        for n, line in zip(body, lines, strict=False):
            if line and not line.startswith("+"):
                raise PatchError(f"{line!r} in an added file does not begin with +.", line=n + 1)
        return (Hunk(tuple(line or "+" for line in lines), body[0] + 1),)

    def _hunks(self, body: list[int], *, cut: bool) -> tuple[Hunk, ...]:
        groups: list[tuple[list[str], list[int], int, re.Match[str] | None]] = []
        starts = [at for at, n in enumerate(body) if self._lines[n].startswith("@@")]
        head = body[: starts[0]] if starts else body
        first = next((at for at, n in enumerate(head) if self._lines[n].strip()), None)
        if first is not None:
            groups.append(([], head[first:], head[first], None))
        for start, end in pairwise([*starts, len(body)]):
            n = body[start]
            numbers = _NUMBERS.match(self._lines[n].rstrip())
            anchor = self._anchor(self._lines[n], numbers)
            if groups and not groups[-1][1]:
                groups[-1][0].extend(anchor)  # Stacked `@@` lines: each narrows the place down.
                groups[-1][1].extend(body[start + 1 : end])
            else:
                groups.append((anchor, body[start + 1 : end], n, numbers))
        hunks = []
        for anchors, numbered, n, numbers in groups:
            last = cut and numbered is groups[-1][1]
            hunk = self._hunk(anchors, numbered, n, numbers, cut=last)
            if hunk is None:
                raise PatchError("an @@ line is followed by no lines.", line=n + 1)
            hunks.append(hunk)
        return tuple(hunks)

    def _anchor(self, line: str, numbers: re.Match[str] | None) -> list[str]:
        if numbers:
            self.notes.append("line numbers were taken as hints")
            text = numbers[2] or ""
            return [text] if text.strip(_NO_ANCHOR) else []
        text = line[2:].strip()
        if text.endswith("@@"):
            text = text[:-2].strip()
        return [] if text.strip(_NO_ANCHOR) == "" or text.lower().startswith(("line ", "lines ")) else [text]

    def _hunk(
        self, anchors: list[str], body: list[int], start: int, numbers: re.Match[str] | None, *, cut: bool
    ) -> Hunk | None:
        lines: list[str] = []
        end_of_file = no_newline = False
        while body and not self._lines[body[-1]]:
            body.pop()  # A blank line between hunks is not context.
        for n in body:
            line = self._lines[n]
            marked = line[:1] in ("+", "-", " ")
            if marked and not end_of_file:
                lines.append(line)
                if no_newline and line[0] != "-":
                    no_newline = False
                    self.notes.append(MARKER_IGNORED)
            elif _LOOSE_EOF.match(line):
                end_of_file = True
            elif _NO_NEWLINE.match(line):
                no_newline |= bool(lines) and lines[-1][0] == "+"
            elif end_of_file and line.strip():
                raise PatchError("a line follows the end of the file.", line=n + 1)
            elif line.startswith("*** "):
                raise PatchError(f"{line!r} is neither a header nor a line of a hunk.", line=n + 1)
            elif marked:
                lines.append(line)
            else:
                if line:
                    self.notes.append("context lines lacked their leading space")
                lines.append(" " + line)
        if not lines:
            return None
        unchanged = all(line[0] == " " for line in lines)
        if cut and (lines[-1][0] == "-" or unchanged or not self._complete):
            raise PatchError(
                f"the patch ends within a hunk, without '{END}': it may have been cut off; send it again whole.",
                line=body[-1] + 1,
            )
        hint = int(numbers[1]) if numbers else None
        return Hunk(
            tuple(lines), start + 1, tuple(anchors), hint, end_of_file=end_of_file, target_no_newline=no_newline
        )
