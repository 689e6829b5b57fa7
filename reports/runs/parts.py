"""The parts of a run folder: rows on disk, one file of each kind for each segment of a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from editcore.errors import UsageError
from editcore.quoting import first_line, quoted
from reports.runs.columns import absent, table_of
from reports.runs.manifest import is_name
from reports.runs.rows import CLOSED, KINDS, Change, Outcome, SampleText, SampleUsed, Step, WrongEdit

ROW_GROUP = 2_000
"""Rows of a row group: a fixed number, so that equal rows make equal files, in whatever batches they are added."""

_LONG_TEXTS = ("texts", "changes")
"""Kinds for which a slower compression pays: a run may have thousands of small parts."""

DAMAGED = "Delete the files of this part in every folder of the run, then resume the run."
"""The remedy for a damaged part."""


def part_path(folder: Path, kind: str, part: str) -> Path:
    """The path of a part's file of that kind. Raises UsageError for a name that cannot be a file's."""
    if not is_name(f"part-{part}.parquet"):
        raise UsageError(f"{quoted(part)} cannot name a part of a run", "Give the corpus file a shorter, plain name.")
    return folder / kind / f"part-{part}.parquet"


def copied_part(folder: Path, kind: str, part: str) -> Path:
    """The file of a part that is copied or uploaded. Raises UsageError for a link: any file may be at its other end."""
    path = part_path(folder, kind, part)
    if path.is_symlink():
        raise UsageError(f"{path} is a link, and nothing that a run writes is one", "Copy the folder with cp -rL.")
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
        """Write the remaining rows and the metadata, then move the files to their final names, those of `as_part` if
        given.
        """
        for kind, rows in self._held.items():
            self._write(kind, rows)
        self._writers["outcomes"].add_key_value_metadata(metadata)
        for writer in self._writers.values():
            writer.close()
        for kind, temporary in self._temporaries.items():
            temporary.replace(part_path(self._folder, kind, as_part or self._part))


def parts_done(folder: Path) -> set[str]:
    return {name for name in part_names(folder, "outcomes") if _is_whole(part_path(folder, "outcomes", name))}


def _is_whole(path: Path) -> bool:
    try:
        pq.read_metadata(path)
        return True
    except (pa.ArrowException, OSError):
        return False


def part_metadata(folder: Path, part: str) -> dict[str, str]:
    """The metadata of a part: totals that its writer stored beside the rows.

    Raises UsageError for a damaged part, and FileNotFoundError for one that is missing.
    """
    path = part_path(folder, "outcomes", part)
    with _readable(path):
        raw = pq.read_metadata(path).metadata or {}
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in raw.items()}


def part_paths(folder: Path, kind: str) -> list[Path]:
    """The files of a kind, by name."""
    return sorted((folder / kind).glob("part-*.parquet"), key=lambda path: path.name)


def part_names(folder: Path, kind: str) -> list[str]:
    """The parts that have a file of a kind, in the order of `part_paths`."""
    return [path.stem.removeprefix("part-") for path in part_paths(folder, kind)]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raise UsageError if reading the part in the block fails; a missing file stays FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {first_line(error)}", DAMAGED) from error


def read_part(path: Path, kind: str, columns: Sequence[str] = (), *, as_dictionaries: bool = False) -> pa.Table:
    """The rows of a part, all columns or these; with `as_dictionaries`, each different text is in memory once.

    A column that the version which wrote the run did not have is absent in every row, if it may be. Raises UsageError
    for a damaged file, and for a word outside the closed set of its column.
    """
    wanted = part_schema(kind, columns, as_dictionaries=as_dictionaries)
    encoded = {one.name for one in wanted if pa.types.is_dictionary(one.type)} if as_dictionaries else ()
    with _readable(path):
        # Not `read_table()`: it imports pandas, and takes a folder called `seed=3` for a column.
        file = pq.ParquetFile(path, pre_buffer=False)
        known = file.schema_arrow.names
        if encoded:
            some = [name for name in known if name in encoded]
            file = pq.ParquetFile(path, metadata=file.metadata, read_dictionary=some, pre_buffer=False)
        found = file.read([name for name in wanted.names if name in known], use_threads=False)
        for field in wanted:
            if field.name not in known and field.nullable:
                found = found.append_column(field, absent(len(found), field.type))
        table = found.select(wanted.names)
        table = table if table.schema.equals(wanted) else table.cast(wanted)
    for name in CLOSED.keys() & table.column_names:
        for word in table[name].unique().to_pylist():
            if word is not None and word not in CLOSED[name]:
                raise UsageError(
                    f"{path} has a row whose {name} is {quoted(word)}, which this editgauge does not know",
                    "Use the version of editgauge that wrote the run, or run again.",
                )
    return table


def part_schema(kind: str, columns: Sequence[str] = (), *, as_dictionaries: bool = False) -> pa.Schema:
    """The schema of a kind, or of these columns of it, with texts as dictionaries if asked for."""
    schema = KINDS[kind]
    text = pa.dictionary(pa.int32(), pa.string())
    fields = [schema.field(one) for one in columns or schema.names]
    return pa.schema([one.with_type(text) if as_dictionaries and one.type == pa.string() else one for one in fields])


def part_table(folder: Path, kind: str, part: str, *columns: str, as_dictionaries: bool = False) -> pa.Table:
    """The rows of a part, from `read_part`; empty for a kind that the run's version did not have."""
    path = part_path(folder, kind, part)
    if not path.exists():
        return part_schema(kind, columns, as_dictionaries=as_dictionaries).empty_table()
    return read_part(path, kind, columns, as_dictionaries=as_dictionaries)


def part_rows(folder: Path, kind: str, part: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = part_table(folder, kind, part).to_pylist()
    return found


def _rows(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    for path in part_paths(folder, kind):
        yield from read_part(path, kind).to_pylist()


def outcomes(folder: Path) -> Iterator[Outcome]:
    return (Outcome(**row) for row in _rows(folder, "outcomes"))


def wrong_edits(folder: Path) -> Iterator[WrongEdit]:
    return (WrongEdit(**row) for row in _rows(folder, "wrong_edits"))


def samples_used(folder: Path) -> Iterator[SampleUsed]:
    """The samples of a run, streamed; none for runs of schema version 1."""
    return (SampleUsed(**row | {"tags": tuple(row["tags"])}) for row in _rows(folder, "samples"))


def steps(folder: Path) -> Iterator[Step]:
    """The steps of a run's samples with several edits, streamed; none for runs of schema versions 1 and 2."""
    return (Step(**row) for row in _rows(folder, "steps"))
