"""One shard of a corpus under every strategy -> its part of the run folder.

The unit of work: a pure function of the shard and the plan but for the latencies, so that who runs it, when
and beside what changes nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, MutableSequence, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic_ns
from typing import NamedTuple

from corpora.sample import Sample, SampleError, combined_fingerprint, fingerprint
from corpora.segments import Segment, read_segment
from editcore.document import Document
from editcore.quoting import first_line
from editcore.types import Applied, Rejected
from harness.run.latency import Stopwatch, Timed, TimedOut
from harness.run.multi_edit_steps import lone_replacers, steps_of
from harness.run.scoring import EXCERPT, Judge
from harness.strategies.strategy import Strategy
from reports.runs.partial_parts import PartialPart
from reports.runs.parts import PartWriter
from reports.runs.remote import Remote
from reports.runs.rows import Outcome, SampleUsed, Step, Verdict, WrongEdit

_KEPT = 250
"""Documents that are kept in memory at a time."""


_START_S = 60.0
"""How long what a strategy runs in may take to start."""


class Cell(NamedTuple):
    """A sample, by its number in its file, under a strategy."""

    number: int
    strategy: str


class Fate(NamedTuple):
    """What became of a cell that took its worker with it."""

    verdict: Verdict
    error: str


@dataclass(frozen=True, slots=True)
class Task:
    """A shard to be run."""

    shard: Segment
    folder: Path
    """The run folder."""
    timeout_s: float
    skip_bad: bool
    only: frozenset[int] | None = None
    """The numbers of the samples to run; None is all."""
    piece: PartialPart | None = None
    """Which of the samples that the whole run takes from the shard those are; None is all."""
    fates: Mapping[Cell, Fate] = field(default_factory=dict)
    """Cells that must not be tried again."""
    careful: bool = False
    """Keep what is done in a spool file, so that the next crash loses nothing."""
    remote: Remote | None = None
    """Where the run folder is kept, if not where `folder` says."""

    @property
    def part(self) -> str:
        """The name of the part it writes."""
        return self.piece.name(self.shard.name) if self.piece else self.shard.name


@dataclass(frozen=True, slots=True)
class Done:
    """What running a shard came to."""

    part: str
    n_samples: int
    n_left_out: int
    """Samples of formats that no chosen strategy takes."""
    bad: tuple[str, ...]
    """One line for each sample that could not be read."""
    fingerprint: int
    strategy_ns: int

    def metadata(self) -> dict[str, str]:
        """What is noted in the part beside its rows."""
        return {
            "n_samples": str(self.n_samples),
            "n_left_out": str(self.n_left_out),
            "n_bad": str(len(self.bad)),
            "fingerprint": f"{self.fingerprint:032x}",
            "strategy_ns": str(self.strategy_ns),
        }


@dataclass(slots=True)
class _Rows:
    """The outcomes of one sample."""

    fingerprint: int
    strategy_ns: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    wrong_edits: list[WrongEdit] = field(default_factory=list)
    sample: SampleUsed | None = None
    steps: list[Step] = field(default_factory=list)


SPOOL = ".spool"
"""The folder, in the run folder, of shards that a worker died on."""

Position = MutableSequence[int]
"""Shared with the supervisor: sample number, strategy index, and since when (monotonic ns), 0 between calls."""


def run_shard(task: Task, strategies: Sequence[Strategy], position: Position, stopwatch: Stopwatch) -> Done:
    """Run a shard and write its part, bit by bit."""
    spool = _Spool(task) if task.careful else None
    formats = frozenset().union(*(strategy.formats for strategy in strategies))
    replacers = lone_replacers(strategies)
    bad: list[str] = []
    documents: dict[str, Document] = {}
    n_samples = strategy_ns = total = 0

    def keep(error: SampleError) -> None:
        bad.append(error.message)

    with PartWriter(task.folder, task.part) as part:
        samples = read_segment(task.shard, formats=formats, only=task.only, on_bad=keep if task.skip_bad else None)
        for number, sample in samples:
            chosen = [(index, strategy) for index, strategy in enumerate(strategies) if strategy.takes(sample)]
            if not chosen:
                continue
            rows = spool.rows(number) if spool else None
            if rows is None:
                position[0] = number
                rows = _run_sample(sample, chosen, _document(sample, documents), task, position, stopwatch)
                rows.steps = steps_of(sample, replacers, Judge(sample))
                if spool:
                    spool.add(number, rows)
            n_samples += 1
            strategy_ns += rows.strategy_ns
            total = combined_fingerprint((total, rows.fingerprint))
            part.add(rows.outcomes, rows.wrong_edits, [rows.sample] if rows.sample else (), rows.steps)
        n_selected = task.shard.n_samples if task.only is None else len(task.only)
        n_left_out = n_selected - n_samples - len(bad)
        done = Done(task.part, n_samples, n_left_out, tuple(bad), total, strategy_ns)
        part.close(done.metadata())
    if spool:
        spool.remove()
    return done


def _document(sample: Sample, documents: dict[str, Document]) -> Document | None:
    """The sample's only file; samples near each other with the same text share the document."""
    if len(sample.before) != 1:
        return None
    text = sample.before[0].content
    document = documents.get(text)
    if document is None:
        if len(documents) == _KEPT:
            documents.clear()
        document = documents[text] = Document(text)
    return document


