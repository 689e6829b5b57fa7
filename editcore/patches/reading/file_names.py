"""The file of a section of a unified diff, and what the section does to it. Raises PatchError.

Two rules: `FirstDirectoryDropped` reads names as `patch -p1` does, whatever files exist. `NamesMatched` prefers the
name as written if a file has it, and drops a prefix of git only if none does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import accumulate
from posixpath import join, normpath

from editcore.errors import PatchError
from editcore.patches.reading.file_headers import NO_NAME, NULL, DiffFile
from editcore.types import FilePatch, Reason

PREFIXES = ("a/", "b/", "i/", "w/", "o/", "c/")
"""Prefixes that git writes before the names of the two sides; see `diff.mnemonicPrefix`."""
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/|~/")
_NOTE = re.compile(
    r"(?<! ) ++(?:\((?:revision \d++|working copy|nonexistent)\)"
    r"|(?:[A-Z][a-z]{2},? ++){1,2}\d{1,2} .{0,40}\d\d:\d\d.*)$"
)
"""Text that other programs write behind a name: a time in words, as in `Thu Jan  1 00:00:00 1970`, or a revision."""

_MOST_READINGS = 4
"""Readings of one name: without backslashes, and without notes behind it."""


def stripped(name: str) -> str:
    """The name without its first directory, as with `patch -p1`."""
    return name.split("/", 1)[1] if "/" in name and name != NULL else name


def without_prefix(name: str) -> str:
    return name[2:] if name[:2] in PREFIXES else name


_PLACEHOLDER = re.compile(
    r"[-ab]?|(?:old|new|original|modified|before|after|from|to|left|right|current|updated|source|target|file"
    r"|/dev/(?:stdin|stdout|fd/\d+))",
    re.IGNORECASE,
)
"""A name that programs write if a text has none: `a` and `b`, `original` and `modified`, or nothing at all."""
_SIDE = re.compile(
    r"(?:\.(?:old|new|orig|original|modified|before|after|bak)|~|(?<! ) ++\([a-z]{1,9}\))$", re.IGNORECASE
)
"""The side of a change behind the name of a file, as in `x.py.orig` and `x.py (modified)`."""


def stands_for(name: str, path: str, *, given: bool) -> bool:
    """True if a name in a header may be that of the only file `path`: it is its name, but for its side, or none at all.

    The caller who has `given` the path vouches for it, so the directories above the name may be missing.
    """
    bare = _SIDE.sub("", without_prefix(name).strip("`'\" "))
    return _PLACEHOLDER.fullmatch(bare) is not None or bare == path or (given and path.endswith("/" + bare))


def _are_prefixed(old: str, new: str) -> bool:
    return old[:2] in PREFIXES and new[:2] in PREFIXES and old[:2] != new[:2]


def _common_name(old: str, new: str) -> str | None:
    """The name behind two different prefixes of git, as in `a/x.py` and `b/x.py`; None for any other two names."""
    return old[2:] if _are_prefixed(old, new) and old[2:] == new[2:] else None


def _check_one(found: list[str], line: int) -> None:
    """Raise PatchError if both names of a header are names of files, and of different ones."""
    if len({*map(normpath, found)}) == 2:
        raise PatchError(
            f"{found[0]} and {found[1]} are both there, and there is no 'rename from': name one file on both sides.",
            line=line,
            reason=Reason.AMBIGUOUS,
        )


def _endings(name: str, lengths: Collection[int]) -> Iterator[str]:
    """Ends of a name that consist of whole parts of it and have one of these lengths."""
    return (name[-length:] for length in lengths if name[-length - 1 : -length] == "/")


def _check_not_moved(found: str | None, other: str | None, names: tuple[str, str], line: int) -> None:
    """Raise PatchError if git's old name of a file exists and its new one does not: the file may have been moved.

    Without prefixes, as in `--- before.py` and `+++ after.py`, the names are copies' names. So in 58 of 858
    recorded diffs that are to be applied. None of these has two names behind prefixes.
    """
    if found is not None and other is None and _are_prefixed(*names):
        raise PatchError(
            f"{found} is {without_prefix(names[1])} on the new side, and there is no 'rename from': name one file on "
            "both sides, or say that it is renamed.",
            line=line,
            reason=Reason.AMBIGUOUS,
        )


class FirstDirectoryDropped:
    """Names as in `patch -p1`: the first directory of each name is dropped."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths

    def existing(self, file: DiffFile, old: str, new: str) -> str:
        """The name of the two that exists, without its first directory. Raises PatchError if both exist."""
        names = dict.fromkeys((stripped(old), stripped(new)))
        found = [name for name in names if name in self._paths]
        _check_one(found, file.line)
        if len(names) == 2 and found == [stripped(old)]:
            _check_not_moved(found[0], None, (old, new), file.line)
        return found[0] if found else stripped(old)

    def created(self, _: DiffFile, name: str) -> str:
        return stripped(name)

    def renamed(self, _: DiffFile, old: str, new: str) -> tuple[str, str]:
        """The names as they are: git writes names of a renaming without prefixes."""
        return old, new


