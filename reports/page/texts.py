"""The texts of a run's samples: one record a sample, made of the rows of all its strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from reports.page.columns import Columns
from reports.runs.parts import kind_tables

Record = dict[str, Any]
"""The texts of a sample:

edit, path, line, place, omitted, recorded    as in `SampleText`; absent in runs of earlier versions
changes    [result, [strategy], path, line, before, after, omitted], as in `Change`; strategies by number; `before` is
           the number of its lines where `place` has them
wrong      [[strategy], path, line, expected, given, omitted], as in `WrongEdit`, equal ones once; of earlier versions
messages   [message, [strategy]] of refusals
errors     [error, [strategy]] of crashes
lines      {strategy: lines}
latency    nanoseconds by strategy, three significant digits; -1 where not measured
"""


def records(columns: Columns, chosen: Sequence[int]) -> list[Record]:
    """The records of these samples, in this order."""
    made: dict[str, Record] = {columns.ids[at]: {} for at in chosen}
    number = {name: at for at, name in enumerate(columns.strategies)}
    folder = columns.folder
    _add_texts(folder, made)
    _add_changes(folder, made, number)
    if not any("changes" in record for record in made.values()):
        _add_wrong(folder, made, number)
    _add_outcomes(folder, made, number)
    _add_latencies(columns, made, chosen)
    return list(made.values())


def _rows(
    folder: Path, kind: str, made: Mapping[str, Record], *names: str, present: str = ""
) -> Iterator[tuple[Record, tuple[Any, ...]]]:
    """The record of each row's sample and the values of these columns; only rows that have a value for `present`."""
    for table in kind_tables(folder, kind, "sample_id", *names):
        if present:
            table = _with_value(table, present)
        columns = [table[name].to_pylist() for name in ("sample_id", *names)]
        for sample_id, *values in zip(*columns, strict=True):
            record = made.get(sample_id)
            if record is not None:
                yield record, tuple(values)


def _with_value(table: pa.Table, column: str) -> pa.Table:
    return table.filter(table[column].is_valid())


def _add_texts(folder: Path, made: Mapping[str, Record]) -> None:
    names = ("edit", "path", "line", "place", "n_omitted", "recorded_outcome")
    for record, (edit, path, line, place, omitted, recorded) in _rows(folder, "texts", made, *names):
        record.update(edit=edit, path=path, line=line, place=place, omitted=omitted, recorded=recorded)


def _add_changes(folder: Path, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    names = ("result", "strategies", "path", "line", "before", "after", "n_omitted")
    for record, (result, strategies, path, line, before, *rest) in _rows(folder, "changes", made, *names):
        by = [number[name] for name in strategies if name in number]
        known = _lines_of_place(record, path, line, before)
        record.setdefault("changes", []).append([result, by, path, line, before if known is None else known, *rest])


def _lines_of_place(record: Record, path: str, line: int, text: str) -> int | None:
    """The number of line feeds in a text of the file before, if it is whole lines of the record's place; else None."""
    if path != record.get("path") or not text.endswith("\n"):
        return None
    place, first = record["place"].split("\n"), line - record["line"]
    n = text.count("\n")
    lines = place[first : first + n] if first >= 0 else []
    return n if len(lines) == n and "\n".join(lines) + "\n" == text and first + n < len(place) else None


def _add_wrong(folder: Path, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    names = ("strategy", "edit", "path", "line", "expected", "given", "n_omitted")
    for record, (strategy, edit, *texts) in _rows(folder, "wrong_edits", made, *names):
        if strategy not in number:
            continue
        record.setdefault("edit", edit)
        known = record.setdefault("wrong", [])
        same = next((row for row in known if row[1:] == texts), None)
        if same:
            same[0].append(number[strategy])
        else:
            known.append([[number[strategy]], *texts])


def _add_outcomes(folder: Path, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    for key, column in (("messages", "message"), ("errors", "error")):
        for record, (strategy, text) in _rows(folder, "outcomes", made, "strategy", column, present=column):
            if strategy in number:
                known = record.setdefault(key, [])
                same = next((row for row in known if row[0] == text), None)
                if same:
                    same[1].append(number[strategy])
                else:
                    known.append([text, [number[strategy]]])
    for record, (strategy, lines) in _rows(folder, "outcomes", made, "strategy", "lines", present="lines"):
        if strategy in number:
            record.setdefault("lines", {})[str(number[strategy])] = lines


def _add_latencies(columns: Columns, made: Mapping[str, Record], chosen: Sequence[int]) -> None:
    for record, row in zip(made.values(), _three_digits(columns.latency_ns[:, list(chosen)]).T.tolist(), strict=True):
        record["latency"] = row


def _three_digits(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Integers rounded to three significant digits, which compress better; those below 1,000 as they are."""
    scale: np.ndarray[Any, Any] = 10 ** np.maximum(0, np.floor(np.log10(np.maximum(numbers, 1))).astype(np.int64) - 2)
    rounded: np.ndarray[Any, Any] = (numbers + scale // 2) // scale * scale
    return np.where(numbers < 0, -1, rounded)
