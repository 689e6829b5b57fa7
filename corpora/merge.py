"""Several corpora -> one corpus file, and one corpus -> two files with no repository in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from corpora.edit_calls import counts_beside
from corpora.load import load, named_files
from corpora.sample import Sample, fingerprint, text_hash
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
        for sample in chain.from_iterable(map(load, names)):
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


def split(name: str, folder: Path, *, share: float, seed: int = 0, replace: bool = False) -> tuple[int, int]:
    """Write `dev` and `test` to a folder, with about `share` (0 to 1) of the samples in `test`.

    Samples of one repository stay together; samples of an unknown repository stay together by file. Whole
    repositories are drawn by the seed until the share is reached. The counts of edit calls, which know no repository,
    are beside both parts.

    Returns the number of samples in `dev` and in `test`. Raises UsageError if all samples are of one repository.
    """
    sizes = Counter(_origin(sample) for sample in load(name))
    if len(sizes) < 2:
        raise UsageError(
            f"All samples of {name} are from one repository", "Add samples of another repository before splitting."
        )
    chosen: set[str] = set()
    wanted, n_chosen = share * sizes.total(), 0
    for origin in sorted(sizes, key=lambda origin: text_hash(f"{seed}/{origin}")):
        # Skip a repository that overshoots the share by more than it closes the gap.
        if abs(n_chosen + sizes[origin] - wanted) < abs(n_chosen - wanted):
            chosen.add(origin)
            n_chosen += sizes[origin]
    smallest = min(sizes, key=lambda origin: (sizes[origin], origin))
    if not chosen:
        chosen.add(smallest)
    elif len(chosen) == len(sizes):
        chosen.remove(smallest)
    suffix = Path(name).suffix if Path(name).suffix == ".parquet" else ".jsonl"
    outs, read = [folder / f"{part}{suffix}" for part in ("dev", "test")], named_files([name])
    dev, test = (SampleWriter(out, inputs=read, replace=replace) for out in outs)
    with dev, test:
        for sample in load(name):
            (test if _origin(sample) in chosen else dev).add(sample)
    calls = counts_beside(read)
    for out in outs if calls.counts else ():
        calls.write_beside(out)
    return dev.n_written, test.n_written


def _origin(sample: Sample) -> str:
    if sample.provenance.repo:
        return sample.provenance.repo
    return min((file.path for file in sample.before or sample.target or ()), default=sample.id)
