"""The parts of a run folder: rows on disk, one file of each kind for each segment of a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpora.parquet import open_parquet
from editcore.errors import UsageError
from editcore.quoting import first_line, quoted
from reports.runs.columns import absent, table_of
from reports.runs.contents import is_name
from reports.runs.own_files import refuse_link
from reports.runs.part_file import part_file
from reports.runs.rows import CLOSED, KINDS, Change, Outcome, SampleText, SampleUsed, Step, WrongEdit

ROW_GROUP = 2_000
"""Rows of a row group. It is fixed so that equal rows make equal files, in whatever batches they are added."""

_LONG_TEXTS = ("texts", "changes")
"""Kinds that are worth a compression that takes its time: a run may have thousands of small parts."""

_BEYOND = 1 << 62
"""No number is as large: of nanoseconds it is 146 years. Rounded and added up, larger ones leave 64 bits."""

DAMAGED = "Delete the files of this part in every folder of the run, then resume the run."
"""What to do about a damaged part."""


def part_path(folder: Path, kind: str, part: str) -> Path:
    """The path of a part's file of that kind. Raises UsageError for a link, and a name that is not one of a file."""
    if not is_name(f"part-{part}.parquet"):
        raise UsageError(f"{quoted(part)} cannot name a part of a run", "Give the corpus file a shorter, plain name.")
    path = folder / kind / f"part-{part}.parquet"
    for one in (path.parent, path):
        refuse_link(one)
    return path


class PartWriter:
    """A context manager that writes a part row group by row group, so memory use is constant.

    The files appear at `close`. They are not synced to disk: a part that a power failure cut short is unreadable,
    and counts as not done.
    """

    def __init__(self, folder: Path, part: str) -> None:
        self._folder, self._part = folder, part
        self._temporaries = {
            # Not by process id alone: several machines may write to one folder.
            kind: part_path(folder, kind, part).with_name(f".part-{part}.{os.getpid()}.{token_hex(4)}.tmp")
            for kind in KINDS
        }

    def __enter__(self) -> PartWriter:
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._held: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        with ExitStack() as left:  # Runs every callback, even if some fail.
            for kind, temporary in self._temporaries.items():
                temporary.parent.mkdir(parents=True, exist_ok=True)
                left.callback(temporary.unlink, missing_ok=True)
                compression = "zstd" if kind in _LONG_TEXTS else "snappy"
                self._writers[kind] = pq.ParquetWriter(temporary, KINDS[kind], compression=compression)
                left.callback(self._writers[kind].close)
            self._left = left.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def add(
        self,
        outcomes: Sequence[Outcome],
        wrong_edits: Sequence[WrongEdit],
        samples: Sequence[SampleUsed] = (),
        steps: Sequence[Step] = (),
        texts: Sequence[SampleText] = (),
        changes: Sequence[Change] = (),
    ) -> None:
        """Add rows to the part."""
        rows = {"outcomes": outcomes, "wrong_edits": wrong_edits, "samples": samples, "steps": steps}
        self.add_rows({**rows, "texts": texts, "changes": changes})

    def add_rows(self, rows: Mapping[str, Sequence[object]]) -> None:
        """Add rows by kind: any objects with the fields of that kind as attributes."""
        for kind, some in rows.items():
            held = self._held[kind]
            held += some
            while len(held) >= ROW_GROUP:
                self._write(kind, held[:ROW_GROUP])
                del held[:ROW_GROUP]

    def _write(self, kind: str, rows: Sequence[object]) -> None:
        if rows:
            self._writers[kind].write_table(table_of(rows, KINDS[kind]))

    def close(self, metadata: dict[str, str], *, as_part: str | None = None) -> None:
        """Write the remaining rows and the metadata, then move the files to their final names: those of `as_part`."""
        for kind, rows in self._held.items():
            self._write(kind, rows)
        self._writers["outcomes"].add_key_value_metadata(metadata)
        for writer in self._writers.values():
            writer.close()
        for kind, temporary in self._temporaries.items():
            temporary.replace(part_path(self._folder, kind, as_part or self._part))


