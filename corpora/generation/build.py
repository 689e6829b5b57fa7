"""Clean edits x mutators -> a corpus file. Any number of processes writes the same file."""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any, NamedTuple

from corpora.generation.mutate import (
    MutatedSamples,
    MutationSettings,
    certain_edits,
    mutate_certain_edits,
    mutate_edits,
    seeded,
)
from corpora.generation.sources import (
    MAX_BYTES,
    clean_edit_from_sample,
    clean_edits_from_text,
    source_files,
    source_text,
)
from corpora.mutators import select_mutators
from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import DEGREES
from corpora.sample import Label, encode
from corpora.segments import Segment, read_segment, sample_numbers
from corpora.write import SampleWriter, record_batch
from editcore.errors import UsageError

PER_SAMPLE = 8
_FILES_PER_UNIT = 2
_PART_CHARACTERS = 64 << 20
"""About the most characters of sample texts that a process makes of source files at a time."""
_PART_SAMPLES = 4096
"""The most samples that a process makes of a corpus at a time."""
_PARTS_AHEAD = 2
"""The parts per process that are in work, or wait to be written."""
_LINE_LENGTH = 30
"""The characters of a typical line of source code: estimates the number of lines of a file from its size."""
_POLL_S = 1.0
_LINES_PER_SPAN = 15
"""The lines of a source file for each clean edit that is drawn from it."""

SourceFiles = tuple[tuple[str, Path], ...]
Unit = SourceFiles | Segment
"""The work that a process gets at a time: a few source files, or a segment of a corpus."""
OnProgress = Callable[[int, int], None]
"""Called with the amount done and the total."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Which samples are made, and how many."""

    mutators: tuple[str, ...] = ()
    """Names or globs; empty: all."""
    degrees: tuple[int, ...] = DEGREES
    seed: int = 0
    per_sample: int | None = PER_SAMPLE
    """Samples per clean edit; None: one for every mutator and degree."""
    total: int | None = None
    """The number of samples to stop at; None: no limit."""


@dataclass(slots=True)
class BuiltCorpus:
    """Counts of a corpus that was built."""

    n_samples: int = 0
    n_clean: int = 0
    """The clean edits considered, including dropped ones."""
    labels: Counter[str] = field(default_factory=Counter)
    mutators: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """The number of clean edits and samples dropped as uncertain, by reason."""

    @property
    def dropped_rate(self) -> float:
        """The share of dropped clean edits and samples, 0 to 1."""
        n_dropped = self.dropped.total()
        return n_dropped / max(n_dropped + self.n_samples, 1)


