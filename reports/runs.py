"""The run folder: what a run leaves behind, and how to read it back.

    runs/2026-11-21T0300Z-1a2b3c/
      manifest.json                what was run: argv, seed, corpora, strategies, machine
      outcomes/part-*.parquet      one `Outcome` a row: a sample and a strategy
      wrong_edits/part-*.parquet   one `WrongEdit` a row: what a false-positive replacement did
      samples/part-*.parquet       one `SampleUsed` a row: what the sample is, to group outcomes by
      steps/part-*.parquet         one `Step` a row: of samples with several edits, which replacer leads where

Every file is written whole or not at all. A part covers one shard of a corpus and is named after it,
so a resumed run knows what is done by looking. Where a run is divided among machines, a part may be a
piece of what the whole run would write; its name says which, and `reports.merge` joins them.

Schema versions
    1   the first
    2   with samples/
    3   with steps/; the manifest says which shard of a divided run it is
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from editcore.errors import UsageError
from reports.columns import table_of

SCHEMA_VERSION = 3

_URL = re.compile(r"[a-z][a-z0-9+.-]+:/")
"""Also as a path has it, with one slash; a drive has one letter."""


class Verdict(StrEnum):
    """What became of a sample under a strategy."""

    CORRECT = "correct"
    WRONG_EDIT = "wrong_edit"
    MISSED = "missed"
    REFUSED = "refused"
    UNLABELLED = "unlabelled"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"


class Damage(StrEnum):
    """What kind of damage a wrong edit did."""

    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    PLACE = "place"
    EXTENT = "extent"
    TEXT = "text"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One sample under one strategy: a flat row."""

    sample_id: str
    strategy: str
    """`family/member`."""
    verdict: str
    """A `Verdict`."""
    damage: str | None = None
    """A `Damage`; of wrong edits only."""
    reason: str | None = None
    """Why it was refused; absent where it was applied, crashed or timed out."""
    replacer: str | None = None
    """Which replacer decided; for several edits the one furthest down the order."""
    n_matches: int = 0
    """Spans replaced."""
    latency_ns: int | None = None
    """One call, clock overhead subtracted; absent where the call did not come back."""
    error: str | None = None
    """The exception, one line; of crashes only."""


@dataclass(frozen=True, slots=True)
class WrongEdit:
    """What a false-positive replacement did: the differing middle of the right and the given text."""

    sample_id: str
    strategy: str
    damage: str
    replacer: str | None
    path: str
    line: int
    """1-based line of the right text at which both excerpts begin."""
    expected: str
    """The right text from there on, with some lines of context; for a refusal, the text before."""
    given: str
    """What the strategy made of it, with the same context."""
    edit: str
    """The edit as the model wrote it."""
    n_omitted: int = 0
    """Characters cut from the two excerpts together."""


@dataclass(frozen=True, slots=True)
class SampleUsed:
    """What a sample that was run is, without its texts."""

    sample_id: str
    format: str
    label: str
    label_source: str | None = None
    agent: str | None = None
    model: str | None = None
    repo: str | None = None
    mutator: str | None = None
    parent_id: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What one replacer makes of one edit of a sample with several, in a text that other replacers left.

    The texts are numbered from 0, the text before any edit. A replacer without a step in a text decides nothing
    there; a text without any step is a dead end, where the sample is refused.
    """

    sample_id: str
    node: int
    """The text."""
    replacer: str | None
    """As a cascade names it; absent where the sample has more texts than are followed."""
    next_node: int | None = None
    """The text that it leaves for the next edit; absent after the last."""
    verdict: str | None = None
    """A `Verdict`, after the last edit."""


@dataclass(frozen=True, slots=True)
class CorpusUsed:
    """A corpus as a run saw it."""

    name: str
    """As the user typed it."""
    n_samples: int
    """Samples selected from it."""


@dataclass(frozen=True, slots=True)
class StrategyUsed:
    """A strategy as a run saw it."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ShardUsed:
    """Which shard of a run that was divided among machines."""

    index: int
    """1-based."""
    n: int
    """Of so many."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was run."""

    argv: list[str]
    seed: int
    corpora: list[CorpusUsed]
    strategies: list[StrategyUsed]
    timeout_s: float
    plan: str
    """Hash of everything that decides the outcomes; a run is resumed only under the same plan."""
    created: str
    """ISO 8601, UTC."""
    machine: dict[str, Any] = field(default_factory=dict)
    git_commit: str | None = None
    corpus_fingerprint: str | None = None
    """Of the samples themselves, whatever file format or order they came in; present once finished."""
    n_samples: int = 0
    """Run; the ones left out or bad are not among them."""
    n_left_out: int = 0
    """Of formats that no chosen strategy takes."""
    n_bad: int = 0
    """Malformed, and left out because that was asked for."""
    n_shards: int = 0
    """Parts, of shards of the corpora."""
    shard: ShardUsed | None = None
    """Absent for a whole run; `plan` and `corpora` are those of the whole."""
    finished: str | None = None
    """ISO 8601, UTC; absent while the run is incomplete."""
    wall_ns: int = 0
    """From start to end of the runs that made it, summed over resumptions."""
    strategy_ns: int = 0
    """Sum of all latencies."""
    schema_version: int = SCHEMA_VERSION


