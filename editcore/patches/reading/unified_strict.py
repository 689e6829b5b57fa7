"""Parsing unified diffs by the counts of their hunk headers, and what all strictnesses share. Raises PatchError.

No library is used, since this project measures tolerance: libraries take a bare `@@` for a file without hunks, or
refuse what every model writes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from posixpath import normpath
from typing import NamedTuple

from editcore.errors import PatchError
from editcore.patches.placing.policy import changes
from editcore.patches.placing.seek import without_cr
from editcore.patches.reading.stray_lines import begins_header, is_piece
from editcore.types import FilePatch, Hunk, Reason

_HUNK = re.compile(r"^@@ -(\d{1,99})(?:,(\d{1,99}))? \+(\d{1,99})(?:,(\d{1,99}))? @@(?: ?(.*))?$")
LOOSE_NUMBERS = re.compile(r"-(\d{1,99})(?:,(\d{1,99}))? *\+(\d{1,99})(?:,(\d{1,99}))?")
NO_NEWLINE = re.compile(r"^\\ ?No newline")
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2}|[0-7]{1,2})|(.))")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_TIMESTAMP = re.compile(r"\t.*$|(?<!\s)\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_STAMP = re.compile(r"\t((?:1970-01-01|1969-12-31) \d\d:\d\d:\d\d)(?:\.0+)?(?: ([-+]\d{4}))?\r?$")
_METADATA = ("index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index ", "Index: ", "=====")
_EXTENDED = ("rename ", "new file mode", "deleted file mode", "copy ", "old mode ", "new mode ", *_METADATA)
_MODE = re.compile(r"(old|new) mode ([0-7]{6})")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]|~/")
_TIME = "%Y-%m-%d %H:%M:%S %z"
PREFIXES = ("a/", "b/", "i/", "w/", "o/", "c/")
"""What git writes before the names of the two sides; see `diff.mnemonicPrefix`."""
NULL = "/dev/null"
_NULLS = ("a" + NULL, "b" + NULL)
"""`/dev/null` with a prefix, as if it were a file of the tree."""


class Parsed(NamedTuple):
    """A parsed diff."""

    sections: list[FilePatch]
    notes: tuple[str, ...]
    only_metadata: bool = False
    """Whether it changes file modes only, which texts do not show."""
    plain: bool = True
    """Whether no line outside of hunks looks like one of a hunk or header, and no new file has an absolute name."""
    regular: bool = False
    """Whether it has only headers and hunks that change existing files, so that the tolerant reading is equal."""


class DiffFile:
    """The headers and hunks of one file of a diff."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.git: tuple[str, str] | None = None
        self.old: str | None = None
        self.new: str | None = None
        self.epoch: set[str] = set()
        """The sides ("old", "new") whose time stamp is the epoch, by which `diff -N` marks a missing file."""
        self.rename_from: str | None = None
        self.rename_to: str | None = None
        self.created = self.deleted = self.copied = False
        self.modes: dict[str, str] = {}
        self.hunks: list[Hunk] = []

    @property
    def named(self) -> bool:
        return bool(self.git or self.old or self.new)

    def take_name(self, side: str, text: str) -> None:
        """Read the text after `---` (side "old") or `+++` ("new")."""
        setattr(self, side, unquoted(text))
        if _is_epoch(text):
            self.epoch.add(side)

    def side_name(self, side: str) -> str | None:
        """The name on one side; /dev/null if the file does not exist there."""
        name = self.old if side == "old" else self.new
        if side in self.epoch and len(self.hunks) == 1:
            (hunk,) = self.hunks
            start, lines = (hunk.source_start, hunk.old) if side == "old" else (hunk.target_start, hunk.new)
            return name if start or lines else NULL
        return NULL if name in _NULLS else name

    @property
    def mode_changed(self) -> bool:
        return len(self.modes) == 2 and self.modes["old"] != self.modes["new"]


def _is_epoch(text: str) -> bool:
    """Whether a file header ends in the time stamp of the epoch, in any time zone."""
    stamp = _STAMP.search(text)
    try:
        return stamp is not None and not datetime.strptime(f"{stamp[1]} {stamp[2] or '+0000'}", _TIME).timestamp()
    except ValueError:
        return False


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8)]) if escape[1] else _ESCAPES.get(escape[2], escape[2])


def unquoted(name: str) -> str:
    """The file name of a header, without quotation marks, escapes and time stamp."""
    name = name.strip("\r")
    if name.startswith('"') and name.rfind('"') > 0:
        inner = name[1 : name.rfind('"')]
        # Escapes are bytes; characters beyond ASCII may also be written as themselves.
        data = _ESCAPE.sub(_unescaped, inner.encode("utf-8", "surrogatepass"))
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return data.decode("latin-1")
    return _TIMESTAMP.sub("", name).strip(" \t\r")


