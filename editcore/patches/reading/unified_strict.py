"""Parsing unified diffs by the counts of their hunk headers, and what all strictnesses share. Raises PatchError.

No library is used, since this project measures tolerance. Libraries take a bare `@@` for a file without hunks, or
refuse what every model writes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from editcore.errors import PatchError
from editcore.patches.placing.policy import changes
from editcore.patches.reading.cut_off import begins_header, is_piece, is_signature
from editcore.patches.reading.file_headers import NO_FILE, DiffFile, check_text, take_header
from editcore.patches.reading.file_names import FirstDirectoryDropped, NameRule, section_of
from editcore.text.line_index import without_cr
from editcore.types import FilePatch, Hunk

_HUNK = re.compile(r"^@@ -(\d{1,99})(?:,(\d{1,99}))? \+(\d{1,99})(?:,(\d{1,99}))? @@(?: ?(.*))?$")
LOOSE_NUMBERS = re.compile(r"-(\d{1,99})(?:,(\d{1,99}))? *\+(\d{1,99})(?:,(\d{1,99}))?")
NO_NEWLINE = re.compile(r"^\\ ?No newline")
"""The marker of a missing final line feed as models write it."""
_MARKER = "\\ "
"""The beginning of that marker in every language: git and GNU patch read no more of it."""
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]|~/")


class Parsed(NamedTuple):
    sections: list[FilePatch]
    notes: tuple[str, ...]
    only_metadata: bool = False
    """True if the diff changes only file modes, which texts do not show."""
    plain: bool = True
    """True if no line outside of hunks looks like a hunk's or a header's, and no new file has an absolute name."""


_PIECES = ("+", "-", " @@")
"""Beginnings of lines of hunks that prose seldom has."""


def parse_counted(text: str, paths: Collection[str], *, names: NameRule | None = None) -> Parsed:
    """Parse a diff whose hunks are as long as their headers say. Prose around it is skipped.

    Without a rule for `names`, these are read as `patch -p1` does: without their first directory.
    """
    lines = text.split("\n")
    complete = lines[-1] == ""
    if complete:
        lines.pop()
    files: list[DiffFile] = []
    plain = True
    n = 0
    while n < len(lines):
        line = lines[n]
        check_text(files, line, n + 1)
        if line.startswith("diff --git "):
            files.append(DiffFile.of_git(line, n + 1))
        elif line.startswith("--- ") and n + 1 < len(lines) and lines[n + 1].startswith("+++ "):
            if not files or files[-1].old is not None or files[-1].hunks:
                files.append(DiffFile(n + 1))
            files[-1].take_name("old", line[4:])
            files[-1].take_name("new", lines[n + 1][4:])
            n += 1
        elif files and files[-1].begins_by_git and not files[-1].hunks and take_header(files[-1], without_cr(line)):
            pass
        elif line.startswith("@@"):
            if not files:
                raise PatchError(NO_FILE, line=n + 1)
            hunk, n = _counted_hunk(lines, n)
            files[-1].hunks.append(hunk)
            # Lines below the counted ones that look like context may show where the hunk belongs.
            plain &= n == len(lines) or not lines[n].startswith(" ") or not lines[n].strip()
            continue
        else:
            if files and files[-1].old is not None and not files[-1].hunks and line.startswith(_PIECES):
                # Passed over as prose, it would be lost, and the hunks below it applied without it.
                raise PatchError("there is no @@ line above this line of a hunk: put one there.", line=n + 1)
            plain &= not is_piece(line) and (complete or n + 1 < len(lines) or not begins_header(line))
        n += 1
    sections = [section_of(file, names or FirstDirectoryDropped(paths)) for file in files]
    for section, file in zip(sections, files, strict=True):
        plain &= section.action != "add" or not _is_absolute(file)
    return parsed_diff(sections, files, (), plain=plain)


def _is_absolute(file: DiffFile) -> bool:
    """True if a name of the file is absolute before its first directory is removed, as `patch -p1` does it."""
    return any(_ABSOLUTE.match(name) for name in (file.new, *(file.git or ())) if name)


def _counted_hunk(lines: list[str], n: int) -> tuple[Hunk, int]:
    """The hunk whose header is the 0-based line n, and the index of the line after it."""
    match = _HUNK.match(without_cr(lines[n]))
    if not match:
        raise PatchError(f"{lines[n]!r} is no hunk header: '@@ -START,LENGTH +START,LENGTH @@'.", line=n + 1)
    start, n_old, target, n_new = int(match[1]), length(match[2]), int(match[3]), length(match[4])
    body, left_old, left_new, at = list[str](), n_old, n_new, n + 1
    source_no_newline = target_no_newline = False
    while at < len(lines):
        line = lines[at] or " "
        mark = line[0]
        if line.startswith(_MARKER):
            mark = body[-1][0] if body else ""
            source_no_newline |= mark in " -"
            target_no_newline |= mark in " +"
            if target_no_newline and body and left_new:
                raise PatchError("the marker of a missing line feed is above the end of the hunk.", line=at + 1)
        elif not left_old and not left_new:
            if mark == "\\":
                raise PatchError(f"unexpected line below a hunk: {line!r}.", line=at + 1)
            break
        else:
            if line == "\r":
                line = " \r"
            elif mark not in " +-":
                raise PatchError(
                    f"unexpected line in a hunk: {line!r}. It must begin with a blank, + or -.", line=at + 1
                )
            body.append(line)
            left_old -= mark != "+"
            left_new -= mark != "-"
            if left_old < 0 or left_new < 0:
                raise PatchError("the hunk is not as long as its header says.", line=n + 1)
        at += 1
    if left_old or left_new:
        raise PatchError("the hunk is shorter than its header says.", line=n + 1)
    if n_old + n_new == 2 * len(body):
        raise PatchError("the hunk changes nothing.", line=n + 1)
    if _is_longer(lines, at):
        raise PatchError("the hunk is longer than its header says.", line=n + 1)
    hunk = Hunk(
        tuple(body), n + 1, (), start, n_old, target, n_new,
        source_no_newline=source_no_newline, target_no_newline=target_no_newline,
    )  # fmt: skip
    return hunk, at


def _is_longer(lines: list[str], n: int) -> bool:
    while n < len(lines) and lines[n][:1] in (" ", "+", "-") and not begins_file(lines, n):
        if lines[n][0] != " " and not is_signature(lines, n):
            return True
        n += 1
    return False


def begins_file(lines: list[str], n: int) -> bool:
    return lines[n].startswith("--- ") and n + 1 < len(lines) and lines[n + 1].startswith("+++ ")


def length(text: str | None) -> int:
    return 1 if text is None else int(text)


def parsed_diff(
    sections: list[FilePatch],
    files: list[DiffFile],
    notes: tuple[str, ...],
    *,
    plain: bool = True,
) -> Parsed:
    """The diff of the sections that change something. Raises PatchError if none does."""
    changing = [section for section in sections if not _changes_nothing(section)]
    if len(changing) < len(sections):
        for section, file in zip(sections, files, strict=True):
            if _changes_nothing(section) and not file.mode_changed:
                message = f"there is no hunk that changes {section.path}: '@@' begins one, - and + mark the changes."
                raise PatchError(message, line=file.line)
    return Parsed(changing or sections, notes, bool(sections) and not changing, plain)


def _changes_nothing(section: FilePatch) -> bool:
    return section.action == "update" and section.move_to is None and not any(map(changes, section.hunks))
