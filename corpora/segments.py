"""Segments of corpus files: stretches that one worker reads, one small batch at a time.

Memory stays flat however large the corpus is. Segments depend on the file alone, never on how many workers read it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import xxhash

from corpora.sample import Sample, SampleError, convert, decode, validated
from editcore.errors import UsageError
from editcore.quoting import first_line

HUB = "hub:"
SEGMENT_SAMPLES = 250
"""A segment of JSONL holds at most this many samples; one of Parquet is a row group, or a part of a large one."""
_SEGMENT_BYTES = 16 << 20
_LARGEST_ROW_GROUP = 1024
_BATCH = 64

Source = Literal["jsonl", "parquet", "hub"]
OnBad = Callable[[SampleError], None]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a corpus file that is read in one go."""

    name: str
    """Of the corpus file's content and the segment's number: the same wherever the file lies."""
    source: Source
    path: str
    """A file, or the name of a data set on the hub."""
    first: int
    """1-based number in the file, of a line or a row, at which it starts."""
    n_samples: int
    start: int = 0
    """JSONL: the byte at which it starts; Parquet: the first row in the row group."""
    row_group: int = 0
    split: str = ""


def file_segments(path: Path) -> list[Segment]:
    try:
        return _parquet_segments(path) if path.suffix == ".parquet" else _jsonl_segments(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "Check its permissions.") from None


def _jsonl_segments(path: Path) -> list[Segment]:
    """Segments of so many samples, or fewer long ones; the file is read once."""
    found: list[tuple[int, int, int]] = []
    state = xxhash.xxh3_64()
    start = position = n = 0
    line = first = 1
    with path.open("rb") as file:
        for row in file:
            state.update(row)
            position += len(row)
            line += 1
            n += not row.isspace()
            if n == SEGMENT_SAMPLES or (n and position - start >= _SEGMENT_BYTES):
                found.append((start, first, n))
                start, first, n = position, line, 0
    if n:
        found.append((start, first, n))
    stem = f"{path.stem}-{state.hexdigest()[:8]}"
    return [
        Segment(f"{stem}-{number:05d}", "jsonl", str(path), first, n, start)
        for number, (start, first, n) in enumerate(found)
    ]


