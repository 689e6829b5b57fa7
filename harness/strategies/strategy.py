"""Strategy: any way to apply an edit, with a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal

from corpora.sample import Sample
from editcore.agents.habits import KEPT, ByteHabit
from editcore.agents.rule import AgentRule
from editcore.errors import WorkspaceError
from editcore.formats import EDIT_FORMATS
from editcore.host.workspace.boundary import disk_error, writable_path
from editcore.quoting import shown
from editcore.text.document import Document
from editcore.text.encodings import faithful
from editcore.types import Applied, EditResult, File, Reason, Rejected

BytesBy = ByteHabit | Literal["itself", "unknown"]
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
    bytes_by: BytesBy = KEPT
    """How it reads and writes files that are not UTF-8: it gets their texts; or `itself`, from the sample's bytes."""
    only_stale: bool = False
    """Whether it is about stale edits alone: what it makes of others is what another strategy does."""
    agent: AgentRule | None = None
    """The rule of an agent that it is: where that was read, and where its habits with bytes were."""

    once_s: float | None = None
    """The time limit of a call, in seconds, of a strategy that is called once for each sample; None: as all others."""
    written: str = ""
    """The spec that it was made from, if its name is not enough to make it again: `cmd:NAME=COMMAND`."""

    @property
    def spec(self) -> str:
        """What `registry.strategy` finds it by, in any process."""
        return self.written or self.name

    def takes(self, sample: Sample) -> bool:
        """Whether the strategy can be run on the sample."""
        by_edits = self.reads == "edits" and sample.format in EDIT_FORMATS
        has_field = bool(sample.edits) if by_edits else sample.patch is not None
        return has_field and sample.format in self.formats and (self.bytes_by != "unknown" or not sample.has_bytes)

    def is_run_on(self, sample: Sample) -> bool:
        """Whether a run has an outcome of the strategy for the sample."""
        return self.takes(sample) and (sample.seen is not None or not self.only_stale)

    def call(self, sample: Sample, document: Document | None) -> Callable[[], EditResult]:
        """The call that applies the strategy to the sample, of bytes or of texts."""
        if isinstance(self.bytes_by, ByteHabit) and sample.has_bytes:
            return partial(_applied_to_bytes, self.apply, self.bytes_by, sample)
        return partial(self.apply, sample, document)


def _applied_to_bytes(apply: Apply, habit: ByteHabit, sample: Sample) -> EditResult:
    """The files as they are left by a strategy that reads and writes them so; as `faithful` has their bytes."""
    before: list[File] = []
    for file in sample.before:
        text = habit.read(raw_of(file))
        if isinstance(text, Rejected):
            return text
        before.append(File(file.path, text))
    seen = sample.seen and tuple(File(one.path, _seen(habit, one)) for one in sample.seen)
    sample_read = replace(sample, before=tuple(before), seen=seen)
    result = apply(sample_read, None)
    if isinstance(result, Rejected):
        return result
    raws = {file.path: raw_of(file) for file in sample.before}
    texts, left = by_path(before), dict[str, bytes]()
    for path, text in files_after(sample_read, result).items():
        data = raws[path] if texts.get(path) == text else habit.write(text, raws.get(path, b""))
        if isinstance(data, Rejected):
            return data
        left[path] = data
    return replace(result, content=None, files={path: text_of_bytes(path, data, sample) for path, data in left.items()})


def _seen(habit: ByteHabit, file: File) -> str:
    text = habit.read(raw_of(file))
    return file.content if isinstance(text, Rejected) else text


def files_after(sample: Sample, result: Applied) -> dict[str, str]:
    """Path -> text of all files as a result leaves them."""
    if result.files is not None:
        return dict(result.files)
    return by_path(sample.before) | {sample.before[0].path: result.content or ""}


def raw_of(file: File) -> bytes:
    """The bytes of a file of a sample. Raises UnicodeEncodeError for one with a lone surrogate, which has none."""
    return file.content.encode() if file.raw is None else file.raw


def text_of_bytes(path: str, data: bytes, sample: Sample | None) -> str:
    """The text of a file that was left of a sample, by which its bytes can be compared with the right ones."""
    known = () if sample is None else (*sample.before, *(sample.target or ()))
    like = next((one for one in known if one.path == path and one.raw is not None), None)
    return data.decode("utf-8", "backslashreplace") if like is None else faithful(data, like.encoding)


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
            files[path] = raw_of(file)
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


def files_on_disk(folder: Path, sample: Sample) -> dict[str, str]:
    """Path -> text of the files in a folder, which were those of a sample."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    names = [path.relative_to(folder).as_posix() for path in found]
    return {name: text_of_bytes(name, path.read_bytes(), sample) for name, path in zip(names, found, strict=True)}
