"""The texts of a run's samples: one record a sample, made of the rows of all its strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.page.columns import Columns
from reports.page.packing import Progress, no_progress
from reports.runs.columns import booleans, codes_of, text

Record = dict[str, Any]
"""The texts of a sample:

edit, path, line, place, omitted, recorded    as in `SampleText`; absent in runs of earlier versions
encoding    that of the file, where it is not plain UTF-8; `unknown` where some bytes are no text: then `\\udcXX` in the
        texts is the byte XX
seen    [path, line, text, shown lines, line, seen, now, omitted, files], as the fields `seen_path` to `n_seen_files` of
        `SampleText`; absent where nothing was changed since the model saw it
changes    [result, [strategy], path, line, before, after, omitted], as in `Change`; strategies by number; `before` is
           the number of its lines where `place` has them
wrong      [[strategy], path, line, expected, given, omitted], as in `WrongEdit`, equal ones once; of earlier versions
messages   [message, [strategy]] of refusals
errors     [error, [strategy]] of crashes
lines      {strategy: lines}
latency    nanoseconds by strategy, three significant digits or two; -1 where not measured
"""


MOST_IN_FULL = 20_000
"""Largest number of samples of a page with full texts; beyond it, long texts are cut."""
_LONGEST = 1_000
"""Characters of a text that is cut."""
_AROUND = 3
"""Lines around the right answer's change in a place that is cut."""


_SEEN = (
    "seen_path", "seen_line", "seen", "seen_lines", "since_line", "since_seen", "since_now", "n_seen_omitted",
    "n_seen_files",
)  # fmt: skip
"""Fields of `SampleText` about changes since the model saw the file."""
_SEEN_TEXTS, _SEEN_OMITTED = (2, 5, 6), 7
"""Positions in `_SEEN` of the texts, and of the number of omitted characters."""

Read = Callable[..., Iterable[pa.Table]]
"""(kind, *columns) -> tables of a run's rows of that kind."""


def records(columns: Columns, chosen: Sequence[int], *, progress: Progress = no_progress) -> list[Record]:
    """The records of these samples, in this order; `progress` is called as the parts are read."""
    made: dict[str, Record] = {columns.ids[at]: {} for at in chosen}
    n_parts = sum(len(columns.run.paths(kind)) for kind in ("texts", "changes", "outcomes"))
    n_read = count()

    def read(kind: str, *names: str) -> Iterator[pa.Table]:
        for table in columns.run.tables(kind, *names, as_dictionaries=True):
            yield _of_samples(table, made)
            progress("texts", min(1.0, next(n_read) / max(1, n_parts)))

    _add_rows(read, columns, made)
    is_cut = len(chosen) > MOST_IN_FULL
    if is_cut:
        for record in made.values():
            _cut(record)
    _add_latencies(columns, made, chosen, digits=2 if is_cut else 3)
    return list(made.values())


def _of_samples(table: pa.Table, made: Mapping[str, Record]) -> pa.Table:
    """The rows of these samples only: the others never become Python objects."""
    codes, words = codes_of(table.select(["sample_id"]).unify_dictionaries()["sample_id"])
    return table.filter(booleans(np.array([word in made for word in words])[codes]))


def record_in(part: str, columns: Columns, at: int) -> Record:
    """The record of one sample, from the part of the run that has its rows."""
    sample_id = columns.ids[at]
    made: dict[str, Record] = {sample_id: {}}

    def read(kind: str, *names: str) -> list[pa.Table]:
        table = columns.run.part(part, kind, *dict.fromkeys(("sample_id", *names)))
        return [table.filter(pc.equal(table["sample_id"], text(sample_id))).select(names)]

    _add_rows(read, columns, made)
    _add_latencies(columns, made, [at], digits=3)
    return made[sample_id]


def _add_rows(read: Read, columns: Columns, made: Mapping[str, Record]) -> None:
    number = {name: at for at, name in enumerate(columns.strategies)}
    _add_texts(read, made)
    _add_changes(read, made, number)
    if not any("changes" in record for record in made.values()):
        _add_wrong(read, made, number)
    _add_outcomes(read, made, number)


def _rows(read: Read, kind: str, made: Mapping[str, Record], *names: str) -> Iterator[tuple[Record, tuple[Any, ...]]]:
    """The record of each row's sample and the values of these columns."""
    for table in read(kind, "sample_id", *names):
        columns = [table[name].to_pylist() for name in ("sample_id", *names)]
        for sample_id, *values in zip(*columns, strict=True):
            record = made.get(sample_id)
            if record is not None:
                yield record, tuple(values)


