"""Strategies, and the files of samples that they read and leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal

from corpora.sample import Format, Sample
from editcore.agents.habits import KEPT, ByteHabit
from editcore.agents.rule import AgentRule
from editcore.errors import WorkspaceError
from editcore.formats import EDIT_FORMATS, FORMATS, Written
from editcore.host.workspace.boundary import disk_error, writable_path
from editcore.quoting import shown
from editcore.text.document import Document
from editcore.text.encodings import faithful
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected

BytesBy = ByteHabit | Literal["itself", "unknown"]
Apply = Callable[[Sample, Document | None], EditResult]
"""(sample, document) -> result. The document is the sample's only file, with cached tables; None with another number.
"""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Any way to apply an edit, with a name."""

    name: str
    formats: frozenset[str]
    """The formats of the samples that the strategy is run on."""
    apply: Apply
    summary: str
    """One line."""
    version: str
    origin: str = "editgauge"
    """The package that provides the strategy."""
    reads: Literal["edits", "patch"] = "edits"
    """The field that the strategy reads, if a sample has both."""
    start: Callable[[], object] | None = None
    """Starts the process that the strategy needs. Called before each sample, and no part of a latency."""
    cpu_ns: Callable[[], int] | None = None
    """The CPU time so far, in nanoseconds, of the processes that work for the strategy; None without such processes."""
    ask_ahead: Callable[[Sequence[Sample]], None] | None = None
    """Asks several samples at once, whose answers `apply` returns one by one; None where that saves no time."""
    bytes_by: BytesBy = KEPT
    """How the strategy reads and writes files that are not UTF-8: by its texts' habit, or `itself`, from the bytes."""
    only_stale: bool = False
    """True if the strategy is about stale edits alone: another strategy has the same results for the others."""
    agent: AgentRule | None = None
    """The rule of an agent that the strategy is, with its source and its habits with bytes; None for others."""

    once_s: float | None = None
    """The time limit, in seconds, of a strategy that is called once for each sample; None for the run's limit."""
    written: str = ""
    """The spec `cmd:NAME=COMMAND` that the strategy was made from, if its name is not enough to make it again."""

    @property
    def spec(self) -> str:
        """The text by which `registry.strategy` finds the strategy in any process."""
        return self.written or self.name

    def takes(self, sample: Sample) -> bool:
        """True if the strategy can be run on the sample."""
        by_edits = self.reads == "edits" and sample.format in EDIT_FORMATS
        has_field = bool(sample.edits) if by_edits else sample.patch is not None
        return has_field and sample.format in self.formats and (self.bytes_by != "unknown" or not sample.has_bytes)

    def is_run_on(self, sample: Sample) -> bool:
        """True if a run has an outcome of the strategy for the sample."""
        return self.takes(sample) and (sample.seen is not None or not self.only_stale)

    def call(self, sample: Sample, document: Document | None) -> Callable[[], EditResult]:
        """The call that applies the strategy to the sample's bytes or texts."""
        if isinstance(self.bytes_by, ByteHabit) and sample.has_bytes:
            return partial(_applied_to_bytes, self.apply, self.bytes_by, sample)
        return partial(self.apply, sample, document)


def _applied_to_bytes(apply: Apply, habit: ByteHabit, sample: Sample) -> EditResult:
    """The files as a strategy with this habit of reading and writing bytes leaves them, as `faithful` texts."""
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
    """Path -> text of all files after the edit."""
    if result.files is not None:
        return dict(result.files)
    return by_path(sample.before) | {sample.before[0].path: result.content or ""}


def raw_of(file: File) -> bytes:
    """The bytes of a sample's file. Raises UnicodeEncodeError for a lone surrogate, which has no bytes."""
    return file.content.encode() if file.raw is None else file.raw


def text_of_bytes(path: str, data: bytes, sample: Sample | None) -> str:
    """The text of a file that was left of a sample. Texts of equal bytes are equal, so they can be scored."""
    known = () if sample is None else (*sample.before, *(sample.target or ()))
    like = next((one for one in known if one.path == path and one.raw is not None), None)
    return data.decode("utf-8", "backslashreplace") if like is None else faithful(data, like.encoding)


def by_path(files: Iterable[File]) -> dict[str, str]:
    return {file.path: file.content for file in files}


def write_files(folder: Path, sample: Sample) -> None:
    """Write a sample's files into an empty folder.

    Raises WorkspaceError with a reason, before anything is written, if the disk cannot hold the files as they are (a
    lone surrogate, a name that is too long, a file inside a file), or if they would lie outside the folder or in
    `.git`.
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
    """Path -> text of the files in a folder that held a sample's files."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    names = [path.relative_to(folder).as_posix() for path in found]
    return {name: text_of_bytes(name, path.read_bytes(), sample) for name, path in zip(names, found, strict=True)}


# A small sample of each format, which every strategy for the format should apply correctly.

PATH = "src/basket.py"
OLD, NEW = "    amount = 0", "    amount = 1"
TEXT = f"def total(basket):\n{OLD}\n    for item in basket:\n        amount += item.price\n    return amount\n"


def example_sample(form: Format, before: str = TEXT, *, whole: bool = False) -> Sample:
    """A sample that replaces OLD, a unique line of `before`, by NEW. A format that only inserts puts NEW below OLD.

    With `whole`, a search text is all of `before`.
    """
    for after in (before.replace(OLD, NEW), before.replace(OLD, f"{OLD}\n{NEW}")):
        written = FORMATS[form].write(PATH, before, after)
        if written is not None:
            break
    assert written is not None, f"{form} can neither replace nor insert a line"
    if form == "str_replace":
        written = Written((Edit(before, after) if whole else Edit(OLD, NEW),))
    fields = {name: getattr(written, name) for name in ("edits", "patch", "line", "end_line")}
    return Sample("example", form, (File(PATH, before),), "apply", target=(File(PATH, after),), **fields)
