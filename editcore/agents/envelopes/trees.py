"""A tree of files that an agent's sections change, as each agent writes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from posixpath import isabs, normpath

from editcore.errors import PatchError
from editcore.quoting import quoted
from editcore.types import Applied, Landing, Reason

_SHOWN = 300
"""The most characters of lines that a refusal quotes."""


class Tree:
    """Files (path -> text) while a patch is applied, and where its hunks went."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.landings: list[Landing] = []

    def text(self, path: str, line: int) -> str:
        """The text of a file. Raises PatchError if there is none."""
        if normpath(path) not in self.files:
            raise PatchError(f"There is no file {path}.", line=line, reason=Reason.NOT_FOUND)
        return self.files[normpath(path)]

    def write(self, path: str, text: str) -> None:
        """Write a file, whether it is there or not. Raises PatchError where no disk can hold it."""
        path = normpath(path)
        if "\0" in path:
            raise PatchError("A path has a zero byte.", reason=Reason.NOT_ALLOWED)
        if path == "." or any(other.startswith(f"{path}/") for other in self.files):
            raise PatchError(f"{path} is a directory.", reason=Reason.NOT_ALLOWED)
        if self.has_file_above(path):
            raise PatchError(f"{path} would lie below a file.", reason=Reason.NOT_ALLOWED)
        self.files[path] = text

    def has_file_above(self, path: str) -> bool:
        """Whether a part of the path is a file."""
        return any(str(above) in self.files for above in PurePosixPath(normpath(path)).parents)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        self.files.pop(normpath(path), None)

    def applied(self) -> Applied:
        """The result."""
        return Applied(files=self.files, landings=tuple(self.landings))


def is_outside(path: str) -> bool:
    """Whether a path leads out of the tree, by its text alone."""
    return isabs(path) or normpath(path).split("/")[0] == ".."


def not_found(lines: list[str], path: str, line: int) -> PatchError:
    """The refusal of lines that stand nowhere below the last ones found."""
    shown = quoted("\n".join(lines[:_SHOWN]), limit=_SHOWN)
    return PatchError(f"Failed to find expected lines in {path}: {shown}", line=line, reason=Reason.NO_MATCH)