def _add_texts(read: Read, made: Mapping[str, Record]) -> None:
    names = ("edit", "path", "line", "place", "n_omitted", "recorded_outcome", "encoding", *_SEEN)
    for record, (edit, path, line, place, omitted, recorded, encoding, *seen) in _rows(read, "texts", made, *names):
        record.update(edit=edit, path=path, line=line, place=place, omitted=omitted, recorded=recorded)
        if encoding is not None:
            record["encoding"] = encoding
        if seen[0] is not None:
            record["seen"] = seen


def _add_changes(read: Read, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    names = ("result", "strategies", "path", "line", "before", "after", "n_omitted")
    for record, (result, strategies, path, line, before, *rest) in _rows(read, "changes", made, *names):
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


def _cut(record: Record) -> None:
    """Cut the texts of a record, and count the omitted characters."""
    changes = record.get("changes", [])
    if "place" in record:
        lines, first = record["place"].split("\n"), record["line"]
        numbered = [row for row in changes if isinstance(row[4], int)]
        low = max(0, min((row[3] for row in numbered), default=first) - first - 1)
        high = max((row[3] + row[4] for row in numbered), default=first + 2 * _AROUND) - first + 1
        kept = "\n".join(lines[low:high])
        record["omitted"] += len(record["place"]) - len(kept)
        record["place"], record["line"] = kept, first + low
    for row in changes:
        for at in (4, 5):
            if isinstance(row[at], str) and len(row[at]) > _LONGEST:
                row[6] += len(row[at]) - _LONGEST
                row[at] = row[at][:_LONGEST]
    seen = record.get("seen", [])
    for at in _SEEN_TEXTS if seen else ():
        seen[_SEEN_OMITTED] += max(0, len(seen[at]) - _LONGEST)
        seen[at] = seen[at][:_LONGEST]
    for key in ("edit", "place"):
        if len(record.get(key, "")) > 2 * _LONGEST and not (
            key == "place" and any(isinstance(r[4], int) for r in changes)
        ):
            record["omitted"] = record.get("omitted", 0) + len(record[key]) - 2 * _LONGEST
            record[key] = record[key][: 2 * _LONGEST]


def _add_wrong(read: Read, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    names = ("strategy", "edit", "path", "line", "expected", "given", "n_omitted")
    for record, (strategy, edit, *texts) in _rows(read, "wrong_edits", made, *names):
        if strategy not in number:
            continue
        record.setdefault("edit", edit)
        known = record.setdefault("wrong", [])
        same = next((row for row in known if row[1:] == texts), None)
        if same:
            same[0].append(number[strategy])
        else:
            known.append([[number[strategy]], *texts])


def _add_outcomes(read: Read, made: Mapping[str, Record], number: Mapping[str, int]) -> None:
    for record, (strategy, message, error, lines) in _rows(
        read, "outcomes", made, "strategy", "message", "error", "lines"
    ):
        at = number[strategy]
        for key, words in (("messages", message), ("errors", error)):
            if words is None:
                continue
            known = record.setdefault(key, [])
            same = next((row for row in known if row[0] == words), None)
            if same:
                same[1].append(at)
            else:
                known.append([words, [at]])
        if lines is not None:
            record.setdefault("lines", {})[str(at)] = lines


def _add_latencies(columns: Columns, made: Mapping[str, Record], chosen: Sequence[int], *, digits: int) -> None:
    rounded = _rounded(columns.latency_ns[:, list(chosen)].astype(np.int64), digits)
    for record, row in zip(made.values(), rounded.T.tolist(), strict=True):
        record["latency"] = row


def _rounded(numbers: np.ndarray[Any, Any], digits: int) -> np.ndarray[Any, Any]:
    """Integers rounded to `digits` significant digits, which compress better; negative ones become -1."""
    n_digits = np.floor(np.log10(np.maximum(numbers, 1))).astype(np.int64) + 1
    scale: np.ndarray[Any, Any] = 10 ** np.maximum(0, n_digits - digits)
    rounded: np.ndarray[Any, Any] = (numbers + scale // 2) // scale * scale
    return np.where(numbers < 0, -1, rounded)
