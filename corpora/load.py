"""Names, files, folders and hub names -> samples.

A corpus is read in shards: stretches of a file that one worker reads, one small batch at a time, so that
memory stays flat however large the corpus is. Shards depend on the file alone, never on how many read it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import xxhash

from corpora.sample import Sample, SampleError, checked, convert, decode
from editcore.errors import UsageError

DATA = Path(__file__).parent / "data"
BUNDLED = {"house": DATA / "house.parquet", "smoke": DATA / "smoke.jsonl"}
"""The corpora that ship, by name."""
DEFAULT = "house"
GENERATED, RECORDED = "generated", "recorded"
NAMED = (*BUNDLED, GENERATED, RECORDED)
"""Those, the one that is made on demand, and the user's own folder."""

HUB = "hub:"
_SUFFIXES = (".jsonl", ".parquet")
SHARD_SAMPLES = 250
"""A shard of JSONL holds so many samples; one of Parquet is a row group, or a part of a large one."""
_SHARD_BYTES = 16 << 20
_LARGEST_ROW_GROUP = 1024
_BATCH = 64

Source = Literal["jsonl", "parquet", "hub"]
OnBad = Callable[[SampleError], None]


@dataclass(frozen=True, slots=True)
class Shard:
    """A stretch of a corpus file that is read in one go."""

    name: str
    """Of the corpus file's content and the shard's number: the same wherever the file lies."""
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


def load(name: str | Path, *, skip_bad: bool = False, on_bad: OnBad | None = None) -> Iterator[Sample]:
    """The samples of a corpus, streamed, in their order.

    `name` is a bundled name (`house`, `smoke`), `generated`, which is made on demand, `recorded`, the user's own
    folder, a JSONL or Parquet file, a folder of such files, with or without a dataset card, or `hub:owner/name`,
    which alone uses the network. A malformed sample raises
    SampleError naming file and line; with `skip_bad` it is left out, and `on_bad` is told.
    """
    tell = (on_bad or (lambda _: None)) if skip_bad else None
    for shard in shards(name):
        for _, sample in read(shard, on_bad=tell):
            yield sample


def shards(name: str | Path) -> list[Shard]:
    """The shards of a corpus, in order. Raises UsageError where there is no such corpus, or nothing in it."""
    text = str(name)
    found = _hub_shards(text) if text.startswith(HUB) else [one for path in files(text) for one in _file_shards(path)]
    if not found:
        raise UsageError(f"{text} holds no samples", "Was it written to the end? Name another corpus.")
    return found


def files(name: str) -> list[Path]:
    """The files that a name, a file or a folder stands for."""
    if name in BUNDLED:
        return [BUNDLED[name]]
    if name == GENERATED:
        from corpora.generated import generated

        return [generated()]
    path = _recorded() if name == RECORDED else Path(name)
    if path.is_dir():
        found = _card_files(path) or sorted(
            file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file()
        )
        if not found:
            raise UsageError(
                f"The folder {name} holds no .jsonl or .parquet file", "Name a folder or file with samples."
            )
    elif path.is_file():
        found = [path]
    else:
        raise UsageError(
            f"There is no corpus {name!r}", f"Give a file, a folder, hub:OWNER/NAME or one of: {', '.join(NAMED)}."
        )
    for file in found:
        if file.suffix not in _SUFFIXES:
            raise UsageError(
                f"{file} is neither .jsonl nor .parquet", "Convert it: one JSON object a line, see corpora/README.md."
            )
    return found


def _recorded() -> Path:
    """Where the user keeps recorded corpora."""
    folder = Path(os.environ.get("EDITGAUGE_CORPORA") or Path.home() / ".local" / "share" / "editgauge" / "corpora")
    if not folder.is_dir():
        raise UsageError(
            f"There are no recorded corpora: {folder} is not there",
            "Put some there (editgauge import FORMAT LOGS -o FILE), or set EDITGAUGE_CORPORA.",
        )
    return folder


