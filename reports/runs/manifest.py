"""The layout of a run folder, and its manifest.

    runs/2026-11-21T0300Z-1a2b3c/
      manifest.json                what was run: argv, seed, corpora, strategies, machine
      outcomes/part-*.parquet      `Outcome` rows: one for each sample and strategy
      wrong_edits/part-*.parquet   `WrongEdit` rows: the text that a false-positive replacement left
      samples/part-*.parquet       `SampleUsed` rows: properties of the samples, to group outcomes by
      steps/part-*.parquet         `Step` rows: of samples with several edits, where each replacer leads
      texts/part-*.parquet         `SampleText` rows: the edit as written, and the file around its place
      changes/part-*.parquet       `Change` rows: what the right answer and all other results change

      report.html                  where `editgauge report` puts it unless told otherwise
      plots/                       those of `report --format png`, of `orderings` and of `sweep`
      stderr/*.log                 what commands wrote on stderr
      .lock, .spool/               while the run is in progress, or after it was killed

Every file is written whole or not at all. A part holds the rows of one segment of a corpus and is named after it,
so the names of the parts show a resumed run what is done. A run that is divided among machines may write partial
parts, whose names give their range of samples; `reports.runs.merge` joins them.

Schema versions
    1   the first
    2   adds samples/
    3   adds steps/, and the share of a divided run to the manifest
    4   adds `alternative`, `severity`, `equal_by` and `n_lines_lost` to the outcomes, and severity and lines lost to
        the wrong edits; absent in older runs
    5   adds texts/ and changes/, and `message` and `lines` to the outcomes
    6   adds `cpu_ns`, `first_cpu_ns` and `n_timed` to the outcomes; absent in older runs
    7   adds `repeated` to the outcomes; absent in older runs
    8   adds `fingerprint`, `likeness` and `seen` to the samples, what was seen and changed since to the texts,
        `night_number` to the manifests of nights, `failed_label` to the outcomes and the verdict `unstable`; absent in
        older runs
    9   adds `list_left` and `n_bytes_changed` to the outcomes, `encoding` to the texts, and `calls` to the corpora;
        absent in older runs
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from corpora.regular_file import naming, temporary_beside
from editcore.errors import UsageError
from editcore.quoting import quoted

SCHEMA_VERSION = 9

MANIFEST = "manifest.json"
LOCK = ".lock"
"""File of a run folder that is locked while a process writes to the folder."""
STDERR = "stderr"
"""Folder, inside the run folder, with the stderr of commands: one file per strategy and worker."""
SPOOL = ".spool"
"""Folder, inside the run folder, with the spool files of jobs on which a worker died."""
PLOTS = "plots"
"""Folder, inside the run folder, with all plots that commands draw of the run."""

_PLAN = re.compile(r"[0-9A-Za-z]{0,64}")
"""The plan is part of the names of nights."""
MOST_SHARDS = 1_000_000

_URL = re.compile(r"[a-z][a-z0-9+.-]+:/")
"""A URL, also after pathlib removed one of its slashes; a single letter would be a drive."""


@dataclass(frozen=True, slots=True)
class CorpusUsed:
    name: str
    """As given on the command line."""
    n_samples: int
    calls: dict[str, int] = field(default_factory=dict)
    """Outcome -> number of edit calls in the logs that the corpus was imported from; empty if that is not known."""
    """Samples selected from it."""


@dataclass(frozen=True, slots=True)
class Unmeant:
    """Results of a strategy on drawn edits whose right answers are certain, counted before the run."""

    n_intents: int
    n_wrong: int
    """Intents applied differently than any reasonable reader accepts."""
    n_contradictions: int
    n_applied: int
    """Contradictions that were applied at all."""


@dataclass(frozen=True, slots=True)
class StrategyUsed:
    name: str
    version: str
    n_promised: int | None = None
    """Number of properties that all strategies of its family promise; None for strategies that are not fuzzed."""
    broken: dict[str, int] | None = None
    """Promised property that it is known to break -> number of known ways to break it."""
    own: dict[str, int] | None = None
    """Property that it promises and some of its family do not -> number of known ways to break it."""
    unmeant: Unmeant | None = None
    """None if nothing was counted for the strategy."""


@dataclass(frozen=True, slots=True)
class ShardUsed:
    """A share of a run that is divided among machines: `--shard INDEX/N`."""

    index: int
    """1-based."""
    n: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The inputs and totals of a run."""

    argv: list[str]
    seed: int
    corpora: list[CorpusUsed]
    strategies: list[StrategyUsed]
    timeout_s: float
    plan: str
    """Hash of everything that determines the outcomes; a run is resumed only under the same plan."""
    created: str
    """ISO 8601, UTC."""
    machine: dict[str, Any] = field(default_factory=dict)
    git_commit: str | None = None
    corpus_fingerprint: str | None = None
    """Hash of the samples, independent of file format and order; None until the run is finished."""
    n_samples: int = 0
    """Samples that were run, without those left out or malformed."""
    n_left_out: int = 0
    """Samples in formats that no chosen strategy takes."""
    n_bad: int = 0
    """Malformed samples, skipped on request."""
    n_shards: int = 0
    """Number of parts: one for each segment of the corpora."""
    shard: ShardUsed | None = None
    """None for a whole run; `plan` and `corpora` of a shard describe the whole run."""
    finished: str | None = None
    """ISO 8601, UTC; None while the run is incomplete."""
    wall_ns: int = 0
    """Nanoseconds from start to end, summed over resumptions."""
    strategy_ns: int = 0
    """Nanoseconds; the sum of all latencies."""
    night_number: int | None = None
    """Its number among the nights of its history, in the order of addition; None outside of a history."""
    schema_version: int = SCHEMA_VERSION


