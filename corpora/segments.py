"""Segments: parts of corpus files, each read by one worker in small batches.

Memory stays constant for corpora of any size. Segments depend on the file only, not on the number of workers.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies

import msgspec
import xxhash

from corpora.expression import SEEN_UNKNOWN, Values, values_of
from corpora.parquet import check_row_group, open_parquet, row_batches
from corpora.sample import LARGEST_TEXTS, LONGEST_NAME, Sample, SampleError, convert, decode, how_seen, validated
from editcore.errors import UsageError, importing
from editcore.quoting import first_line, shown

_LIMIT_S = 2.0


def check_reachable(name: str) -> None:
    """Raise UsageError within seconds if the hub's server cannot be reached; `name` is the dataset.

    The hub's own library retries for half a minute. Nothing is checked behind a proxy, or if HF_HUB_OFFLINE restricts
    loading to local copies.
    """
    if sys.modules.get("datasets") is None and find_spec("datasets") is None:
        return  # The import below reports what to install.
    with importing("hub", needed_by=name):
        from huggingface_hub import constants

    server = urlsplit(constants.ENDPOINT)
    if constants.HF_HUB_OFFLINE or server.scheme in getproxies() or not server.hostname:
        return
    address = (server.hostname, server.port or (80 if server.scheme == "http" else 443))
    failed: list[str] = [f"no answer in {_LIMIT_S:g} s"]

    def connect() -> None:
        try:
            socket.create_connection(address, _LIMIT_S).close()
            failed.clear()
        except OSError as error:
            failed[:] = [error.strerror or str(error)]

    # In a thread, since resolving a name has no time limit.
    asking = Thread(target=connect, daemon=True)
    asking.start()
    asking.join(_LIMIT_S)
    if failed:
        raise UsageError(
            f"{name} cannot be loaded: {server.hostname} cannot be reached ({failed[0]})",
            "Check the network; HF_HUB_OFFLINE=1 takes the copy of an earlier run.",
        )


HUB = "hub:"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
SEGMENT_SAMPLES = 250
"""The most samples in a JSONL segment; a Parquet segment is a row group, or a part of a large one."""
_READ_AHEAD, _MOST_AHEAD = 16, 4 << 20
"""Samples, and characters of their files, that are read before the first of them is used."""
_SEGMENT_BYTES = 16 << 20
_LARGEST_ROW_GROUP = 1024
_LONGEST_STEM = 120
"""Bytes: the names of parts and temporary files must fit into 255."""
LONGEST_LINE = 32 << 20
"""Bytes; a longer line of a JSONL file is a malformed sample."""

Source = Literal["jsonl", "parquet", "hub"]
OnBad = Callable[[SampleError], None]
Rows = Iterator[tuple[int, Callable[[], Sample]]]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a corpus file that is read in one go."""

    name: str
    """The file's stem, a hash of its content and the segment's index; independent of the folder."""
    source: Source
    path: str
    """A file, or the name of a hub dataset."""
    first: int
    """The 1-based number of its first line or row in the file."""
    n_samples: int
    start: int = 0
    """JSONL: its first byte; Parquet: its first row, 0-based, in the row group; hub: its first row in the split."""
    row_group: int = 0
    split: str = ""

    @property
    def unit(self) -> str:
        """ "line" or "row": the unit of sample numbers."""
        return "line" if self.source == "jsonl" else "row"


def file_segments(path: Path) -> list[Segment]:
    """The segments of a JSONL or Parquet file, in order. Raises UsageError if it cannot be read."""
    try:
        return _parquet_segments(path) if path.suffix == ".parquet" else _jsonl_segments(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "Check its permissions.") from None


