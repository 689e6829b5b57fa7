"""A piece of the index of a run's texts: the distinct words and lines of some samples, and the samples that have each.

What is sought has rarely a blank in it: then some word of the texts holds it, where a word is what stands between
blanks, and the words of a text are far fewer than its characters. What has a blank is sought in the lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from corpora.parquet import LARGEST_ROW_GROUP
from editcore.errors import UsageError
from reports.page.columns import Codes, Mask
from reports.page.ids import Ids, Numbers
from reports.page.piece_store import PieceStore
from reports.runs.columns import distinct, integers, numbers_of

_BLANKS = re.compile(rb"[ \t\r\v\f]+")
"""What `pc.ascii_split_whitespace()` splits at, in a line."""
_SHORT = 2
"""Bytes of a word that so many words hold that they are all looked at together."""

_TIP = "They are not of a run that this program made, and are not searched."

Blobs = Mapping[str, bytes]
"""Of words and of lines, `NAME` being the one or the other:

NAME            the texts, each between line feeds
NAME.ends       int32: where each ends
NAME.first      int32: for each its first place in `NAME.samples`, and the end of the last one's
NAME.samples    the samples of each, by their places in `own`, in integers of the size that `own` needs
own             int32: the numbers of the samples
"""


def piece(ids: Ids, near: Numbers, tables: Sequence[pa.Table]) -> Blobs | None:
    """The piece of these rows, tables of ids and texts, most likely of the samples `near`; None without any text."""
    numbers = [_numbers(ids, near, table["sample_id"]) for table in tables]
    own = distinct(np.concatenate([some[some >= 0] for some in numbers]))
    found = [
        _lines_of(column, np.where(some < 0, -1, np.searchsorted(own, some)).astype(np.int32))
        for table, some in zip(tables, numbers, strict=True)
        for column in table.drop_columns(["sample_id"]).columns
    ]
    if sum(lines.nbytes for lines, _ in found) > 2 * LARGEST_ROW_GROUP:
        raise UsageError(f"The texts of some samples take over {2 * LARGEST_ROW_GROUP >> 20} MB", _TIP)
    lines = pa.concat_arrays([some for some, _ in found]).dictionary_encode()
    if not len(lines):
        return None
    line, sample = _parted(
        _keys(numbers_of(lines.indices)[0], np.concatenate([of for _, of in found]), len(own)), len(own)
    )
    lists = pc.ascii_split_whitespace(lines.dictionary)
    words = pc.list_flatten(lists).dictionary_encode()
    of_line = numbers_of(pc.list_parent_indices(lists))[0]
    return {
        "own": own.astype(np.int32).tobytes(),
        **_blobs("lines", lines.dictionary, line, sample, len(own)),
        **_blobs(
            "words",
            words.dictionary,
            *_through(numbers_of(words.indices)[0], of_line, line, sample, len(own)),
            len(own),
        ),
    }


def _numbers(ids: Ids, near: Numbers, names: pa.ChunkedArray) -> Numbers:
    """(n,) the numbers of samples, of an encoded column of their ids."""
    codes, array = numbers_of(names.combine_chunks().indices)[0], names.combine_chunks().dictionary
    found: Numbers = ids.numbers_near(array, near)[codes]
    return found


def _lines_of(column: pa.ChunkedArray, samples: Codes) -> tuple[pa.StringArray, Codes]:
    """The lines of a column of texts in lower case, and the sample that each is of; -1 is no sample."""
    texts, of = _owned(column, samples)
    lists = pc.split_pattern(pc.utf8_lower(texts), "\n")
    return pc.list_flatten(lists), of[numbers_of(pc.list_parent_indices(lists))[0]]


def _owned(column: pa.ChunkedArray, samples: Codes) -> tuple[pa.StringArray, Codes]:
    """The texts of an encoded column, each once for a sample, and those samples; without absent texts."""
    array = column.combine_chunks()
    codes, present = numbers_of(array.indices)
    here, n = present & (samples >= 0), max(1, len(array.dictionary))
    of, text = _parted(_keys(samples[here], codes[here], n), n)
    lengths = numbers_of(pc.binary_length(array.dictionary))[0]
    if int(lengths[text].sum(dtype=np.int64)) > LARGEST_ROW_GROUP:
        raise UsageError(f"The texts of some samples take over {LARGEST_ROW_GROUP >> 20} MB", _TIP)
    return array.dictionary.take(integers(text)), of


def flags(array: Any) -> Mask:
    """(n,) the values of an Arrow array of booleans; an absent one is False."""
    bits = pc.fill_null(array, False).buffers()[1]
    found = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return found[array.offset : array.offset + len(array)].astype(np.bool_)


def _through(word: Codes, of_line: Codes, line: Codes, sample: Codes, n_samples: int) -> tuple[Codes, Codes]:
    """The distinct pairs of a word and a sample with a line that it is in; `line` and `sample` are pairs, sorted."""
    first = _firsts(line, int(line[-1]) + 1)
    word, of = _parted(_keys(word, of_line, len(first)), len(first))
    n = first[of + 1] - first[of]
    return _parted(_keys(np.repeat(word, n), sample[_places(first[of], n)], n_samples), n_samples)


def _firsts(numbers: Codes, n: int) -> Codes:
    """(n + 1,) the first place of each number below n among sorted ones, and the end of the last one's."""
    found = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(np.bincount(numbers, minlength=n), out=found[1:])
    return found


