"""Peers that are programs: they apply a patch to the files in a folder."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from corpora.sample import Sample
from editcore.document import Document
from editcore.quoting import first_line
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.strategies.strategy import files_on_disk, write_files

_TIMEOUT_S = 60
_ENVELOPE_PATH = re.compile(r"^\s*\*\*\*\s*(?:Add File|Delete File|Update File|Move to)\s*:(.*)$", re.MULTILINE)


@cache
def program_version(program: str) -> str:
    """The first line that `program --version` prints, or "?"."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return "?"
    return answer.stdout.partition("\n")[0].strip() or "?"


def apply_with_program(command: Sequence[str], sample: Sample, _: Document | None) -> EditResult:
    """Run a program on the sample's files, in a temporary folder, with the patch on stdin."""
    patch = sample.patch or ""
    # Programs for diffs refuse paths outside the folder; apply_patch leaves that check to its caller.
    outside = [path for path in _ENVELOPE_PATH.findall(patch) if _is_outside(path)]
    if sample.format == "begin_patch" and outside:
        return Rejected(Reason.OUTSIDE_WORKSPACE, f"{outside[0].strip()} is outside the folder.")
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        folder = Path(name)
        write_files(folder, sample)
        # Inside another repository, `git apply` would silently skip the patch.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent), "LC_ALL": "C"}
        answer = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=patch.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if answer.returncode != 0:
            output = (answer.stdout + answer.stderr).decode("utf-8", "replace").strip()
            return Rejected(_reason(sample, output), first_line(output) or f"exit code {answer.returncode}")
        return Applied(files=files_on_disk(folder))


def _is_outside(path: str) -> bool:
    parts = PurePosixPath(path.strip())
    return parts.is_absolute() or ".." in parts.parts


def _reason(sample: Sample, output: str) -> Reason:
    malformed = sample.format == "begin_patch" and output.startswith("Invalid patch")
    return Reason.MALFORMED if malformed else Reason.NO_MATCH
