"""The reader's own editor on files of a sample: `$VISUAL`, else `$EDITOR`, else vi."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from editcore.errors import UsageError
from editcore.quoting import shown
from editcore.types import File

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


def edited(files: Sequence[File]) -> tuple[File, ...]:
    """Open files in the editor, and return them as the reader leaves them.

    The editor gets copies in a temporary folder. They are named by number: a name that a model chose must not reach
    the disk. Raises UsageError if the editor fails, or leaves other files.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        paths = [Path(folder) / f"{number}{_suffix(file.path)}" for number, file in enumerate(files, 1)]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(_bytes(file))
        try:
            code = subprocess.run([*shlex.split(command), *map(str, paths)], check=False).returncode
        except (OSError, ValueError) as error:
            raise UsageError(
                f"The editor {shown(command)} does not start: {error}", "Set EDITOR to the command of one that does."
            ) from None
        if code:
            raise UsageError(f"The editor {shown(command)} ended with code {code}: nothing is taken", "Try again.")
        return tuple(File(file.path, _text(path)) for path, file in zip(paths, files, strict=True))


def _suffix(path: str) -> str:
    """The suffix of a path, by which an editor knows the language; empty for an unusual one."""
    suffix = PurePosixPath(path).suffix
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def _bytes(file: File) -> bytes:
    try:
        return file.content.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{shown(file.path)} has lone surrogates, which no file can hold", "Choose a result, or skip the sample."
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError("The file is not UTF-8 any more: nothing is taken", "Save it as UTF-8.") from None
    except OSError as error:
        raise UsageError(f"The file cannot be read back: {error.strerror}", "Save it where it was.") from None