def file_units(folders: Sequence[Path], seed: int) -> list[Unit]:
    """The source files below some folders as units: each file once, shuffled by the seed.

    The order of the folders does not matter. Raises UsageError if there are no source files.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(f"There is no {folder}", "Name source files or folders of them.")
    by_path = {path: name for name, path in source_files(sorted(folders, reverse=True))}
    if not by_path:
        raise UsageError(f"No source files in {', '.join(map(str, folders))}", "Name a folder of source code.")
    found = sorted((name, path) for path, name in by_path.items())
    Random(seed).shuffle(found)
    return group_files(found)


def group_files(files: Sequence[tuple[str, Path]]) -> list[Unit]:
    """Source files with their names, a few per unit: a patch may change two files of a unit."""
    return [tuple(files[at : at + _FILES_PER_UNIT]) for at in range(0, len(files), _FILES_PER_UNIT)]


def build_corpus(
    units: Sequence[Unit],
    settings: BuildSettings,
    writer: SampleWriter,
    *,
    jobs: int = 1,
    on_progress: OnProgress = lambda *_: None,
) -> BuiltCorpus:
    """Write the samples of all units, in their order, up to the total.

    A sample that several units yield is written once: a file or an edit may occur more than once. Raises UsageError
    if no sample is made.
    """
    select_mutators(settings.mutators)
    built = BuiltCorpus()
    seen: set[str] = set()
    n_units = len(units)
    as_rows = writer.path.suffix == ".parquet"
    n_done = 0
    for part, (batch, mutated) in _batches(units, settings, jobs, as_rows):
        left = None if settings.total is None else settings.total - built.n_samples
        # Reversed, so that the first of equal ids in a batch is kept.
        first_places = {row[0]: place for place, row in reversed([*enumerate(mutated.rows)])}
        kept = sorted(place for sample_id, place in first_places.items() if sample_id not in seen)[:left]
        seen.update(first_places)
        if kept:
            writer.add_rows(batch.take(kept)) if as_rows else writer.add_lines([batch[place] for place in kept])
        built.n_samples += len(kept)
        built.n_clean += mutated.n_clean
        built.dropped += mutated.dropped
        built.labels.update(mutated.rows[place][1] for place in kept)
        built.mutators.update(mutated.rows[place][2] for place in kept)
        # A unit is done with its last part.
        n_done += part.number + 1 == part.n_parts
        on_progress(*((n_done, n_units) if settings.total is None else (built.n_samples, settings.total)))
        if built.n_samples == settings.total:
            break
    if not built.n_samples:
        raise UsageError("No sample was made: no clean edit takes these mutators", "Name more sources or mutators.")
    return built


class _Summary(NamedTuple):
    """What is told of the samples of a part, without their texts."""

    rows: list[tuple[str, Label, str]]
    """The id, label and mutator of each sample."""
    n_clean: int
    dropped: Counter[str]


def _batches(
    units: Sequence[Unit], settings: BuildSettings, jobs: int, as_rows: bool
) -> Iterator[tuple[_Part, tuple[Any, _Summary]]]:
    parts = (part for unit in units for part in _parts(unit, settings, as_rows))
    if jobs == 1:
        yield from ((part, _batch(part)) for part in parts)
        return
    pool = ProcessPoolExecutor(jobs, get_context("fork"), initializer=_start_worker, initargs=(os.getpid(),))
    ahead: deque[tuple[_Part, Future[tuple[Any, _Summary]]]] = deque()
    try:
        for part in parts:
            ahead.append((part, pool.submit(_batch, part)))
            # Results that wait to be written must not fill the memory.
            if len(ahead) >= _PARTS_AHEAD * jobs:
                yield _next_done(ahead)
        while ahead:
            yield _next_done(ahead)
    except BrokenProcessPool:
        raise UsageError(
            "A process that makes samples was killed, perhaps for lack of memory: no corpus was written",
            "Try again with fewer processes, -j 1, or fewer samples of each edit, --per-sample.",
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _next_done(ahead: deque[tuple[_Part, Future[tuple[Any, _Summary]]]]) -> tuple[_Part, tuple[Any, _Summary]]:
    part, made = ahead.popleft()
    return part, made.result()


@dataclass(frozen=True, slots=True)
class _Part:
    """The share of a unit that is made at a time. It bounds memory, however many samples a unit gives."""

    unit: Unit
    number: int
    n_parts: int
    settings: BuildSettings
    as_rows: bool

    def of(self, n: int) -> range:
        """The indexes, of `n` clean edits or samples, that belong to this part."""
        return range(self.number * n // self.n_parts, (self.number + 1) * n // self.n_parts)


def _parts(unit: Unit, settings: BuildSettings, as_rows: bool) -> Iterator[_Part]:
    """The parts of a unit, in order. They depend on the sources and settings only."""
    chosen = select_mutators(settings.mutators)
    n_choices = sum(len(mutator.degrees) for mutator in chosen)
    per_clean = n_choices if settings.per_sample is None else min(settings.per_sample, n_choices)
    if isinstance(unit, Segment):
        n_parts = min(-(-unit.n_samples * per_clean // _PART_SAMPLES), unit.n_samples)
    else:
        sizes = [_size_if_used(path) for _, path in unit]
        # A sample has the file's text twice: before the edit and after it.
        n_characters = sum(2 * size * per_clean * (size // (_LINE_LENGTH * _LINES_PER_SPAN) + 1) for size in sizes)
        n_parts = -(-n_characters // _PART_CHARACTERS)
    for number in range(max(n_parts, 1)):
        yield _Part(unit, number, max(n_parts, 1), settings, as_rows)


def _size_if_used(path: Path) -> int:
    size = path.stat().st_size if path.is_file() else 0
    return size if size <= MAX_BYTES else 0


def _start_worker(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has ended. The pool's pipes do not tell: this process holds their other ends."""
    while os.getppid() == parent:
        sleep(_POLL_S)
    os._exit(1)


def _batch(part: _Part) -> tuple[Any, _Summary]:
    """The samples of a part as Arrow rows or JSON lines, and their summary."""
    settings = part.settings
    mutation = MutationSettings(
        select_mutators(settings.mutators), settings.degrees, settings.seed, settings.per_sample
    )
    mutated = (
        _mutate_segment(part, part.unit, mutation)
        if isinstance(part.unit, Segment)
        else _mutate_files(part, part.unit, mutation)
    )
    batch = (
        (record_batch(mutated.samples) if mutated.samples else None)
        if part.as_rows
        else [encode(one) for one in mutated.samples]
    )
    rows = [(one.id, one.label, one.provenance.mutator or "") for one in mutated.samples]
    return batch, _Summary(rows, mutated.n_clean, mutated.dropped)


def _mutate_files(part: _Part, files: SourceFiles, mutation: MutationSettings) -> MutatedSamples:
    certain, dropped, n_clean = _clean_edits(files, mutation.seed)
    mutated = mutate_certain_edits(certain, mutation, places=part.of(len(certain)))
    if part.number == 0:
        mutated.n_clean = n_clean
        mutated.dropped += dropped
    return mutated


@lru_cache(maxsize=1)
def _clean_edits(files: SourceFiles, seed: int) -> tuple[list[CleanEdit], Counter[str], int]:
    """The certain clean edits of some files, the dropped ones by reason, and the number of all; cached for the unit's
    parts.
    """
    cleans = []
    for name, path in files:
        text = source_text(path)
        if text is not None:
            n_spans = max(text.count("\n") // _LINES_PER_SPAN, 1)
            cleans += clean_edits_from_text(name, text, seeded(f"{seed}/{name}"), n_spans)
    return *certain_edits(cleans), len(cleans)


def _mutate_segment(part: _Part, segment: Segment, mutation: MutationSettings) -> MutatedSamples:
    total = MutatedSamples()
    places, numbers = part.of(segment.n_samples), sample_numbers(segment) if part.n_parts > 1 else ()
    only = set(numbers[places.start : places.stop]) if numbers else None
    for _, sample in read_segment(segment, formats=("str_replace", "search_replace"), only=only):
        clean = clean_edit_from_sample(sample)
        if clean is not None:
            origin = replace(sample.provenance, parent_id=sample.id, recorded_outcome=None, recorded_error=None)
            mutated = mutate_edits([clean], mutation, provenance=origin)
            total.samples += mutated.samples
            total.n_clean += mutated.n_clean
            total.dropped += mutated.dropped
    return total
