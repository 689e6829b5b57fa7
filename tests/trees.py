"""What a directory holds, for tests that compare it before and after."""

from __future__ import annotations

import os
import stat
from pathlib import Path

TEMPORARY = ".editgauge-"


def tree(root: Path | str) -> dict[str, tuple[object, ...]]:
    """Path -> kind, mode, time of the last change and bytes of everything below a directory, links not followed."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = os.path.join(directory, name)
            state = os.lstat(path)
            data: object = None
            if stat.S_ISREG(state.st_mode):
                data = Path(path).read_bytes()
            elif stat.S_ISLNK(state.st_mode):
                data = os.readlink(path)
            is_directory = stat.S_ISDIR(state.st_mode)
            found[os.path.relpath(path, root)] = (state.st_mode, None if is_directory else state.st_mtime_ns, data)
    return found


def texts(root: Path | str) -> dict[str, bytes]:
    """Path -> bytes of the regular files below a directory."""
    return {
        os.path.relpath(os.path.join(directory, name), root): Path(directory, name).read_bytes()
        for directory, _, files in os.walk(root)
        for name in files
        if stat.S_ISREG(os.lstat(os.path.join(directory, name)).st_mode)
    }


def temporaries(root: Path | str) -> list[str]:
    """The temporary files left below a directory."""
    return [name for _, _, files in os.walk(root) for name in files if name.startswith(TEMPORARY)]
