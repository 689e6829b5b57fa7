"""The outcomes of a run as arrays, by strategy and sample, and the order in which a page lists its samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.runs.columns import codes_of, numbers_of
from reports.runs.manifest import Manifest, read_manifest
from reports.runs.parts import run_table
from reports.runs.rows import Damage, Verdict
from reports.runs.shared_ids import refuse_shared_ids
from reports.statistics.metrics import SUMMARISED, Summary, summaries, with_promises

FACETS = ("format", "label", "label_source", "agent", "model", "repo", "mutator")
"""Properties that every sample has a column for; languages and other tags are added."""
TAGS = ("language", "drift", "truth")
"""Keys of tags that are facets as well."""

Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class Kind(NamedTuple):
    """What outcomes have in common: the values of a row but for its texts and times."""

    verdict: str
    damage: str | None
    severity: str | None
    reason: str | None
    replacer: str | None


class Facet(NamedTuple):
    """A property of the samples: (n_samples,) codes, and the words they index; "" stands for none."""

    codes: Codes
    words: list[str]


@dataclass(frozen=True)
class Columns:
    """A run's outcomes; samples and strategies are numbered."""

    folder: Path
    manifest: Manifest
    strategies: list[str]
    """Those of the manifest that have outcomes, in its order, then any others."""
    ids: list[str]
    kinds: list[Kind]
    """Kind 0 stands for: not run."""
    kind: Codes
    """(n_strategies, n_samples) indexes of `kinds`."""
    latency_ns: npt.NDArray[np.int64]
    """(n_strategies, n_samples), -1 where it was not measured."""
    facets: dict[str, Facet]
    summaries: list[Summary]

    @cached_property
    def place(self) -> dict[str, int]:
        """Sample id -> its number."""
        return {name: at for at, name in enumerate(self.ids)}

    def where(self, *verdicts: str) -> Mask:
        """(n_strategies, n_samples) whether the verdict is one of these."""
        found: Mask = np.array([kind.verdict in verdicts for kind in self.kinds])[self.kind]
        return found

    @cached_property
    def unasked(self) -> Mask:
        """(n_strategies, n_samples) whether it was applied although it should have been refused."""
        found: Mask = np.array([kind.damage == Damage.UNASKED for kind in self.kinds])[self.kind]
        return found

    @cached_property
    def order(self) -> Codes:
        """The samples as a page lists them: first those that most strategies edit wrongly, crash on, or miss."""
        counts = [self.where(*some).sum(axis=0) for some in _WORST_FIRST]
        names = np.argsort(np.argsort(np.array(self.ids, dtype=object), kind="stable"))
        return np.lexsort((names, *(-count for count in reversed(counts)))).astype(np.int32)


_WORST_FIRST = ((Verdict.WRONG_EDIT,), (Verdict.CRASHED, Verdict.TIMED_OUT), (Verdict.MISSED,), (Verdict.CORRECT,))


def read_columns(folder: Path) -> Columns:
    """The outcomes of a run folder.

    Raises UsageError as the readers of parts do, and where an id stands for several samples.
    """
    manifest = read_manifest(folder)
    table = run_table(folder, "outcomes", *dict.fromkeys(("sample_id", *SUMMARISED, *Kind._fields)))
    refuse_shared_ids(folder, table)
    sample, ids = codes_of(table["sample_id"])
    strategy, used = codes_of(table["strategy"])
    # A dictionary may have words that no row uses.
    there = [name or "" for at, name in enumerate(used) if (strategy == at).any()]
    order = [one.name for one in manifest.strategies if one.name in there]
    strategies = order + [name for name in there if name not in order]
    renumbered = np.array([strategies.index(name or "") if name in there else 0 for name in used], dtype=np.int64)
    samples = [str(name) for name in ids[:-1]]
    shape = (len(strategies), len(samples))
    kinds, codes = _kinds(table)
    kind = np.zeros(shape, dtype=np.int32)
    latency = np.full(shape, -1, dtype=np.int64)
    if len(codes):
        at = (renumbered[strategy], sample)
        kind[at] = codes
        measured, present = numbers_of(table["latency_ns"].combine_chunks())
        latency[at] = np.where(present, measured, -1)
    found = with_promises(summaries(table, order=strategies), manifest.strategies)
    return Columns(folder, manifest, strategies, samples, kinds, kind, latency, _facets(folder, samples), found)


def _kinds(table: pa.Table) -> tuple[list[Kind], Codes]:
    """The kinds of outcomes that occur, and (n_rows,) indexes of them; the first kind stands for none."""
    keys = np.zeros(table.num_rows, dtype=np.int64)
    vocabularies: list[list[str | None]] = []
    for name in Kind._fields:
        codes, words = codes_of(table[name])
        keys = keys * len(words) + codes
        vocabularies.append(words)
    found, inverse = np.unique(keys, return_inverse=True)
    shape = [len(words) for words in vocabularies]
    kinds = [Kind("", None, None, None, None)]
    for key in found:
        values = [words[i] for words, i in zip(vocabularies, np.unravel_index(key, shape), strict=True)]
        kinds.append(Kind(values[0] or "", *values[1:]))
    return kinds, (inverse + 1).astype(np.int32)


def _facets(folder: Path, ids: list[str]) -> dict[str, Facet]:
    """The properties in which the samples of a run may differ; none for runs that do not record samples."""
    table = run_table(folder, "samples", "sample_id", *FACETS, "tags")
    place = {name: at for at, name in enumerate(ids)}
    rows = np.array([place.get(name, -1) for name in table["sample_id"].to_pylist()], dtype=np.int64)
    found = {name: _facet(*codes_of(table[name]), rows, len(ids)) for name in FACETS}
    if table.num_rows:
        tags: list[list[str]] = table["tags"].to_pylist()
        for key in TAGS:
            start = f"{key}:"
            values = [next((tag[len(start) :] for tag in some if tag.startswith(start)), "") for some in tags]
            words = sorted(set(values))
            number = {word: at for at, word in enumerate(words)}
            found[key] = _facet(np.array([number[value] for value in values]), list(words), rows, len(ids))
    return {name: facet for name, facet in found.items() if any(facet.words)}


def _facet(codes: npt.NDArray[Any], words: list[str | None], rows: npt.NDArray[np.int64], n: int) -> Facet:
    """The values of a property by number of the sample; its words by letter, "" first."""
    used = {words[code] or "" for code in np.unique(codes)} if len(codes) else set()
    ordered = sorted(used | {""})
    number = {word: at for at, word in enumerate(ordered)}
    renumbered = np.array([number.get(word or "", 0) for word in words], dtype=np.int32)
    found = np.zeros(n, dtype=np.int32)
    known = rows >= 0
    found[rows[known]] = renumbered[codes[known]] if len(codes) else 0
    return Facet(found, ordered)