def git_names(rest: str) -> tuple[str, str] | None:
    """The two names of a `diff --git` line; None if they cannot be told apart."""
    if '"' in rest:
        names = re.findall(r'"(?:[^"\\]|\\.)*"|[^" ]+', rest)
        return (unquoted(names[0]), unquoted(names[1])) if len(names) == 2 else None
    middle = len(rest) // 2
    if rest[middle : middle + 1] == " " and rest[:middle].split("/", 1)[-1] == rest[middle + 1 :].split("/", 1)[-1]:
        return rest[:middle], rest[middle + 1 :]
    halves = rest.split(" b/")
    return (halves[0], "b/" + halves[1]) if len(halves) == 2 else None


def take_header(file: DiffFile, line: str) -> bool:
    """Read an extended header line of git; False for any other line."""
    if not line.startswith(_EXTENDED):
        return False
    for prefix, name in (("rename from ", "rename_from"), ("rename to ", "rename_to")):
        if line.startswith(prefix):
            setattr(file, name, unquoted(line[len(prefix) :]))
            return True
    if line.startswith("new file mode"):
        file.created = True
    elif line.startswith("deleted file mode"):
        file.deleted = True
    elif line.startswith(("copy from ", "copy to ")):
        file.copied = True
    elif mode := _MODE.fullmatch(line):
        file.modes[mode[1]] = mode[2]
    else:
        return line.startswith(_METADATA)
    return True


def parse_counted(text: str, paths: Collection[str]) -> Parsed:
    """Parse a diff whose hunks are as long as their headers say. Prose around it is skipped."""
    lines = text.split("\n")
    complete = lines[-1] == ""
    if complete:
        lines.pop()
    files: list[DiffFile] = []
    plain = True
    regular = complete and "\r" not in text
    n = 0
    while n < len(lines):
        line = lines[n]
        if line.startswith("diff --git "):
            files.append(DiffFile(n + 1))
            files[-1].git = git_names(without_cr(line)[11:])
        elif line.startswith("--- ") and n + 1 < len(lines) and lines[n + 1].startswith("+++ "):
            if not files or files[-1].old is not None or files[-1].hunks:
                files.append(DiffFile(n + 1))
            files[-1].take_name("old", line[4:])
            files[-1].take_name("new", lines[n + 1][4:])
            n += 1
        elif files and files[-1].git and not files[-1].hunks and take_header(files[-1], without_cr(line)):
            pass
        elif line.startswith("@@"):
            if not files:
                raise PatchError("the hunk belongs to no file: '--- a/PATH' and '+++ b/PATH' are missing.", line=n + 1)
            hunk, n = _counted_hunk(lines, n)
            files[-1].hunks.append(hunk)
            # A tolerant reading drops an empty last line, and may read other lines than counted.
            regular &= lines[n - 1] != "" and not any(map(_is_doubtful, lines[hunk.patch_line : n]))
            # Lines below the counted ones that look like context may show where the hunk belongs.
            plain &= n == len(lines) or not lines[n].startswith(" ") or not lines[n].strip()
            continue
        else:
            regular = False
            plain &= not is_piece(line) and (complete or n + 1 < len(lines) or not begins_header(line))
        n += 1
    sections = [section_of(file, paths, strip=True) for file in files]
    plain &= not any(
        section.action == "add" and _is_absolute(file) for section, file in zip(sections, files, strict=True)
    )
    regular &= 0 < len(sections) == len({section.path for section in sections})
    regular &= all(_is_named_plainly(section, file, paths) for section, file in zip(sections, files, strict=True))
    return parsed_diff(sections, files, ())._replace(plain=plain, regular=regular)


def _is_doubtful(line: str) -> bool:
    """Whether a line of a hunk could be something else, which only the counts decide."""
    return line.startswith(("--", "+++ ", "\\"))


def _is_named_plainly(section: FilePatch, file: DiffFile, paths: Collection[str]) -> bool:
    """Whether a section changes an existing file whose name, with and without a prefix, can mean no other one."""
    old, new = file.old, file.new
    return (
        section.action == "update"
        and section.move_to is None
        and bool(section.hunks)
        and old is not None
        and not file.epoch
        and old[:2] in PREFIXES
        and old[2:] == section.path == normpath(section.path)
        and section.path.strip("`'\" ") == section.path
        and section.path in paths
        and old not in paths
        and new not in paths
    )


def _is_absolute(file: DiffFile) -> bool:
    """Whether a name of the file is absolute before its first directory is removed, as `patch -p1` does."""
    return any(_ABSOLUTE.match(name) for name in (file.new, *(file.git or ())) if name)