def _keys(one: Codes, other: Codes, n_other: int) -> Codes:
    """(n,) a number for each pair of numbers, the second of which is less than `n_other`."""
    kind: type[np.unsignedinteger[Any]] = np.uint32 if (int(one.max(initial=0)) + 1) * n_other < 2**32 else np.uint64
    found: Codes = one.astype(kind) * kind(n_other)
    found += other.astype(kind, copy=False)
    return found


def _parted(keys: Codes, n_other: int) -> tuple[Codes, Codes]:
    """The distinct ones of the pairs with these numbers, sorted."""
    one, other = np.divmod(distinct(keys), keys.dtype.type(n_other))
    return one.astype(np.int32), other.astype(np.int32)


def _places(starts: Codes, n: Codes) -> Codes:
    """The numbers from each start on, as many as `n` says, one after the other."""
    ends = np.cumsum(n)
    found = np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
    found += np.repeat((starts - ends + n).astype(np.int32), n)
    return found


def _blobs(name: str, texts: pa.StringArray, text: Codes, sample: Codes, n_samples: int) -> Blobs:
    """The blobs of some texts, with the sorted pairs of a text and a sample."""
    ended = pc.binary_join_element_wise(texts, "", "\n")
    _, places, data = ended.buffers()
    ends = np.frombuffer(places, dtype=np.int32, count=len(texts) + 1, offset=4 * ended.offset)
    return {
        name: b"\n" + data.slice(int(ends[0]), int(ends[-1] - ends[0])).to_pybytes(),
        f"{name}.ends": (ends[1:] - ends[0]).tobytes(),
        f"{name}.first": _firsts(text, len(texts)).tobytes(),
        f"{name}.samples": sample.astype(np.min_scalar_type(n_samples)).tobytes(),
    }


def holding(store: PieceStore, at: int, sought: bytes) -> Codes:
    """The numbers of the samples of a piece that have what is sought, in lower case, in one of their lines."""
    name = "lines" if _BLANKS.search(sought) else "words"
    if (
        not sought
        or b"\n" in sought
        or (name == "lines" and not _has_words(store.read(at, "words"), _BLANKS.split(sought)))
    ):
        return np.empty(0, dtype=np.int32)
    hits = _hits(store, at, name, sought)
    own = np.frombuffer(store.read(at, "own"), dtype=np.int32)
    if not len(hits):
        return own[:0]
    first = np.frombuffer(store.read(at, f"{name}.first"), dtype=np.int32)
    samples = np.frombuffer(store.read(at, f"{name}.samples"), dtype=np.min_scalar_type(len(own)))
    found: Codes = own[samples[_places(first[hits], first[hits + 1] - first[hits])]]
    return found


def _has_words(words: bytes, parts: list[bytes]) -> bool:
    """Whether there are words that could stand beside each other as these parts do."""
    whole = [b"\n" + part + b"\n" for part in parts[1:-1]]
    return all(one in words for one in [parts[0] + b"\n", *whole, b"\n" + parts[-1]])


def _hits(store: PieceStore, at: int, name: str, sought: bytes) -> Codes:
    """The numbers of the texts that hold what is sought."""
    texts = store.read(at, name)
    if len(sought) <= _SHORT:
        ends = np.frombuffer(store.read(at, f"{name}.ends"), dtype=np.int32)
        return np.flatnonzero(_holding_short(np.frombuffer(texts, dtype=np.uint8), ends, sought))
    hits, place = [], texts.find(sought)
    while place >= 0:
        hits.append(place)
        place = texts.find(sought, texts.find(b"\n", place))
    if not hits:
        return np.empty(0, dtype=np.int64)
    return np.searchsorted(np.frombuffer(store.read(at, f"{name}.ends"), dtype=np.int32), hits, side="left")


def _holding_short(text: npt.NDArray[np.uint8], ends: Codes, sought: bytes) -> Mask:
    """(n_texts,) whether each holds one or two bytes."""
    found = text[1:] == sought[0]
    if len(sought) == _SHORT:
        found[:-1] &= text[2:] == sought[1]
        found[-1] = False
    starts = np.concatenate([[0], ends[:-1]])
    return np.logical_or.reduceat(found, starts)
