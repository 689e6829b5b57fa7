"""The properties in which the samples of a run may differ, as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.page.columns import Codes, Facet
from reports.runs.columns import codes_of, integers, joined, numbers_of
from reports.runs.ids import Ids, Numbers
from reports.runs.parts import kind_tables

FACETS = ("format", "label", "label_source", "agent", "model", "repo", "mutator", "seen")
"""Properties that every sample has a column for; languages and other tags are added."""
TAGS = ("language", "drift", "truth")
"""Keys of tags that are facets as well."""


class About(NamedTuple):
    """What a run says of its samples; no facets where it says nothing."""

    facets: dict[str, Facet]
    part: Codes


def read_facets(folder: Path, ids: Ids) -> About:
    """The facets of these samples, and the parts they are in, as in `Columns`."""
    found = {name: _Words(len(ids)) for name in (*FACETS, *TAGS)}
    sizes: list[int] = []

    def parts() -> Iterator[pa.Table]:
        for table in kind_tables(folder, "samples", "sample_id", *FACETS, "tags"):
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


def read_files(folder: Path, ids: Ids) -> tuple[pa.DictionaryArray, Numbers]:
    """(n_samples,) the file of each sample, and the characters of its files, as in `Columns`."""
    names, rows = [pa.array([""], pa.string())], [np.array([-1])]
    n_characters = np.full(len(ids), -1, dtype=np.int64)
    for table in joined(kind_tables(folder, "texts", "sample_id", "path", "n_characters")):
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
    """A property of the samples so far."""

    def __init__(self, n_samples: int) -> None:
        self._number: dict[str, int] = {"": 0}
        self._codes = np.zeros(n_samples, dtype=np.int32)

    def add(self, numbers: Numbers, codes: Codes, words: list[Any]) -> None:
        """Give the samples of these numbers the words of these codes; -1 is no sample."""
        used = np.bincount(codes, minlength=len(words)) > 0 if len(codes) else np.zeros(len(words), np.bool_)
        known = [
            self._number.setdefault(word or "", len(self._number)) if there else 0
            for word, there in zip(words, used, strict=True)
        ]
        here = numbers >= 0
        self._codes[numbers[here]] = np.array(known, dtype=np.int32)[codes[here]]

    def facet(self) -> Facet:
        """Its words by letter; "" first, and only where a sample has none or there are no samples."""
        everywhere = len(self._codes) > 0 and bool(self._codes.all())
        ordered = sorted(word for word in self._number if word or not everywhere)
        place = {word: at for at, word in enumerate(ordered)}
        renumbered = np.array([place.get(word, 0) for word in self._number])
        codes = renumbered[self._codes]
        return Facet(codes.astype(np.min_scalar_type(len(ordered))), ordered)


def _tagged(tags: pa.ChunkedArray) -> Iterator[tuple[str, Numbers, Codes, list[str]]]:
    """For each key of `TAGS`: the rows that have a tag with it, the codes of their first such values, the values."""
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
