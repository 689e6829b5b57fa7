"""Clean edits x mutators -> a corpus file, by any number of processes with the same result."""

from __future__ import annotations

import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from corpora.generation.mutate import MutatedSamples, MutationSettings, mutate_edits
from corpora.generation.sources import clean_edit_from_sample, clean_edits_from_text, source_files, source_text
from corpora.mutators import select_mutators
from corpora.mutators.mutator import SEVERITIES
from corpora.sample import Label, Provenance, Sample, encode
from corpora.segments import Segment, read_segment
from corpora.write import SampleWriter, record_batch
from editcore.errors import UsageError

PER_SAMPLE = 8
_FILES_PER_UNIT = 2
_UNITS_AHEAD = 3
"""Units per process that are worked on, or wait to be written."""
_LINES_PER_SPAN = 15
"""A file yields one clean edit for this many lines."""

SourceFiles = tuple[tuple[str, Path], ...]
Unit = SourceFiles | Segment
"""What a process works on at a time: a few source files, or a segment of a corpus."""
OnProgress = Callable[[int, int], None]
"""Called with the amount done and the total."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Which samples are made, and how many."""

    mutators: tuple[str, ...] = ()
    """Names or globs; empty: all."""
    severities: tuple[int, ...] = SEVERITIES
    seed: int = 0
    per_sample: int | None = PER_SAMPLE
    """Samples per clean edit; None: one for every mutator and severity."""
    total: int | None = None
    """The number of samples to stop at; None: no limit."""


@dataclass(slots=True)
class BuiltCorpus:
    """Counts of a corpus that was built."""

    n_samples: int = 0
    n_clean: int = 0
    """The clean edits considered, dropped ones included."""
    labels: Counter[str] = field(default_factory=Counter)
    mutators: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """Clean edits and samples that were not certain, by reason."""

    @property
    def dropped_rate(self) -> float:
        """The share of dropped clean edits and samples, 0 to 1."""
        n_dropped = self.dropped.total()
        return n_dropped / max(n_dropped + self.n_samples, 1)


def file_units(folders: Sequence[Path], seed: int) -> list[Unit]:
    """The source files below some folders as units: each file once, shuffled, whatever the folders' order.

    Raises UsageError where there are none.
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
    """Source files with their names, a few per unit: a patch may change two of them."""
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

    A sample that several units yield, since a file or an edit occurs more than once, is written once. Raises UsageError
    where there is none at all.
    """
    select_mutators(settings.mutators)
    built = BuiltCorpus()
    seen: set[str] = set()
    n_units = len(units)
    as_rows = writer.path.suffix == ".parquet"
    for number, (batch, mutated) in enumerate(_batches(units, settings, jobs, as_rows), 1):
        left = None if settings.total is None else settings.total - built.n_samples
        first_places = {sample_id: place for place, sample_id in reversed([*enumerate(mutated.ids)])}
        kept = sorted(place for sample_id, place in first_places.items() if sample_id not in seen)[:left]
        seen.update(mutated.ids)
        if kept:
            writer.add_rows(batch.take(kept)) if as_rows else writer.add_lines([batch[place] for place in kept])
        built.n_samples += len(kept)
        built.n_clean += mutated.n_clean
        built.dropped += mutated.dropped
        built.labels.update(mutated.labels[place] for place in kept)
        built.mutators.update(mutated.mutators[place] for place in kept)
        on_progress(*((number, n_units) if settings.total is None else (built.n_samples, settings.total)))
        if built.n_samples == settings.total:
            break
    if not built.n_samples:
        raise UsageError("No sample was made: no clean edit takes these mutators", "Name more sources or mutators.")
    return built


@dataclass(frozen=True, slots=True)
class _Summary:
    ids: list[str]
    labels: list[Label]
    mutators: list[str]
    n_clean: int
    dropped: Counter[str]


def _batches(
    units: Sequence[Unit], settings: BuildSettings, jobs: int, as_rows: bool
) -> Iterator[tuple[Any, _Summary]]:
    tasks = ((unit, settings, as_rows) for unit in units)
    if jobs == 1:
        yield from map(_batch, tasks)
        return
    with get_context("fork").Pool(jobs, initializer=_leave_signals_to_parent) as pool:
        ahead: deque[Any] = deque()
        for task in tasks:
            ahead.append(pool.apply_async(_batch, (task,)))
            # Results that wait to be written must not fill the memory.
            if len(ahead) >= _UNITS_AHEAD * jobs:
                yield ahead.popleft().get()
        while ahead:
            yield ahead.popleft().get()


def _leave_signals_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _batch(task: tuple[Unit, BuildSettings, bool]) -> tuple[Any, _Summary]:
    """The samples of a unit as Arrow rows or JSON lines, and their summary."""
    unit, settings, as_rows = task
    mutation = MutationSettings(
        select_mutators(settings.mutators), settings.severities, settings.seed, settings.per_sample
    )
    mutated = _mutate_segment(unit, mutation) if isinstance(unit, Segment) else _mutate_files(unit, mutation)
    batch = (
        (record_batch(mutated.samples) if mutated.samples else None)
        if as_rows
        else [encode(one) for one in mutated.samples]
    )
    summary = _Summary(
        [one.id for one in mutated.samples],
        [one.label for one in mutated.samples],
        [one.provenance.mutator or "" for one in mutated.samples],
        mutated.n_clean,
        mutated.dropped,
    )
    return batch, summary


def _mutate_files(files: SourceFiles, mutation: MutationSettings) -> MutatedSamples:
    cleans = []
    for name, path in files:
        text = source_text(path)
        if text is not None:
            n_spans = max(text.count("\n") // _LINES_PER_SPAN, 1)
            cleans += clean_edits_from_text(name, text, Random(f"{mutation.seed}/{name}"), n_spans)
    return mutate_edits(cleans, mutation)


def _mutate_segment(segment: Segment, mutation: MutationSettings) -> MutatedSamples:
    total = MutatedSamples()
    for _, sample in read_segment(segment, formats=("str_replace", "search_replace")):
        clean = clean_edit_from_sample(sample)
        if clean is not None:
            mutated = mutate_edits([clean], mutation, provenance=_provenance_from(sample))
            total.samples += mutated.samples
            total.n_clean += mutated.n_clean
            total.dropped += mutated.dropped
    return total


def _provenance_from(sample: Sample) -> Provenance:
    return replace(sample.provenance, parent_id=sample.id, recorded_outcome=None, recorded_error=None)
