"""The run folder: what a run leaves behind, and how to read it back.

    runs/2026-11-21T0300Z-1a2b3c/
      manifest.json                what was run: argv, seed, corpora, strategies, machine
      outcomes/part-*.parquet      one `Outcome` a row: a sample and a strategy
      wrong_edits/part-*.parquet   one `WrongEdit` a row: what a false-positive replacement did
      samples/part-*.parquet       one `SampleUsed` a row: what the sample is, to group outcomes by
      steps/part-*.parquet         one `Step` a row: of samples with several edits, which replacer leads where

Every file is written whole or not at all. A part covers one shard of a corpus and is named after it,
so a resumed run knows what is done by looking. Where a run is divided among machines, a part may be a
piece of what the whole run would write; its name says which, and `reports.runs.merge` joins them.

Schema versions
    1   the first
    2   with samples/
    3   with steps/; the manifest says which shard of a divided run it is
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from editcore.errors import UsageError

SCHEMA_VERSION = 3


_URL = re.compile(r"[a-z][a-z0-9+.-]+:/")
"""Also as a path has it, with one slash; a drive has one letter."""


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
    n_promised: int | None = None
    """Properties that it promises on all inputs; None where nobody has fuzzed it."""
    broken: dict[str, int] | None = None
    """Those of them that it is known to break, and in how many ways each."""


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
