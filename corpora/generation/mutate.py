"""Clean edits x mutators -> samples. The samples depend on the seed, not on the order of edits or on processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import xxhash

from corpora.generation.referee import objection
from corpora.generation.sources import ambiguity
from corpora.languages import language
from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged
from corpora.mutators.mutator import Mutator, damaged_sample
from corpora.sample import Provenance, Sample, validated
from editcore.types import File

VERSION = 2
"""The version of the generator. Another version makes other samples, with other ids."""


@dataclass(frozen=True, slots=True)
class MutationSettings:
    """Which samples are made of each clean edit."""

    mutators: tuple[Mutator[Any], ...]
    degrees: tuple[int, ...]
    seed: int = 0
    per_sample: int | None = None
    """Samples per clean edit, not counting twins; None: one for every mutator and degree."""


@dataclass(slots=True)
class MutatedSamples:
    """The samples of some clean edits, and counts of the dropped ones."""

    samples: list[Sample] = field(default_factory=list)
    n_clean: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """The number of dropped clean edits and samples, by reason."""


def mutate_edits(
    cleans: Sequence[CleanEdit], settings: MutationSettings, *, provenance: Provenance | None = None
) -> MutatedSamples:
    """The samples of clean edits in one file, or in files that may share a patch."""
    certain, dropped = certain_edits(cleans)
    mutated = mutate_certain_edits(certain, settings, places=range(len(certain)), provenance=provenance)
    mutated.n_clean += len(cleans)
    mutated.dropped += dropped
    return mutated


def certain_edits(cleans: Sequence[CleanEdit]) -> tuple[list[CleanEdit], Counter[str]]:
    """The clean edits whose place is certain, and the number of the others by reason."""
    certain: list[CleanEdit] = []
    dropped: Counter[str] = Counter()
    for clean in cleans:
        if why := ambiguity(clean):
            dropped[f"clean edit: {why}"] += 1
        else:
            certain.append(clean)
    return certain, dropped


def mutate_certain_edits(
    certain: Sequence[CleanEdit], settings: MutationSettings, *, places: range, provenance: Provenance | None = None
) -> MutatedSamples:
    """The samples of the clean edits at the indexes `places`; the other edits may share a patch with them. `n_clean`
    is 0.
    """
    mutated = MutatedSamples()
    seen: set[str] = set()
    drawable = _drawable(settings)
    for clean in certain[places.start : places.stop]:
        key = f"{clean.path}:{clean.start}-{clean.end}:{_hash(clean.content, clean.new)}"
        patch: CleanPatch | None = None
        for mutator, degree in _draw(drawable, settings, key):
            rng = seeded(f"{settings.seed}/{key}/{mutator.name}/{degree}")
            if mutator.format not in ("unified_diff", "begin_patch"):
                damaged = mutator.damaged(clean, degree, rng)
            else:
                patch = patch or _patch_with_others(clean, certain, seeded(f"{settings.seed}/{key}/patch"))
                damaged = mutator.damaged(patch, degree, rng)
            if damaged is None:
                continue
            samples = list(_samples(damaged, mutator, degree, key, settings.seed, provenance or Provenance()))
            if why := next(filter(None, map(objection, samples)), None):
                mutated.dropped[f"{mutator.name}: {why}"] += 1
                continue
            # Several refusals may share a twin.
            mutated.samples += [sample for sample in samples if sample.id not in seen]
            seen.update(sample.id for sample in samples)
    return mutated


_Drawable = tuple[dict[str, list[tuple[Mutator[Any], int]]], ...]
"""For search texts and for patches: mutator name -> the mutator at each degree that can be drawn."""


def _drawable(settings: MutationSettings) -> _Drawable:
    found: _Drawable = ({}, {})
    for mutator in sorted(settings.mutators, key=lambda mutator: mutator.name):
        for degree in mutator.degrees:
            # A mutator with one degree only has no strength to choose: it is always drawn.
            if degree in settings.degrees or mutator.degrees == (1,):
                found[mutator.format != "str_replace"].setdefault(mutator.name, []).append((mutator, degree))
    return found


def seeded(key: str) -> Random:
    """A generator seeded by a text. The text may have lone surrogates, since names of files do."""
    return Random(key.encode("utf-8", "surrogatepass"))


def _draw(drawable: _Drawable, settings: MutationSettings, key: str) -> Iterator[tuple[Mutator[Any], int]]:
    """Draw mutators for a clean edit, each at one degree, half of them for search texts; without a limit, yield all."""
    if settings.per_sample is None:
        yield from (choice for names in drawable for degrees in names.values() for choice in degrees)
        return
    rng = seeded(f"{settings.seed}/{key}")
    edits, patches = drawable
    n_patches = min(settings.per_sample // 2 if edits else settings.per_sample, len(patches))
    n_edits = min(settings.per_sample - n_patches, len(edits))
    for names, n in ((edits, n_edits), (patches, n_patches)):
        for name in rng.sample(list(names), n):
            yield rng.choice(names[name])


def _patch_with_others(clean: CleanEdit, others: Sequence[CleanEdit], rng: Random) -> CleanPatch:
    """The clean edit, and perhaps some of the others, as one patch of one or two files."""
    chosen = [clean]
    for other in rng.sample(others, min(len(others), rng.randint(0, 3))):
        # Edits that touch would be one change, and a file has only one text before.
        apart = all(other.path != one.path or other.end + 1 < one.start or one.end + 1 < other.start for one in chosen)
        paths = {one.path for one in (*chosen, other)}
        same_text = {one.content for one in chosen if one.path == other.path} <= {other.content}
        if apart and same_text and len(paths) <= 2:
            chosen.append(other)
    before: list[File] = []
    target: list[File] = []
    for path in dict.fromkeys(one.path for one in chosen):
        # From the end, so that the offsets of the others stay right.
        edits = sorted((one for one in chosen if one.path == path), key=lambda one: one.start, reverse=True)
        text = edits[0].content
        before.append(File(path, text))
        for one in edits:
            text = text[: one.start] + one.new + text[one.end :]
        target.append(File(path, text))
    return CleanPatch(tuple(before), tuple(target))


def _samples(
    damaged: Damaged, mutator: Mutator[Any], degree: int, key: str, seed: int, provenance: Provenance
) -> Iterator[Sample]:
    """The damaged edit as a sample; for a refusal, its twin comes first."""
    tags = [f"language:{language(damaged.before[0].path if damaged.before else '')}", f"degree:{degree}"]
    tags += [f"truth:{mutator.truth}", *([f"absorber:{mutator.absorber}"] if mutator.absorber else [])]
    if damaged.target is None:
        tags.append(f"refuse:{damaged.reason or mutator.name}")
    if damaged.twin is not None:
        before, target = damaged.twin
        patch = damaged.twin_patch or damaged.patch
        twin = _hash(repr((before, target, damaged.edits, patch)), str(VERSION))
        tags.append(f"twin:twin-{twin}")
        right = replace(
            damaged, before=before, target=target, patch=patch, alternatives=None, seen=None, seen_lines=None
        )
        own = (tags[0], "degree:0", "truth:apply", "role:twin")
        origin = replace(provenance, mutator="twin", seed=seed)
        yield validated(damaged_sample(right, f"twin-{twin}", mutator.format, tags=own, provenance=origin))
    name = f"{mutator.name}-{degree}-{_hash(key, mutator.name, str(degree), str(seed), str(VERSION))}"
    origin = replace(provenance, mutator=mutator.name, seed=seed)
    yield validated(damaged_sample(damaged, name, mutator.format, tags=tuple(tags), provenance=origin))


def _hash(*texts: str) -> str:
    return xxhash.xxh3_64_hexdigest("\0".join(texts).encode("utf-8", "surrogatepass"))
