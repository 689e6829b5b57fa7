"""Spool files: the rows of a job on which a worker died. Another death of the worker then loses no rows.

A spool file belongs to the process that wrote it. A run that starts or is resumed deletes the files it finds.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from corpora.sample import Sample
from harness.run.results import Answer, Answers
from reports.runs.manifest import SPOOL
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed, Step, WrongEdit


@dataclass(slots=True)
class Rows:
    """The outcomes of one sample."""

    fingerprint: int
    strategy_ns: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    """The `EditResult` of each outcome, None if the call did not return. Empty if the rows come from a spool file."""
    answers: list[Answer | None] = field(default_factory=list)
    """The answers that repeats are compared with; empty until they are needed."""
    wrong_edits: list[WrongEdit] = field(default_factory=list)
    sample: SampleUsed | None = None
    steps: list[Step] = field(default_factory=list)
    text: SampleText | None = None
    changes: list[Change] = field(default_factory=list)

    def compared(self, sample: Sample) -> list[Answer | None]:
        """The answers that repeats are compared with; None for a call that did not return."""
        if not self.answers:
            answers = Answers(sample)
            self.answers = [result and answers.of(result) for result in self.results]
        return self.answers


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    """The number of the sample in the corpus file."""
    fingerprint: str
    """128 bits in hexadecimal: too large for an integer of msgspec."""
    rows: Rows


class Spool:
    """A file with the rows of a job so far, by sample number."""

    def __init__(self, folder: Path, part: str) -> None:
        self._path = folder / SPOOL / part
        self._path.parent.mkdir(exist_ok=True)
        self._done: dict[int, Rows] = {}
        end = 0
        with self._opened() as file:
            while (line := file.readline()).endswith(b"\n"):
                try:
                    read = msgspec.convert(json.loads(line), _Line)
                    read.rows.fingerprint = int(read.fingerprint, 16)
                except (ValueError, RecursionError):
                    break
                self._done[read.number] = read.rows
                end = file.tell()
            file.truncate(end)  # The death of the worker may have cut the last line short.

    def _opened(self) -> BinaryIO:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self._path, flags, 0o600), "r+b")

    def rows(self, number: int) -> Rows | None:
        """The rows of a sample; None if it has not been run."""
        return self._done.get(number)

    def add(self, number: int, rows: Rows) -> None:
        """Write the rows of a sample, without results but with the answers that repeats are compared with."""
        kept = asdict(replace(rows, fingerprint=0, results=[]))
        line = {"number": number, "fingerprint": f"{rows.fingerprint:032x}", "rows": kept}
        with self._opened() as file:
            file.seek(0, os.SEEK_END)
            file.write(json.dumps(line).encode() + b"\n")

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._path.parent.rmdir()


def drop_spool(folder: Path) -> None:
    """Delete the spool files of a run folder."""
    spool = folder / SPOOL
    if spool.is_symlink() or not spool.is_dir():
        return
    for path in spool.iterdir():
        path.unlink(missing_ok=True)
    with suppress(OSError):
        spool.rmdir()