class NamesMatched:
    """Names are matched with the existing files. A directory is dropped only if no file has the name as written.

    `loose` also accepts quotation marks around names, times in words behind them, and absolute names. The directory
    of the files is not known, so an absolute name means the only path that it ends with. The directories of a
    relative name are a part of it: `packages/foo/setup.py` is not the `setup.py` at the root.
    """

    def __init__(self, paths: Collection[str], *, loose: bool) -> None:
        self._paths, self._loose = paths, loose
        self._cleaned: dict[str, str] = {}
        self.notes: list[str] = []

    def existing(self, file: DiffFile, old: str, new: str) -> str:
        """The file that the two names mean, else the one in git's header, else the old name without a prefix."""
        found = self.matched(file, old, new)
        if self._loose and file.git and NULL not in file.git:
            by_git = {self.known(name) for name in file.git}
            if found is None:
                found = self.matched(file, *file.git)
            elif len(by_git) == 1:
                _check_one([found, *filter(None, by_git)], file.line)
        return found or self._unknown(old)

    def matched(self, file: DiffFile, old: str, new: str) -> str | None:
        """The file that the two names of a header mean; None if there is none. Raises PatchError if there are two."""
        sides = file.git if file.git and NULL in (file.old, file.new) else (old, new)
        common = _common_name(*sides)
        if common is not None and common in self._paths and normpath(common) == common:
            return common
        common = _common_name(*map(self._clean, sides))
        if common is not None and normpath(common) in self._paths:
            return normpath(common)
        if not file.git and NULL in (file.old, file.new):
            self._check_prefix(old, file.line)
        found = self.known(old)
        if old == new:
            return found
        other = self.known(new)
        _check_one(list(dict.fromkeys(filter(None, (found, other)))), file.line)
        _check_not_moved(found, other, (old, new), file.line)
        return found or other

    def _check_prefix(self, name: str, line: int) -> None:
        """Raise PatchError if files with the name and with the name without its possible prefix both exist."""
        clean = self._clean(name)
        if clean[:2] in PREFIXES and clean in self._paths and clean[2:] in self._paths:
            message = f"{clean} and {clean[2:]} are both there: begin the section with 'diff --git OLD NEW'."
            raise PatchError(message, line=line, reason=Reason.AMBIGUOUS)

    def known(self, name: str) -> str | None:
        """The file that a name means, with or without a prefix; else the only path that an absolute name ends with."""
        for _ in range(_MOST_READINGS):
            clean = self._clean(name)
            for candidate in (clean, without_prefix(clean)):
                if candidate in self._paths:
                    return candidate
            if not self._loose:
                return stripped(clean) if stripped(clean) in self._paths else None
            if "\\" in clean:
                name = name.replace("\\", "/")
                continue
            if _ABSOLUTE.match(clean) and (ending := self._ending(clean)) is not None:
                self.notes.append("directories before the path were dropped")
                return ending
            name = _NOTE.sub("", clean)
        return None

    def _ending(self, name: str) -> str | None:
        """The only path that an absolute name ends with; None if the part above it is a directory of the files."""
        found = [path for path in _endings(name, self._lengths) if path in self._paths]
        if len(found) != 1:
            return None
        above = name[: -len(found[0]) - 1]
        lengths, folders = self._folders
        return None if any(folder in folders for folder in _endings(above, lengths)) else found[0]

    @cached_property
    def _lengths(self) -> set[int]:
        return set(map(len, self._paths))

    @cached_property
    def _folders(self) -> tuple[set[int], set[str]]:
        folders = {one for path in self._paths for one in accumulate(path.split("/")[:-1], join)}
        return set(map(len, folders)), folders

    def _clean(self, name: str) -> str:
        clean = self._cleaned.get(name)
        if clean is None:
            clean = self._cleaned[name] = normpath(self._unquoted(name))
        return clean

    def _unknown(self, name: str) -> str:
        return without_prefix(self._unquoted(name))

    def _unquoted(self, name: str) -> str:
        """The name without quotation marks around it, unless they are part of the name of a file."""
        if not self._loose or any(normpath(one) in self._paths for one in (name, without_prefix(name))):
            return name
        return name.strip("`'\" ")

    def created(self, file: DiffFile, name: str) -> str:
        """The name of a new file without a prefix. The two names of git's header show whether it has one."""
        if self._loose:
            name = name.strip("`'\" ")
        if file.git and name in file.git and file.git[0] == file.git[1]:
            return name  # As with `diff.noprefix`.
        prefixed = name[:2] in ("a/", "b/") or (file.git is not None and _common_name(*file.git) is not None)
        return without_prefix(name) if prefixed else name

    def renamed(self, file: DiffFile, old: str, new: str) -> tuple[str, str]:
        """The file under its old name, and its new name. The new one loses a prefix that git's header has, too."""
        path = self.known(old) if self._loose else None
        if path is None:
            return old, new
        new = new.strip("`'\" ")
        below = file.git[1] if file.git else file.new
        if new[:2] not in ("a/", "b/") or (below is not None and without_prefix(below) == new):
            return path, new
        copied = below == new or path == self._clean(old)[2:]
        return path, new[2:] if copied else new


