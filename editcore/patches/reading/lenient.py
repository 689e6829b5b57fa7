"""Parsing envelopes as models write them (lenient). Raises PatchError.

What the grammar allows is read by the grammar (see `envelope`), except for the text after `@@`. Everything else is
read here, as long as it can mean one thing only. A line with two possible meanings, such as a context line that may
have lost its leading space, is left to placing (see `editcore.patches.placing.slips`): the file decides.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from editcore.errors import PatchError, similar_names
from editcore.patches.placing.policy import MARKER_IGNORED
from editcore.patches.placing.slips import NO_SPACE
from editcore.patches.reading.cut_off import NO_LINES
from editcore.patches.reading.envelope import END, HEADERS, NO_SECTIONS, UPDATE, parse_strict
from editcore.patches.reading.wrapping import LOOSE_HEADER, action_and_path, envelope_in
from editcore.types import FilePatch, Hunk

_MARKERS = (END, "*** End of File", *(f"{header}PATH" for header in HEADERS))
"""Beginnings of the lines of an envelope that are not lines of a hunk, for a message."""
_KNOWN = (
    ", ".join(f"'{header}PATH'" for header in HEADERS[:3]) + f" are; '{HEADERS[3]}PATH' below an update moves its file."
)
"""The file headers, for the refusal of another one."""
_LOOSE_MOVE = re.compile(r"^\*\*\* *+(?:Move|Rename)(?: File)? to(?: *+:|(?= ))(.*)$", re.IGNORECASE)
_LOOSE_EOF = re.compile(r"^\*\*\* *End of File *\**$", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"^\s*+\*\*\* *+Environment ID *+: *+\S", re.IGNORECASE)
_NUMBERS = re.compile(r"^@@ *-(\d{1,99})(?:,\d+)? +\+\d+(?:,\d+)? *(?:@@ *(.*))?$")
_HEADER_OF_ADDED = re.compile(r"@@(?: -0,0 \+1(?:,\d+)? @@)? *$")
_NO_ANCHOR = ".-+, 0123456789"
"""Text after `@@` that consists of these characters only is not an anchor."""
_DIFF_HEADER = re.compile(r"^(?:diff --git |index [0-9a-f]+\.\.|--- [ab]/|\+\+\+ [ab]/)")
"""Lines that `git diff` writes above the hunks of a file."""
_STARS = re.compile(r"\A\s*+\*\*(?![*/])|(?<=\S)(?: +\*{2,6}|\*\*)\s*\Z")
_NO_NEWLINE = re.compile(r"^\\ ?No newline at end of file *$")


def parse_lenient(text: str) -> tuple[list[FilePatch], tuple[str, ...]]:
    """The sections, and notes on what was normalised or ignored. Raises PatchError if the meaning is not certain."""
    notes: list[str] = []
    sections: list[FilePatch] = []
    with suppress(PatchError):
        sections = parse_strict(text)
    if sections:
        return [_with_loose_headers(section, notes) for section in sections], tuple(dict.fromkeys(notes))
    reader = _LenientReader(text)
    return reader.sections(), tuple(dict.fromkeys(reader.notes))


def _with_loose_headers(section: FilePatch, notes: list[str]) -> FilePatch:
    """A section read by the grammar. The text after `@@` need not be a line of the file."""
    hunks = []
    for hunk in section.hunks:
        if hunk.anchors:
            anchors, start = _hints(f"@@ {hunk.anchors[0]}", notes)
            hunk = replace(hunk, anchors=tuple(anchors), source_start=start)
        hunks.append(hunk)
    move_to = None if section.move_to is None else _path(section.move_to)
    return FilePatch(section.action, _path(section.path), section.patch_line, move_to, tuple(hunks))


def _hints(line: str, notes: list[str]) -> tuple[list[str], int | None]:
    """The anchor (none or one) and the line number in an `@@` line."""
    numbers = _NUMBERS.match(line.rstrip())
    if numbers:
        notes.append("line numbers were taken as hints")
        text = numbers[2] or ""
        return [text] if text.strip(_NO_ANCHOR) else [], int(numbers[1])
    text = line[2:].strip()
    if text.endswith("@@"):
        text = text[:-2].strip()
    no_anchor = not text.strip(_NO_ANCHOR) or text.lower().startswith(("line ", "lines "))
    return [] if no_anchor else [text], None


def _path(text: str) -> str:
    """The path in a header, without quotation marks and without the stars of a decorated marker or of bold letters."""
    return _STARS.sub("", text).strip("`'\" \t\r")


class _LenientReader:
    """Reads an envelope, and everything around and in it that can mean one thing only."""

    def __init__(self, text: str) -> None:
        self._envelope = envelope_in(text)
        self._lines, self.notes = self._envelope.lines, self._envelope.notes

    def sections(self) -> list[FilePatch]:
        """The sections. Raises PatchError for a line that cannot be read, and for a patch that may be cut off."""
        first, last = self._envelope.first, self._envelope.end
        starts = [n for n in self._envelope.starred if first <= n < last and self._header(n)]
        stray = [n for n in range(first, starts[0] if starts else last) if self._lines[n].strip()]
        if stray and _ENVIRONMENT.match(self._lines[stray[0]]):
            self.notes.append("the environment was ignored")
            stray.pop(0)
        if stray:
            n = stray[0]
            known = _KNOWN if self._lines[n].startswith("***") else f"'{UPDATE}PATH' begins a section."
            raise PatchError(f"{self._lines[n]!r} is no file header: {known}", line=n + 1)
        if not starts:
            raise PatchError(NO_SECTIONS, line=first)
        return [
            self._section(start, end, cut=not self._envelope.ended and end == last)
            for start, end in pairwise([*starts, last])
        ]

    def _header(self, n: int) -> tuple[str, str] | None:
        line = self._lines[n]
        match = LOOSE_HEADER.match(line)
        # Inside an update, an indented header is a context line.
        above = self._lines[n - 1][:1] if n > self._envelope.first else ""
        if not match or (line[:1] in " \t" and above in (" ", "+", "-", "@") and above):
            return None
        action, path = action_and_path(match)
        return action, _path(path)

    def _section(self, start: int, end: int, *, cut: bool) -> FilePatch:
        action, path = self._header(start) or ("", "")
        if not path:
            raise PatchError("the file header names no file: give its path behind the colon.", line=start + 1)
        body = list(range(start + 1, end))
        if action == "delete":
            return FilePatch(action, path, start + 1, hunks=self._removed(body))
        if action == "add":
            return FilePatch(action, path, start + 1, hunks=self._added(body, cut=cut))
        starred = [n for n in body if "**" in self._lines[n]]
        moves = {n: move for n in starred if (move := _LOOSE_MOVE.match(self._lines[n]))}
        if len(moves) > 1:
            raise PatchError("the file is moved twice: give one path.", line=list(moves)[1] + 1)
        move_to = next((_path(move[1]) for move in moves.values()), None)
        body = [n for n in body if n not in moves]
        # Codex passes over a marker of the end of the file that stands above all lines.
        above = next((at for at, n in enumerate(body) if not _LOOSE_EOF.match(self._lines[n])), 0)
        hunks = self._hunks(body[above:], cut=cut)
        if not hunks and move_to is None:
            raise PatchError(f"the update of {path} has no hunks: send them, each begun by '@@'.", line=start + 1)
        return FilePatch(action, path, start + 1, move_to, hunks)

    def _removed(self, body: list[int]) -> tuple[Hunk, ...]:
        """The hunk of a deletion that names all lines of its file."""
        full = [n for n in body if self._lines[n].strip()]
        if full and self._lines[full[0]] == "@@":
            full.pop(0)
        stray = next((n for n in full if self._lines[n][0] != "-"), None)
        if stray is not None:
            raise PatchError("a deletion has no lines: leave them out.", line=stray + 1)
        return (Hunk(tuple([self._lines[n] for n in full]), full[0] + 1),) if full else ()

    def _added(self, body: list[int], *, cut: bool) -> tuple[Hunk, ...]:
        while body and not self._lines[body[-1]].strip():
            body.pop()
        body = [n for n in body if not _LOOSE_EOF.match(self._lines[n])]
        if body and _HEADER_OF_ADDED.match(self._lines[body[0]]):
            body.pop(0)
        if not body:
            return ()
        if cut and not self._envelope.complete:
            raise PatchError(
                "the patch ends in the middle of a file, without '*** End Patch': send it again whole, with that as "
                "its last line.",
                line=body[-1] + 1,
            )
        for n in body:
            line = self._lines[n]
            if line and not line.startswith("+"):
                raise PatchError(
                    f"{line!r} in an added file does not begin with +: put it before each line.", line=n + 1
                )
        return (Hunk(tuple(self._lines[n] or "+" for n in body), body[0] + 1),)

    def _hunks(self, body: list[int], *, cut: bool) -> tuple[Hunk, ...]:
        """The hunks of an update: from each `@@`, or several `@@` in a row, to the next."""
        heads = [at for at, n in enumerate(body) if self._lines[n].startswith("@@")]
        before = [n for n in body[: heads[0] if heads else None] if self._lines[n].strip()]
        if heads and before and all(_DIFF_HEADER.match(self._lines[n]) for n in before):
            self.notes.append("headers of a diff were ignored")
            before = []
        groups: list[tuple[list[int], list[int]]] = []
        if before:
            first = body.index(before[0])
            groups.append(([], body[first : heads[0] if heads else None]))
        for start, end in pairwise([*heads, len(body)]):
            lines = body[start + 1 : end]
            if groups and not any(self._lines[n].strip() for n in groups[-1][1]):
                # Stacked `@@` lines; each line narrows the place down; blank lines may be between them.
                groups[-1] = ([*groups[-1][0], body[start]], lines)
            else:
                groups.append(([body[start]], lines))
        if len(groups) > 1 and (self._envelope.ended or not cut) and self._is_bare(*groups[-1]):
            self.notes.append("an @@ line without lines was ignored")
            groups.pop()
        return tuple(
            self._hunk(heads, lines, cut=cut and n == len(groups)) for n, (heads, lines) in enumerate(groups, 1)
        )

    def _is_bare(self, heads: list[int], body: list[int]) -> bool:
        lines = [self._lines[n].strip() for n in (*heads, *body)]
        return len(heads) == 1 and not any(line.strip("@") for line in lines)

    def _hunk(self, heads: list[int], body: list[int], *, cut: bool) -> Hunk:
        if not any(self._lines[n].strip() for n in body):
            raise PatchError(NO_LINES, line=heads[0] + 1)
        anchors: list[str] = []
        start: int | None = None
        for head in heads:
            more, number = _hints(self._lines[head], self.notes)
            anchors += more
            start = number if number is not None else start
        hunk = self._body(body, (heads or body)[0] + 1)
        hunk = replace(hunk, anchors=tuple(anchors), source_start=start)
        unchanged = all(line[0] == " " for line in hunk.lines)
        if cut and (hunk.lines[-1][0] == "-" or unchanged or not self._envelope.complete):
            raise PatchError(
                "the patch ends within a hunk, without '*** End Patch': it may have been cut off; send it again whole, "
                "with that as its last line.",
                line=body[-1] + 1,
            )
        return hunk

    def _body(self, body: list[int], patch_line: int) -> Hunk:
        """The lines of a hunk. Empty ones at its ends are stray: models that write one write them everywhere."""
        body = self._without_empty_ends(body)
        lines: list[str] = []
        unmarked: list[int] = []
        end_of_file = no_newline = False
        for n in body:
            line = self._lines[n]
            if line[:1] in ("+", "-", " ") and line and not end_of_file:
                if no_newline and line[0] != "-":
                    no_newline = False
                    self.notes.append(MARKER_IGNORED)
                lines.append(line)
            elif _LOOSE_EOF.match(line):
                end_of_file = True
            elif _NO_NEWLINE.match(line):
                no_newline |= bool(lines) and lines[-1][0] == "+"
            elif end_of_file and line.strip():
                raise PatchError("a line follows the end of the file: put it above '*** End of File'.", line=n + 1)
            elif line.startswith("*** "):
                near = [one for one in _MARKERS if one.startswith(line)] or similar_names(
                    line, _MARKERS, similarity=0.6
                )
                meant = f"did you mean '{near[0]}'?" if near else "begin lines of hunks with a blank, + or -."
                raise PatchError(f"{line!r} is neither a header nor a line of a hunk: {meant}", line=n + 1)
            elif not end_of_file:
                if line:
                    self.notes.append(NO_SPACE)
                unmarked.append(len(lines))
                lines.append(" " + line)
        if not lines:
            raise PatchError(NO_LINES, line=patch_line)
        return Hunk(
            tuple(lines),
            patch_line,
            end_of_file=end_of_file,
            target_no_newline=no_newline,
            unmarked=tuple(unmarked),
        )

    def _without_empty_ends(self, body: list[int]) -> list[int]:
        """The lines of a hunk without the empty ones at its ends. Above a hunk that only adds lines, they stay."""
        first = next(at for at, n in enumerate(body) if self._lines[n])
        end = len(body)
        while not self._lines[body[end - 1]]:
            end -= 1
        only_adds = all(self._lines[n][:1] in ("+", "") for n in body[first:end])
        return body[0 if only_adds else first : end]
