"""Write a corpus file from logs: each edit attempt once, scrubbed, in bounded memory."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from corpora.edit_calls import CallCounts
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log, Tally
from corpora.importers.rebuilding.attempt_sample import DOUBTFUL
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.importers.session import Event
from corpora.sample import Sample, decode, encode, text_hash, text_size, validated
from corpora.scrub import scrub
from corpora.segments import HUB
from corpora.write import SampleWriter
from editcore.errors import UsageError

_RANKS = {
    **dict.fromkeys(("tool_result", "scenario", "git", "git_merge", "lines_gone", "already_applied"), 6),
    "exact": 5,
    "rerun": 5,
    "identical": 4,
    "noop": 4,
    "exact_ambiguous": 4,
    "retry": 3,
    "retry_corrected": 3,
    "retry_repaired": 2,
}
"""The rank of each label source. Of several copies of an attempt, the copy with the highest rank is kept."""

LARGEST_SESSION = 2 << 30
"""The number of characters of all samples of one log. Each sample contains whole files."""
MOST_EVENTS = 1_000_000
LONGEST_READ_S = 1800
"""Bounds of one log. The rest of a log that exceeds them is left out."""

Report = Callable[[int, int], None]
"""Called with the number of logs that are read and the number of all logs."""


@dataclass(slots=True)
class Imported:
    """The counts of an import."""

    n_logs: int = 0
    n_samples: int = 0
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of samples by label and label source."""
    scrubbed: Counter[str] = field(default_factory=Counter)
    """The number of replacements in samples, by kind of secret."""
    calls: CallCounts = field(default_factory=CallCounts)
    """The edit calls, by what became of them."""
    tally: Tally = field(default_factory=Tally)
    """Counts of what was read, and of what was left out and why."""


def collect(
    sources: Sequence[tuple[Importer, Path]],
    out: Path,
    *,
    repo: Path | None = None,
    base: str | None = None,
    replace: bool = False,
    strict: bool = False,
    report: Report = lambda *_: None,
) -> Imported:
    """Write the samples of all logs at some paths, each with its importer, to a corpus file.

    `base` is the commit of `repo` at which the sessions began, if the logs do not name it. `strict` leaves out failed
    edits whose file text comes from a commit, since the agent may have met another text. Without a sample no file is
    written.

    Raises UsageError, before anything is written, for a path that does not exist or contains no logs.
    """
    logs = [(importer, log) for importer, path in sources for log in logs_at(importer, path)]
    done = Imported(n_logs=len(logs))
    best = _BestCopies()
    inputs = [log.path for _, log in logs if log.path]
    with (
        SampleWriter(out, inputs=inputs, replace=replace, keeps_empty=False) as writer,
        closing(Surroundings(done.tally, done.calls, repo, base)) as surroundings,
        # In the folder of the output, which has room for it; the samples may not fit into memory.
        tempfile.TemporaryFile("w+", encoding="ascii", dir=out.parent) as spool,
    ):
        for number, (importer, log) in enumerate(logs):
            report(number, len(logs))
            for sample in _samples(importer, log, surroundings):
                if strict and DOUBTFUL in sample.tags:
                    done.tally.add("left out: a failed edit whose text before is that of a commit")
                elif kept := _scrubbed(sample, done):
                    if best.offer(kept):
                        spool.write(encode(kept) + "\n")
                    else:
                        done.tally.add("left out: stored more than once")
        spool.seek(0)
        for number, line in enumerate(spool):
            if number in best.superseded:
                done.tally.add("left out: stored more than once")
                continue
            sample = decode(line)
            writer.add(sample)
            done.labels[sample.label, sample.label_source or "none"] += 1
        report(len(logs), len(logs))
    done.n_samples = writer.n_written
    if done.n_samples:
        done.calls.write_beside(out)
    return done


def _samples(importer: Importer, log: Log, surroundings: Surroundings) -> Iterator[Sample]:
    """The samples of a log, up to an error of its importer or a bound. Either is counted."""
    size = 0
    try:
        events = _within_bounds(importer.events(log, surroundings), log, surroundings.tally)
        for sample in rebuilt_samples(events, importer, surroundings):
            size += text_size(sample)
            if size > LARGEST_SESSION:
                surroundings.tally.add(f"log given up: samples of over {LARGEST_SESSION >> 20} MB", log.name)
                return
            yield sample
    except Exception as error:
        surroundings.tally.add(f"log given up: {type(error).__name__}", f"{log.name}: {error}")


def _within_bounds(events: Iterator[Event | Sample], log: Log, tally: Tally) -> Iterator[Event | Sample]:
    """The events of a log, up to its bounds of number and time."""
    start = monotonic()
    for n, event in enumerate(events):
        if n == MOST_EVENTS:
            tally.add(f"log given up: over {MOST_EVENTS} events", log.name)
            return
        if monotonic() - start > LONGEST_READ_S:
            tally.add(f"log given up: over {LONGEST_READ_S} s", log.name)
            return
        yield event


def logs_at(importer: Importer, path: Path) -> Iterator[Log]:
    """The logs at a path. Raises UsageError for a path that does not exist or contains none."""
    is_hub = str(path).startswith(HUB)
    if not is_hub and not path.exists():
        raise UsageError(f"There is no {path}", "Name a log, or a folder of logs.")
    n = 0
    for log in importer.logs(path if is_hub else path.absolute()):
        n += 1
        yield log
    if not n:
        raise UsageError(f"{path} holds no logs of {importer.name}", f"It reads: {importer.summary}.")


def _scrubbed(sample: Sample, done: Imported) -> Sample | None:
    """The sample without secrets. None, and counted, if the sample must be dropped."""
    try:
        validated(sample)
    except ValueError as error:
        done.tally.add("left out: not a valid sample", f"{sample.id}: {error}")
        return None
    result = scrub(sample)
    done.scrubbed += result.found
    if result.sample is None:
        done.tally.add(f"left out: {result.why_not}")
    elif result.n_placeholders:
        done.tally.add("samples with values that look like passwords, kept as placeholders", sample.id)
    return result.sample


class _BestCopies:
    """The best copy of each attempt among the samples so far. A copy is named by the ordinal of its sample."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, int]] = {}
        self._n = 0
        self.superseded: set[int] = set()

    def offer(self, sample: Sample) -> bool:
        """Return True if `sample` is the best copy of its attempt so far. It then takes the next ordinal."""
        rank = _RANKS.get(sample.label_source or "", 1)
        keys = (text_hash(sample.id), _content(sample))
        known = {self._kept[key] for key in keys if key in self._kept}
        if any(other >= rank for other, _ in known):
            return False
        self.superseded |= {number for _, number in known}
        for key in keys:
            self._kept[key] = (rank, self._n)
        self._n += 1
        return True


def _content(sample: Sample) -> int:
    """A hash of the edit and its files, without the folders of the files and the recorded outcome."""
    edits = [(edit.old_string, edit.new_string, edit.replace_all, edit.occurrence) for edit in sample.edits or ()]
    before = [(file.path.rpartition("/")[2], file.content) for file in sample.before]
    return text_hash(repr((sample.format, before, edits, sample.patch, sample.line, sample.end_line)))