def command_spec(manifest: Manifest, strategy: str) -> str | None:
    """The argument `cmd:NAME=COMMAND` of the strategy `cmd/NAME`; None if it is not known.

    The command is for display only: running it without asking would let a run folder choose a program.
    """
    start = f"cmd:{strategy.removeprefix('cmd/')}"
    found = (word for word in manifest.argv if word.startswith((f"{start}=", f"{start}[")))
    return next(found, None) if strategy.startswith("cmd/") else None


def write_atomically(path: Path, data: bytes, *, durably: bool = True) -> None:
    """Write a file whole or not at all: a temporary file beside it, synced to disk if `durably`, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(path)
    try:
        with naming(path), temporary.open("xb") as file:
            file.write(data)
            if durably:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def encoded(manifest: Manifest) -> bytes:
    return json.dumps(asdict(manifest), indent=2, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_atomically(folder / MANIFEST, encoded(manifest))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. Raises UsageError if it is missing, damaged or of a later version."""
    path = folder / MANIFEST
    if _URL.match(str(folder)):
        raise UsageError(f"{folder} is a URL", "Fetch it first, into a folder: editgauge merge URL -o DIR.")
    try:
        raw = json.loads(path.read_bytes())
        _refuse_later_version(path, raw)
        manifest = msgspec.convert(raw, Manifest)
        if not _PLAN.fullmatch(manifest.plan):
            raise ValueError(f"its plan {quoted(manifest.plan)} is no hash")
        return manifest
    except (FileNotFoundError, NotADirectoryError):
        why = f"it has no {MANIFEST}" if folder.exists() else "there is nothing of that name"
        raise UsageError(
            f"{folder} is not a run folder: {why}", "Name the folder that `editgauge run` printed."
        ) from None
    except (OSError, ValueError, OverflowError, RecursionError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "Run again with -o and a new folder.") from error


def _refuse_later_version(path: Path, raw: Any) -> None:
    """Check before converting: the error about another field of a later version would hide the cause."""
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise UsageError(
            f"{path} has schema version {version}; this editgauge reads up to {SCHEMA_VERSION}",
            "Upgrade editgauge, or use the version that wrote the run.",
        )
