"""The results of one sample: equal results are scored, shown and compared once; its rows, and their spool file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

import msgspec
import xxhash

from corpora.duplicates import likeness
from corpora.sample import Sample, fingerprint, text_hash, was_seen
from editcore.quoting import first_line
from editcore.text.diff import common_ends
from editcore.text.document import Document
from editcore.types import Applied, EditResult, Rejected
from harness.run.latency import Timed
from harness.strategies.strategy import Strategy, files_after
from reports.runs.manifest import SPOOL
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed, Step, WrongEdit

CONTEXT_LINES = 3
EXCERPT = 10_000
"""The most characters of an excerpt."""

Value = TypeVar("Value")


class OncePerResult(Generic[Value]):
    """Calls `make` once for all results that leave the same texts, because strategies often agree."""

    def __init__(self, make: Callable[[Applied], Value]) -> None:
        self._make = make
        self._known: list[tuple[object, Value]] = []
        # A list, because comparing texts is faster than hashing them.

    def __call__(self, result: Applied) -> Value:
        left = result.content if result.files is None else dict(result.files)
        for known, value in self._known:
            if known == left:
                return value
        value = self._make(result)
        self._known.append((left, value))
        return value


class Excerpt(NamedTuple):
    """The lines in which two texts of a file differ, with some context."""

    line: int
    """1-based line of the first text at which the excerpt begins."""
    before: str
    after: str
    n_omitted: int
    """Characters that were cut from both excerpts."""


class Difference(NamedTuple):
    """Two texts of a file, and the lengths of their common start and end."""

    path: str
    before: str
    """"" for a new file."""
    after: str
    """"" for a deleted file."""
    head: int
    tail: int

    @classmethod
    def of(cls, path: str, before: str, after: str) -> Difference:
        return cls(path, before, after, *common_ends(before, after))

    def excerpt(self) -> Excerpt:
        before, after, start, end = self.before, self.after, self.head, self.tail
        first = above(before, start, CONTEXT_LINES)
        # Of a long line, only the text shortly before the difference is kept.
        omitted = max(0, start - EXCERPT // 2 - first)
        first += omitted
        old = before[first : below(before, len(before) - end, CONTEXT_LINES)]
        new = after[first : below(after, len(after) - end, CONTEXT_LINES)]
        n_omitted = 2 * omitted + max(0, len(old) - EXCERPT) + max(0, len(new) - EXCERPT)
        return Excerpt(before.count("\n", 0, first) + 1, old[:EXCERPT], new[:EXCERPT], n_omitted)


def above(text: str, start: int, n_lines: int) -> int:
    for _ in range(n_lines + 1):
        start = text.rfind("\n", 0, start) if start > 0 else -1
    return start + 1


def below(text: str, end: int, n_lines: int) -> int:
    """The end, line feed included, of the line `n_lines` below the line of `end`."""
    for _ in range(n_lines + 1):
        end = text.find("\n", end) + 1
        if not end:
            return len(text)
    return end


# Answers: the result of a call in a form that can be compared, or the reason why the call is no answer

_ERROR_CHARACTERS = 1000
"""The most characters that are kept of an exception's message."""


class Answer(NamedTuple):
    """What is compared of an answer: equal answers leave the same bytes, or refuse for the same reason."""

    kind: str
    """The kind of answer, in words."""
    digest: str = ""
    """A 128-bit hash, in hexadecimal, of the files that the answer leaves; empty for a refusal."""


class Answers:
    """The answers that results of one sample stand for. Equal results are hashed once."""

    def __init__(self, sample: Sample, *, back: Callable[[str], str] | None = None) -> None:
        """`back` turns a text of a renamed sample back into the original words."""
        self.sample = sample
        self._back = back
        self._applied = OncePerResult(self._hashed)

    def of(self, result: EditResult) -> Answer:
        return Answer(f"refused ({result.reason})") if isinstance(result, Rejected) else self._applied(result)

    def _hashed(self, result: Applied) -> Answer:
        state = xxhash.xxh3_128()
        for path, content in sorted(files_after(self.sample, result).items()):
            for text in (path, self._back(content) if self._back else content):
                data = text.encode("utf-8", "surrogatepass")
                state.update(b"%d:" % len(data))
                state.update(data)
        return Answer("applied", state.hexdigest())


def failure_of(sample: Sample, call: Timed) -> str | None:
    """The reason why a call is no answer to the sample, in one line; None if it is an answer."""
    return _crash(call.value) if call.raised else _type_error(sample, call.value)


def _crash(error: object) -> str:
    kind, line = type(error).__name__, first_line(error, limit=_ERROR_CHARACTERS)
    return kind if line == kind else f"{kind}: {line}"


def _type_error(sample: Sample, result: object) -> str | None:
    """The reason why what a strategy returned is no result for this sample; None if it is. Plug-ins return anything."""
    if isinstance(result, Rejected):
        return None if isinstance(result.reason, str) else "returned Rejected without a reason"
    if not isinstance(result, Applied):
        return f"returned {type(result).__name__}, not Applied or Rejected"
    if not isinstance(result.replacer, str | None) or not isinstance(result.matches, Sized):
        return "returned Applied with a replacer or matches of another type"
    if result.files is None:
        complete = isinstance(result.content, str) and bool(sample.before)
    else:
        complete = isinstance(result.files, Mapping) and all(
            isinstance(path, str) and isinstance(content, str) for path, content in result.files.items()
        )
    return None if complete else "returned Applied without the text afterwards"


# A sample in a run. Its calls, its row in the run folder and its repeats share what is computed here once.


class DescribedSample:
    def __init__(self, number: int, sample: Sample, strategies: Sequence[Strategy]) -> None:
        """`number` counts the samples of the corpus file; `strategies` are all strategies of the run."""
        self.number, self.sample = number, sample
        self.chosen = [(index, strategy) for index, strategy in enumerate(strategies) if strategy.is_run_on(sample)]
        """The strategies that take the sample, each with its index in the run."""

    @cached_property
    def document(self) -> Document | None:
        """The only file of the sample, with cached tables; None if the sample has no file or several."""
        return Document(self.sample.before[0].content) if len(self.sample.before) == 1 else None

    def forget(self) -> None:
        if self.document is not None:
            self.document.forget()

    @cached_property
    def fingerprint(self) -> int:
        """A 128-bit hash of everything that decides an outcome."""
        return fingerprint(self.sample)

    @property
    def hashed_id(self) -> int:
        """A 64-bit hash of the id, by which samples are drawn."""
        return text_hash(self.sample.id)

    @property
    def n_characters(self) -> int:
        return sum(len(file.content) for file in self.sample.before)

    def used(self) -> SampleUsed:
        sample, source = self.sample, self.sample.provenance
        return SampleUsed(
            sample.id, sample.format, sample.label, sample.label_source, source.agent, source.model, source.repo,
            source.mutator, source.parent_id, was_seen(sample), sample.tags, self.fingerprint >> 66, likeness(sample),
        )  # fmt: skip


# Spool files: the rows of a job on which a worker died. Another death of the worker then loses no rows.
#
# A spool file belongs to the process that wrote it. A run that starts or is resumed deletes the files it finds.


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
