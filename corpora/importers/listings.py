"""Texts of files and diffs that agents' tools show with line numbers or anchors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpora.importers.log import dig, embedded, items, text
from corpora.importers.session import Read
from corpora.sample import Format
from editcore.anchors.views import LETTERS, h2_hash, h2_loose_hash

# Files with line numbers.

CAT_N = re.compile(r" *(\d{1,8})\t(.*)", re.DOTALL)
"""`     1<tab>text`"""
ARROW = re.compile(r" *(\d{1,8})→(.*)", re.DOTALL)
"""`     1→text`"""
POINT = re.compile(r" *(\d{1,8})\. ?(.*)", re.DOTALL)
"""`1. text`"""
COLON = re.compile(r"(\d{1,8}):(.*)", re.DOTALL)
"""`1:text`"""
BAR = re.compile(r" *(\d{1,8}) \| ?(.*)", re.DOTALL)
"""`1 | text`"""
_NumberedRow = tuple[str, str]
"""The hash of a line as shown, "" for a pattern without one, and the line's text."""


def unnumbered(listing: str, number: re.Pattern[str]) -> tuple[int, str] | None:
    """The number of the first line and the text of the first run of consecutively numbered lines; None without one.

    Lines before and after the run are left out. A numbered empty last line means that the text ends in a line feed.
    """
    at = 0
    while at <= len(listing) and not number.fullmatch(listing, at, _end(listing, at)):
        at = _end(listing, at) + 1
    first, rows, _ = numbered_rows(listing[at:], number)
    return (first, "\n".join([line for _, line in rows])) if rows else None


def numbered_rows(listing: str, pattern: re.Pattern[str]) -> tuple[int, list[_NumberedRow], str]:
    """The number of the first row, the rows with consecutive numbers at the start, and the rest."""
    first, rows, at = 0, list[_NumberedRow](), 0
    while at < len(listing):
        end = _end(listing, at)
        found = pattern.fullmatch(listing, at, end)
        if found is None or (rows and int(found[1]) != first + len(rows)):
            break
        first = first if rows else int(found[1])
        rows.append((found[2] if pattern.groups == 3 else "", found[pattern.groups]))
        at = end + 1
    return first, rows, listing[at:]


