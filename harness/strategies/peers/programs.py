"""Peers that are programs: each applies a patch to the files in a folder."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from time import monotonic, sleep

from corpora.sample import Sample
from editcore.errors import WorkspaceError
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.processes import uninterrupted
from harness.strategies.strategy import files_on_disk, write_files

_TIMEOUT_S = 60
_TICK_S = 0.0005
_OUTPUT_BYTES = 1 << 16
"""The most bytes that are read of stdout, and of stderr."""
_FILE_BYTES = 1 << 30
"""The most bytes that a program may write into a file, its outputs too."""
_SHOWN = 1000
_ENVELOPE_PATH = re.compile(r"^[^\S\n]*+\*\*\*\s*(?:Add File|Delete File|Update File|Move to)\s*:(.*)$", re.MULTILINE)


@cache
def program_version(program: str) -> str:
    """The first line that `program --version` prints, or "?"."""
    try:
        _, stdout, _ = run_program([program, "--version"], b"", cwd=Path.cwd(), environment=os.environ, timeout_s=10)
    except (OSError, subprocess.SubprocessError):
        return "?"
    return first_line(stdout.decode("utf-8", "replace"), limit=_SHOWN) or "?"


def apply_with_program(command: Sequence[str], sample: Sample, _: Document | None) -> EditResult:
    """Run a program on the sample's files, in a temporary folder, with the patch on stdin."""
    patch = sample.patch or ""
    # Programs for diffs refuse paths outside the folder; apply_patch leaves that check to its caller.
    outside = [path for path in _ENVELOPE_PATH.findall(patch) if _is_outside(path)]
    if sample.format == "begin_patch" and outside:
        return Rejected(Reason.OUTSIDE_WORKSPACE, f"{outside[0].strip()} is outside the folder.")
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        folder = Path(name)
        try:
            write_files(folder, sample)
            sent = patch.encode()
        except WorkspaceError as error:
            if error.reason is None:
                raise
            return Rejected(error.reason, error.message)
        except UnicodeEncodeError:
            return Rejected(Reason.MALFORMED, "The patch has a lone surrogate: no program can be sent it.")
        # Inside another repository, `git apply` would silently skip the patch.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent), "LC_ALL": "C"}
        code, stdout, stderr = run_program(command, sent, cwd=folder, environment=environment, timeout_s=_TIMEOUT_S)
        if code != 0:
            output = (stdout + stderr).decode("utf-8", "replace").strip()
            return Rejected(_reason(sample, output), first_line(output, limit=_SHOWN) or f"exit code {code}")
        return Applied(files=files_on_disk(folder, sample))


def run_program(
    command: Sequence[str], data: bytes, *, cwd: Path, environment: Mapping[str, str], timeout_s: float
) -> tuple[int, bytes, bytes]:
    """Run a program: its exit code, and the first bytes of stdout and of stderr.

    The process group is killed at the end. Raises TimeoutExpired.
    """
    with TemporaryFile() as given, TemporaryFile() as stdout, TemporaryFile() as stderr:
        given.write(data)
        given.seek(0)
        with uninterrupted():
            process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=given, stdout=stdout, stderr=stderr, start_new_session=True
            )
            # Beyond the limit, the program is killed. It may have ended already, and other systems have no prlimit.
            with suppress(OSError, AttributeError):
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
        try:
            until = monotonic() + timeout_s
            while not _has_ended(process):
                if monotonic() > until:
                    raise subprocess.TimeoutExpired(process.args, timeout_s)
                sleep(_TICK_S)
        finally:
            with uninterrupted():
                # Before waiting for it: until then no other process can have its process id.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        outputs = [os.pread(file.fileno(), _OUTPUT_BYTES, 0) for file in (stdout, stderr)]
    return process.returncode, outputs[0], outputs[1]


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """True if the process has ended. Where the system allows it, the process is not reaped."""
    if not hasattr(os, "waitid"):  # pragma: no cover
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _is_outside(path: str) -> bool:
    parts = PurePosixPath(path.strip())
    return parts.is_absolute() or ".." in parts.parts


def _reason(sample: Sample, output: str) -> Reason:
    malformed = sample.format == "begin_patch" and output.startswith("Invalid patch")
    return Reason.MALFORMED if malformed else Reason.NO_MATCH


# git's three-way merge: the search text is the base, the file one side, the new text the other.
#
#     base   |b|        file   |a|b|c|        new text   |B|        merged   |a|B|c|
#
# The merge computes in one process what aider's two cherry-picks compute (`search_replace.py` of 0.86.2, which ships
# them unused): in each, the search text is the parent of the new text. Any conflict is a refusal. Known failure: a
# change in the first or last line of the search text touches the lines around it, which is a conflict.


def merge_edits(sample: Sample, _: Document | None) -> EditResult:
    """Merge each edit of a sample into the text that the edit before it left, all or nothing."""
    text = sample.before[0].content
    for edit in sample.edits or ():
        if edit.replace_all:
            return Rejected(Reason.NOT_ALLOWED, "a merge changes one place")
        try:
            sides = [_ended(side).encode() for side in (text, edit.old_string, edit.new_string)]
        except UnicodeEncodeError:
            return Rejected(Reason.MALFORMED, "A text has a lone surrogate: no file can hold it.")
        merged = _merged(sides)
        if merged is None:
            return Rejected(Reason.NO_MATCH, "the file and the edit conflict")
        text = merged
    return Applied(files={sample.before[0].path: text})


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _merged(sides: list[bytes]) -> str | None:
    """The merge of the file, the search text and the new text; None if they conflict."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        folder = Path(name)
        files = [folder / side for side in ("file", "old", "new")]
        for path, data in zip(files, sides, strict=True):
            path.write_bytes(data)
        command = ["git", "merge-file", "--quiet", *(path.name for path in files)]
        environment = os.environ | {"LC_ALL": "C", "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        code, _, _ = run_program(command, b"", cwd=folder, environment=environment, timeout_s=_TIMEOUT_S)
        return files[0].read_bytes().decode() if code == 0 else None
