"""Many clean edits -> a corpus file, by several processes, the same whatever their number."""

from __future__ import annotations

import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from corpora.generation.mutate import Made, Plan, made_of
from corpora.generation.sources import from_sample, from_text, source_files, source_text
from corpora.mutators import selected
from corpora.mutators.mutator import SEVERITIES
from corpora.sample import Label, Provenance, Sample, encode
from corpora.segments import Segment, read_segment
from corpora.write import SampleWriter, rows
from editcore.errors import UsageError

PER_SAMPLE = 8
_FILES_AT_ONCE = 2
_AHEAD = 3
"""So many units a process are worked on, or wait to be written."""
_LINES_A_SPAN = 15
"""A file gives one span for so many lines."""

Files = tuple[tuple[str, Path], ...]
Unit = Files | Segment
"""What one process works on at a time: a few source files, or a segment of a corpus."""
Report = Callable[[int, int], None]
"""Takes how much is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted."""

    mutators: tuple[str, ...] = ()
    """Names or globs; none: all."""
    severities: tuple[int, ...] = SEVERITIES
    seed: int = 0
    per_sample: int | None = PER_SAMPLE
    """Samples that are made of one clean edit; None: of every mutator at every severity."""
    total: int | None = None
    """Stop at so many samples."""


@dataclass(slots=True)
class Produced:
    """What came of it."""

    n_samples: int = 0
    n_clean: int = 0
    """Clean edits that were looked at."""
    labels: Counter[str] = field(default_factory=Counter)
    mutators: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """What was not certain, by why."""

    @property
    def dropped_rate(self) -> float:
        """Dropped, of all clean edits and samples that were made."""
        n_dropped = self.dropped.total()
        return n_dropped / max(n_dropped + self.n_samples, 1)


def units_of_files(folders: Sequence[Path], seed: int) -> list[Unit]:
    """The source files below some folders, each once, shuffled, a few at a time, whatever the folders' order.

    Raises UsageError where there are none.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(f"There is no {folder}", "Name source files, or a folder of them.")
    by_path = {path: name for name, path in source_files(sorted(folders, reverse=True))}
    if not by_path:
        raise UsageError(f"No source files in {', '.join(map(str, folders))}", "Name a folder of source code.")
    found = sorted((name, path) for path, name in by_path.items())
    Random(seed).shuffle(found)
    return in_units(found)


def in_units(files: Sequence[tuple[str, Path]]) -> list[Unit]:
    """Source files with their names, a few at a time: a patch may be of two of those."""
    return [tuple(files[at : at + _FILES_AT_ONCE]) for at in range(0, len(files), _FILES_AT_ONCE)]


def produce(
    units: Sequence[Unit],
    order: Order,
    writer: SampleWriter,
    *,
    jobs: int = 1,
    report: Report = lambda *_: None,
) -> Produced:
    """Write the samples of all units, in their order, until there are as many as ordered.

    What several units give, since a file or an edit is there more than once, is written once.
    """
    selected(order.mutators)
    done = Produced()
    seen: set[str] = set()
    n_units = len(units)
    as_rows = writer.path.suffix == ".parquet"
    for number, (batch, made) in enumerate(_batches(units, order, jobs, as_rows), 1):
        left = None if order.total is None else order.total - done.n_samples
        first_places = {sample_id: place for place, sample_id in reversed([*enumerate(made.ids)])}
        kept = sorted(place for sample_id, place in first_places.items() if sample_id not in seen)[:left]
        seen.update(made.ids)
        if kept:
            writer.add_rows(batch.take(kept)) if as_rows else writer.add_lines([batch[place] for place in kept])
        done.n_samples += len(kept)
        done.n_clean += made.n_clean
        done.dropped += made.dropped
        done.labels.update(made.labels[place] for place in kept)
        done.mutators.update(made.mutators[place] for place in kept)
        report(*((number, n_units) if order.total is None else (done.n_samples, order.total)))
        if done.n_samples == order.total:
            break
    if not done.n_samples:
        raise UsageError("No sample was made", "No clean edit there takes these mutators: give other sources, or more.")
    return done


@dataclass(frozen=True, slots=True)
class _Summary:
    ids: list[str]
    labels: list[Label]
    mutators: list[str]
    n_clean: int
    dropped: Counter[str]


def _batches(units: Sequence[Unit], order: Order, jobs: int, as_rows: bool) -> Iterator[tuple[Any, _Summary]]:
    tasks = ((unit, order, as_rows) for unit in units)
    if jobs == 1:
        yield from map(_batch, tasks)
        return
    with get_context("fork").Pool(jobs, initializer=_leave_signals_to_parent) as pool:
        ahead: deque[Any] = deque()
        for task in tasks:
            ahead.append(pool.apply_async(_batch, (task,)))
            # What waits to be written must not fill the memory.
            if len(ahead) >= _AHEAD * jobs:
                yield ahead.popleft().get()
        while ahead:
            yield ahead.popleft().get()


def _leave_signals_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _batch(task: tuple[Unit, Order, bool]) -> tuple[Any, _Summary]:
    """The samples of a unit, as Arrow rows or as lines, and what they are."""
    unit, order, as_rows = task
    plan = Plan(selected(order.mutators), order.severities, order.seed, order.per_sample)
    made = _of_segment(unit, plan) if isinstance(unit, Segment) else _of_files(unit, plan)
    batch = (rows(made.samples) if made.samples else None) if as_rows else [encode(one) for one in made.samples]
    what = _Summary(
        [one.id for one in made.samples],
        [one.label for one in made.samples],
        [one.provenance.mutator or "" for one in made.samples],
        made.n_clean,
        made.dropped,
    )
    return batch, what


def _of_files(files: Files, plan: Plan) -> Made:
    cleans = []
    for name, path in files:
        text = source_text(path)
        if text is not None:
            n_spans = max(text.count("\n") // _LINES_A_SPAN, 1)
            cleans += from_text(name, text, Random(f"{plan.seed}/{name}"), n_spans)
    return made_of(cleans, plan)


def _of_segment(segment: Segment, plan: Plan) -> Made:
    total = Made()
    for _, sample in read_segment(segment, formats=("str_replace", "search_replace")):
        clean = from_sample(sample)
        if clean is not None:
            made = made_of([clean], plan, _descent(sample))
            total.samples += made.samples
            total.n_clean += made.n_clean
            total.dropped += made.dropped
    return total


def _descent(sample: Sample) -> Provenance:
    return replace(sample.provenance, parent_id=sample.id, recorded_outcome=None, recorded_error=None)
