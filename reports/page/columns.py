"""The outcomes of a run as arrays, by strategy and sample, and the order in which a page lists its samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from editcore.errors import UsageError
from reports.measurements.measurement import FAILED, is_labelled
from reports.page.packing import Progress, no_progress
from reports.runs.columns import Ids, Numbers, codes_of, distinct_rows, integers, joined, numbers_of
from reports.runs.reviews import read_reviews
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.clusters import Clusters, clusters_of_run
from reports.statistics.summary import SUMMARISED, Summary, streamed_summaries

Codes = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]


class Kind(NamedTuple):
    """The common values of outcomes: a row without its texts and times."""

    verdict: str
    damage: str | None
    severity: str | None
    reason: str | None
    replacer: str | None
    failed_label: str | None = None
    """The sample's label, if the verdict does not tell it."""

    @property
    def is_labelled(self) -> bool:
        """True if the right answer to the sample is known."""
        return is_labelled(self.verdict, self.failed_label)


class Facet(NamedTuple):
    """A property of the samples: (n_samples,) codes, and the words they index; "" means none."""

    codes: Codes
    words: list[str]


@dataclass(frozen=True)
class Columns:
    """A run's outcomes; samples and strategies are numbered. A million samples of twelve strategies take 150 MB."""

    run: RunFolder
    strategies: list[str]
    """Strategies of the manifest that have outcomes, in its order, then any others."""
    ids: Ids
    kinds: list[Kind]
    """Kind 0 means: not run."""
    kind: Codes
    """(n_strategies, n_samples) indexes of `kinds`, in the smallest integers that hold them."""
    latency_ns: npt.NDArray[np.float32]
    """(n_strategies, n_samples) to seven digits, -1 if not measured."""
    facets: dict[str, Facet]
    cluster: Codes
    share: npt.NDArray[np.float64]
    """(n_samples,) each, from `reports.statistics.clusters.Clusters`."""
    part: Codes
    """(n_samples,) number of the part with the sample's rows, among the parts of samples; -1 for none."""
    path: pa.DictionaryArray
    """(n_samples,) file of each sample; "" if not recorded."""
    n_characters: npt.NDArray[np.int64]
    """(n_samples,) characters of the files before; -1 if not recorded."""
    summaries: list[Summary]
    order: Codes
    """The samples in the order of the page's list: first the ones that most strategies edit wrongly, crash on, or
    miss.
    """

    @cached_property
    def place(self) -> dict[str, int]:
        """Sample id -> its number."""
        return {name: at for at, name in enumerate(self.ids)}

    @property
    def clusters(self) -> Clusters:
        """The clusters of the samples."""
        return Clusters(self.cluster, self.share)

    def where(self, *verdicts: str, of: Sequence[int] | None = None) -> Mask:
        """(n_strategies, n_samples) mask of these verdicts; for all strategies, or for some, by number."""
        return np.array([kind.verdict in verdicts for kind in self.kinds])[self.kind if of is None else self.kind[of]]

    @property
    def labelled(self) -> Mask:
        """(n_strategies, n_samples) mask: the strategy ran, and the right answer is known."""
        return np.array([kind.is_labelled for kind in self.kinds])[self.kind]


_WORST_FIRST = ((Verdict.WRONG_EDIT,), FAILED, (Verdict.MISSED,), (Verdict.CORRECT,))


def worst_first(ids: Ids, kinds: list[Kind], kind: Codes) -> Codes:
    worst = np.zeros(len(ids), dtype=np.int64)
    for some in _WORST_FIRST:
        worst = worst * (len(kind) + 1) + np.array([one.verdict in some for one in kinds])[kind].sum(axis=0)
    by_name = ids.by_name()
    return by_name[np.argsort(-worst[by_name], kind="stable")].astype(np.int32)


# Facets: the properties in which samples may differ

FACETS = ("format", "label", "label_source", "agent", "model", "repo", "mutator", "seen")
"""Properties that every sample has a column for; languages and other tags are added."""
TAGS = ("language", "drift", "truth", "defect")
"""Keys of tags that are also facets."""


class About(NamedTuple):
    """The recorded properties of a run's samples; a property without a value in any sample is no facet."""

    facets: dict[str, Facet]
    part: Codes


