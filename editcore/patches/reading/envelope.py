"""Parsing envelopes by the grammar (strict) or as Codex 0.169 does (codex). Raises PatchError."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from editcore.errors import PatchError
from editcore.text.line_index import right_trimmed, trimmed
from editcore.types import FilePatch, Hunk

BEGIN, END = "*** Begin Patch", "*** End Patch"
_EOF = "*** End of File"
_ADD, _DELETE, UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
HEADERS = (_ADD, _DELETE, UPDATE, _MOVE)
_HEADER = re.compile(r"\*\*\* (Add|Delete|Update) File: (.+)", re.DOTALL)
NO_SECTIONS = f"the patch has no sections: '{UPDATE}PATH' begins one, '@@' a hunk in it."
_ENVIRONMENT = "*** Environment ID:"
_HEREDOCS = ("<<EOF", "<<'EOF'", '<<"EOF"')
_MARKS = ("", " ", "+", "-")
"""First characters of lines of a hunk; "" for an empty line."""


def header(line: str) -> tuple[str, str] | None:
    found = _HEADER.fullmatch(line)
    return (found[1].lower(), found[2]) if found else None


class _SectionBuilder:
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


def lines_of(text: str) -> list[str]:
    """The lines of a patch without the carriage returns of CRLF line endings."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def parse_codex(text: str) -> list[FilePatch]:
    """The sections as Codex 0.169 reads them. Raises PatchError."""
    # Codex takes a carriage return off each line as it splits the text, and another one as it reads the line.
    lines = [line.removesuffix("\r") for line in lines_of(trimmed(text))]
    has_markers = trimmed(lines[0]) == BEGIN and trimmed(lines[-1]) == END
    if not has_markers and _in_heredoc(lines):
        lines = lines[1:-1]
    _check_markers(lines)
    return _read_sections(lines, require_hunks=True)


def parse_strict(text: str) -> list[FilePatch]:
    """The sections by the exact grammar: no whitespace around markers, no wrapping, `@@` before each hunk.

    Raises PatchError for everything else.
    """
    lines = lines_of(text.removesuffix("\n"))
    _check_markers(lines, key=str)
    markers = (n for n, line in enumerate(lines, 1) if line.startswith("*** ") or line == "@@ ")
    number = next((n for n in markers if lines[n - 1] != right_trimmed(lines[n - 1])), None)
    if number is not None:
        raise PatchError("a marker is followed by whitespace.", line=number)
    return _read_sections(lines, require_hunks=False, key=str, strict=True)


def _in_heredoc(lines: Sequence[str]) -> bool:
    return len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF")


def _check_markers(lines: Sequence[str], key: type[str] | object = trimmed) -> None:
    cut = key if callable(key) else trimmed
    if cut(lines[0]) != BEGIN:
        raise PatchError(f"The first line of the patch must be '{BEGIN}'.", line=1)
    if len(lines) < 2 or cut(lines[-1]) != END:
        raise PatchError(f"The last line of the patch must be '{END}'.", line=len(lines))


def _read_sections(
    lines: Sequence[str], *, require_hunks: bool, key: object = trimmed, strict: bool = False
) -> list[FilePatch]:
    """The sections between the markers, read by a state machine without backtracking."""
    cut = key if callable(key) else trimmed
    build = _SectionBuilder()
    environment = False
    # Only these lines can be anything but lines of a hunk or of an added file. Runs of others are read at once.
    stops = [n for n, line in enumerate(lines) if line[:1] not in _MARKS or "*** " in line]
    for above, stop in pairwise(stops):
        if above + 1 < stop:
            _take_lines(build, lines[above + 1 : stop], above + 2, strict=strict)
        if stop == stops[-1]:
            break
        line, number, action = lines[stop], stop + 1, build.action
        if (action == "update" and line[:1] in _MARKS) or (action == "add" and line[:1] == "+"):
            _take_lines(build, [line], number, strict=strict)
        # An indented header inside an update is a context line.
        elif found := header(right_trimmed(line) if action == "update" else cut(line)):
            _finish(build, require_hunks=require_hunks)
            build.open_section(*found, number)
        elif not strict and trimmed(line) == END and not any(map(trimmed, lines[stop + 1 : -1])):
            break  # The last line is looked at for itself, so the end may be marked twice.
        elif action == "update":
            _take_marker(build, line, number, strict=strict)
        elif not action and not environment and cut(line).startswith(_ENVIRONMENT) and not strict:
            environment = True
            if not trimmed(cut(line)[len(_ENVIRONMENT) :]):
                raise PatchError("Environment ID is empty.", line=number)
        else:
            raise _invalid_header(line, number)
    _finish(build, require_hunks=require_hunks)
    return build.sections


def _finish(build: _SectionBuilder, *, require_hunks: bool) -> None:
    build.close_section()
    if build.sections:
        last = build.sections[-1]
        if last.action == "update" and not last.hunks and (require_hunks or last.move_to is None):
            raise PatchError(f"Update file hunk for path '{last.path}' is empty.", line=last.patch_line)


def _take_lines(build: _SectionBuilder, run: Sequence[str], number: int, *, strict: bool) -> None:
    """Read a run of lines that are not markers. `number`: the 1-based line of the first."""
    if build.action == "update":
        _take_hunk_lines(build, run, number, strict=strict)
        return
    odd = next((n for n, line in enumerate(run) if build.action != "add" or line[:1] != "+"), None)
    if odd is not None:
        raise _invalid_header(run[odd], number + odd)
    build.lines += run


def _take_hunk_lines(build: _SectionBuilder, run: Sequence[str], number: int, *, strict: bool) -> None:
    if build.end_of_file:
        late = next((n for n, line in enumerate(run) if trimmed(line) or strict), None)
        if late is not None:
            raise _line_after_end(run[late], number + late)
        return
    if not build.in_hunk:
        if build.hunks or strict:
            raise PatchError(f"Expected an @@ line, got {run[0]!r}.", line=number)
        build.open_hunk((), number)
    if strict and "" in run:
        raise PatchError(
            "a line of a hunk begins with a blank, + or -; this one is empty.", line=number + run.index("")
        )
    build.lines += [line or " " for line in run]


def _take_marker(build: _SectionBuilder, line: str, number: int, *, strict: bool) -> None:
    marker = right_trimmed(line)
    if marker.startswith(_MOVE) and len(marker) > len(_MOVE):
        if build.hunks or build.in_hunk or build.move_to is not None:
            raise PatchError(f"unexpected line in an update: {line!r}.", line=number)
        build.move_to = marker[len(_MOVE) :]
    elif marker == "@@" or marker.startswith("@@ "):
        build.close_hunk()
        build.open_hunk((marker[3:],) if marker != "@@" else (), number)
    elif marker == _EOF:
        if not strict and not build.hunks and not build.in_hunk:
            return  # Codex passes over it.
        if not build.in_hunk or not build.lines or build.end_of_file:
            raise PatchError("the end of the file is marked before any line.", line=number)
        build.end_of_file = True
    elif build.end_of_file:
        if marker or strict:
            raise _line_after_end(line, number)
    else:
        raise PatchError(f"unexpected line in a hunk: {line!r}. It must begin with a blank, + or -.", line=number)


def _invalid_header(line: str, number: int) -> PatchError:
    message = f"{line!r} is not a valid hunk header. Valid ones: '{_ADD}PATH', '{_DELETE}PATH', '{UPDATE}PATH'."
    return PatchError(message, line=number)


def _line_after_end(line: str, number: int) -> PatchError:
    return PatchError(f"Expected an @@ line after the end of the file, got {line!r}.", line=number)