def _part_stem(path: Path) -> str:
    """The file's stem as the start of a part's file name: printable, and not too long for one."""
    stem = path.stem if len(os.fsencode(path.stem)) <= _LONGEST_STEM else path.stem[: _LONGEST_STEM // 4]
    return "".join(character if character.isprintable() else "_" for character in stem)


def _jsonl_segments(path: Path) -> list[Segment]:
    """Segments with a limited number of samples and bytes; the file is read once."""
    found: list[tuple[int, int, int]] = []
    state = xxhash.xxh3_64()
    start = position = n = 0
    line = first = 1
    with path.open("rb") as file:
        for row in _lines(file):
            state.update(row)
            position += len(row)
            if len(row) > LONGEST_LINE:
                for rest in _rest_of_line(file, row):
                    state.update(rest)
                    position += len(rest)
            line += 1
            n += not _is_blank(row)
            # Blank lines alone make no segment.
            if n == SEGMENT_SAMPLES or (n and position - start >= _SEGMENT_BYTES):
                found.append((start, first, n))
                start, first, n = position, line, 0
    if n:
        found.append((start, first, n))
    stem = f"{_part_stem(path)}-{state.hexdigest()[:8]}"
    return [
        Segment(f"{stem}-{number:05d}", "jsonl", str(path), first, n, start)
        for number, (start, first, n) in enumerate(found)
    ]


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file from its position; of a line over `LONGEST_LINE`, its first `LONGEST_LINE` + 1 bytes."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def _is_blank(line: bytes) -> bool:
    """True for a line without a sample. A line over the limit counts as a malformed sample."""
    return len(line) <= LONGEST_LINE and line.isspace()


def _rest_of_line(file: BinaryIO, line: bytes) -> Iterator[bytes]:
    """The rest, in blocks, of a line that `_lines` cut."""
    while line and not line.endswith(b"\n"):
        line = file.readline(1 << 20)
        yield line


def _parquet_segments(path: Path) -> list[Segment]:
    """One segment per row group, several for a large one. A part skips the rows before it."""
    with path.open("rb") as file:
        state = xxhash.xxh3_64()
        while block := file.read(1 << 20):
            state.update(block)
    stem = f"{_part_stem(path)}-{state.hexdigest()[:8]}"
    with open_parquet(path) as opened:
        metadata = opened.metadata
        columns = opened.schema_arrow.names
    if "id" not in columns:
        raise UsageError(
            f"{path} holds no samples: it has no column id",
            "Write the fields of a sample as corpora/README.md lists them.",
        )
    found: list[Segment] = []
    first = 1
    for group in range(metadata.num_row_groups):
        check_row_group(path, metadata, group, ())
        n_rows = metadata.row_group(group).num_rows
        size = n_rows if n_rows <= _LARGEST_ROW_GROUP else max(_LARGEST_ROW_GROUP // 2, -(-n_rows // 16))
        for start in range(0, n_rows, max(size, 1)):
            n = min(size, n_rows - start)
            found.append(Segment(f"{stem}-{len(found):05d}", "parquet", str(path), first, n, start, group))
            first += n
    return found


@cache
def _hub_dataset(name: str) -> Any:
    """The dataset of `hub:NAME`, a mapping of splits. Only this function uses the network."""
    check_reachable(name)  # Before the import of the package, which takes seconds.
    with importing("hub", needed_by=name):
        import datasets

    try:
        loaded = datasets.load_dataset(name.removeprefix(HUB))
    except Exception as error:
        # Whatever the library raises, the cause is the name or the network.
        reason = first_line(error)
        raise UsageError(
            f"{name} cannot be loaded: {reason}", "Check the name and the network, or load a local copy."
        ) from error
    return loaded


def hub_segments(name: str) -> list[Segment]:
    """The segments of a hub dataset, split by split. Raises UsageError for a name that the hub cannot have."""
    if not _HUB_NAME.fullmatch(name.removeprefix(HUB)):
        raise UsageError(
            f"{shown(name)} is no name of a hub dataset", "Write hub:OWNER/NAME; name a folder without hub:."
        )
    stem = name.removeprefix(HUB).replace("/", "-")
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

    `formats` and `only` restrict the samples to those edit formats and numbers. A malformed sample raises SampleError,
    or is passed to `on_bad` and skipped.
    """
    rows = {"jsonl": _jsonl_rows, "parquet": _parquet_rows, "hub": _hub_rows}[segment.source]
    for number, sample in _ahead(rows(segment, formats, only)):
        if isinstance(sample, ValueError):
            bad = SampleError(
                f"{segment.path}, {segment.unit} {number}: {sample}",
                "Fix or remove it, or leave bad samples out with --skip-bad.",
            )
            if on_bad is None:
                raise bad
            on_bad(bad)
        elif formats is None or sample.format in formats:
            yield number, sample


def _ahead(rows: Rows) -> Iterator[tuple[int, Sample | ValueError]]:
    """Each row as a sample, or the error of a malformed one. Rows are read in groups: alternating with other work is
    slower.
    """
    read: list[tuple[int, Sample | ValueError]] = []
    n_characters = 0
    for number, make in rows:
        try:
            sample = make()
            n_characters += sum(len(file.content) for file in sample.before)
            read.append((number, sample))
        except ValueError as error:
            read.append((number, error))
        if len(read) >= _READ_AHEAD or n_characters >= _MOST_AHEAD:
            yield from read
            read, n_characters = [], 0
    yield from read


def _jsonl_rows(segment: Segment, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    del formats  # The format is known only after the line is decoded.
    with open(segment.path, "rb") as file:
        for number, row in _numbered_lines(file, segment):
            if only is None or number in only:
                yield number, partial(_decoded_line, row)


def _numbered_lines(file: BinaryIO, segment: Segment) -> Iterator[tuple[int, bytes]]:
    """The segment's lines with samples and their numbers; of a line over the limit, its first bytes."""
    file.seek(segment.start)
    n = 0
    for number, row in enumerate(_lines(file), segment.first):
        if _is_blank(row):
            continue
        yield number, row
        n += 1
        if n == segment.n_samples:
            return
        if len(row) > LONGEST_LINE:
            for _ in _rest_of_line(file, row):
                pass


def _decoded_line(row: bytes) -> Sample:
    if len(row) > LONGEST_LINE:
        raise ValueError(f"the line is over {LONGEST_LINE >> 20} MB, the limit for a sample")
    return decode(row)


def _parquet_rows(segment: Segment, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    with open_parquet(segment.path) as file:
        fields = [name for name in file.schema_arrow.names if name in Sample.__slots__]
    for first, batch, sizes in _parquet_batches(segment, fields):
        columns = [(name, batch.column(name)) for name in fields]
        taken = batch.column("format").to_pylist() if formats is not None and "format" in fields else None
        for at in range(len(batch)):
            if (taken is None or taken[at] in formats) and (only is None or first + at in only):  # type: ignore[operator]
                yield first + at, partial(_sample_at, columns, at, sizes[at])


def _parquet_batches(segment: Segment, fields: Sequence[str]) -> Iterator[tuple[int, Any, Sequence[int]]]:
    """The segment's rows in batches: the number of the first, the rows, and the bytes of their texts."""
    skipped = done = 0
    for batch, sizes in row_batches(segment.path, segment.row_group, fields):
        if skipped + len(batch) <= segment.start:
            skipped += len(batch)
            continue
        at = segment.start - skipped
        skipped = segment.start
        batch = batch.slice(at, segment.n_samples - done)
        yield segment.first + done, batch, sizes[at:]
        done += len(batch)
        if done == segment.n_samples:
            return


def _sample_at(columns: list[tuple[str, Any]], at: int, n_bytes: int) -> Sample:
    if n_bytes > LARGEST_TEXTS:
        raise ValueError(f"the texts have {n_bytes} bytes; the limit for a sample is {LARGEST_TEXTS}")
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
    """The numbers of a segment's samples in its file, in order; blank lines have no sample."""
    if segment.source == "jsonl":
        return [number for number, _ in _jsonl_rows(segment, None, None)]
    return range(segment.first, segment.first + segment.n_samples)


def described(
    segment: Segment, properties: Collection[str] = (), *, on_bad: OnBad | None = None
) -> Iterator[tuple[int, str, list[str], Values]]:
    """Number, id, tags and the values of `properties` of each sample: all that a selection looks at."""
    if segment.source != "parquet":
        for number, sample in read_segment(segment, on_bad=on_bad):
            yield number, sample.id, list(sample.tags), values_of(sample, properties)
        return
    wanted = {"id", "tags", *(name if name in Sample.__slots__ else "provenance" for name in properties)}
    with open_parquet(segment.path) as file:
        fields = [name for name in file.schema_arrow.names if name in wanted]
    for first, batch, sizes in _parquet_batches(segment, fields):
        for at in range(len(batch)):
            row = batch.slice(at, 1).to_pylist()[0] if sizes[at] <= LARGEST_TEXTS else {}
            origin = row.get("provenance")
            known = (origin if isinstance(origin, dict) else {}) | row
            tags = [str(tag) for tag in row.get("tags") or ()]
            known["seen"] = how_seen(row.get("seen") is not None, tags) or SEEN_UNKNOWN
            values = {name: (str(known[name]),) if known.get(name) else () for name in properties}
            # A sample without an id is malformed; running it reports that.
            yield first + at, str(row.get("id") or ""), tags, values


class _Id(msgspec.Struct):
    """A sample's id alone, decoded without the rest."""

    id: str


_ID_DECODER = msgspec.json.Decoder(_Id)


def ids(segment: Segment) -> Iterator[tuple[int, str]]:
    """Number and id of each sample of a segment; malformed samples may be missing."""
    if segment.source == "parquet":
        for first, batch, sizes in _parquet_batches(segment, ["id"]):
            for at, value in enumerate(batch.column("id")):
                if sizes[at] <= LONGEST_NAME:
                    yield first + at, str(value.as_py() or "")
    elif segment.source == "jsonl":
        with open(segment.path, "rb") as file:
            for number, row in _numbered_lines(file, segment):
                if len(row) <= LONGEST_LINE:
                    # A lone surrogate anywhere in the line needs the slow decoder.
                    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                        yield number, _ID_DECODER.decode(row).id
                        continue
                    with suppress(ValueError):
                        yield number, decode(row).id
    else:
        for number, sample in read_segment(segment, on_bad=lambda _: None):
            yield number, sample.id