_OUTCOME_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("strategy", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("verdict", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("damage", pa.dictionary(pa.int32(), pa.string())),
        pa.field("reason", pa.dictionary(pa.int32(), pa.string())),
        pa.field("replacer", pa.dictionary(pa.int32(), pa.string())),
        pa.field("n_matches", pa.int32(), nullable=False),
        pa.field("latency_ns", pa.int64()),
        pa.field("error", pa.string()),
    ]
)
_WRONG_EDIT_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("strategy", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("damage", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("replacer", pa.dictionary(pa.int32(), pa.string())),
        pa.field("path", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("expected", pa.string(), nullable=False),
        pa.field("given", pa.string(), nullable=False),
        pa.field("edit", pa.string(), nullable=False),
        pa.field("n_omitted", pa.int64(), nullable=False),
    ]
)
_WORDS = pa.dictionary(pa.int32(), pa.string())
_SAMPLE_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("format", _WORDS, nullable=False),
        pa.field("label", _WORDS, nullable=False),
        *(pa.field(name, _WORDS) for name in ("label_source", "agent", "model", "repo", "mutator")),
        pa.field("parent_id", pa.string()),
        pa.field("tags", pa.list_(pa.string()), nullable=False),
    ]
)
_STEP_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("node", pa.int32(), nullable=False),
        pa.field("replacer", _WORDS),
        pa.field("next_node", pa.int32()),
        pa.field("verdict", _WORDS),
    ]
)
KINDS = {
    "wrong_edits": _WRONG_EDIT_SCHEMA,
    "samples": _SAMPLE_SCHEMA,
    "steps": _STEP_SCHEMA,
    "outcomes": _OUTCOME_SCHEMA,
}
"""The folders of parts. Outcomes come last, since they mark a part as done."""


ROW_GROUP = 2_000
"""Rows of a row group, so that the same rows are the same file, however many at a time they come."""


def write_atomically(path: Path, data: bytes, *, durably: bool = True) -> None:
    """Write a file whole or not at all: a temporary neighbour, renamed over it; durably, it is on the disk first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            if durably:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def part_path(folder: Path, kind: str, part: str) -> Path:
    """Where a part of that kind stands."""
    return folder / kind / f"part-{part}.parquet"


class PartWriter:
    """Writes a shard's part bit by bit, so that memory stays flat; nothing is there until `close`.

    To be used in `with`. Does not wait for the disk: a part that a power failure cut short is unreadable, and
    then not done.
    """

    def __init__(self, folder: Path, part: str) -> None:
        self._paths = {kind: part_path(folder, kind, part) for kind in KINDS}
        self._temporaries = {
            # Not by process id alone: several machines may write to one folder.
            kind: path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}.tmp")
            for kind, path in self._paths.items()
        }

    def __enter__(self) -> PartWriter:
        for path in self._paths.values():
            path.parent.mkdir(parents=True, exist_ok=True)
        self._writers = {
            kind: pq.ParquetWriter(self._temporaries[kind], schema, compression="zstd")
            for kind, schema in KINDS.items()
        }
        self._held: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        return self

    def __exit__(self, *_: object) -> None:
        for kind, writer in self._writers.items():
            writer.close()
            self._temporaries[kind].unlink(missing_ok=True)

    def add(
        self,
        outcomes: Sequence[Outcome],
        wrong_edits: Sequence[WrongEdit],
        samples: Sequence[SampleUsed] = (),
        steps: Sequence[Step] = (),
    ) -> None:
        """Write some rows."""
        self.add_rows({"outcomes": outcomes, "wrong_edits": wrong_edits, "samples": samples, "steps": steps})

    def add_rows(self, rows: Mapping[str, Sequence[object]]) -> None:
        """The same, by kind; all that counts of a row is that it has the fields."""
        for kind, some in rows.items():
            held = self._held[kind]
            held += some
            while len(held) >= ROW_GROUP:
                self._write(kind, held[:ROW_GROUP])
                del held[:ROW_GROUP]

    def _write(self, kind: str, rows: Sequence[object]) -> None:
        if rows:
            self._writers[kind].write_table(table_of(rows, KINDS[kind]))

    def close(self, metadata: dict[str, str]) -> None:
        """Put the part in its place."""
        for kind, rows in self._held.items():
            self._write(kind, rows)
        self._writers["outcomes"].add_key_value_metadata(metadata)
        for writer in self._writers.values():
            writer.close()
        for kind, path in self._paths.items():
            self._temporaries[kind].replace(path)


def write_part(
    folder: Path,
    part: str,
    outcomes: Sequence[Outcome],
    wrong_edits: Sequence[WrongEdit],
    samples: Sequence[SampleUsed] = (),
    *,
    metadata: dict[str, str],
) -> None:
    """Write a shard's outcomes, wrong edits and samples as `part-{part}.parquet`."""
    with PartWriter(folder, part) as writer:
        writer.add(outcomes, wrong_edits, samples)
        writer.close(metadata)


