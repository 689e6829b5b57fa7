"""The shards of a run -> one run, as if it had never been divided.

To the byte: wrong edits, samples and steps are the files that one machine would have written; outcomes are so in
every column but `latency_ns`; the manifest differs in `argv`, `machine`, `git_commit`, `created`, `finished`,
`wall_ns` and `strategy_ns` only. Parts are copied, not read, but for the pieces of one that fell to several shards.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from editcore.errors import UsageError
from reports.runs.manifest import Manifest, read_manifest, write_manifest
from reports.runs.partial_parts import PartialPart, difference, is_whole, join, parsed, summed
from reports.runs.parts import part_metadata, part_path, parts_done
from reports.runs.rows import KINDS

_SAME: tuple[tuple[str, Callable[[Manifest], Any]], ...] = (
    ("strategies", lambda manifest: [f"{used.name} {used.version}" for used in manifest.strategies]),
    ("time limit", lambda manifest: f"{manifest.timeout_s:g} s"),
    ("seed", lambda manifest: manifest.seed),
    ("number of shards", lambda manifest: manifest.shard.n if manifest.shard else 1),
    ("number of samples", lambda manifest: sum(corpus.n_samples for corpus in manifest.corpora)),
    ("version of the run folder", lambda manifest: manifest.schema_version),
)
"""What shards of one run have in common, apart from the plan, which says whether and not what."""


def merge(runs: Mapping[str, Path], out: Path, *, partial: bool = False) -> Manifest:
    """Write one run of several, by name and folder, that are shards of it.

    The folder is there as a whole or not at all. With `partial`, shards may be missing; the run is then unfinished.
    Raises UsageError for runs that are no shards of one, unfinished or damaged, and where one is missing.
    """
    manifests = {name: read_manifest(folder) for name, folder in runs.items()}
    shards = _shards(manifests)
    for name, manifest in manifests.items():
        _refuse_unfinished(name, manifest, len(parts_done(runs[name])))
    missing = _missing(shards, next(iter(manifests.values())))
    if missing and not partial:
        raise UsageError(f"Missing: {missing}", "Name every shard, or make do with --partial.")
    for first, *others in shards.values():
        for other in others:
            _refuse_disagreement(first, other, runs)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already", "Name another folder with -o.")
    chosen = [names[0] for _, names in sorted(shards.items())]
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
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
    """The runs by their number. Raises UsageError where they are not shards of one run."""
    (first, one), *others = manifests.items()
    for name, other in others:
        differing = [f"{what} ({_said(fact(one), fact(other))})" for what, fact in _SAME if fact(one) != fact(other)]
        if differing or one.plan != other.plan:
            raise UsageError(
                f"{first} and {name} are not shards of one run: another {', '.join(differing) or 'choice of samples'}",
                "Run every shard with the same arguments but --shard, on the same version.",
            )
    found: dict[int, list[str]] = defaultdict(list)
    for name, manifest in manifests.items():
        found[manifest.shard.index if manifest.shard else 1].append(name)
    return found


def _said(one: Any, other: Any) -> str:
    """What two runs have instead of the same; of lists, what the other lacks."""
    if isinstance(one, list):
        only = ([fact for fact in facts if fact not in rest] for facts, rest in ((one, other), (other, one)))
        one, other = (", ".join(facts[:3]) + (", ..." if facts[3:] else "") or "no more" for facts in only)
    return f"{one}; {other}"


def _refuse_unfinished(name: str, manifest: Manifest, n_parts: int) -> None:
    if manifest.finished is None:
        raise UsageError(f"{name} is not finished", "Go on with it: editgauge run ... --resume, or leave it out.")
    if n_parts != manifest.n_shards:
        raise UsageError(f"{name} has {n_parts} of its {manifest.n_shards} parts", "Copy it again, or resume it.")


def _missing(shards: Mapping[int, Sequence[str]], manifest: Manifest) -> str:
    """The shards that are not there, as in `2/8, 4/8`; empty where all are."""
    n = manifest.shard.n if manifest.shard else 1
    return ", ".join(f"{index}/{n}" for index in range(1, n + 1) if index not in shards)


def _refuse_disagreement(first: str, other: str, runs: Mapping[str, Path]) -> None:
    for part in sorted(parts_done(runs[first]) | parts_done(runs[other])):
        found = difference(runs[first], runs[other], part)
        if found:
            raise UsageError(
                f"{first} and {other} are the same shard and do not agree: {found}", "Leave one of the two out."
            )


def _gather(folders: Sequence[Path], out: Path) -> None:
    """Copy the parts of the runs to one, and join what are pieces of one part."""
    pieces: dict[str, list[tuple[PartialPart, Path, str]]] = defaultdict(list)
    for kind in KINDS:
        (out / kind).mkdir(parents=True)
    for folder in folders:
        for name in sorted(parts_done(folder)):
            part, piece = parsed(name)
            if piece:
                pieces[part].append((piece, folder, name))
            else:
                _copy(folder, name, out)
    for part, found in pieces.items():
        found.sort(key=lambda one: one[0].start)
        if is_whole([piece for piece, _, _ in found]):
            join([(folder, name) for _, folder, name in found], out, part)
        else:
            for _, folder, name in found:
                _copy(folder, name, out)


def _copy(folder: Path, part: str, out: Path) -> None:
    for kind in KINDS:
        with suppress(FileNotFoundError):
            shutil.copyfile(part_path(folder, kind, part), part_path(out, kind, part))


def _merged(manifests: Sequence[Manifest], folder: Path, *, finished: bool) -> Manifest:
    """The manifest of the run that those are shards of, whose parts are in the folder."""
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
    return summed(merged, (part_metadata(folder, part) for part in parts))


def _without_shard(argv: Sequence[str]) -> list[str]:
    """The arguments of the whole run."""
    kept = [one for one in argv if not one.startswith("--shard=")]
    if "--shard" in kept:
        at = kept.index("--shard")
        del kept[at : at + 2]
    return kept
