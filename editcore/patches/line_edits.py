"""Edits by line number: lines inserted below a line, and lines replaced."""

from __future__ import annotations

import re

from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Match, Reason, Rejected, leaves_text

_LINE_ENDING = re.compile(r"\r*\n")


def _malformed(line: object, content: object) -> Rejected | None:
    """The refusal of arguments of other types, which a model may give to a tool; None if both are right."""
    if not isinstance(line, int) or isinstance(line, bool):
        return Rejected(Reason.MALFORMED, f"line must be a whole number, not {line!a:.80}.")
    if not isinstance(content, str):
        return Rejected(Reason.MALFORMED, f"content must be a text, not {content!a:.80}.")
    return None


@leaves_text
def insert_lines(text: str, line: int, content: str) -> EditResult:
    """Insert the lines of `content` after a line: 0 is before the first, -1 after the last. Never raises.

    A byte order mark stays in front of the first line. The inserted lines get the line ending of the line above them
    (at the start: of the line below). The file keeps its last line feed, or the lack of one. A line feed at the end
    of `content` ends its last line and adds no blank one.
    """
    if malformed := _malformed(line, content):
        return malformed
    if not content:
        return Rejected(Reason.EMPTY, "content is empty: give the lines to insert; a line feed alone is a blank line.")
    lines = text.split("\n")
    has_last_newline = not lines[-1]
    n_lines = len(lines) - has_last_newline
    if not -1 <= line <= n_lines:
        there = "the file has 1 line" if n_lines == 1 else f"the file has {n_lines} lines"
        return Rejected(
            Reason.NOT_FOUND,
            f"There is no line {line}, {there}: give 0 for before the first, -1 for the end, or up to {n_lines}.",
        )
    after = n_lines if line == -1 else line
    end = _line_ending(lines, after)
    # A carriage return at the end would become half of a line ending.
    inserted = _LINE_ENDING.sub(end, content.rstrip("\r"))
    inserted = inserted if inserted.endswith(end) else inserted + end
    at = sum(map(len, lines[:after])) + after or len(text) - len(text.removeprefix(BOM))
    if at > len(text):
        # The last line had no line feed: now it gets one, and the new last line has none.
        at = len(text)
        inserted = end + inserted.removesuffix(end)
    return Applied(text[:at] + inserted + text[at:], (Match(at, at, "insert"),), "insert")


@leaves_text
def insert_split(text: str, line: int, content: str) -> EditResult:
    """Put `content` between two lines of the text, both split at line feeds: 0 is before the first. Never raises.

    A line feed at the end of `content` makes a blank line. The last line may be the empty one after the final line
    feed. Line endings stay as they are. This is `insert` of the editor tool that many agents copied, as in
    `str_replace_editor` of SWE-agent 1.0, except that tabs are not expanded.
    """
    if malformed := _malformed(line, content):
        return malformed
    lines = text.split("\n")
    if not 0 <= line <= len(lines):
        return Rejected(
            Reason.NOT_FOUND, f"There is no line {line}: give 0 for before the first, or up to {len(lines)}."
        )
    at = sum(map(len, lines[:line])) + line
    inserted = content + "\n"
    if at > len(text):
        at, inserted = len(text), "\n" + content
    return Applied(text[:at] + inserted + text[at:], (Match(at, at, "insert"),), "insert")


def _line_ending(lines: list[str], after: int) -> str:
    """The line ending of the line above a place, else of the line below, else of the first line."""
    for n in (after - 1, after, 0):
        if 0 <= n < len(lines) - 1:  # The last line has no ending.
            return "\r\n" if lines[n].endswith("\r") else "\n"
    return "\n"


@leaves_text
def replace_lines(text: str, line: int, end_line: int, content: str) -> EditResult:
    """Replace lines `line` to `end_line` (1-based, inclusive) by the lines of `content`. Never raises.

    Empty content deletes the lines. A line feed at the end of `content` ends its last line and adds no blank one. The
    new lines get the line ending of the first replaced line, or of the line above it. The file keeps its last line
    feed, or the lack of one, and its byte order mark.
    """
    mark = BOM if text.startswith(BOM) else ""
    lines = text.removeprefix(BOM).split("\n")
    n_lines = len(lines) - (not lines[-1])
    if not 1 <= line <= end_line <= n_lines:
        return Rejected(
            Reason.NOT_FOUND,
            f"There are no lines {line} to {end_line}: the file has {n_lines}; give a first and a last one within it.",
        )
    # A last line without an ending does not show which one the file uses: the line above does.
    ended = lines[line - 1] if line < len(lines) or line == 1 else lines[line - 2]
    end = "\r" if ended.endswith("\r") else ""
    content = content.removeprefix(BOM) if mark and line == 1 else content
    new = content.removesuffix("\n").split("\n") if content else []
    new = [piece.removesuffix("\r") + end for piece in new]
    start = len(mark) + sum(map(len, lines[: line - 1])) + line - 1
    stop = start + sum(map(len, lines[line - 1 : end_line])) + end_line - line + 1
    kept = [*lines[: line - 1], *new, *lines[end_line:]]
    if end_line == len(lines) and kept and not lines[-1].endswith("\r"):
        kept[-1] = kept[-1].removesuffix("\r")  # Half of a CRLF, as the last line has no ending now.
    # A blank last line consists of its line feed.
    after = mark + "\n".join(kept) + ("\n" if end_line == len(lines) and kept and not kept[-1] else "")
    return Applied(after, (Match(start, min(stop, len(text)), "lines"),), "lines")