def read_facets(run: RunFolder, ids: Ids) -> About:
    """The facets of these samples, and their parts, as in `Columns`."""
    found = {name: _Words(len(ids)) for name in (*FACETS, *TAGS)}
    sizes: list[int] = []

    def parts() -> Iterator[pa.Table]:
        for table in run.tables("samples", "sample_id", *FACETS, "tags"):
            sizes.append(len(table))
            yield table

    rows: list[Numbers] = [np.empty(0, dtype=np.int64)]
    for table in joined(parts()):
        numbers = ids.numbers(table["sample_id"])
        rows.append(numbers)
        for name in FACETS:
            found[name].add(numbers, *codes_of(table[name]))
        for key, at, codes, words in _tagged(table["tags"]):
            found[key].add(numbers[at], codes, words)
    facets = {name: one.facet() for name, one in found.items()}
    part, every = np.full(len(ids), -1, dtype=np.int32), np.concatenate(rows)
    part[every[every >= 0]] = np.repeat(np.arange(len(sizes)), sizes)[every >= 0]
    return About({name: facet for name, facet in facets.items() if any(facet.words)}, part)


def read_files(run: RunFolder, ids: Ids) -> tuple[pa.DictionaryArray, Numbers]:
    """(n_samples,) file of each sample, and the characters of its files, as in `Columns`."""
    names, rows = [pa.array([""], pa.string())], [np.array([-1])]
    n_characters = np.full(len(ids), -1, dtype=np.int64)
    for table in joined(run.tables("texts", "sample_id", "path", "n_characters")):
        numbers = ids.numbers(table["sample_id"])
        values, present = numbers_of(table["n_characters"].combine_chunks())
        there = present & (numbers >= 0)
        n_characters[numbers[there]] = values[there]
        names += table["path"].chunks
        rows.append(numbers)
    known = pa.chunked_array(names, pa.string()).combine_chunks().dictionary_encode()
    codes, number = numbers_of(known.indices)[0], np.concatenate(rows)
    found = np.zeros(len(ids), dtype=np.int32)
    found[number[number >= 0]] = codes[number >= 0]
    return pa.DictionaryArray.from_arrays(integers(found), known.dictionary), n_characters


class _Words:
    def __init__(self, n_samples: int) -> None:
        self._number: dict[str, int] = {"": 0}
        self._codes = np.zeros(n_samples, dtype=np.int32)

    def add(self, numbers: Numbers, codes: Codes, words: list[Any]) -> None:
        """Give the samples with these numbers the words of these codes; the number -1 is no sample."""
        used = np.bincount(codes, minlength=len(words)) > 0 if len(codes) else np.zeros(len(words), np.bool_)
        known = [
            self._number.setdefault(word or "", len(self._number)) if there else 0
            for word, there in zip(words, used, strict=True)
        ]
        here = numbers >= 0
        self._codes[numbers[here]] = np.array(known, dtype=np.int32)[codes[here]]

    def facet(self) -> Facet:
        """The words in order; "" comes first, and only if a sample has none or there are no samples."""
        everywhere = len(self._codes) > 0 and bool(self._codes.all())
        ordered = sorted(word for word in self._number if word or not everywhere)
        place = {word: at for at, word in enumerate(ordered)}
        renumbered = np.array([place.get(word, 0) for word in self._number])
        codes = renumbered[self._codes]
        return Facet(codes.astype(np.min_scalar_type(len(ordered))), ordered)


def _tagged(tags: pa.ChunkedArray) -> Iterator[tuple[str, Numbers, Codes, list[str]]]:
    """For each key of `TAGS`: the rows with such a tag, the codes of their first values, and the values."""
    lists = tags.combine_chunks()
    codes, words = codes_of(pa.chunked_array([pc.list_flatten(lists)]))
    row = numbers_of(pc.list_parent_indices(lists))[0]
    values: dict[str, dict[int, str]] = defaultdict(dict)
    for at, word in enumerate(words):
        key, colon, value = (word or "").partition(":")
        if colon and key in TAGS:
            values[key][at] = value
    for key, of_code in values.items():
        number = np.full(len(words), -1)
        number[[*of_code]] = np.arange(len(of_code))
        has = number[codes] >= 0
        rows, first = np.unique(row[has], return_index=True)
        yield key, rows, number[codes][has][first], [*of_code.values()]


# A run -> its outcomes as arrays: streamed, without a Python object for each row


