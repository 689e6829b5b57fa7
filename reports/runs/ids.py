"""The ids of a run's samples: numbered, and kept as one block of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.runs.rows import integers, numbers_of, text

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
        found = int(pc.index(self.array, text(name)).as_py())
        return None if found < 0 else found

    def numbers(self, names: pa.Array | pa.ChunkedArray) -> Numbers:
        """(n,) the numbers of an array of strings; -1 where there is no such id."""
        names = names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names
        first = pc.index(self.array, names[0]).as_py() if len(names) else 0
        if first >= 0 and self.array.slice(first, len(names)).equals(names):  # Most parts have them in this order.
            return np.arange(first, first + len(names))
        numbers, present = numbers_of(pc.index_in(names, value_set=self.array))
        return np.where(present, numbers, -1).astype(np.int64)

    def numbers_near(self, names: pa.StringArray, near: Numbers) -> Numbers:
        """The same, of names that are most likely those of the samples `near`; to look among all ids takes longer."""
        numbers, present = numbers_of(pc.index_in(names, value_set=self.array.take(integers(near))))
        found = np.full(len(names), -1)
        found[present] = near[numbers[present]]
        far = np.flatnonzero(~present)
        found[far] = self.numbers(names.take(integers(far)))
        return found

    def by_name(self) -> Numbers:
        """The numbers in the order of the ids' code points."""
        return numbers_of(pc.array_sort_indices(self.array))[0].astype(np.int64)