def _run_sample(
    sample: Sample,
    chosen: Sequence[tuple[int, Strategy]],
    document: Document | None,
    task: Task,
    position: Position,
    stopwatch: Stopwatch,
) -> _Rows:
    """The outcomes of a sample under each strategy that takes it."""
    rows = _Rows(fingerprint(sample), sample=_used(sample))
    judge = Judge(sample)
    forget = document.forget if document is not None else _nothing
    for index, strategy in chosen:
        fate = task.fates.get(Cell(position[0], strategy.name)) if task.fates else None
        if fate:
            rows.outcomes.append(Outcome(sample.id, strategy.name, fate.verdict, error=fate.error or None))
            continue
        if strategy.start:
            # What it cannot do then, it will say when it is called.
            stopwatch.time(strategy.start, prepare=_nothing, timeout_s=_START_S)
        position[1] = index
        position[2] = monotonic_ns()
        call = stopwatch.time(partial(strategy.apply, sample, document), prepare=forget, timeout_s=task.timeout_s)
        position[2] = 0
        rows.strategy_ns += call.total_ns
        _add(rows, judge, strategy.name, call)
    forget()
    return rows


def _used(sample: Sample) -> SampleUsed:
    told = sample.provenance
    return SampleUsed(
        sample.id, sample.format, sample.label, sample.label_source, told.agent, told.model, told.repo,
        told.mutator, told.parent_id, sample.tags,
    )  # fmt: skip


def _nothing() -> None:
    """There is no document to forget the tables of."""


def _add(rows: _Rows, judge: Judge, strategy: str, call: Timed) -> None:
    result, sample = call.value, judge.sample
    if isinstance(result, TimedOut):
        rows.outcomes.append(Outcome(sample.id, strategy, Verdict.TIMED_OUT))
        return
    error = _crash(result) if call.raised else _flaw(sample, result)
    if error:
        rows.outcomes.append(Outcome(sample.id, strategy, Verdict.CRASHED, error=error))
        return
    assert isinstance(result, Applied | Rejected)
    verdict, damage, shown = judge.score(result)
    if isinstance(result, Rejected):
        rows.outcomes.append(Outcome(sample.id, strategy, verdict, reason=result.reason, latency_ns=call.latency_ns))
        return
    replacer, n_matches = result.replacer, len(result.matches)
    rows.outcomes.append(Outcome(sample.id, strategy, verdict, damage, None, replacer, n_matches, call.latency_ns))
    if damage and shown:
        edit = _edit(sample)
        rows.wrong_edits.append(WrongEdit(sample.id, strategy, damage, replacer, edit=edit, **shown._asdict()))


def _crash(error: object) -> str:
    kind, line = type(error).__name__, first_line(error)
    return kind if line == kind else f"{kind}: {line}"


def _flaw(sample: Sample, result: object) -> str | None:
    """What makes the value of a strategy no result for this sample: types are not enforced on plug-ins."""
    if isinstance(result, Rejected):
        return None if isinstance(result.reason, str) else "returned Rejected without a reason"
    if not isinstance(result, Applied):
        return f"returned {type(result).__name__}, not Applied or Rejected"
    if not isinstance(result.replacer, str | None) or not isinstance(result.matches, Sized):
        return "returned Applied with a replacer or matches of another type"
    if result.files is None:
        whole = isinstance(result.content, str) and bool(sample.before)
    else:
        whole = isinstance(result.files, Mapping) and all(
            isinstance(path, str) and isinstance(content, str) for path, content in result.files.items()
        )
    return None if whole else "returned Applied without the text afterwards"


def _edit(sample: Sample) -> str:
    """The edit as the model wrote it, to be read by people."""
    if sample.patch is not None:
        return sample.patch[:EXCERPT]
    blocks = (
        f"<<<<<<< SEARCH{' (all)' if edit.replace_all else ''}\n{edit.old_string}\n"
        f"=======\n{edit.new_string}\n>>>>>>> REPLACE"
        for edit in sample.edits or ()
    )
    return "\n".join(blocks)[:EXCERPT]


class _Spool:
    """The outcomes of a shard so far, in a file; only ever used after a crash."""

    def __init__(self, task: Task) -> None:
        self._path = task.folder / SPOOL / task.part
        self._path.parent.mkdir(exist_ok=True)
        self._done: dict[int, _Rows] = {}
        with self._path.open("a+b") as file:
            file.seek(whole := 0)
            # A crash may have cut the last record short.
            with suppress(EOFError, pickle.UnpicklingError):
                while True:
                    number, rows = pickle.load(file)
                    self._done[number] = rows
                    whole = file.tell()
            file.truncate(whole)

    def rows(self, number: int) -> _Rows | None:
        return self._done.get(number)

    def add(self, number: int, rows: _Rows) -> None:
        with self._path.open("ab") as file:
            pickle.dump((number, rows), file)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._path.parent.rmdir()