def _end(text: str, at: int) -> int:
    """The end of the line that begins at an offset."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# Diffs with line numbers.
#
# -12 text    pi: removed and context lines have their old numbers, added lines their new ones
# -12|text    oh-my-pi: likewise; a context line `...` is a gap
# -12    text, +12#VK:text    pi-hashline-edit: context lines and added lines have new numbers and anchors

_PLAIN = re.compile(r"([ +-])\s*(\d{1,9}) (.*)", re.DOTALL)
_BAR = re.compile(r"([ +-])\s*(\d{1,9})\|(.*)", re.DOTALL)
_ANCHORED = re.compile(rf"[ +]\s*\d{{1,9}}(#[{LETTERS}]{{2,4}}:)")
_ELLIPSIS = "..."
_Row = tuple[str, int, str]
"""The mark, the number and the text of a line."""


def unified_hunks(numbered: str) -> str:
    """The unified hunks of a diff with numbered lines."""
    lines = numbered.split("\n")
    anchor = next((found[1] for line in lines if (found := _ANCHORED.match(line))), None)
    hunks: list[str] = []
    grown = 0
    for rows in _stretches(lines, _BAR if _BAR.match(lines[0]) else _PLAIN if anchor is None else _anchored(anchor)):
        if not any(mark != " " for mark, _, _ in rows):
            continue
        mark, number, _ = rows[0]
        start = number - grown if mark == "+" or (mark == " " and anchor is not None) else number
        n_old = sum(mark != "+" for mark, _, _ in rows)
        n_new = sum(mark != "-" for mark, _, _ in rows)
        # A side without lines is numbered by the line before it.
        hunks.append(f"@@ -{start - (not n_old)},{n_old} +{start + grown - (not n_new)},{n_new} @@\n")
        hunks += (f"{mark}{content}\n" for mark, _, content in rows)
        grown += n_new - n_old
    return "".join(hunks)


def _anchored(anchor: str) -> re.Pattern[str]:
    """The pattern of rows with anchors of this length, or with spaces instead."""
    length = len(anchor)
    return re.compile(rf"([ +-])\s*(\d{{1,9}})(?:#[{LETTERS}]{{{length - 2}}}:|(?<=[0-9]) {{{length}}})(.*)", re.DOTALL)


def _stretches(lines: list[str], pattern: re.Pattern[str]) -> Iterator[list[_Row]]:
    """The runs of rows between gaps."""
    rows: list[_Row] = []
    for line in lines:
        found = pattern.fullmatch(line)
        # A context line of an ellipsis is no loss, whether or not it is one of the file's.
        if found is not None and not (pattern is _BAR and found[1] == " " and found[3] == _ELLIPSIS):
            rows.append((found[1], int(found[2]), found[3]))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


# Files with anchors, and calls that name lines by anchors.
#
# The listings of a log show its format: the hashes fit the lines. Calls in other formats with anchors (`12:ab`, or
# `12#VK` with a hash of the neighbours too) are counted, and their listings show no text.

_TAGGED = re.compile(r"\[([^\n]+)#([0-9A-Fa-f]{4})\]")
_NUMBERED = re.compile(r"([0-9]{1,9}):(.*)", re.DOTALL)
_LETTERED = re.compile(rf" *([0-9]{{1,9}})#([{LETTERS}]{{2,4}})[|:](.*)", re.DOTALL)
_HASHED = re.compile(rf" *[0-9]{{1,9}}(?::[0-9a-f]{{2}}\||#[{LETTERS}]{{2,4}}[|:])")
"""The start of a line that is shown with its number and its hash, in any format."""
_HUNK = re.compile(r"^(?:PUT|CUT) |^REM\s*$|^MV ", re.MULTILINE)
_LETTERED_EDITS = ("op", "loc")
_FIELDS = ("path", "filePath", "edits", "delete", "rename", "move")
_LONGEST_WHOLE = 500
"""The number of characters from which on agents cut a line off."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of a file that a read tool has shown with anchors."""

    format: Format
    first: int
    """The 1-based number of the first line."""
    lines: tuple[str, ...]
    rest: str
    """The output below the lines."""
    path: str = ""
    """The path of the file; empty in formats that do not show it."""

    @property
    def is_whole(self) -> bool:
        """True if all lines of the file are shown."""
        return self.first == 1 and not self.rest.strip()

    def read(self, path: str, size: int | None = None) -> Read:
        """The read of a file. `size` is the number of its bytes, or None.

        H2 shows a line feed at the end as an empty last line. The size tells if the file ends in a line feed; a file
        with other line endings has another size, and its endings stay unknown.
        """
        whole, content = self.is_whole, "\n".join(self.lines)
        if self.format == "hashline_h2":
            return Read(path, content, self.first, whole)
        ended = [one for one in (content, content + "\n") if len(one.encode("utf-8", "surrogatepass")) == size]
        is_known = whole and bool(ended)
        return Read(path, ended[0] if is_known else content, self.first, whole, ends_shown=is_known or not whole)


def anchored_call(arguments: Any, listed: Format | None) -> tuple[Format, str] | None:
    """The format of a call, and the call without fields of the host. None if the call has no anchors.

    `listed` is the format in which the session's files were shown.
    """
    sections = text(dig(arguments, "input"))
    if sections:
        return ("hashline_h4", sections) if _HUNK.search(sections) else None
    edits = items(embedded(dig(arguments, "edits")))
    if listed != "hashline_h2" or not any(name in edit for edit in edits for name in _LETTERED_EDITS):
        return None
    call = {name: arguments[name] for name in _FIELDS if name in arguments} | {"edits": edits}
    return "hashline_h2", json.dumps(call, ensure_ascii=False)


def tagged_files(sections: str) -> list[tuple[str, str]]:
    """The paths and tags of the files that a call of H4 names."""
    found = (_TAGGED.fullmatch(line.rstrip()) for line in sections.split("\n") if line.startswith("["))
    return [(one[1], one[2].upper()) for one in found if one is not None]


def anchored_listing(output: str) -> Listing | None:
    """The lines with anchors at the start of an output. None if there are none, or if their hashes fit no format.

    None also if a long line may have been cut off and the format shows no hash of it.
    """
    head, _, body = output.partition("\n")
    tagged = _TAGGED.fullmatch(head.rstrip("\r"))
    if tagged:
        first, rows, rest = numbered_rows(body, _NUMBERED)
        if any(len(line) >= _LONGEST_WHOLE for _, line in rows):
            return None
        return Listing("hashline_h4", first, tuple([line for _, line in rows]), rest, tagged[1]) if rows else None
    first, rows, rest = numbered_rows(output, _LETTERED)
    fits = all(hash in (h2_hash(line, n), h2_loose_hash(line, n)) for n, (hash, line) in enumerate(rows, first))
    return Listing("hashline_h2", first, tuple([line for _, line in rows]), rest) if rows and fits else None


def has_unknown_anchors(output: str) -> bool:
    """True if an output that is no `anchored_listing` begins with a line behind its number and its hash."""
    return _HASHED.match(output) is not None
