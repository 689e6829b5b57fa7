"""GNU patch and git apply, as they are called on the diffs that ours are compared with."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = {
    "gnu_patch": [
        *("patch", "-p1", "--batch", "--silent", "--binary"),
        *("--no-backup-if-mismatch", "--reject-file=-"),
    ],
    "git_apply": ["git", "apply", "--whitespace=nowarn"],
}
MISSING = {name: f"{command[0]} is not installed" for name, command in PROGRAMS.items() if not shutil.which(command[0])}
_MEMORY = 2 * 2**30


def run_program(command: Sequence[str], before: Mapping[str, str], patch: str) -> tuple[bool, dict[str, str]]:
    """Whether a program said that it applied the patch, and the files it left; `..` leads out of where it was run."""
    with TemporaryDirectory() as name:
        root = Path(name, "files")
        root.mkdir()
        for path, text in before.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        # Inside of a repository, git would pass over the patch in silence.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(root.resolve().parent), "LC_ALL": "C"}
        ran = subprocess.run(
            command, cwd=root, input=patch.encode(), env=environment, capture_output=True, check=False, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY)),
        )  # fmt: skip
        after = {
            os.path.relpath(path, root): path.read_bytes().decode() for path in Path(name).rglob("*") if path.is_file()
        }
    return ran.returncode == 0, after
