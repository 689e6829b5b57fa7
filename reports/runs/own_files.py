"""The files of a run folder or a history that are its own: regular ones of bounded size, and no links.

A folder may come from another machine: a link in it would have a file of whoever reads it shown, copied or uploaded.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from editcore.errors import UsageError

_COPY = "Copy the folder again, with the files that its links lead to: cp -rL."


def refuse_link(path: Path) -> None:
    """Raise UsageError for a link: nothing that a run writes is one."""
    if path.is_symlink():
        raise UsageError(f"{path} is a link, and nothing that a run writes is one", _COPY)


def content(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes.

    Raises UsageError for a link, ValueError for any other file that is not regular or is too large, and OSError.
    """
    refuse_link(path)
    try:
        number = os.open(
            path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        )  # A pipe would be waited for.
    except OSError as error:
        if error.errno == errno.ELOOP:
            refuse_link(path)
        raise
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise ValueError("it is not a regular file")
        with open(number, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(number)
    if len(data) > most:
        raise ValueError(f"it has more than {most >> 20} MB")
    return data