def parts_done(folder: Path) -> set[str]:
    """The names of the complete parts."""
    return {path.stem.removeprefix("part-") for path in part_paths(folder, "outcomes") if _is_whole(path)}


def _is_whole(path: Path) -> bool:
    try:
        with open_parquet(path):
            return True
    except UsageError:
        return False


def part_metadata(folder: Path, part: str) -> dict[str, str]:
    """The metadata of a part: totals that its writer stored beside the rows.

    Raises UsageError for a damaged part, and FileNotFoundError for one that is missing.
    """
    path = part_path(folder, "outcomes", part)
    path.stat()
    with open_parquet(path, tip=DAMAGED) as file:
        raw = file.metadata.metadata or {}
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in raw.items()}


def part_paths(folder: Path, kind: str) -> list[Path]:
    """The files of a kind, by name. Raises UsageError where one of them, or their folder, is a link."""
    found = sorted((folder / kind).glob("part-*.parquet"), key=lambda path: path.name)
    for path in (folder / kind, *found):
        refuse_link(path)
    return found


def part_names(folder: Path, kind: str) -> list[str]:
    """The parts that have a file of a kind, in the order of `part_paths`."""
    return [path.stem.removeprefix("part-") for path in part_paths(folder, kind)]


def _read_part(
    path: Path, schema: pa.Schema, columns: Sequence[str] | None = None, *, as_dictionaries: bool = False
) -> pa.Table:
    """The rows of a part, all columns or these; texts as dictionaries if asked for.

    A column that may be absent, and that the version which wrote the run did not have, is absent in every row.
    Raises UsageError for a damaged file, for a word outside of the closed set of its column, and for a number that
    cannot be one.
    """
    columns = columns or schema.names
    wanted = _wanted(schema, columns, as_dictionaries=as_dictionaries)
    encoded = {one.name for one in wanted if pa.types.is_dictionary(one.type)} if as_dictionaries else ()
    try:
        # Not `read_table()`: it imports pandas, and takes a folder called `seed=3` for a column.
        with part_file(path, encoded, tip=DAMAGED) as file:
            known = file.schema_arrow.names
            found = file.read([name for name in columns if name in known], use_threads=False)
        for name in columns:
            if name not in known and schema.field(name).nullable:
                found = found.append_column(schema.field(name), absent(len(found), schema.field(name).type))
        table = _of_schema(found.select(columns), wanted)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read: {first_line(error)}",
            DAMAGED,
        ) from error
    _check_words(path, table)
    _check_numbers(path, table)
    return table


def _wanted(schema: pa.Schema, columns: Sequence[str], *, as_dictionaries: bool) -> pa.Schema:
    """The schema of these columns, or of all, with texts as dictionaries if asked for."""
    fields = [schema.field(one) for one in columns or schema.names]
    return pa.schema([_encoded(one) if as_dictionaries else one for one in fields])


def _encoded(field: pa.Field) -> pa.Field:
    return field.with_type(pa.dictionary(pa.int32(), pa.string())) if pa.types.is_string(field.type) else field


