"""Strategy: any way to apply an edit, with a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from corpora.sample import EDIT_FORMATS, Sample
from editcore.agents.rule import Source
from editcore.errors import WorkspaceError
from editcore.quoting import shown
from editcore.text.document import Document
from editcore.types import EditResult, File, Reason
from editcore.workspace.boundary import disk_error, writable_path

Apply = Callable[[Sample, Document | None], EditResult]
"""(sample, document) -> result. The document is the sample's file, with cached tables; None unless it has just one."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Any way to apply an edit, with a name."""

    name: str
    """`family/member`."""
    formats: frozenset[str]
    """The sample formats it takes; samples of other formats are not run under it."""
    apply: Apply
    summary: str
    """One line."""
    version: str
    origin: str = "editgauge"
    """The package that provides it."""
    reads: Literal["edits", "patch"] = "edits"
    """Which field it reads, for formats whose samples have both."""
    start: Callable[[], object] | None = None
    """Starts the process that it needs. Called before each sample, and not part of any latency."""
    cpu_ns: Callable[[], int] | None = None
    """The CPU time so far of the processes that work for it, in nanoseconds; None where none do."""
    only_stale: bool = False
    """Whether it is about stale edits alone: what it makes of others is what another strategy does."""
    source: Source | None = None
    """Where the rule of an agent was read; None where its docstring alone says it, and for everything else."""

    @property
    def spec(self) -> str:
        """What `registry.strategy` finds it by, in any process."""
        return self.name

    def takes(self, sample: Sample) -> bool:
        """Whether the strategy can be run on the sample."""
        by_edits = self.reads == "edits" and sample.format in EDIT_FORMATS
        has_field = bool(sample.edits) if by_edits else sample.patch is not None
        return has_field and sample.format in self.formats

    def is_run_on(self, sample: Sample) -> bool:
        """Whether a run has an outcome of the strategy for the sample."""
        return self.takes(sample) and (sample.seen is not None or not self.only_stale)


def by_path(files: Iterable[File]) -> dict[str, str]:
    """Path -> text of files."""
    return {file.path: file.content for file in files}


def write_files(folder: Path, sample: Sample) -> None:
    """Write a sample's files into an empty folder.

    Raises WorkspaceError, with a reason and before anything is written, where the disk can't hold them as they are (a
    lone surrogate, a name that is too long, a file inside a file), or they would lie outside the folder or in `.git`.
    """
    files: dict[str, bytes] = {}
    for file in sample.before:
        path = writable_path(file.path)
        try:
            files[path] = file.content.encode()
        except UnicodeEncodeError as error:
            raise WorkspaceError(
                f"{shown(path)} has a lone surrogate ({error.object[error.start]!a}): no file can hold it.",
                reason=Reason.MALFORMED,
            ) from error
    for path in files:
        above = next((name for name in map(str, PurePosixPath(path).parents) if name in files), None)
        if above is not None:
            raise WorkspaceError(
                f"{shown(above)} can't be a file and hold {shown(path)} at once.", reason=Reason.NOT_ALLOWED
            )
    for path, data in files.items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        except OSError as error:
            raise disk_error(error, path) from error


def files_on_disk(folder: Path) -> dict[str, str]:
    """Path -> text of the files in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
