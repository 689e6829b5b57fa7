"""The text of a Begin/End Patch -> its sections, in three readings. Raises PatchError."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from editcore.errors import PatchError
from editcore.patches.pieces import check_head
from editcore.patches.seek import right_trimmed, trimmed, without_cr
from editcore.types import FilePatch, Hunk

BEGIN, END = "*** Begin Patch", "*** End Patch"
_EOF = "*** End of File"
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_ACTIONS = {_ADD: "add", _DELETE: "delete", _UPDATE: "update"}
_ENVIRONMENT = "*** Environment ID:"
_HEREDOCS = ("<<EOF", "<<'EOF'", '<<"EOF"')


def header(line: str) -> tuple[str, str] | None:
    """(action, path) of a file header; None for any other line."""
    for prefix, action in _ACTIONS.items():
        if line.startswith(prefix) and len(line) > len(prefix):
            return action, line[len(prefix) :]
    return None


class _Builder:
    """Collects one section after the other."""

    def __init__(self) -> None:
        self.sections: list[FilePatch] = []
        self.action = ""
        self.path = ""
        self.line = 0
        self.move_to: str | None = None
        self.hunks: list[Hunk] = []
        self.lines: list[str] = []
        self.anchors: tuple[str, ...] = ()
        self.hunk_line = 0
        self.in_hunk = False
        self.end_of_file = False

    def open_section(self, action: str, path: str, line: int) -> None:
        self.action, self.path, self.line = action, path, line
        self.move_to, self.hunks, self.lines = None, [], []
        self.in_hunk = self.end_of_file = False

    def open_hunk(self, anchors: tuple[str, ...], line: int) -> None:
        self.lines, self.anchors, self.hunk_line = [], anchors, line
        self.in_hunk, self.end_of_file = True, False

    def close_hunk(self) -> None:
        if not self.in_hunk:
            return
        if not self.lines:
            raise PatchError("Update hunk does not contain any lines.", line=self.hunk_line)
        self.hunks.append(Hunk(tuple(self.lines), self.hunk_line, self.anchors, end_of_file=self.end_of_file))
        self.in_hunk = self.end_of_file = False

    def close_section(self) -> None:
        if not self.action:
            return
        if self.action == "add" and self.lines:
            self.hunks = [Hunk(tuple(self.lines), self.line + 1)]
        elif self.action == "update":
            self.close_hunk()
        self.sections.append(FilePatch(self.action, self.path, self.line, self.move_to, tuple(self.hunks)))
        self.action = ""


def _lines(text: str) -> list[str]:
    return [without_cr(line) for line in text.split("\n")]


def parse_codex(text: str) -> list[FilePatch]:
    """The sections as Codex 0.169 reads them: one pass, no backtracking."""
    lines = _lines(trimmed(text))
    if not _bounded(lines) and _in_heredoc(lines):
        lines = lines[1:-1]
    _check_bounds(lines)
    return _machine(lines, require_hunks=True)


def parse_strict(text: str) -> list[FilePatch]:
    """The sections by the grammar to the letter: no blanks round markers, no wrapping, `@@` before each hunk."""
    lines = _lines(text.removesuffix("\n"))
    _check_bounds(lines, key=str)
    for number, line in enumerate(lines, 1):
        if line != right_trimmed(line) and (line.startswith("*** ") or line == "@@ "):
            raise PatchError("a marker is followed by blanks.", line=number)
    return _machine(lines, require_hunks=False, key=str, strict=True)


def _bounded(lines: Sequence[str]) -> bool:
    return trimmed(lines[0]) == BEGIN and trimmed(lines[-1]) == END


def _in_heredoc(lines: Sequence[str]) -> bool:
    return len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF")


def _check_bounds(lines: Sequence[str], key: type[str] | object = trimmed) -> None:
    cut = key if callable(key) else trimmed
    if cut(lines[0]) != BEGIN:
        raise PatchError(f"The first line of the patch must be '{BEGIN}'.", line=1)
    if len(lines) < 2 or cut(lines[-1]) != END:
        raise PatchError(f"The last line of the patch must be '{END}'.", line=len(lines))


def _machine(
    lines: Sequence[str], *, require_hunks: bool, key: object = trimmed, strict: bool = False
) -> list[FilePatch]:
    """The lines between the markers, each read by the state that the ones before have led to."""
    cut = key if callable(key) else trimmed
    build = _Builder()
    environment = False
    for number, line in enumerate(lines[1:-1], 2):
        # Within an update a header must not be indented: it would be context.
        found = header(right_trimmed(line) if build.action == "update" else cut(line))
        if found:
            _finish(build, require_hunks=require_hunks)
            build.open_section(*found, number)
        elif build.action == "add" and line.startswith("+"):
            build.lines.append(line)
        elif build.action == "update":
            _update_line(build, line, number, strict=strict)
        elif not build.action and not environment and cut(line).startswith(_ENVIRONMENT) and not strict:
            environment = True
            if not trimmed(cut(line)[len(_ENVIRONMENT) :]):
                raise PatchError("Environment ID is empty.", line=number)
        else:
            raise PatchError(
                f"{line!r} is not a valid hunk header. Valid ones: '{_ADD}PATH', '{_DELETE}PATH', '{_UPDATE}PATH'.",
                line=number,
            )
    _finish(build, require_hunks=require_hunks)
    return build.sections


def _finish(build: _Builder, *, require_hunks: bool) -> None:
    build.close_section()
    if build.sections:
        last = build.sections[-1]
        if last.action == "update" and not last.hunks and (require_hunks or last.move_to is None):
            raise PatchError(f"Update file hunk for path '{last.path}' is empty.", line=last.patch_line)


def _update_line(build: _Builder, line: str, number: int, *, strict: bool) -> None:
    marker = right_trimmed(line)
    if marker.startswith(_MOVE) and len(marker) > len(_MOVE):
        if build.hunks or build.in_hunk or build.move_to is not None or number != build.line + 1:
            raise PatchError(f"unexpected line in an update: {line!r}.", line=number)
        build.move_to = marker[len(_MOVE) :]
    elif marker == "@@" or marker.startswith("@@ "):
        build.close_hunk()
        build.open_hunk((marker[3:],) if marker != "@@" else (), number)
    elif marker == _EOF:
        if not build.in_hunk or not build.lines or build.end_of_file:
            raise PatchError("the end of the file is marked before any line.", line=number)
        build.end_of_file = True
    elif build.end_of_file:
        if line or strict:
            raise PatchError(f"Expected an @@ line after the end of the file, got {line!r}.", line=number)
    elif line[:1] in ("", " ", "+", "-"):
        if not build.in_hunk:
            if build.hunks or strict:
                raise PatchError(f"Expected an @@ line, got {line!r}.", line=number)
            build.open_hunk((), number)
        if strict and not line:
            raise PatchError("a line of a hunk begins with a blank, + or -; this one is empty.", line=number)
        build.lines.append(line or " ")
    else:
        raise PatchError(f"unexpected line in a hunk: {line!r}. It must begin with a blank, + or -.", line=number)


# The lenient reading

_LOOSE_BEGIN = re.compile(r"^[\s`>]*\*{2,4} *begin patch *:? *$", re.IGNORECASE)
_LOOSE_END = re.compile(r"^[\s`]*\*{2,4} *end patch *:? *[`\s]*$", re.IGNORECASE)
_GLUED_END = re.compile(r"\*\*\* End Patch *$")
_LOOSE_HEADER = re.compile(r"^\s*\*\*\* *(Add|Delete|Update) File *: *(.*?)\s*$", re.IGNORECASE)
_LOOSE_MOVE = re.compile(r"^\*\*\* *Move(?: File)? to *: *(.*?)\s*$", re.IGNORECASE)
_LOOSE_EOF = re.compile(r"^\*\*\* *End of File *$", re.IGNORECASE)
_NUMBERS = re.compile(r"^@@ *-(\d{1,99})(?:,\d+)? +\+\d+(?:,\d+)? *(?:@@ *(.*))?$")
_NO_NEWLINE = re.compile(r"^\\ ?No newline at end of file *$")
_WRAPPING = re.compile(r"^\s*(```.*|~~~.*|EOF|'EOF'|PATCH|(?:cat|apply_patch)?\s*<<-?\s*['\"]?\w+['\"]?.*)?\s*$")


def parse_lenient(text: str) -> tuple[list[FilePatch], tuple[str, ...]]:
    """The sections of whatever a model may write, and notes of what was overlooked."""
    reader = _Lenient(text)
    return reader.sections(), tuple(dict.fromkeys(reader.notes))


class _Lenient:
    """Reads an envelope with everything round and in it that can only mean one thing."""

    def __init__(self, text: str) -> None:
        self.notes: list[str] = []
        if "\n" not in text and "\\n" in text:
            text = self._unescaped(text)
        self._complete = text.endswith("\n")
        self._lines = _lines(text.removeprefix("\ufeff"))
        self._first, self._last, self._ended = self._bounds()

    def _unescaped(self, text: str) -> str:
        try:
            value = json.loads(f'"{text}"' if not text.startswith('"') else text)
        except ValueError:
            return text
        self.notes.append("read as one JSON string")
        return str(value)

    def _bounds(self) -> tuple[int, int, bool]:
        """The lines between the markers: from, to (exclusive), and whether the end is marked."""
        lines = self._lines
        begin = next((n for n, line in enumerate(lines) if _LOOSE_BEGIN.match(line)), None)
        if begin is None:
            begin = next((n for n, line in enumerate(lines) if _LOOSE_HEADER.match(line)), None)
            if begin is None:
                raise PatchError(f"there is no '{BEGIN}' and no file header: '{_UPDATE}PATH' begins a section.", line=1)
            check_head(lines[:begin], begin)
            self.notes.append(f"'{BEGIN}' is missing")
            begin -= 1
        for n in range(begin + 1, len(lines)):
            if _LOOSE_BEGIN.match(lines[n]) and not lines[n].startswith((" ", "\t")):
                raise PatchError(f"'{BEGIN}' stands there twice: send one patch at a time.", line=n + 1)
        inner = next((n for n in range(len(lines) - 1, begin, -1) if not _WRAPPING.match(lines[n])), begin)
        for n in range(begin + 1, len(lines)):
            # An indented end marker is context, unless nothing but wrapping follows.
            if _LOOSE_END.match(lines[n]) and (not lines[n].startswith((" ", "\t")) or n >= inner):
                for after in range(n + 1, len(lines)):
                    if _LOOSE_HEADER.match(lines[after]):
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
        """The sections. Raises PatchError where a line can't be read, or where the text may have been cut off."""
        starts = [n for n in range(self._first, self._last) if self._header(n)]
        stray = [n for n in range(self._first, starts[0] if starts else self._last) if self._lines[n].strip()]
        if stray:
            n = stray[0]
            raise PatchError(f"{self._lines[n]!r} is no file header: '{_UPDATE}PATH' begins a section.", line=n + 1)
        if not starts:
            raise PatchError(
                f"the patch has no sections: '{_UPDATE}PATH' begins one, '@@' a hunk in it.", line=self._first
            )
        found = []
        for start, end in zip(starts, [*starts[1:], self._last], strict=True):
            found.append(self._section(start, end, cut=not self._ended and end == self._last))
        return found

    def _header(self, n: int) -> tuple[str, str] | None:
        line = self._lines[n]
        match = _LOOSE_HEADER.match(line)
        # Indented inside an update it would be context; there it must look exactly like a header otherwise.
        if not match or (line[:1] in " \t" and n > self._first and self._lines[n - 1][:1] in (" ", "+", "-", "@")):
            return None
        return match[1].lower(), match[2].strip("`'\" ")

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
        move_to = None
        for n in body:
            move = _LOOSE_MOVE.match(self._lines[n])
            if move:
                if move_to is not None:
                    raise PatchError("the file is moved twice.", line=n + 1)
                move_to = move[1].strip("`'\" ")
        hunks = self._hunks([n for n in body if not _LOOSE_MOVE.match(self._lines[n])], cut=cut)
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
        for n in body:
            line = self._lines[n]
            if line.startswith("@@"):
                numbers = _NUMBERS.match(line.rstrip())
                anchor = self._anchor(line, numbers)
                if groups and not groups[-1][1]:
                    groups[-1][0].extend(anchor)  # Stacked: each further line narrows the place down.
                else:
                    groups.append((anchor, [], n, numbers))
            elif groups or line.strip():
                if not groups:
                    groups.append(([], [], n, None))
                groups[-1][1].append(n)
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
            return [numbers[2]] if numbers[2] else []
        text = line[2:].strip()
        if text.endswith("@@"):
            text = text[:-2].strip()
        return [] if text.strip(".-+, 0123456789") == "" or text.lower().startswith(("line ", "lines ")) else [text]

    def _hunk(
        self, anchors: list[str], body: list[int], start: int, numbers: re.Match[str] | None, *, cut: bool
    ) -> Hunk | None:
        lines: list[str] = []
        end_of_file = no_newline = False
        while body and not self._lines[body[-1]]:
            body.pop()  # A stray blank between hunks; as context it would add nothing.
        for n in body:
            line = self._lines[n]
            if _LOOSE_EOF.match(line):
                end_of_file = True
            elif _NO_NEWLINE.match(line):
                no_newline = bool(lines) and lines[-1][0] != "-"
            elif end_of_file and line.strip():
                raise PatchError("a line follows the end of the file.", line=n + 1)
            elif line.startswith("*** "):
                raise PatchError(f"{line!r} is neither a header nor a line of a hunk.", line=n + 1)
            elif line[:1] in ("+", "-", " "):
                lines.append(line)
            else:
                if line:
                    self.notes.append("context lines lacked their leading blank")
                lines.append(" " + line)
        if not lines:
            return None
        if cut and (lines[-1][0] == "-" or not self._complete):
            raise PatchError(
                f"the patch ends within a hunk, without '{END}': it may have been cut off; send it again whole.",
                line=body[-1] + 1,
            )
        hint = int(numbers[1]) if numbers else None
        return Hunk(
            tuple(lines), start + 1, tuple(anchors), hint, end_of_file=end_of_file, target_no_newline=no_newline
        )