def _counted_hunk(lines: list[str], n: int) -> tuple[Hunk, int]:
    """The hunk whose header is the 0-based line n, and the line after it."""
    match = _HUNK.match(without_cr(lines[n]))
    if not match:
        raise PatchError(f"{lines[n]!r} is no hunk header: '@@ -START,LENGTH +START,LENGTH @@'.", line=n + 1)
    start, n_old, target, n_new = int(match[1]), length(match[2]), int(match[3]), length(match[4])
    left_old, left_new = n_old, n_new
    body: list[str] = []
    source_no_newline = target_no_newline = False
    at = n + 1
    while at < len(lines):
        line = lines[at] or " "
        mark = line[0]
        if mark == "\\":
            mark = body[-1][0] if body else ""
            source_no_newline |= mark in " -"
            target_no_newline |= mark in " +"
        elif not left_old and not left_new:
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
    if not any(line[0] != " " for line in body):
        raise PatchError("the hunk changes nothing.", line=n + 1)
    if _is_longer(lines, at):
        raise PatchError("the hunk is longer than its header says.", line=n + 1)
    hunk = Hunk(
        tuple(body), n + 1, (), start, n_old, target, n_new,
        source_no_newline=source_no_newline, target_no_newline=target_no_newline,
    )  # fmt: skip
    return hunk, at


def _is_longer(lines: list[str], n: int) -> bool:
    """Whether added or removed lines follow where a hunk should have ended."""
    while n < len(lines) and lines[n][:1] in (" ", "+", "-") and not begins_file(lines, n):
        if lines[n][0] != " " and lines[n] not in ("-- ", "--"):
            return True
        n += 1
    return False


def begins_file(lines: list[str], n: int) -> bool:
    return lines[n].startswith("--- ") and n + 1 < len(lines) and lines[n + 1].startswith("+++ ")


def length(text: str | None) -> int:
    return 1 if text is None else int(text)


def stripped(name: str) -> str:
    """The name without its first directory, as with `patch -p1`."""
    return name.split("/", 1)[1] if "/" in name and name != NULL else name


def section_of(file: DiffFile, paths: Collection[str], *, strip: bool) -> FilePatch:
    """The section that the headers and hunks of a file make. Raises PatchError if they contradict each other."""
    cut = stripped if strip else str
    old, new = file.side_name("old"), file.side_name("new")
    for name in (old, new, *(file.git or ()), file.rename_from, file.rename_to):
        if name and ".." in name.split("/"):
            raise PatchError(
                f"{name!r} is not a path inside the files.", line=file.line, reason=Reason.OUTSIDE_WORKSPACE
            )
    if file.git:
        old = old if old is not None else (NULL if file.created else file.git[0])
        new = new if new is not None else (NULL if file.deleted else file.git[1])
    if old is None or new is None:
        raise PatchError("the file has no name.", line=file.line)
    if file.copied:
        raise PatchError("copies are not supported: add the file instead.", line=file.line, reason=Reason.NOT_ALLOWED)
    if old == NULL and new == NULL:
        raise PatchError("both names are /dev/null.", line=file.line)
    if file.deleted and new != NULL:
        raise PatchError("the header says that the file is deleted, its new name that it is not.", line=file.line)
    hunks = tuple(file.hunks)
    if old == NULL:
        return _creation(cut(new), file, hunks)
    if new == NULL:
        return FilePatch("delete", cut(old), file.line, hunks=hunks)
    if file.rename_from is not None and file.rename_to is not None:
        return FilePatch("update", file.rename_from, file.line, file.rename_to, hunks)
    # Two names without a rename mean one file: the one that exists.
    names = [cut(old), cut(new)]
    path = next((name for name in names if name in paths), names[0])
    return FilePatch("update", path, file.line, None, hunks)


def _creation(path: str, file: DiffFile, hunks: tuple[Hunk, ...]) -> FilePatch:
    if len(hunks) > 1 or any(line[0] != "+" for hunk in hunks for line in hunk.lines):
        raise PatchError("a new file has nothing but added lines, in one hunk.", line=file.line)
    return FilePatch("add", path, file.line, hunks=hunks)


def parsed_diff(sections: list[FilePatch], files: list[DiffFile], notes: tuple[str, ...]) -> Parsed:
    for section, file in zip(sections, files, strict=True):
        if _changes_nothing(section) and not file.mode_changed:
            raise PatchError(
                f"there is no hunk that changes {section.path}: '@@' begins one, - and + mark the changes.",
                line=file.line,
            )
    changing = [section for section in sections if not _changes_nothing(section)]
    return Parsed(changing or sections, notes, bool(sections) and not changing)


def _changes_nothing(section: FilePatch) -> bool:
    return section.action == "update" and section.move_to is None and not any(map(changes, section.hunks))