def _card_files(folder: Path) -> list[Path]:
    """The files of the default configuration that a folder's dataset card names; none without a card."""
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    if not text.startswith("---\n") or "\n---" not in text[4:]:
        return []
    import yaml

    try:
        front = yaml.safe_load(text[4 : text.index("\n---", 4)])
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(
            f"The front matter of {card} is not YAML: {str(error).splitlines()[0]}", "Mend the card."
        ) from None
    listed = _listed(front.get("configs")) if isinstance(front, dict) else []
    configs = [config for config in listed if isinstance(config, dict)]
    if not configs:
        return []
    is_default = [config for config in configs if config.get("default") or config.get("config_name") == "default"]
    chosen = (is_default or configs)[0]
    if len(configs) > 1 and not is_default:
        names = ", ".join(str(config.get("config_name")) for config in configs)
        raise UsageError(
            f"{card} names several configurations ({names}), none of them the default", "Name a file instead."
        )
    patterns = [pattern for entry in _listed(chosen.get("data_files")) for pattern in _patterns(entry)]
    found = sorted({path for pattern in patterns for path in _matching(folder, pattern) if path.is_file()})
    if not found:
        raise UsageError(
            f"{card} names files that are not there: {', '.join(patterns)}", "Fetch them or mend the card."
        )
    return found


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """The paths that a pattern of a card stands for; none for one that leads elsewhere, as a URL does."""
    with suppress(ValueError, NotImplementedError):
        yield from folder.glob(pattern)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _patterns(entry: Any) -> list[str]:
    return [str(path) for path in _listed(entry.get("path"))] if isinstance(entry, dict) else [str(entry)]


def _file_shards(path: Path) -> list[Shard]:
    try:
        return _parquet_shards(path) if path.suffix == ".parquet" else _jsonl_shards(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "Check its permissions.") from None


def _jsonl_shards(path: Path) -> list[Shard]:
    """Shards of so many samples, or fewer long ones; the file is read once."""
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
            if n == SHARD_SAMPLES or (n and position - start >= _SHARD_BYTES):
                found.append((start, first, n))
                start, first, n = position, line, 0
    if n:
        found.append((start, first, n))
    stem = f"{path.stem}-{state.hexdigest()[:8]}"
    return [
        Shard(f"{stem}-{number:05d}", "jsonl", str(path), first, n, start)
        for number, (start, first, n) in enumerate(found)
    ]


def _parquet_shards(path: Path) -> list[Shard]:
    """A shard a row group; large groups in parts, each of which skips what comes before."""
    with path.open("rb") as file:
        state = xxhash.xxh3_64()
        while block := file.read(1 << 20):
            state.update(block)
    stem = f"{path.stem}-{state.hexdigest()[:8]}"
    with _parquet(path) as opened:
        metadata = opened.metadata
    found: list[Shard] = []
    first = 1
    for group in range(metadata.num_row_groups):
        n_rows = metadata.row_group(group).num_rows
        size = n_rows if n_rows <= _LARGEST_ROW_GROUP else max(_LARGEST_ROW_GROUP // 2, -(-n_rows // 16))
        for start in range(0, n_rows, max(size, 1)):
            n = min(size, n_rows - start)
            found.append(Shard(f"{stem}-{len(found):05d}", "parquet", str(path), first, n, start, group))
            first += n
    return found


@lru_cache(maxsize=1)
def _opened(path: str, changed: int) -> Any:
    """The Parquet file as of then. Kept, since what a file says of its row groups may take longer to read than one."""
    del changed  # A file that was written anew is opened anew.
    import pyarrow.parquet as pq

    return pq.ParquetFile(path)


@contextmanager
def _parquet(path: Path | str) -> Iterator[Any]:
    """The Parquet file, open. Raises UsageError where it turns out to be damaged, even in the middle."""
    import pyarrow as pa

    try:
        yield _opened(str(path), os.stat(path).st_mtime_ns)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(
            f"{path} cannot be read: {str(error).splitlines()[0]}", "Is it a Parquet file, and whole?"
        ) from None


@cache
def _hub_dataset(name: str) -> Any:
    """The data set of `hub:NAME`, a mapping of splits. The one place that uses the network."""
    import datasets

    try:
        loaded = datasets.load_dataset(name.removeprefix(HUB))
    except Exception as error:
        # Whatever went wrong on the way, it is the name or the network.
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"{name} cannot be loaded: {reason}", "Check the name and the network, or load a local copy."
        ) from error
    return loaded


