"""What a strategy is: a way to apply an edit, by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from corpora.sample import EDIT_FORMATS, Sample
from editcore.document import Document
from editcore.types import EditResult

Apply = Callable[[Sample, Document | None], EditResult]
"""A sample, and its only file as a document if it has just one, to the result. The document's tables may be used."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to apply an edit, by name."""

    name: str
    """`family/member`."""
    formats: frozenset[str]
    """The sample formats it takes; others are left out for it."""
    apply: Apply
    summary: str
    """One line."""
    version: str
    origin: str = "editgauge"
    """The package it comes from."""
    order: tuple[str, ...] = ()
    """The replacers of a cascade."""
    reads: Literal["edits", "patch"] = "edits"
    """Which of the two it goes by, of formats that have both."""
    written: str = ""
    """How it was asked for, where its name alone would not find it again: `cmd:NAME=COMMAND`."""
    start: Callable[[], object] | None = None
    """Has what it runs in started; called before each sample, and no part of its time."""

    @property
    def spec(self) -> str:
        """What finds it again, in another process too."""
        return self.written or self.name

    def takes(self, sample: Sample) -> bool:
        """Whether the sample is one for this strategy."""
        by_edits = self.reads == "edits" and sample.format in EDIT_FORMATS
        there = bool(sample.edits) if by_edits else sample.patch is not None
        return there and sample.format in self.formats


def write_files(folder: Path, sample: Sample) -> None:
    """Lay a sample's files out in a folder. Raises ValueError for a path that leads out of it."""
    for file in sample.before:
        path = folder / file.path
        if not Path(os.path.normpath(path)).is_relative_to(folder):
            raise ValueError(f"{file.path!r} leads out of the sample's folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content.encode())


def files_on_disk(folder: Path) -> dict[str, str]:
    """Path -> text of the files in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
