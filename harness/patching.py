"""Patch operations as strategies: ours in every reading and strictness, and the programs people have installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import CASCADES
from editcore.document import Document
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.insert import insert_lines
from editcore.patches.line_range import replace_lines
from editcore.patches.search_replace import apply_search_replace
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.strategy import Strategy, files_on_disk, write_files

_READINGS = {
    "strict": "The envelope by its grammar, to the letter.",
    "codex": "The envelope as Codex 0.169 applies it: first match wins, a final line feed is forced.",
    "lenient": "Whatever a model may write, and only where it can mean one place.",
}
_STRICTNESSES = {
    "strict": "Positions and counts must be right.",
    "offset": "Counts must be right; searched outward from the stated line.",
    "fuzz": "Up to two outer context lines may differ too, as in GNU patch.",
    "tolerant": "Numbers are hints; only where the lines can mean one place.",
}
_TIMEOUT_S = 60


def files_of(sample: Sample) -> dict[str, str]:
    """Path -> text before."""
    return {file.path: file.content for file in sample.before}


def patch_strategies() -> Iterator[Strategy]:
    """The operations on patches, then those of other programs that are installed here."""
    for reading in READINGS:
        yield _ours("begin_patch", reading, partial(_begin_patch, reading), _READINGS[reading])
    for strictness in STRICTNESSES:
        yield _ours("unified_diff", strictness, partial(_unified_diff, strictness), _STRICTNESSES[strictness])
    for name in CASCADES:
        yield _ours("search_replace", name, partial(_blocks, name), f"Blocks as written, each through cascade {name}.")
    yield _ours("insert", "line", _insert, "The text put below the stated line.")
    yield _ours("line_range", "lines", _line_range, "The stated lines replaced by the text.")
    yield from _peers()


def _ours(family: str, member: str, apply: Callable[[Sample, Document | None], EditResult], summary: str) -> Strategy:
    return Strategy(f"{family}/{member}", frozenset({family}), apply, summary, __version__, reads="patch")


def _begin_patch(reading: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_begin_patch(files_of(sample), sample.patch or "", reading=reading)  # type: ignore[arg-type]


def _unified_diff(strictness: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_unified_diff(files_of(sample), sample.patch or "", strictness=strictness)  # type: ignore[arg-type]


def _blocks(cascade: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_search_replace(files_of(sample), sample.patch or "", cascade=cascade)


def _insert(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion is for one file and names its line.")
    return insert_lines(sample.before[0].content, sample.line, sample.patch or "")


def _line_range(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None or sample.end_line is None:
        return Rejected(Reason.MALFORMED, "A line range is of one file and names its first and last line.")
    return replace_lines(sample.before[0].content, sample.line, sample.end_line, sample.patch or "")


_PEERS: dict[str, tuple[list[str], str]] = {
    "gnu_patch": (["patch", "-p1", "--batch", "--silent", "--no-backup-if-mismatch"], "GNU patch, -p1 --batch."),
    "git_apply": (["git", "apply", "--whitespace=nowarn"], "git apply."),
    "git_apply_recount": (["git", "apply", "--whitespace=nowarn", "--recount"], "git apply --recount."),
}


def _peers() -> Iterator[Strategy]:
    for name, (command, summary) in _PEERS.items():
        if shutil.which(command[0]):
            apply = partial(_in_a_folder, command)
            formats = frozenset({"unified_diff"})
            yield Strategy(f"peer/{name}", formats, apply, summary, _version(command[0]), command[0], reads="patch")


def _version(program: str) -> str:
    """The first line a program says of its version."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return "?"
    return answer.stdout.partition("\n")[0].strip() or "?"


def _in_a_folder(command: Sequence[str], sample: Sample, _: Document | None) -> EditResult:
    """What a program makes of the sample's files in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        folder = Path(name)
        write_files(folder, sample)
        # Within another repository git would skip the patch without a word.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent), "LC_ALL": "C"}
        answer = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=(sample.patch or "").encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if answer.returncode != 0:
            said = (answer.stdout + answer.stderr).decode("utf-8", "replace").strip()
            return Rejected(Reason.NO_MATCH, said.partition("\n")[0] or f"exit code {answer.returncode}")
        return Applied(files=files_on_disk(folder))