NameRule = FirstDirectoryDropped | NamesMatched
"""How the names of a header become paths: of an existing file, of a new file, before and after a renaming."""


def section_of(file: DiffFile, names: NameRule) -> FilePatch:
    """The section that the headers and hunks of a file make. Raises PatchError if they contradict each other."""
    old, new = file.side_name("old"), file.side_name("new")
    for name in (old, new, *(file.git or ()), file.rename_from, file.rename_to):
        if name and ".." in name and ".." in name.split("/"):
            message = f"{name!r} is not a path inside the files: give a relative one."
            raise PatchError(message, line=file.line, reason=Reason.OUTSIDE_WORKSPACE)
    if file.git:
        old = old if old is not None else (NULL if file.created else file.git[0])
        new = new if new is not None else (NULL if file.deleted else file.git[1])
    elif file.rename_from is not None and file.rename_to is not None:
        old, new = old or file.rename_from, new or file.rename_to
    if old is None or new is None:
        raise PatchError(NO_NAME, line=file.line)
    if file.copied:
        raise PatchError("copies are not supported: add the file instead.", line=file.line, reason=Reason.NOT_ALLOWED)
    if old == NULL and new == NULL:
        raise PatchError("both names are /dev/null: give that of the file.", line=file.line)
    if file.created and file.rename_from is not None:
        raise PatchError("the header says that the file is new, and that another one is renamed to it.", line=file.line)
    if file.deleted and new != NULL:
        raise PatchError("the header says that the file is deleted, its new name that it is not.", line=file.line)
    hunks = tuple(file.hunks)
    if old == NULL:
        path = names.created(file, new)
        if path and any(part != part.strip(" ") for part in path.split("/")):
            raise PatchError(f"{path!r} is no name: a part of it begins or ends in a space.", line=file.line)
        return creation(path, file)
    if new == NULL:
        return FilePatch("delete", names.existing(file, old, old), file.line, hunks=hunks)
    if file.rename_from is not None and file.rename_to is not None:
        path, target = names.renamed(file, file.rename_from, file.rename_to)
        return FilePatch("update", path, file.line, target, hunks)
    # Two names without a rename mean one file.
    return FilePatch("update", names.existing(file, old, new), file.line, None, hunks)


def creation(path: str, file: DiffFile) -> FilePatch:
    """The section that adds a file. Raises PatchError if it has anything but added lines in one hunk."""
    if len(file.hunks) > 1 or any(line[0] != "+" for hunk in file.hunks for line in hunk.lines):
        raise PatchError("a new file has nothing but added lines, in one hunk.", line=file.line)
    return FilePatch("add", path, file.line, hunks=tuple(file.hunks))
