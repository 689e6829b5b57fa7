"""The outcomes of a run as arrays, by strategy and sample, and the order in which a page lists its samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.measurements.measurement import FAILED
from reports.page.packing import Progress, no_progress
from reports.runs.columns import Ids, Numbers, codes_of, integers, joined, numbers_of
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder, read_reviews
from reports.statistics.grid import Codes, Floats, Grid, Rows
from reports.statistics.summary import Summary, summarised


class Facet(NamedTuple):
    """A property of the samples: (n_samples,) codes, and the words they index; "" means none."""

    codes: Codes
    words: list[str]


@dataclass(frozen=True)
class Columns(Grid):
    """A run's outcomes, with the properties and files of its samples."""

    run: RunFolder
    facets: dict[str, Facet]
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
    def latency_ns(self) -> Floats:
        return self.numbers["latency_ns"]


_WORST_FIRST = ((Verdict.WRONG_EDIT,), FAILED, (Verdict.MISSED,), (Verdict.CORRECT,))


def worst_first(grid: Grid) -> Codes:
    worst = np.zeros(len(grid.ids), dtype=np.int64)
    for some in _WORST_FIRST:
        worst = worst * (len(grid.strategies) + 1) + grid.where(*some).sum(axis=0)
    by_name = grid.ids.by_name()
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


def read_columns(run: RunFolder, *, progress: Progress = no_progress) -> Columns:
    """The outcomes of a run; `progress` is called as they are read.

    Raises UsageError for a damaged part, and if an id stands for several samples.
    """
    n_outcomes = max(1, run.manifest.n_samples * len(run.strategies))
    rows = Rows("latency_ns", progress=lambda n_rows: progress("outcomes", min(1.0, n_rows / n_outcomes)))
    grid, summaries = summarised(run, rows)
    if rows.are_shared:
        run.refuse_shared_ids()
    about = read_facets(run, grid.ids)
    path, n_characters = read_files(run, grid.ids)
    of_grid = {one.name: getattr(grid, one.name) for one in fields(Grid)}
    return Columns(
        **of_grid, run=run, facets=about.facets, part=about.part, path=path, n_characters=n_characters,
        summaries=summaries, order=worst_first(grid),
    )  # fmt: skip


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
