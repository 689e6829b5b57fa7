"""The files of a run folder or a history that are its own: regular ones of bounded size, and no links.

A folder may come from another machine: a link in it would have a file of whoever reads it shown, copied or uploaded.
"""

from __future__ import annotations

from pathlib import Path

from corpora import regular_file
from editcore.errors import UsageError

_COPY = "Copy the folder again, with the files that its links lead to: cp -rL."


def refuse_link(path: Path) -> None:
    """Raise UsageError for a link: nothing that a run writes is one."""
    if path.is_symlink():
        raise UsageError(f"{path} is a link, and nothing that a run writes is one", _COPY)


def content(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes. Raises UsageError for a link, and OSError for any other file."""
    refuse_link(path)
    return regular_file.content(path, most, follows=False)
