"""Dataclass rows -> Arrow tables, and Arrow columns -> numpy arrays, through their buffers.

Arrow's own functions for this, `pa.array()` and `to_numpy()`, import pandas, which would add a second to every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import accumulate
from types import NoneType
from typing import Annotated, Any, get_args, get_type_hints, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_WORD, _SMALL = pa.dictionary(pa.int32(), pa.string()), pa.int32()
Word = Annotated[str, _WORD]
"""A text with few distinct values: each value is on disk once."""
Small = Annotated[int, _SMALL]
_KINDS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    tuple[str, ...]: pa.list_(pa.string()),
    Word: _WORD,
    Small: _SMALL,
}


def schema_of(rows: type) -> pa.Schema:
    """The schema of a dataclass's rows: a column for each field, nullable if the field may be None."""
    hints = get_type_hints(rows, include_extras=True)
    columns = []
    for field in fields(rows):
        hint = hints[field.name]
        kinds = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
        columns.append(pa.field(field.name, _KINDS[kinds[0]], nullable=kinds != [hint]))
    return pa.schema(columns)


def table_of(rows: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """The rows as a table; the fields of the schema are attributes of the rows."""
    columns = [_column([getattr(row, field.name) for row in rows], field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        codes: dict[Any, int] = {}
        indices = [None if value is None else codes.setdefault(value, len(codes)) for value in values]
        return pa.DictionaryArray.from_arrays(_integers(indices, kind.index_type), strings(list(codes)))
    if pa.types.is_list(kind):
        offsets: list[int | None] = [0, *accumulate(map(len, values))]
        return pa.ListArray.from_arrays(
            _integers(offsets, pa.int32()), strings([one for some in values for one in some])
        )
    return _integers(values, kind) if pa.types.is_integer(kind) else strings(values)


def joined(tables: Iterable[pa.Table], *, n_rows: int = 200_000) -> Iterator[pa.Table]:
    """The rows in fewer tables, each of at least `n_rows`: the parts of a run may be small."""
    held: list[pa.Table] = []
    n_held = 0
    for table in tables:
        held.append(table)
        n_held += len(table)
        if n_held >= n_rows:
            yield pa.concat_tables(held).unify_dictionaries()
            held, n_held = [], 0
    if held:
        yield pa.concat_tables(held).unify_dictionaries()


def absent(n: int, kind: pa.DataType) -> pa.Array:
    return _column([None] * n, kind)


def integers(numbers: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """(n,) numbers as an Arrow array of their type."""
    kind = pa.type_for_alias(str(numbers.dtype))
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def booleans(values: npt.NDArray[np.bool_]) -> pa.Array:
    """(n,) flags as an Arrow array."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(np.packbits(values, bitorder="little"))])


def _integers(values: list[int | None], kind: pa.DataType) -> pa.Array:
    numbers = np.array([value or 0 for value in values], dtype=kind.to_pandas_dtype())
    valid = np.array([value is not None for value in values], dtype=bool)
    present = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little").tobytes())
    return pa.Array.from_buffers(kind, len(values), [present, pa.py_buffer(numbers.tobytes())])


def strings(values: list[str | None]) -> pa.Array:
    """An array of strings, lone surrogates as escapes: Arrow holds UTF-8 only."""
    builder = pa.lib.StringBuilder()
    builder.append_values(
        [
            value and (value if value.isascii() else value.encode("utf-8", "backslashreplace").decode())
            for value in values
        ]
    )
    return builder.finish()


def text(value: str) -> pa.StringScalar:
    """A text as a scalar that Arrow can compare; `pa.scalar()` imports pandas."""
    return strings([value])[0]


def numbers_of(array: pa.Array) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.bool_]]:
    """(n,) values of an Arrow column of integers, and (n,) bool: the value is present."""
    bitmap, data = array.buffers()
    present = np.ones(len(array), dtype=np.bool_)
    if not len(array):
        return np.empty(0, dtype=np.int64), present
    if bitmap is not None:
        bits = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), bitorder="little")
        present = bits[array.offset : array.offset + len(array)].astype(np.bool_)
    dtype = np.dtype(str(array.type))
    return np.frombuffer(data, dtype, count=len(array), offset=array.offset * dtype.itemsize), present


def distinct(numbers: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.integer[Any]]:
    """The distinct numbers, sorted; `np.unique` hashes, which takes twenty times as long."""
    ordered = np.sort(numbers)
    first = np.concatenate([np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1]])
    found: npt.NDArray[np.integer[Any]] = ordered[first]
    return found


def codes_of(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.integer[Any]], list[str | None]]:
    """(n,) codes of a column of strings, and the strings that they index; the last string is None, for absent."""
    array = column.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    words: list[str | None] = [*array.dictionary.to_pylist(), None]
    codes, present = numbers_of(array.indices)
    return np.where(present, codes, len(words) - 1), words


def distinct_rows(table: pa.Table, *names: str) -> tuple[list[tuple[str | None, ...]], npt.NDArray[np.integer[Any]]]:
    """The combinations of values in these columns of strings, and (n,) the number of each row's combination."""
    keys = np.zeros(table.num_rows, dtype=np.int64)
    vocabularies = []
    for name in names:
        codes, words = codes_of(table[name])
        keys *= len(words)
        keys += codes
        vocabularies.append(words)
    found = distinct(keys)
    places = np.unravel_index(found, [len(words) for words in vocabularies])
    values = [[words[at] for at in some] for words, some in zip(vocabularies, places, strict=True)]
    return list(zip(*values, strict=True)), np.searchsorted(found, keys)


def tally(table: pa.Table, *names: str) -> Iterator[tuple[tuple[str | None, ...], int]]:
    """Each combination of values in these columns, with its number of rows."""
    found, row = distinct_rows(table, *names)
    yield from zip(found, np.bincount(row, minlength=len(found)).tolist(), strict=True)


# The ids of a run's samples: numbered, and kept as one block of text.

Numbers = npt.NDArray[np.int64]


class Ids(Sequence[str]):
    """Distinct ids in an Arrow array: a million takes some 40 MB, a list and a dictionary 250."""

    def __init__(self, array: pa.StringArray) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: Any) -> Any:
        return self.array[at].to_pylist() if isinstance(at, slice) else self.array[int(at)].as_py()

    def __iter__(self) -> Iterator[str]:
        return iter(self.array.to_pylist())

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    __hash__ = None  # type: ignore[assignment]

    def find(self, name: str) -> int | None:
        """The number of an id; None if there is none."""
        found = int(pc.index(self.array, text(name)).as_py())
        return None if found < 0 else found

    def numbers(self, names: pa.Array | pa.ChunkedArray) -> Numbers:
        """(n,) numbers of an array of strings; -1 for an unknown id."""
        names = names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names
        first = pc.index(self.array, names[0]).as_py() if len(names) else 0
        if first >= 0 and self.array.slice(first, len(names)).equals(names):  # Most parts have them in this order.
            return np.arange(first, first + len(names))
        numbers, present = numbers_of(pc.index_in(names, value_set=self.array))
        return np.where(present, numbers, -1).astype(np.int64)

    def numbers_near(self, names: pa.StringArray, near: Numbers) -> Numbers:
        """`numbers` of names that are probably ids of the samples `near`, which are searched first: all ids take
        longer.
        """
        numbers, present = numbers_of(pc.index_in(names, value_set=self.array.take(integers(near))))
        found = np.full(len(names), -1)
        found[present] = near[numbers[present]]
        far = np.flatnonzero(~present)
        found[far] = self.numbers(names.take(integers(far)))
        return found

    def by_name(self) -> Numbers:
        return numbers_of(pc.array_sort_indices(self.array))[0].astype(np.int64)
