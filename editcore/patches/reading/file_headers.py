"""The headers of one file in a unified diff: its two names, git's extended lines, and the hunks below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from editcore.errors import PatchError
from editcore.text.line_index import without_cr
from editcore.types import Hunk, Reason

_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2}|[0-7]{1,2})|(.))")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_TIMESTAMP = re.compile(r"\t.*$|(?<!\s)\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_STAMP = re.compile(r"\t((?:1970-01-01|1969-12-31) \d\d:\d\d:\d\d)(?:\.0+)?(?: ([-+]\d{4}))?\r?$")
_METADATA = ("index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index ", "Index: ", "=====")
_EXTENDED = ("rename ", "new file mode", "deleted file mode", "copy ", "old mode ", "new mode ", *_METADATA)
_KINDS = (
    "Binary files ",
    "GIT binary patch",
    "new file mode ",
    "deleted file mode ",
    "old mode ",
    "new mode ",
    "index ",
)
"""Beginnings of lines that state the kind of a file."""
_SPECIAL_MODE = re.compile(r" (120000|160000)$")
_MODE = re.compile(r"(old|new) mode ([0-7]{6})")
_TIME = "%Y-%m-%d %H:%M:%S %z"
_QUOTED_OR_WORD = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[^" ]+', re.DOTALL)
"""A quoted name or one without spaces. An unclosed quotation reaches to the end: no text is read twice."""
NO_FILE = "the hunk belongs to no file: '--- a/PATH' and '+++ b/PATH' are missing."
NO_NAME = "the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'."
NULL = "/dev/null"
_NULLS = re.compile(r"[ab]//?dev/null")
"""`/dev/null` with a prefix, as if it were a file of the tree. Codex on the web writes `a//dev/null`."""


class DiffFile:
    def __init__(self, line: int) -> None:
        self.line = line
        self.begins_by_git = False
        """True if the section begins with a line `diff --git`."""
        self.git: tuple[str, str] | None = None
        """The names in that line; None if it can be read in several ways."""
        self.old: str | None = None
        self.new: str | None = None
        self.epoch: set[str] = set()
        """Sides ("old", "new") with the time stamp of the epoch: `diff -N` marks a missing file by it."""
        self.rename_from: str | None = None
        self.rename_to: str | None = None
        self.created = self.deleted = self.copied = False
        self.modes: dict[str, str] = {}
        self.hunks: list[Hunk] = []

    @property
    def shown(self) -> str:
        name = self.git[1] if self.git else self.new or self.old or ""
        return name[2:] if name[:2] in ("a/", "b/") else name

    @property
    def named(self) -> bool:
        return bool(self.git or self.old or self.new or (self.rename_from and self.rename_to))

    @classmethod
    def of_git(cls, line: str, number: int) -> DiffFile:
        """The file of a line `diff --git`."""
        file = cls(number)
        file.begins_by_git, names = True, git_names(without_cr(line)[11:])
        file.git = names and (_null_or(names[0]), _null_or(names[1]))
        return file

    def take_name(self, side: str, text: str) -> None:
        """Read the text after `---` (side "old") or `+++` ("new")."""
        setattr(self, side, unquoted(text))
        if _is_epoch(text):
            self.epoch.add(side)

    def side_name(self, side: str) -> str | None:
        """The name on one side; /dev/null if the file does not exist on that side."""
        name = self.old if side == "old" else self.new
        if side in self.epoch and len(self.hunks) == 1:
            (hunk,) = self.hunks
            start, lines = (hunk.source_start, hunk.old) if side == "old" else (hunk.target_start, hunk.new)
            return name if start or lines else NULL
        return name and _null_or(name)

    @property
    def mode_changed(self) -> bool:
        return len(self.modes) == 2 and self.modes["old"] != self.modes["new"]


def _null_or(name: str) -> str:
    return NULL if _NULLS.fullmatch(name) else name


def _is_epoch(text: str) -> bool:
    """True if a file header ends in the time stamp of the epoch, in any time zone."""
    stamp = _STAMP.search(text) if "\t" in text else None
    try:
        return stamp is not None and not datetime.strptime(f"{stamp[1]} {stamp[2] or '+0000'}", _TIME).timestamp()
    except ValueError:
        return False


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8)]) if escape[1] else _ESCAPES.get(escape[2], escape[2])


def unquoted(name: str) -> str:
    """The file name of a header, without quotation marks, escapes and time stamp."""
    name = name.strip("\r")
    if " " not in name and "\t" not in name and name[:1] != '"':
        return name
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
    if '"' in rest:
        names = _QUOTED_OR_WORD.findall(rest)
        return (unquoted(names[0]), unquoted(names[1])) if len(names) == 2 else None
    if "\t" in rest:
        return None  # Git quotes a name that has a tab.
    middle = len(rest) // 2
    if rest[middle : middle + 1] == " " and rest[:middle].split("/", 1)[-1] == rest[middle + 1 :].split("/", 1)[-1]:
        return rest[:middle], rest[middle + 1 :]
    halves = rest.split(" b/")
    return (halves[0], "b/" + halves[1]) if len(halves) == 2 and halves[0] else None


def check_text(files: Sequence[DiffFile], line: str, number: int) -> None:
    """Raise PatchError for a line that makes a file binary, a symbolic link or a submodule."""
    if not line.startswith(_KINDS):
        return
    name = files[-1].shown if files else ""
    line = line.removesuffix("\r")
    if line == "GIT binary patch" or (line.startswith("Binary files ") and line.endswith(" differ")):
        raise PatchError(f"{name or 'a file'} is changed as a binary file: only text can be patched.", line=number)
    mode = _SPECIAL_MODE.search(line)
    if mode:
        kind = "a symbolic link" if mode[1] == "120000" else "a submodule"
        raise PatchError(
            f"{name or 'a file'} is {kind}: only regular files can be patched.", line=number, reason=Reason.NOT_ALLOWED
        )


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
