"""The shards of a run -> the whole run, as one machine would have written it.

The files of wrong edits, samples and steps are equal byte for byte. Outcomes are equal in every column except those
that are measured (`latency_ns` and the like), and the manifest except in `argv`, `machine`, `git_commit`, `created`,
`finished`, `wall_ns` and `strategy_ns`. Parts are copied without reading them; only partial parts are read and joined.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from corpora.regular_file import temporary_beside
from corpora.sample import combined_fingerprint
from editcore.errors import UsageError
from reports.runs.manifest import Manifest, read_manifest, write_manifest
from reports.runs.parts import DAMAGED, PartWriter, copied_part, part_metadata, part_path, part_rows, parts_done
from reports.runs.rows import KINDS, MEASURED

# Partial parts: row groups are cut by number of rows alone, so joined parts equal the file that one machine writes

_NAME = re.compile(r"(?P<part>.+)\.(?P<start>\d{5,})-(?P<end>\d{5,})-of-(?P<n>\d{5,})")
_COUNTS = ("n_samples", "n_left_out", "n_bad", "strategy_ns")

_VARYING = {*MEASURED, "message"}
"""Columns in which two runs of the same samples may differ: measured ones, and messages of programs."""


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
        return f"{part}.{self.start:05}-{self.end:05}-of-{self.n:05}"


def parse_name(name: str) -> tuple[str, PartialPart | None]:
    """The name of the whole part, and the range of samples if it is a partial one."""
    found = _NAME.fullmatch(name)
    return (found["part"], PartialPart(*(int(found[one]) for one in ("start", "end", "n")))) if found else (name, None)


def is_whole(parts: Sequence[PartialPart]) -> bool:
    """True if the partial parts, sorted by start, cover the whole part without gaps or overlaps."""
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
    """The sum of the metadata of several parts, given by run folder and name.

    Raises UsageError for a part without totals, and FileNotFoundError for a missing one.
    """
    counts, fingerprint = dict.fromkeys(_COUNTS, 0), 0
    for folder, name in parts:
        totals = part_metadata(folder, name)
        try:
            for key in _COUNTS:
                counts[key] += int(totals[key])
            fingerprint = combined_fingerprint((fingerprint, int(totals["fingerprint"], 16)))
        except (KeyError, ValueError):
            raise UsageError(
                f"{part_path(folder, 'outcomes', name)} cannot be read: it has no totals that a run wrote", DAMAGED
            ) from None
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
    """The first difference between the same part of two runs, measured columns aside: a kind, a sample; None if
    equal.
    """
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


_SAME: tuple[tuple[str, Callable[[Manifest], Any]], ...] = (
    ("strategies", lambda manifest: [f"{used.name} {used.version}" for used in manifest.strategies]),
    ("time limit", lambda manifest: f"{manifest.timeout_s:g} s"),
    ("seed", lambda manifest: manifest.seed),
    ("number of shards", lambda manifest: manifest.shard.n if manifest.shard else 1),
    ("number of samples", lambda manifest: sum(corpus.n_samples for corpus in manifest.corpora)),
    ("version of the run folder", lambda manifest: manifest.schema_version),
)
"""Facts that all shards of a run share. The plan decides; these facts name the difference."""


def merge(runs: Mapping[str, Path], out: Path, *, partial: bool = False) -> Manifest:
    """Write the run whose shards are given by name and folder, and return its manifest.

    The folder `out` is written whole or not at all. With `partial`, shards may be missing, and the run counts as
    unfinished. Raises UsageError for runs that are not shards of one run, are unfinished or damaged, and, without
    `partial`, for missing shards.
    """
    manifests = {name: read_manifest(folder) for name, folder in runs.items()}
    shards = _shards(manifests)
    for name, manifest in manifests.items():
        n_parts = len(parts_done(runs[name]))
        if manifest.finished is None:
            raise UsageError(f"{name} is not finished", "Resume it: editgauge run ... --resume, or leave it out.")
        if n_parts != manifest.n_shards:
            raise UsageError(f"{name} has {n_parts} of its {manifest.n_shards} parts", "Copy it again, or resume it.")
    missing = _missing(shards, next(iter(manifests.values())))
    if missing and not partial:
        raise UsageError(f"Missing shards: {missing}", "Name every shard, or merge what there is with --partial.")
    for first, *others in shards.values():
        for other in others:
            _refuse_disagreement(first, other, runs)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} already exists", "Name another folder with -o.")
    chosen = [names[0] for _, names in sorted(shards.items())]
    temporary = temporary_beside(out)
    try:
        temporary.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"{temporary} cannot be made: {error.strerror}", "Is it left over? Then remove it.") from None
    try:
        _gather([runs[name] for name in chosen], temporary)
        merged = _merged([manifests[name] for name in chosen], temporary, finished=not missing)
        write_manifest(temporary, merged)
        with suppress(FileNotFoundError):
            out.rmdir()
        temporary.replace(out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}", "Is there room for it?") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return merged


def _shards(manifests: Mapping[str, Manifest]) -> dict[int, list[str]]:
    """Index of a shard -> the names of the runs that are that shard. Raises UsageError for shards of other runs."""
    (first, one), *others = manifests.items()
    for name, other in others:
        differing = [
            f"{what} ({_differing(fact(one), fact(other))})" for what, fact in _SAME if fact(one) != fact(other)
        ]
        if differing or one.plan != other.plan:
            raise UsageError(
                f"{first} and {name} are not shards of one run: different {', '.join(differing) or 'samples'}",
                "Run every shard on the same version, with the same arguments except --shard.",
            )
    found: dict[int, list[str]] = defaultdict(list)
    for name, manifest in manifests.items():
        found[manifest.shard.index if manifest.shard else 1].append(name)
    return found


def _differing(one: Any, other: Any) -> str:
    """The two values of a fact that differs; for lists, the items that the other list lacks."""
    if isinstance(one, list):
        only = ([fact for fact in facts if fact not in rest] for facts, rest in ((one, other), (other, one)))
        one, other = (", ".join(facts[:3]) + (", ..." if facts[3:] else "") or "no more" for facts in only)
    return f"{one}; {other}"


def _missing(shards: Mapping[int, Sequence[str]], manifest: Manifest) -> str:
    """The missing shards, as in `2/8, 4/8`; empty if there are none."""
    n = manifest.shard.n if manifest.shard else 1
    return ", ".join(f"{index}/{n}" for index in range(1, n + 1) if index not in shards)


def _refuse_disagreement(first: str, other: str, runs: Mapping[str, Path]) -> None:
    for part in sorted(parts_done(runs[first]) | parts_done(runs[other])):
        found = difference(runs[first], runs[other], part)
        if found:
            raise UsageError(
                f"{first} and {other} are the same shard with different rows: {found}", "Leave one of the two out."
            )


def _gather(folders: Sequence[Path], out: Path) -> None:
    partial: dict[str, list[tuple[PartialPart, Path, str]]] = defaultdict(list)
    for kind in KINDS:
        (out / kind).mkdir(parents=True)
    for folder in folders:
        for name in sorted(parts_done(folder)):
            part, share = parse_name(name)
            if share:
                partial[part].append((share, folder, name))
            else:
                _copy(folder, name, out)
    for part, found in partial.items():
        found.sort(key=lambda one: one[0].start)
        if is_whole([share for share, _, _ in found]):
            join([(folder, name) for _, folder, name in found], out, part)
        else:
            for _, folder, name in found:
                _copy(folder, name, out)


def _copy(folder: Path, part: str, out: Path) -> None:
    for kind in KINDS:
        with suppress(FileNotFoundError):
            shutil.copyfile(copied_part(folder, kind, part), part_path(out, kind, part))


def _merged(manifests: Sequence[Manifest], folder: Path, *, finished: bool) -> Manifest:
    parts = sorted(parts_done(folder))
    merged = replace(
        manifests[0],
        argv=_without_shard(manifests[0].argv),
        created=min(manifest.created for manifest in manifests),
        finished=max(manifest.finished or "" for manifest in manifests) if finished else None,
        wall_ns=sum(manifest.wall_ns for manifest in manifests),
        n_shards=len(parts),
        shard=None,
    )
    return with_totals(merged, ((folder, part) for part in parts))


def _without_shard(argv: Sequence[str]) -> list[str]:
    kept = [one for one in argv if not one.startswith("--shard=")]
    if "--shard" in kept:
        at = kept.index("--shard")
        del kept[at : at + 2]
    return kept