def _parquet_segments(path: Path) -> list[Segment]:
    """A segment a row group; large groups in parts, each of which skips what comes before."""
    with path.open("rb") as file:
        state = xxhash.xxh3_64()
        while block := file.read(1 << 20):
            state.update(block)
    stem = f"{path.stem}-{state.hexdigest()[:8]}"
    with _open_parquet(path) as opened:
        metadata = opened.metadata
    found: list[Segment] = []
    first = 1
    for group in range(metadata.num_row_groups):
        n_rows = metadata.row_group(group).num_rows
        size = n_rows if n_rows <= _LARGEST_ROW_GROUP else max(_LARGEST_ROW_GROUP // 2, -(-n_rows // 16))
        for start in range(0, n_rows, max(size, 1)):
            n = min(size, n_rows - start)
            found.append(Segment(f"{stem}-{len(found):05d}", "parquet", str(path), first, n, start, group))
            first += n
    return found


@lru_cache(maxsize=1)
def _parquet_file(path: str, changed: int) -> Any:
    """The Parquet file as of then. Kept, since what a file says of its row groups may take longer to read than one."""
    del changed  # A file that was written anew is opened anew.
    import pyarrow.parquet as pq

    return pq.ParquetFile(path)


@contextmanager
def _open_parquet(path: Path | str) -> Iterator[Any]:
    """The Parquet file, open. Raises UsageError where it turns out to be damaged, even in the middle."""
    import pyarrow as pa

    try:
        yield _parquet_file(str(path), os.stat(path).st_mtime_ns)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{path} cannot be read: {first_line(error)}", "Is it a Parquet file, and whole?") from None


@cache
def _hub_dataset(name: str) -> Any:
    """The data set of `hub:NAME`, a mapping of splits. The one place that uses the network."""
    import datasets

    try:
        loaded = datasets.load_dataset(name.removeprefix(HUB))
    except Exception as error:
        # Whatever went wrong on the way, it is the name or the network.
        reason = first_line(error)
        raise UsageError(
            f"{name} cannot be loaded: {reason}", "Check the name and the network, or load a local copy."
        ) from error
    return loaded


def hub_segments(name: str) -> list[Segment]:
    stem = name.removeprefix(HUB).strip("/").replace("/", "-")
    found = []
    for split, rows in _hub_dataset(name).items():
        for start in range(0, len(rows), SEGMENT_SAMPLES):
            n = min(SEGMENT_SAMPLES, len(rows) - start)
            segment = f"{stem}-{split}-{start // SEGMENT_SAMPLES:05d}"
            found.append(Segment(segment, "hub", name, start + 1, n, start, split=split))
    return found


def read_segment(
    segment: Segment,
    *,
    formats: Collection[str] | None = None,
    only: Collection[int] | None = None,
    on_bad: OnBad | None = None,
) -> Iterator[tuple[int, Sample]]:
    """The samples of a segment with their numbers in the file, in order.

    With `formats`, only samples of those; with `only`, only those numbers. A malformed sample raises
    SampleError unless `on_bad` takes it.
    """
    rows = {"jsonl": _jsonl_rows, "parquet": _parquet_rows, "hub": _hub_rows}[segment.source]
    unit = "line" if segment.source == "jsonl" else "row"
    for number, make in rows(segment, formats, only):
        try:
            sample = make()
        except ValueError as error:
            bad = SampleError(
                f"{segment.path}, {unit} {number}: {error}",
                "Mend or remove it, or leave bad samples out with --skip-bad.",
            )
            if on_bad is None:
                raise bad from None
            on_bad(bad)
            continue
        if formats is None or sample.format in formats:
            yield number, sample


Rows = Iterator[tuple[int, Callable[[], Sample]]]


def _jsonl_rows(segment: Segment, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    del formats  # Known only once the line is decoded.
    with open(segment.path, "rb") as file:
        file.seek(segment.start)
        rows = ((number, row) for number, row in enumerate(file, segment.first) if not row.isspace())
        for number, row in islice(rows, segment.n_samples):
            if only is None or number in only:
                yield number, partial(decode, row)


def _parquet_rows(segment: Segment, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    with _open_parquet(segment.path) as file:
        fields = [name for name in file.schema_arrow.names if name in Sample.__slots__]
        skipped = done = 0
        for batch in file.iter_batches(_BATCH, row_groups=[segment.row_group], columns=fields, use_threads=False):
            if skipped + len(batch) <= segment.start:
                skipped += len(batch)
                continue
            batch = batch.slice(segment.start - skipped, segment.n_samples - done)
            skipped = segment.start
            first = segment.first + done
            done += len(batch)
            columns = [(name, batch.column(name)) for name in fields]
            taken = batch.column("format").to_pylist() if formats is not None and "format" in fields else None
            for at in range(len(batch)):
                if (taken is None or taken[at] in formats) and (only is None or first + at in only):  # type: ignore[operator]
                    yield first + at, partial(_sample_at, columns, at)
            if done == segment.n_samples:
                return


def _sample_at(columns: list[tuple[str, Any]], at: int) -> Sample:
    return validated(convert({name: column[at].as_py() for name, column in columns}))


def _hub_rows(segment: Segment, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    del formats
    rows = _hub_dataset(segment.path)[segment.split]
    for number in range(segment.first, segment.first + segment.n_samples):
        if only is None or number in only:
            yield number, partial(_hub_sample, rows, number - 1)


def _hub_sample(rows: Any, at: int) -> Sample:
    return validated(convert(rows[at]))


def sample_numbers(segment: Segment) -> Sequence[int]:
    """The numbers of a segment's samples in its file, in order; blank lines are no samples."""
    if segment.source == "jsonl":
        return [number for number, _ in _jsonl_rows(segment, None, None)]
    return range(segment.first, segment.first + segment.n_samples)


def ids_and_tags(segment: Segment, *, on_bad: OnBad | None = None) -> Iterator[tuple[int, str, list[str]]]:
    """Number, id and tags of each sample of a segment: all that a selection looks at."""
    if segment.source == "parquet":
        with _open_parquet(segment.path) as file:
            table = file.read_row_group(segment.row_group, columns=["id", "tags"], use_threads=False)
            rows = table.slice(segment.start, segment.n_samples).to_pylist()
        for number, row in enumerate(rows, segment.first):
            # One without an id is bad, and named as such once it is run.
            yield number, str(row.get("id") or ""), [str(tag) for tag in row.get("tags") or ()]
        return
    for number, sample in read_segment(segment, on_bad=on_bad):
        yield number, sample.id, list(sample.tags)
