"""A run that was opened: everything that is said about a run is said of this object."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from editcore.errors import UsageError
from editcore.quoting import quoted
from reports.runs.columns import codes_of
from reports.runs.manifest import Manifest, read_manifest
from reports.runs.parts import part_paths, part_schema, part_table, read_part

if TYPE_CHECKING:
    import pandas as pd


class RunFolder:
    """A run folder. Its manifest and its list of parts are read once; rows are read each time, and never kept.

    Raises UsageError where something that is needed is missing or damaged, at its first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._paths: dict[str, list[Path]] = {}

    def __str__(self) -> str:
        return str(self.folder)

    @cached_property
    def manifest(self) -> Manifest:
        return read_manifest(self.folder)

    @property
    def strategies(self) -> list[str]:
        """The strategies of the manifest, in its order."""
        return [one.name for one in self.manifest.strategies]

    def paths(self, kind: str) -> list[Path]:
        if kind not in self._paths:
            self._paths[kind] = part_paths(self.folder, kind)
        return self._paths[kind]

    def parts(self, kind: str) -> list[str]:
        """The names of the parts that have rows of a kind, in the order of `paths`."""
        return [path.stem.removeprefix("part-") for path in self.paths(kind)]

    def tables(self, kind: str, *columns: str, as_dictionaries: bool = False) -> Iterator[pa.Table]:
        """The rows of a kind, all columns or these, one table for each part, streamed.

        With `as_dictionaries`, columns of texts are dictionaries: a text that many rows share is in memory once.
        """
        return (read_part(path, kind, columns, as_dictionaries=as_dictionaries) for path in self.paths(kind))

    def table(self, kind: str, *columns: str) -> pa.Table:
        """All rows of a kind, all columns or these, in the order of the parts."""
        tables = list(self.tables(kind, *columns))
        return pa.concat_tables(tables).unify_dictionaries() if tables else part_schema(kind, columns).empty_table()

    def part(self, name: str, kind: str, *columns: str, as_dictionaries: bool = False) -> pa.Table:
        """The rows of one part, all columns or these; none if it has no file of that kind."""
        return part_table(self.folder, kind, name, *columns, as_dictionaries=as_dictionaries)

    def frame(self, kind: str, *columns: str) -> pd.DataFrame:
        """The rows of a kind as a DataFrame, all columns or these.

        Text columns are `string`, those of few values `category`, 64-bit integers `Int64`, in which a value may be
        missing (`pd.NA`). `tags` holds an array of strings for each row.
        """
        import pandas as pd  # `editgauge run` does without it.

        types = {pa.string(): pd.StringDtype("pyarrow"), pa.int64(): pd.Int64Dtype()}
        found: pd.DataFrame = self.table(kind, *columns).to_pandas(types_mapper=types.get)
        return found

    def refuse_shared_ids(self) -> None:
        """Raise UsageError where a sample has several outcomes under one strategy: they cannot be told apart.

        Runs refuse corpora in which an id stands for several samples; merged folders and earlier versions may not have.
        """
        table = self.table("outcomes", "sample_id", "strategy")
        samples, ids = codes_of(table["sample_id"])
        strategies, names = codes_of(table["strategy"])
        keys = np.sort(samples.astype(np.int64) * len(names) + strategies)
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            sample, strategy = divmod(int(keys[again[0]]), len(names))
            raise UsageError(
                f"{self} has several outcomes of the sample {quoted(ids[sample] or '')} "
                f"under {quoted(names[strategy] or '')}",
                "Give each sample an id of its own and run again; `editgauge corpus check` names the shared ids.",
            )
