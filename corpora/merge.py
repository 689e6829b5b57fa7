"""Several corpora -> one corpus file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corpora.edit_calls import counts_beside
from corpora.load import load, named_files
from corpora.sample import Sample, fingerprint
from corpora.write import SampleWriter
from editcore.errors import UsageError


def merge(names: Sequence[str], out: Path, *, replace: bool = False) -> tuple[int, int]:
    """Write all samples of several corpora to one file, identical samples once, and their edit calls beside it.

    With `replace`, `out` may be one of the corpora: the result has all its samples.

    Returns the number of samples written and the number of duplicates left out. Raises UsageError if two different
    samples have the same id.
    """
    known: dict[str, int] = {}
    calls = counts_beside(named_files(names))
    n_same = 0
    with SampleWriter(out, replace=replace) as writer:
        for sample in _samples_of(names):
            mark = fingerprint(sample) & (1 << 64) - 1
            if sample.id not in known:
                known[sample.id] = mark
                writer.add(sample)
            elif known[sample.id] == mark:
                n_same += 1
            else:
                raise UsageError(
                    f"Two different samples have the id {sample.id}", "Rename one: ids are unique within a corpus."
                )
    if calls.counts:
        calls.write_beside(out)
    return writer.n_written, n_same


def _samples_of(names: Iterable[str]) -> Iterator[Sample]:
    for name in names:
        yield from load(name)
