"""Partial parts: the rows of one segment of a corpus whose samples are divided among several shards of a run.

Row groups are cut by number of rows alone, so joined partial parts equal the file that one machine would have written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from corpora.sample import combined_fingerprint
from editcore.errors import UsageError
from reports.runs.manifest import Manifest
from reports.runs.parts import DAMAGED, PartWriter, part_metadata, part_path, part_rows
from reports.runs.rows import KINDS, MEASURED

_NAME = re.compile(r"(?P<part>.+)\.(?P<start>\d{5,})-(?P<end>\d{5,})-of-(?P<n>\d{5,})")
_COUNTS = ("n_samples", "n_left_out", "n_bad", "strategy_ns")
_TOTALS = dict.fromkeys(_COUNTS, re.compile(r"[0-9]{1,30}")) | {"fingerprint": re.compile(r"[0-9a-f]{1,32}")}
"""Key of a part's metadata -> its values."""


_VARYING = {*MEASURED, "message"}
"""Columns in which two runs of the same samples may differ: what is measured, and the messages of programs."""


@dataclass(frozen=True, slots=True)
class PartialPart:
    """A range of the samples that a run takes from a segment, in their order."""

    start: int
    """0-based, among those samples."""
    end: int
    """Exclusive."""
    n: int
    """Number of samples that the whole run takes from the segment."""

    def name(self, part: str) -> str:
        """The name of this share of a part."""
        return f"{part}.{self.start:05}-{self.end:05}-of-{self.n:05}"


def parse_name(name: str) -> tuple[str, PartialPart | None]:
    """The name of the whole part, and the range if it is a partial one."""
    found = _NAME.fullmatch(name)
    return (found["part"], PartialPart(*(int(found[one]) for one in ("start", "end", "n")))) if found else (name, None)


def is_whole(parts: Sequence[PartialPart]) -> bool:
    """Whether the partial parts, sorted by start, cover the whole part without gaps or overlaps."""
    ends = [0, *(part.end for part in parts)]
    return [part.start for part in parts] == ends[:-1] and ends[-1] == parts[0].n


def join(sources: Sequence[tuple[Path, str]], folder: Path, part: str) -> None:
    """Write one part from several: (run folder, name of a part in it), in order."""
    metadata = metadata_totals(sources)
    with PartWriter(folder, part) as writer:
        for kind in KINDS:
            for source, name in sources:
                writer.add_rows({kind: [SimpleNamespace(**row) for row in part_rows(source, kind, name)]})
        writer.close(metadata)


def metadata_totals(parts: Iterable[tuple[Path, str]]) -> dict[str, str]:
    """The metadata of several parts, given by run folder and name, added up as if they were one.

    Raises UsageError for a part whose totals no run wrote, and FileNotFoundError for one that is missing.
    """
    counts, fingerprint = dict.fromkeys(_COUNTS, 0), 0
    for folder, name in parts:
        totals = part_metadata(folder, name)
        if any(not _TOTALS[key].fullmatch(totals.get(key, "")) for key in _TOTALS):
            raise UsageError(
                f"{part_path(folder, 'outcomes', name)} cannot be read: it has no totals that a run wrote", DAMAGED
            )
        for key in _COUNTS:
            counts[key] += int(totals[key])
        fingerprint = combined_fingerprint((fingerprint, int(totals["fingerprint"], 16)))
    return {name: str(n) for name, n in counts.items()} | {"fingerprint": f"{fingerprint:032x}"}


def with_totals(manifest: Manifest, parts: Iterable[tuple[Path, str]]) -> Manifest:
    """The manifest with the totals of all its parts, as `metadata_totals` adds them up."""
    sums = metadata_totals(parts)
    return replace(
        manifest,
        corpus_fingerprint=sums["fingerprint"],
        n_samples=int(sums["n_samples"]),
        n_left_out=int(sums["n_left_out"]),
        n_bad=int(sums["n_bad"]),
        strategy_ns=int(sums["strategy_ns"]),
    )


def difference(one: Path, other: Path, part: str) -> str | None:
    """The first difference between the same part of two runs, latencies aside: a kind, a sample; None if equal."""
    for kind in KINDS:
        rows, others = (_unmeasured(part_rows(folder, kind, part)) for folder in (one, other))
        for row, another in zip(rows, others, strict=False):
            if row != another:
                return f"{kind.replace('_', ' ')} of sample {row['sample_id']}"
        if len(rows) != len(others):
            return f"the number of {kind.replace('_', ' ')}"
    return None


def _unmeasured(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in _VARYING} for row in rows]
