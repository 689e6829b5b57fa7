"""Pieces of parts: what a divided run writes where the samples of one corpus shard fall to several machines.

Row groups are cut by number of rows alone, so that pieces, joined, are the file that one machine would have written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

from corpora.sample import combined_fingerprint
from reports.runs.manifest import Manifest
from reports.runs.parts import PartWriter, part_metadata, part_rows
from reports.runs.rows import KINDS

_NAME = re.compile(r"(?P<part>.+)\.(?P<start>\d{5,})-(?P<end>\d{5,})-of-(?P<n>\d{5,})")
_COUNTS = ("n_samples", "n_left_out", "n_bad", "strategy_ns")
MEASURED = "latency_ns"
"""The one column in which two runs of the same may differ."""


@dataclass(frozen=True, slots=True)
class PartialPart:
    """Some of the samples that a run takes from a corpus shard, in their order."""

    start: int
    """0-based, among those samples."""
    end: int
    """Exclusive."""
    n: int
    """How many samples the run takes from the shard."""

    def name(self, part: str) -> str:
        """What the piece of a part is called."""
        return f"{part}.{self.start:05}-{self.end:05}-of-{self.n:05}"


def parsed(name: str) -> tuple[str, PartialPart | None]:
    """The part that a name stands for, and which piece of it, if it is one."""
    found = _NAME.fullmatch(name)
    return (found["part"], PartialPart(*(int(found[one]) for one in ("start", "end", "n")))) if found else (name, None)


def is_whole(pieces: Sequence[PartialPart]) -> bool:
    """Whether the pieces, in their order, leave nothing out."""
    ends = [0, *(piece.end for piece in pieces)]
    return [piece.start for piece in pieces] == ends[:-1] and ends[-1] == pieces[0].n


def join(sources: Sequence[tuple[Path, str]], folder: Path, part: str) -> None:
    """Write one part of several, each a run folder and the name of a part in it, in order."""
    metadata = total(part_metadata(*source) for source in sources)
    with PartWriter(folder, part) as writer:
        for kind in KINDS:
            for source, name in sources:
                writer.add_rows({kind: [SimpleNamespace(**row) for row in part_rows(source, kind, name)]})
        writer.close(metadata)


def total(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """What is noted beside the rows of several parts, as if they were one."""
    counts, fingerprint = dict.fromkeys(_COUNTS, 0), 0
    for part in parts:
        for name in _COUNTS:
            counts[name] += int(part[name])
        fingerprint = combined_fingerprint((fingerprint, int(part["fingerprint"], 16)))
    return {name: str(n) for name, n in counts.items()} | {"fingerprint": f"{fingerprint:032x}"}


def summed(manifest: Manifest, parts: Iterable[Mapping[str, str]]) -> Manifest:
    """The manifest with the counts of the parts, of which there are no others."""
    sums = total(parts)
    return replace(
        manifest,
        corpus_fingerprint=sums["fingerprint"],
        n_samples=int(sums["n_samples"]),
        n_left_out=int(sums["n_left_out"]),
        n_bad=int(sums["n_bad"]),
        strategy_ns=int(sums["strategy_ns"]),
    )


def difference(one: Path, other: Path, part: str) -> str | None:
    """Where two runs do not say the same in a part but for latencies: a kind, a sample; None where they do."""
    for kind in KINDS:
        rows, others = ([{**row, MEASURED: None} for row in part_rows(folder, kind, part)] for folder in (one, other))
        for row, another in zip(rows, others, strict=False):
            if row != another:
                return f"{kind.replace('_', ' ')} of sample {row['sample_id']}"
        if len(rows) != len(others):
            return f"the number of {kind.replace('_', ' ')}"
    return None
