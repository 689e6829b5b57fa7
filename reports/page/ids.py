"""The ids of a run's samples: numbered, and kept as one block of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.runs.columns import numbers_of

Numbers = npt.NDArray[np.int64]


class Ids(Sequence[str]):
    """Different ids in an Arrow array: a million takes some 40 MB, where a list and a dictionary take 250."""

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
        """The number of an id; None where there is no such one."""
        try:
            found = int(pc.index(self.array, name).as_py())
        except (UnicodeError, pa.ArrowException):  # A lone surrogate is in no id.
            return None
        return None if found < 0 else found

    def numbers(self, names: pa.Array | pa.ChunkedArray) -> Numbers:
        """(n,) the numbers of an array of strings; -1 where there is no such id."""
        names = names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names
        first = pc.index(self.array, names[0]).as_py() if len(names) else 0
        if first >= 0 and self.array.slice(first, len(names)).equals(names):  # Most parts have them in this order.
            return np.arange(first, first + len(names))
        numbers, present = numbers_of(pc.index_in(names, value_set=self.array))
        return np.where(present, numbers, -1).astype(np.int64)

    def by_name(self) -> Numbers:
        """The numbers in the order of the ids' code points."""
        return numbers_of(pc.array_sort_indices(self.array))[0].astype(np.int64)