def _hub_shards(name: str) -> list[Shard]:
    stem = name.removeprefix(HUB).strip("/").replace("/", "-")
    found = []
    for split, rows in _hub_dataset(name).items():
        for start in range(0, len(rows), SHARD_SAMPLES):
            n = min(SHARD_SAMPLES, len(rows) - start)
            shard = f"{stem}-{split}-{start // SHARD_SAMPLES:05d}"
            found.append(Shard(shard, "hub", name, start + 1, n, start, split=split))
    return found


def read(
    shard: Shard,
    *,
    formats: Collection[str] | None = None,
    only: Collection[int] | None = None,
    on_bad: OnBad | None = None,
) -> Iterator[tuple[int, Sample]]:
    """The samples of a shard with their numbers in the file, in order.

    With `formats`, only samples of those; with `only`, only those numbers. A malformed sample raises
    SampleError unless `on_bad` takes it.
    """
    rows = {"jsonl": _jsonl_rows, "parquet": _parquet_rows, "hub": _hub_rows}[shard.source]
    unit = "line" if shard.source == "jsonl" else "row"
    for number, make in rows(shard, formats, only):
        try:
            sample = make()
        except ValueError as error:
            bad = SampleError(
                f"{shard.path}, {unit} {number}: {error}",
                "Mend or remove it, or leave bad samples out with --skip-bad.",
            )
            if on_bad is None:
                raise bad from None
            on_bad(bad)
            continue
        if formats is None or sample.format in formats:
            yield number, sample


Rows = Iterator[tuple[int, Callable[[], Sample]]]


def _jsonl_rows(shard: Shard, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    del formats  # Known only once the line is decoded.
    with open(shard.path, "rb") as file:
        file.seek(shard.start)
        rows = ((number, row) for number, row in enumerate(file, shard.first) if not row.isspace())
        for number, row in islice(rows, shard.n_samples):
            if only is None or number in only:
                yield number, partial(decode, row)


def _parquet_rows(shard: Shard, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    with _parquet(shard.path) as file:
        fields = [name for name in file.schema_arrow.names if name in Sample.__slots__]
        skipped = done = 0
        for batch in file.iter_batches(_BATCH, row_groups=[shard.row_group], columns=fields, use_threads=False):
            if skipped + len(batch) <= shard.start:
                skipped += len(batch)
                continue
            batch = batch.slice(shard.start - skipped, shard.n_samples - done)
            skipped = shard.start
            first = shard.first + done
            done += len(batch)
            columns = [(name, batch.column(name)) for name in fields]
            taken = batch.column("format").to_pylist() if formats is not None and "format" in fields else None
            for at in range(len(batch)):
                if (taken is None or taken[at] in formats) and (only is None or first + at in only):  # type: ignore[operator]
                    yield first + at, partial(_row, columns, at)
            if done == shard.n_samples:
                return


def _row(columns: list[tuple[str, Any]], at: int) -> Sample:
    return checked(convert({name: column[at].as_py() for name, column in columns}))


def _hub_rows(shard: Shard, formats: Collection[str] | None, only: Collection[int] | None) -> Rows:
    del formats
    rows = _hub_dataset(shard.path)[shard.split]
    for number in range(shard.first, shard.first + shard.n_samples):
        if only is None or number in only:
            yield number, partial(_checked_row, rows, number - 1)


def _checked_row(rows: Any, at: int) -> Sample:
    return checked(convert(rows[at]))


def numbers(shard: Shard) -> Sequence[int]:
    """The numbers of a shard's samples in its file, in order; blank lines are no samples."""
    if shard.source == "jsonl":
        return [number for number, _ in _jsonl_rows(shard, None, None)]
    return range(shard.first, shard.first + shard.n_samples)


def labels(shard: Shard, *, on_bad: OnBad | None = None) -> Iterator[tuple[int, str, list[str]]]:
    """Number, id and tags of each sample of a shard: all that a selection looks at."""
    if shard.source == "parquet":
        with _parquet(shard.path) as file:
            table = file.read_row_group(shard.row_group, columns=["id", "tags"], use_threads=False)
            rows = table.slice(shard.start, shard.n_samples).to_pylist()
        for number, row in enumerate(rows, shard.first):
            # One without an id is bad, and named as such once it is run.
            yield number, str(row.get("id") or ""), [str(tag) for tag in row.get("tags") or ()]
        return
    for number, sample in read(shard, on_bad=on_bad):
        yield number, sample.id, list(sample.tags)
