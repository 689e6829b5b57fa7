"""Lines put between the lines of a text, by number: what agents call `insert`."""

from __future__ import annotations

import re

from editcore.types import Applied, EditResult, Match, Reason, Rejected

_LINE_END = re.compile(r"\r?\n")


def insert_lines(text: str, line: int, content: str) -> EditResult:
    """The text with the content's lines after that line: 0 is before the first, -1 after the last. Never raises.

    The lines inserted end as the line above them does (the one below, at the start), whatever the content uses; whether
    the text ends in a line feed stays. A line feed at the end of the content ends its last line, and adds none.
    """
    if not isinstance(line, int) or isinstance(line, bool):
        return Rejected(Reason.MALFORMED, f"line must be a whole number, not {line!a:.80}.")
    if not isinstance(content, str):
        return Rejected(Reason.MALFORMED, f"content must be a text, not {content!a:.80}.")
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
    end = _line_end(lines, after)
    inserted = _LINE_END.sub(end, content)
    inserted = inserted if inserted.endswith(end) else inserted + end
    at = sum(map(len, lines[:after])) + after
    if at > len(text):
        # After a last line without a line feed: that one gets it now, and the new last line stays without.
        at = len(text)
        inserted = end + inserted.removesuffix(end)
    return Applied(text[:at] + inserted + text[at:], (Match(at, at, "insert"),), "insert")


def _line_end(lines: list[str], after: int) -> str:
    """How the lines round a place end: the one above, or the one below, or the first."""
    for n in (after - 1, after, 0):
        if 0 <= n < len(lines) - 1:  # The last one has no end.
            return "\r\n" if lines[n].endswith("\r") else "\n"
    return "\n"
