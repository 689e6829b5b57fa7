"""The three-way merge of a document: the user's text and the suggested version, both made of one base.

By `git merge-file` (checked with git 2.39): changes of different lines are all kept, and lines that both changed are a
conflict, unless both made the same change of them. Changes of lines next to each other are a conflict too.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from editcore.errors import WorkspaceError

_TIMEOUT_S = 20
_SIDES = ("user", "base", "suggested")
_MOST_CONFLICTS = 127
"""Exit codes above it are errors; up to it, numbers of conflicts."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """A merged text, or one with conflicts."""

    text: str
    """Where there are conflicts, with all three texts of each between markers."""
    is_clean: bool


def merge_texts(base: str, user: str, suggested: str) -> MergedText:
    """Merge two texts that were made of `base`. Raises WorkspaceError where git can't be run."""
    with tempfile.TemporaryDirectory(prefix="editgauge-merge-") as name:
        for side, text in zip(_SIDES, (user, base, suggested), strict=True):
            Path(name, side).write_bytes(text.encode())
        labels = [word for side in _SIDES for word in ("-L", side)]
        command = ["git", "merge-file", "--stdout", "--diff3", "--quiet", *labels, *_SIDES]
        # Nothing that a user configured, nor a repository around the directory, has a say.
        environment = os.environ | {
            "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": name,
        }  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=name, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _failed(type(error).__name__) from error
    if not 0 <= done.returncode <= _MOST_CONFLICTS:
        raise _failed(done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}")
    return MergedText(done.stdout.decode(), done.returncode == 0)


def _failed(why: str) -> WorkspaceError:
    return WorkspaceError(
        f"git merge-file failed ({' '.join(why.split())[:200]}): nothing changed; install git, or merge the texts "
        "yourself and give the result to resolve."
    )