def parts_done(folder: Path) -> set[str]:
    """The names of the parts that are there, whole."""
    return {path.stem.removeprefix("part-") for path in (folder / "outcomes").glob("part-*.parquet") if _is_whole(path)}


def _is_whole(path: Path) -> bool:
    try:
        pq.read_metadata(path)
    except (pa.ArrowInvalid, OSError):
        return False
    return True


def part_metadata(folder: Path, part: str) -> dict[str, str]:
    """What the writer of a part noted beside its rows."""
    raw = pq.read_metadata(part_path(folder, "outcomes", part)).metadata or {}
    return {key.decode(): value.decode() for key, value in raw.items()}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest), indent=2, sort_keys=True)
    write_atomically(folder / "manifest.json", text.encode("utf-8", "backslashreplace") + b"\n")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. Raises UsageError where there is none or it is of a later version."""
    path = folder / "manifest.json"
    if _URL.match(str(folder)):
        raise UsageError(f"{folder} is a URL", "Fetch it first, into a folder: editgauge merge URL -o DIR.")
    try:
        raw = json.loads(path.read_bytes())
        _refuse_later_version(path, raw)
        return msgspec.convert(raw, Manifest)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(
            f"{folder} is not a run folder: it has no manifest.json",
            "Name the folder that `editgauge run` printed.",
        ) from None
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "Run again with -o and a new folder.") from error


def _refuse_later_version(path: Path, raw: Any) -> None:
    """Ask before converting: a later version may have other fields, and the user needs the real cause."""
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise UsageError(
            f"{path} has schema version {version}; this editgauge reads up to {SCHEMA_VERSION}",
            "Upgrade editgauge, or use the version that wrote the run.",
        )


def _parts(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / kind).glob("part-*.parquet"))


def _read_part(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a part, or some columns of them. Raises UsageError where the file is damaged."""
    columns = columns or schema.names
    try:
        # Not `read_table()`: it imports pandas, and takes a folder called `seed=3` for a column.
        with pq.ParquetFile(path) as file:
            return file.read(columns).select(columns)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise UsageError(
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            "Delete this part and its namesake beside it, then resume the run.",
        ) from error


def part_table(folder: Path, kind: str, part: str) -> pa.Table:
    """The rows of a part; none of a kind that the version which wrote the run did not have."""
    path = part_path(folder, kind, part)
    return _read_part(path, KINDS[kind]) if path.exists() else KINDS[kind].empty_table()


def part_rows(folder: Path, kind: str, part: str) -> list[dict[str, Any]]:
    """The same as dictionaries."""
    found: list[dict[str, Any]] = part_table(folder, kind, part).to_pylist()
    return found


def outcome_table(folder: Path) -> pa.Table:
    """All outcomes of a run as one Arrow table, in the order of the parts' names."""
    parts = [_read_part(path, _OUTCOME_SCHEMA) for path in _parts(folder, "outcomes")]
    return pa.concat_tables(parts).unify_dictionaries() if parts else _OUTCOME_SCHEMA.empty_table()


def outcome_tables(folder: Path, *columns: str) -> Iterator[pa.Table]:
    """These columns of the outcomes of a run, a table for each part, streamed."""
    return (_read_part(path, _OUTCOME_SCHEMA, columns) for path in _parts(folder, "outcomes"))


def outcomes(folder: Path) -> Iterator[Outcome]:
    """The outcomes of a run, streamed."""
    for path in _parts(folder, "outcomes"):
        for row in _read_part(path, _OUTCOME_SCHEMA).to_pylist():
            yield Outcome(**row)


def wrong_edits(folder: Path) -> Iterator[WrongEdit]:
    """The wrong edits of a run, streamed."""
    for path in _parts(folder, "wrong_edits"):
        for row in _read_part(path, _WRONG_EDIT_SCHEMA).to_pylist():
            yield WrongEdit(**row)


def wrong_edit_tables(folder: Path, *columns: str) -> Iterator[pa.Table]:
    """These columns, or all, of the wrong edits of a run, a table for each part, streamed."""
    return (_read_part(path, _WRONG_EDIT_SCHEMA, columns) for path in _parts(folder, "wrong_edits"))


def samples_used(folder: Path) -> Iterator[SampleUsed]:
    """The samples of a run, streamed; none of a run that an earlier version wrote."""
    for path in _parts(folder, "samples"):
        for row in _read_part(path, _SAMPLE_SCHEMA).to_pylist():
            yield SampleUsed(**row | {"tags": tuple(row["tags"])})


def steps(folder: Path) -> Iterator[Step]:
    """The steps of a run's samples with several edits, streamed; none of a run that an earlier version wrote."""
    for path in _parts(folder, "steps"):
        for row in _read_part(path, _STEP_SCHEMA).to_pylist():
            yield Step(**row)
