"""The rows of a run folder as pandas DataFrames, for the reports that group, pivot and join.

Importing this module imports pandas; `editgauge run` does without it.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa

from reports.runs.parts import run_table

_DTYPES = {pa.string(): pd.StringDtype("pyarrow"), pa.int64(): pd.Int64Dtype()}
"""Of Arrow's types; what is a dictionary becomes a category."""


def frame(folder: Path, kind: str, *columns: str) -> pd.DataFrame:
    """The rows of a run's folder of that kind, all columns or these.

    Text columns are `string`, those of few values `category`, `latency_ns` and other 64-bit integers `Int64`, in which
    a value may be missing (`pd.NA`). `tags` holds an array of strings for each row.
    """
    found: pd.DataFrame = run_table(folder, kind, *columns).to_pandas(types_mapper=_DTYPES.get)
    return found
