"""Parsing unified diffs as models write them (tolerant). Raises PatchError."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile

from editcore.errors import PatchError
from editcore.patches.placing.policy import MARKER_IGNORED
from editcore.patches.reading.cut_off import NO_LINES, Ending, begins_header, check_head, check_whole, is_signature
from editcore.patches.reading.file_headers import (
    NO_FILE,
    NO_NAME,
    NULL,
    DiffFile,
    check_text,
    take_header,
    unquoted,
)
from editcore.patches.reading.file_names import NamesMatched, creation, section_of, stands_for
from editcore.patches.reading.unified_strict import LOOSE_NUMBERS, NO_NEWLINE, Parsed, length, parsed_diff
from editcore.patches.reading.unwrapping import unwrapped
from editcore.text.line_index import without_cr
from editcore.text.whitespace import indent
from editcore.types import FilePatch, Hunk, Reason


def parse_tolerant(text: str, paths: Collection[str], *, path: str | None = None) -> Parsed:
    """Parse a diff as a model may write it: numbers are hints, and names are matched with the existing paths.

    `path`: the only file that the diff may be for, where the caller names one.
    """
    return _TolerantReader(text, paths, path).parsed()


def parse_above_tails(text: str, paths: Collection[str], *, path: str | None = None) -> Parsed | None:
    """Parse a diff whose hunks end where their counts are met, above text that is no hunk's; None without such text.

     end of the hunk, its counts are met
     (a line of one blank)
    EOF
    )
    """
    reader = _TolerantReader(text, paths, path, by_counts=True)
    parsed = reader.parsed()
    return parsed if reader.has_tails else None


_STRAY = re.compile(r"^[-+](?! \S|[-+ ]*$)")
"""A line of a hunk that is neither an item of a list nor a rule in prose."""
NO_HEADERS = "file headers were missing"
_OF_HUNK = re.compile(r" |\+|\\|-(?! \S|--+ *$)")
"""The beginning of a line that may belong to a hunk. Prose has items of lists, and rules."""
_QUOTE = re.compile(r"^[>|] ?")
_SIGNS = (re.compile(r"^\t*+@@", re.MULTILINE), re.compile(r"^\t*+\+\+\+ ", re.MULTILINE))
"""Beginnings of lines of a diff, the best ones first."""
_INDENTED_HEADER = re.compile(r"[ \t]+@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HEADERS = ("diff --git ", "--- ", "+++ ", "@@")
_ENDS = ("@", "diff --git ", "--", "+++ ", "```", "~~~")
"""Beginnings of lines that may not belong to the hunk above them."""


class _TolerantReader:
    """Reads a diff, and everything around and in it that can mean one thing only."""

    def __init__(self, text: str, paths: Collection[str], path: str | None = None, *, by_counts: bool = False) -> None:
        self.notes: list[str] = []
        self.by_counts, self.has_tails = by_counts, False
        self._given = path is not None
        self._only = path if path is not None else next(iter(paths)) if len(paths) == 1 else None
        """The only file that the diff may be for."""
        text = unwrapped(text, _SIGNS, self.notes)
        self.paths = paths
        self.names = NamesMatched(paths, loose=True)
        self.complete = text.endswith("\n")
        self.lines = text.removeprefix("\ufeff").split("\n")
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        if "\r" in text:
            self._absorb_crs()
        self._unquote()
        cut_off = not self.complete and bool(self.lines) and begins_header(self.lines[-1])
        self._cut_off = len(self.lines) - 1 if cut_off else None
        """The 0-based last line, if the text ends within a header; else None."""
        self._indented = set[int]()
        """Lines that may be indented headers of hunks."""
        if " @@ -" in text or "\t@@ -" in text:
            self._indented = {n for n, line in enumerate(self.lines) if _INDENTED_HEADER.match(line)}

    @cached_property
    def _last(self) -> int:
        return self._last_line(str.strip)

    @cached_property
    def _last_header(self) -> int:
        return self._last_line(lambda line: line.startswith("@@"))

    @cached_property
    def _last_change(self) -> int:
        return self._last_line(lambda line: line.startswith(("+", "-")))

    def _last_line(self, has: Callable[[str], object]) -> int:
        """The 0-based number of the last line with a property; -1 for none."""
        return next((n for n in range(len(self.lines) - 1, -1, -1) if has(self.lines[n])), -1)

    def _absorb_crs(self) -> None:
        headers = [line for line in self.lines if line.startswith(("@@", "--- ", "+++ ", "diff "))]
        # If a header has none, the carriage returns belong to the file's lines.
        if headers and all(line.endswith("\r") for line in headers):
            self.notes.append("carriage returns of the patch itself were dropped")
            self.lines = [without_cr(line) for line in self.lines]

    def _unquote(self) -> None:
        """Drop a quotation mark or an indentation in front of every line of the diff."""
        if any(line.startswith(("@@", "--- ")) for line in self.lines):
            return
        full = [line for line in self.lines if line.strip()]
        if full and all(_QUOTE.match(line) for line in full):
            self.notes.append("quotation marks before each line were dropped")
            self.lines = [_QUOTE.sub("", line) for line in self.lines]
            return
        first = next((line for line in self.lines if line.lstrip().startswith(("@@", "--- ", "diff --git "))), "")
        before = indent(first, None)
        if before and all(line.startswith(before) for line in full):
            self.notes.append("the indentation of the whole patch was dropped")
            self.lines = [line[len(before) :] for line in self.lines]

    def parsed(self) -> Parsed:
        files: list[DiffFile] = []
        n = read = 0
        while n < len(self.lines):
            line = self.lines[n].removesuffix("\r")
            if self._is_nameless(n):
                check_head(self.lines[read:n], n)
                if not (files and files[-1].begins_by_git and not files[-1].hunks):
                    files.append(DiffFile(n + 1))
                files[-1].old = files[-1].new = ""
                n = read = n + 2
                continue
            if line.startswith(_HEADERS):
                check_head(self.lines[read:n], n)
                read = n + 1
            check_text(files, line, n + 1)
            if line.startswith("diff --git "):
                files.append(DiffFile.of_git(line, n + 1))
            elif line.startswith("--- ") and line[4:].strip():
                is_fresh = files and files[-1].begins_by_git and files[-1].old is None and not files[-1].hunks
                if not is_fresh:
                    files.append(DiffFile(n + 1))
                files[-1].take_name("old", line[4:])
            elif line.startswith("+++ ") and line[4:].strip():
                if not files or files[-1].new is not None or files[-1].hunks:
                    files.append(DiffFile(n + 1))
                files[-1].take_name("new", line[4:])
            elif line.startswith("@@"):
                if n and self.lines[n - 1].strip() == "+++" and not (n > 1 and self._is_nameless(n - 2)):
                    raise PatchError("the header above the hunk names no file: '+++ b/PATH'.", line=n)
                if not files:
                    files.append(DiffFile(n + 1))
                hunk, n = self._hunk(n, files[-1])
                read = n
                files[-1].hunks.append(hunk)
                continue
            elif files and not files[-1].hunks and take_header(files[-1], line):
                pass
            elif files and files[-1].named and not files[-1].hunks and line[:1] in ("+", "-", " ") and line.strip():
                if n in self._indented:
                    self.lines[n] = line.lstrip()
                    continue
                if files[-1].new is None or self.lines[n - 1][:4] != "+++ ":
                    raise _no_header(n + 1)
                hunk, n = self._hunk(n - 1, files[-1], header="")
                self.notes.append("the header of a hunk was missing")
                read = n
                files[-1].hunks.append(hunk)
                continue
            elif n == self._cut_off:
                raise PatchError(
                    "the patch was cut off within a header: send it again whole, or without this line.", line=n + 1
                )
            elif files and _STRAY.match(line):
                raise PatchError(f"{line!r} stands outside of the hunks: '@@' begins one.", line=n + 1)
            n += 1
        return self._merged(files)

    def _merged(self, files: list[DiffFile]) -> Parsed:
        if not files:
            raise PatchError("there is no hunk in the patch: '@@' begins one.", line=1)
        found: list[tuple[DiffFile, FilePatch, list[Hunk]]] = []
        for file in files:
            section = self._resolved(file)
            _, last, hunks = found[-1] if found else (None, None, [])
            if last and last.action == section.action == "update" and last.path == section.path and not section.move_to:
                hunks += section.hunks
                self.notes.append("the file header stood before each hunk")
            else:
                found.append((file, section, list(section.hunks)))
        sections = [
            section if len(hunks) == len(section.hunks) else replace(section, hunks=tuple(hunks))
            for _, section, hunks in found
        ]
        notes = dict.fromkeys((*self.names.notes, *self.notes))
        return parsed_diff(sections, [file for file, _, _ in found], tuple(notes))

    def _is_nameless(self, n: int) -> bool:
        """True if `---` and `+++` without names are right above a hunk, as programs write them for two texts."""
        is_pair = [line.rstrip() for line in self.lines[n : n + 2]] == ["---", "+++"]
        return is_pair and n + 2 < len(self.lines) and self.lines[n + 2].startswith("@@")

    def _resolved(self, file: DiffFile) -> FilePatch:
        if not file.named:
            if self._only is None or self._only not in self.paths or file.begins_by_git:
                raise PatchError(NO_FILE, line=file.line)
            self.notes.append(NO_HEADERS)
            return FilePatch("update", self._only, file.line, hunks=tuple(file.hunks))
        if not file.git and file.rename_from is None and None in (file.old, file.new):
            self.notes.append("one of the two file headers was missing")
            file.old = file.new if file.old is None else file.old
            file.new = file.old if file.new is None else file.new
            if file.old == NULL:
                raise PatchError(NO_NAME, line=file.line)
        section = self._section_of_only(file) or section_of(file, self.names)
        if section.action == "add" or section.path in self.paths:
            return section
        if section.move_to is None and self._all_added(section):
            name = file.new or (file.git[1] if file.git else section.path)
            return FilePatch("add", self.names.created(file, name), section.patch_line, hunks=section.hunks)
        message = f"There is no file {section.path}: give the path of one that exists."
        raise PatchError(message, line=section.patch_line, reason=Reason.NOT_FOUND)

    def _section_of_only(self, file: DiffFile) -> FilePatch | None:
        """The section for the only file that the diff may be for, if the headers have placeholders for its name."""
        only, old, new = self._only, file.side_name("old"), file.side_name("new")
        names = [name for name in (*(file.git or ()), old, new) if name is not None and name != NULL]
        if only is None or file.rename_to or file.copied or file.deleted or new == NULL or any(map(self._known, names)):
            return None
        if not all(stands_for(name, only, given=self._given) for name in names):
            return None
        is_new = old == NULL or file.created
        if only in self.paths:
            return None if is_new else FilePatch("update", only, file.line, hunks=tuple(file.hunks))
        return creation(only, file) if self._given and is_new else None

    def _known(self, name: str) -> str | None:
        return self.names.known(name) if name else None

    def _all_added(self, section: FilePatch) -> bool:
        """True if the hunks write a whole new file: `@@ -0,0 +1,n @@` and added lines only."""
        return bool(section.hunks) and all(
            hunk.source_start == 0 and all(line[0] == "+" for line in hunk.lines) for hunk in section.hunks
        )

    # Hunks

    def _hunk(self, n: int, file: DiffFile, header: str | None = None) -> tuple[Hunk, int]:
        """The hunk below the 0-based line n, its header unless one is given, and the index of the line after it."""
        at = n + 1 if header is None else n + 2
        header = without_cr(self.lines[n]) if header is None else header
        numbers = LOOSE_NUMBERS.search(header.split("@@")[1] if header.count("@@") > 1 else header[2:])
        body, unmarked, (source_no_newline, target_no_newline), end = self._marked(n + 1, numbers, file)
        if not body:
            raise PatchError(NO_LINES, line=at)
        marks = "".join([line[0] for line in body])
        n_old, n_new = len(body) - marks.count("+"), len(body) - marks.count("-")
        counts = (length(numbers[2]), length(numbers[4])) if numbers else None
        starts = (int(numbers[1]), int(numbers[3])) if numbers else None
        if not header and n_old == n_new == len(body):
            raise _no_header(at)
        if counts != (n_old, n_new):
            check_whole(body, counts, starts, Ending(end > self._last, n == self._last_header, self.complete), at)
        if n_old == n_new == len(body):
            self._check_marks(body, numbers, n)
        anchor = header.split("@@", 2)[2].strip() if header.count("@@") > 1 else ""
        hunk = Hunk(
            tuple(body), at, (anchor,) if anchor and not numbers else (),
            starts[0] if starts else None, counts[0] if counts else None,
            starts[1] if starts else None, counts[1] if counts else None,
            source_no_newline=source_no_newline, target_no_newline=target_no_newline,
            closed=self.complete or end <= self._last, unmarked=tuple(one for one in unmarked if one < len(body)),
        )  # fmt: skip
        return hunk, end

    def _marked(
        self, n: int, numbers: re.Match[str] | None, file: DiffFile
    ) -> tuple[list[str], list[int], tuple[bool, bool], int]:
        """(lines of a hunk from line n on with their marks, indices of those without a mark, missing line feeds, line
        after it).

        The missing line feeds are those at the ends of the old and of the new text.
        """
        end = first = n if self.by_counts and numbers else self._end_of_plain_lines(n)
        body = self.lines[n:end]
        source_no_newline = target_no_newline = below_context = False
        unmarked: list[int] = []
        for end, line in self._body(first, body, numbers, file):
            if line[0] == "\\" and NO_NEWLINE.match(line):
                mark = body[-1][0] if body else ""
                below_context = mark == " "
                source_no_newline |= mark in (" ", "-")
                target_no_newline |= mark in (" ", "+")
            else:
                if below_context or (target_no_newline and line[0] != "-"):
                    source_no_newline &= not below_context
                    target_no_newline = below_context = False
                    self.notes.append(MARKER_IGNORED)
                if self.lines[end][:1] != line[0]:
                    unmarked.append(len(body))
                body.append(line)
            end += 1
        while body and body[-1] == " " and self.lines[end - 1] == "":
            # A blank line after the hunk is not context.
            body.pop()
            end -= 1
        return body, unmarked, (source_no_newline, target_no_newline), end

    def _end_of_plain_lines(self, n: int) -> int:
        """The first line from line n on that has no mark, or that may be something other than a line of a hunk."""
        lines = self.lines
        while n < len(lines) and n not in self._indented:
            line = lines[n]
            mark = line[:1]
            if mark != " " and not (mark == "+" and line[:4] != "+++ ") and not (mark == "-" and line[:2] != "--"):
                break
            n += 1
        return n

    def _body(
        self, n: int, above: Sequence[str], numbers: re.Match[str] | None, file: DiffFile
    ) -> Iterator[tuple[int, str]]:
        """(index, line) of the lines of a hunk from line n on. A missing space in front is restored.

        `above`: the lines of the hunk above these, all with marks.
        """
        marks = "".join([line[0] for line in above]) if numbers else ""
        left_old = length(numbers[2]) - len(marks) + marks.count("+") if numbers else 0
        left_new = length(numbers[4]) - len(marks) + marks.count("-") if numbers else 0
        while n < len(self.lines):
            line = self.lines[n]
            if self.by_counts and numbers and left_old == left_new == 0 and self._is_tail(n):
                self.has_tails = True
                return
            if line.startswith(_ENDS):
                if self._ends_hunk(n, within=left_old > 0 and left_new > 0, removes=left_old > 0):
                    return
                if self._begins_file(n, file):
                    if (left_old, left_new) == (0, 1):
                        message = "by the counts this is an added line, else the header of a file: correct the counts."
                        raise PatchError(message, line=n + 1)
                    return
            elif n in self._indented and max(left_old, left_new) <= 0:
                self.lines[n] = line.lstrip()
                self.notes.append("a header of a hunk was indented")
                return
            if line[:1] not in (" ", "+", "-") and not (line[:1] == "\\" and NO_NEWLINE.match(line)):
                if line.strip() and not numbers and line[:1] not in ("\t", "\\") and n > self._last_change:
                    return  # Prose below the patch.
                line = " " + line
                if line.strip():
                    self.notes.append("context lines lacked their leading space")
            yield n, line
            left_old -= line[0] in " -"
            left_new -= line[0] in " +"
            n += 1

    def _ends_hunk(self, n: int, *, within: bool, removes: bool) -> bool:
        """True if a line ends the hunk. By its counts it may go on (`within`), or lacks a removed line (`removes`)."""
        line = self.lines[n]
        if line.startswith(("@@", "diff --git ", "```", "~~~")):
            return True
        if line.startswith("--- ") and n + 1 < len(self.lines) and self.lines[n + 1].startswith("+++ "):
            # A removed line '-- x' followed by an added '++ y' looks the same; the counts decide.
            return not within or (n + 2 < len(self.lines) and self.lines[n + 2].startswith("@@"))
        return (n == self._cut_off and not within) or (not removes and is_signature(self.lines, n))

    def _is_tail(self, n: int) -> bool:
        """True if the lines from line n down to the next header are text below a hunk, and no lines of it."""
        below = takewhile(
            lambda line: not line.startswith(_HEADERS), map(self.lines.__getitem__, range(n, len(self.lines)))
        )
        return not self.lines[n].startswith(_HEADERS) and not any(
            line.strip() and _OF_HUNK.match(line) for line in below
        )

    def _begins_file(self, n: int, file: DiffFile) -> bool:
        """True if a `+++` line between hunks is the only header of the next file, and not an added line."""
        line, below = self.lines[n], self.lines[n + 1 : n + 2]
        if not (line.startswith("+++ ") and line[4:].strip() and below and below[0].startswith("@@")):
            return False
        return file.old is None or self.names.known(unquoted(line[4:])) is not None

    def _check_marks(self, body: list[str], numbers: re.Match[str] | None, n: int) -> None:
        """Accept a hunk of context lines only. Raises PatchError if its header counts a change."""
        few, many = sorted((length(numbers[2]), length(numbers[4]))) if numbers else (0, 0)
        if few < many == len(body):
            raise PatchError(
                "the hunk marks no change, but its header says that there is one: mark it with - and +.", line=n + 1
            )
        self.notes.append("a hunk that changes nothing was passed over")


def _no_header(line: int) -> PatchError:
    return PatchError("there is no @@ line before the lines of a hunk: put one there.", line=line)