def _of_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with exactly these types, every value valid: a part may come from anywhere. Raises as pyarrow does."""
    if not table.schema.equals(schema):
        table = table.cast(schema)
    table.validate(full=True)
    return table


def _check_words(path: Path, table: pa.Table) -> None:
    """Raise UsageError where a column of a closed set of words has another: nothing can be said about such a row."""
    for name in CLOSED.keys() & table.column_names:
        for word in table[name].unique().to_pylist():
            if word is not None and word not in CLOSED[name]:
                raise UsageError(
                    f"{path} has a row whose {name} is {quoted(word)}, which this editgauge does not know",
                    "Use the version of editgauge that wrote the run, or run again.",
                )


def _check_numbers(path: Path, table: pa.Table) -> None:
    """Raise UsageError where a number cannot be a count, a duration, or the number of a line or a result."""
    for field in table.schema:
        if pa.types.is_integer(field.type):
            for number in pc.min_max(table[field.name]).as_py().values():
                if number is not None and not 0 <= number < _BEYOND:
                    raise UsageError(f"{path} has a row whose {field.name} is {number:,}", DAMAGED)


def part_table(folder: Path, kind: str, part: str, *columns: str, as_dictionaries: bool = False) -> pa.Table:
    """The rows of a part, all columns or these, with columns of texts as dictionaries if asked for.

    Empty for a kind that the version which wrote the run did not have.
    """
    path = part_path(folder, kind, part)
    if not path.exists():
        return _wanted(KINDS[kind], columns, as_dictionaries=as_dictionaries).empty_table()
    return _read_part(path, KINDS[kind], columns, as_dictionaries=as_dictionaries)


def part_rows(folder: Path, kind: str, part: str) -> list[dict[str, Any]]:
    """The rows of a part as dictionaries."""
    found: list[dict[str, Any]] = part_table(folder, kind, part).to_pylist()
    return found


def run_table(folder: Path, kind: str, *columns: str) -> pa.Table:
    """All rows of a kind, all columns or these, as one Arrow table in the order of the parts' names."""
    parts = [_read_part(path, KINDS[kind], columns) for path in part_paths(folder, kind)]
    if not parts:
        return KINDS[kind].empty_table().select(columns or KINDS[kind].names)
    return pa.concat_tables(parts).unify_dictionaries()


def kind_tables(folder: Path, kind: str, *columns: str) -> Iterator[pa.Table]:
    """The rows of a kind, all columns or these, one table for each part, streamed."""
    return (_read_part(path, KINDS[kind], columns) for path in part_paths(folder, kind))


def encoded_tables(folder: Path, kind: str, *columns: str) -> Iterator[pa.Table]:
    """The same with every column of texts as dictionaries, so that a text that many rows share is in memory once."""
    return (_read_part(path, KINDS[kind], columns, as_dictionaries=True) for path in part_paths(folder, kind))


def outcome_table(folder: Path) -> pa.Table:
    """All outcomes of a run."""
    return run_table(folder, "outcomes")


def outcome_tables(folder: Path, *columns: str) -> Iterator[pa.Table]:
    """These columns of a run's outcomes, one table for each part, streamed."""
    return (_read_part(path, KINDS["outcomes"], columns) for path in part_paths(folder, "outcomes"))


def outcomes(folder: Path) -> Iterator[Outcome]:
    """The outcomes of a run, streamed."""
    for path in part_paths(folder, "outcomes"):
        for row in _read_part(path, KINDS["outcomes"]).to_pylist():
            yield Outcome(**row)


def wrong_edits(folder: Path) -> Iterator[WrongEdit]:
    """The wrong edits of a run, streamed."""
    for path in part_paths(folder, "wrong_edits"):
        for row in _read_part(path, KINDS["wrong_edits"]).to_pylist():
            yield WrongEdit(**row)


def wrong_edit_tables(folder: Path, *columns: str) -> Iterator[pa.Table]:
    """A run's wrong edits, all columns or these, one table for each part, streamed."""
    return (_read_part(path, KINDS["wrong_edits"], columns) for path in part_paths(folder, "wrong_edits"))


def samples_used(folder: Path) -> Iterator[SampleUsed]:
    """The samples of a run, streamed; none for runs of schema version 1."""
    for path in part_paths(folder, "samples"):
        for row in _read_part(path, KINDS["samples"]).to_pylist():
            yield SampleUsed(**row | {"tags": tuple(row["tags"])})


def steps(folder: Path) -> Iterator[Step]:
    """The steps of a run's samples with several edits, streamed; none for runs of schema versions 1 and 2."""
    for path in part_paths(folder, "steps"):
        for row in _read_part(path, KINDS["steps"]).to_pylist():
            yield Step(**row)