def _ahead(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The tables, each read while the previous one is processed."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, tables, None)
        while (table := waiting.result()) is not None:
            waiting = thread.submit(next, tables, None)
            yield table


def read_columns(run: RunFolder, *, progress: Progress = no_progress) -> Columns:
    """The outcomes of a run; `progress` is called as they are read.

    Raises UsageError for a damaged part, and if an id stands for several samples.
    """
    n_outcomes = max(1, run.manifest.n_samples * len(run.strategies))
    rows = _Rows(lambda n_rows: progress("outcomes", min(1.0, n_rows / n_outcomes)))
    tables = run.tables("outcomes", *dict.fromkeys((*SUMMARISED, *Kind._fields)), as_dictionaries=True)
    clusters = clusters_of_run(run)
    summaries = streamed_summaries(rows.seen(_ahead(joined(tables))), used=run.manifest.strategies, clusters=clusters)
    strategies = [one.strategy for one in summaries]
    ids, kind, latency = rows.arrays(strategies)
    kinds = [*rows.kinds]
    if rows.n_rows > np.count_nonzero(kind):
        run.refuse_shared_ids()
    about = read_facets(run, ids)
    path, n_characters = read_files(run, ids)
    return Columns(
        run, strategies, ids, kinds, kind, latency, about.facets, *clusters.of(ids.array), about.part,
        path, n_characters, summaries, worst_first(ids, kinds, kind),
    )  # fmt: skip


class _Rows:
    """The rows of outcomes so far: codes of samples, strategies and kinds, and latencies of each batch."""

    def __init__(self, progress: Callable[[int], object]) -> None:
        self._progress = progress
        self.kinds: dict[Kind, int] = {Kind("", *[None] * 5): 0}
        self.n_rows = 0
        self._names: dict[str, int] = {}
        self._ids: list[pa.Array] = []
        self._n_ids = 0
        self._batches: list[tuple[Codes, Codes, Codes, npt.NDArray[np.float32]]] = []

    def seen(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The tables, each kept as codes when it passes."""
        for table in tables:
            if len(table):
                self._keep(table)
            self._progress(self.n_rows)
            yield table

    def _keep(self, table: pa.Table) -> None:
        if table["sample_id"].null_count or table["strategy"].null_count:
            raise UsageError("An outcome of the run names no sample or no strategy", "Run it again.")
        samples = table["sample_id"].combine_chunks()
        codes = numbers_of(samples.indices)[0]
        # A dictionary may have words that no row uses.
        used = np.bincount(codes, minlength=len(samples.dictionary)) > 0
        sample = (np.cumsum(used) - 1)[codes] + self._n_ids
        self._ids.append(samples.dictionary.take(integers(np.flatnonzero(used))))
        self._n_ids += int(used.sum())
        strategy, names = codes_of(table["strategy"])
        numbers = np.array([self._names.setdefault(name or "", len(self._names)) for name in names])
        measured, present = numbers_of(table["latency_ns"].combine_chunks())
        latency = np.where(present, measured, -1).astype(np.float32)
        self._batches.append((sample.astype(np.int32), _small(numbers[strategy]), self._kinds(table), latency))
        self.n_rows += len(table)

    def _kinds(self, table: pa.Table) -> Codes:
        """(n_rows,) numbers of the rows' kinds."""
        found, row = distinct_rows(table, *Kind._fields)
        kinds = [Kind(verdict or "", *rest) for verdict, *rest in found]
        return _small(np.array([self.kinds.setdefault(one, len(self.kinds)) for one in kinds])[row])

    def arrays(self, strategies: list[str]) -> tuple[Ids, Codes, npt.NDArray[np.float32]]:
        """The ids, and (n_strategies, n_samples) kinds and latencies; the batches are freed."""
        known = pa.chunked_array(self._ids, pa.string()).combine_chunks().dictionary_encode()
        ids, number = Ids(known.dictionary), numbers_of(known.indices)[0]
        place = np.array([strategies.index(name) if name in strategies else 0 for name in self._names] or [0])
        shape = (len(strategies), len(ids))
        kind = np.zeros(shape, dtype=np.min_scalar_type(len(self.kinds)))
        latencies = np.full(shape, -1, dtype=np.float32)
        while self._batches:
            sample, strategy, kinds, latency = self._batches.pop()
            at = (place[strategy], number[sample])
            kind[at] = kinds
            latencies[at] = latency
        return ids, kind, latencies


def _small(codes: Codes) -> Codes:
    """The codes in the smallest integers that hold them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


# Reviews of samples

FACET = "review"


def reviews_of(columns: Columns) -> dict[str, list[Any]]:
    """Sample id -> [reviewed or not, note, time], for the run's samples."""
    found = read_reviews(columns.run.folder)
    return {
        name: [one.is_reviewed, one.note, one.written]
        for name, one in found.items()
        if columns.ids.find(name) is not None
    }


def with_reviews(columns: Columns) -> Columns:
    """The columns with a facet for samples that are reviewed or have a note; unchanged if there are none."""
    known = reviews_of(columns)
    if not known:
        return columns
    words = ["", "note", "reviewed"]
    codes = np.zeros(len(columns.ids), dtype=np.uint8)
    for name, (is_reviewed, *_) in known.items():
        at = columns.ids.find(name)
        if at is not None:
            codes[at] = words.index("reviewed" if is_reviewed else "note")
    return replace(columns, facets=columns.facets | {FACET: Facet(codes, words)})
