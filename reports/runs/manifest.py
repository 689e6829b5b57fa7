"""The layout of a run folder, its manifest, and the check of its contents before anything in it is removed.

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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from corpora.regular_file import naming, temporary_beside
from editcore.errors import UsageError
from editcore.quoting import quoted, shown
from reports.runs.rows import KINDS

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


# The files that a run writes into its folder: the check before a run is resumed, replaced or removed.
#
# A folder may hold files of somebody else, or be no run at all: nothing is removed that no run writes.

_PART = re.compile(r"part-.+\.parquet|\.part-.+\.tmp", re.DOTALL)
_STUDIES = r"orderings|sweep-\w+-\w+"
"""Names of the plots of `orderings` and `sweep`."""
_INSIDE: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(KINDS, _PART),
    STDERR: re.compile(r".+\.log", re.DOTALL),
    SPOOL: re.compile(r".+", re.DOTALL),
    PLOTS: re.compile(rf"(rates|latencies|decisions|{_STUDIES})\.(svg|png)|\..+\.tmp", re.ASCII),
}
"""Folder of a run folder -> pattern of the names of its files."""
FOLDERS = frozenset(_INSIDE)
"""The folders in a run folder."""
_TORN = r"\.\d+(?:\.[0-9a-f]{8})?\.tmp"
"""The end of the name of a temporary file, which a killed process may leave."""
_TORN_MANIFEST = re.compile(rf"\.manifest\.json{_TORN}", re.ASCII)
ANSWER = "answer.json"
"""The file with what `editgauge answer` says of a run."""
_FILES = re.compile(
    rf"(?:\.(?:answer\.json|manifest\.json|report\.html){_TORN}|answer\.json|manifest\.json|report\.html)|{re.escape(LOCK)}"
    rf"|({_STUDIES})\.(svg|png)",  # Where earlier versions drew them.
    re.ASCII,
)
MAIN = frozenset({*KINDS, STDERR, SPOOL, MANIFEST, LOCK})
"""Files and folders that a run writes; all others belong to the pages of its report."""


class Entry(NamedTuple):
    """A file, a folder or something else in a run folder."""

    name: str
    """Relative to the run folder, with `/`."""
    is_folder: bool
    is_file: bool
    """True for a regular file. A link is neither a file nor a folder."""


NIGHT = "night="
"""Prefix of a night's folder: Hive partitioning, which duckdb and pandas turn into a column."""


def is_name(name: str) -> bool:
    """True if the name is one component of a path: no separator, not `.` or `..`, and short enough for a file."""
    return (
        name not in ("", ".", "..")
        and not set(name) & {"/", os.sep, "\0"}
        and len(name.encode("utf-8", "surrogatepass")) < 256
    )


def foreign_entry(entries: Iterable[Entry]) -> str | None:
    """The first entry that no run and no report writes; None if there is none."""
    for entry in entries:
        folder, _, name = entry.name.partition("/")
        if not name:
            expected = entry.is_folder if folder in _INSIDE else entry.is_file and bool(_FILES.fullmatch(folder))
        else:
            expected = entry.is_file and folder in _INSIDE and bool(_INSIDE[folder].fullmatch(name))
        if not expected:
            return entry.name
    return None


def entries(folder: Path) -> Iterator[Entry]:
    """The entries of a folder and of the folders of a run in it, by name. Links are not followed."""
    for entry in _scanned(folder, ""):
        yield entry
        if entry.is_folder and entry.name in _INSIDE:
            yield from _scanned(folder / entry.name, f"{entry.name}/")


def _scanned(folder: Path, prefix: str) -> list[Entry]:
    with os.scandir(folder) as found:
        return sorted(
            Entry(prefix + one.name, one.is_dir(follow_symlinks=False), one.is_file(follow_symlinks=False))
            for one in found
        )


def check_unused(folder: Path) -> None:
    """Raise UsageError unless the folder is missing, empty, or left by a run that was killed at its start."""
    if not folder.exists():
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link that leads nowhere", "Name another folder with -o.")
        return
    if not folder.is_dir() or any(not _is_leftover(folder, entry) for entry in entries(folder)):
        raise UsageError(f"{folder} is neither empty nor a run folder", "Name another folder with -o.")


def _is_leftover(folder: Path, entry: Entry) -> bool:
    """True for a partly written manifest, or an empty lock file: other programs have `.lock` files too."""
    if entry.name == LOCK:
        return entry.is_file and not (folder / LOCK).stat().st_size
    return entry.is_file and bool(_TORN_MANIFEST.fullmatch(entry.name))


def check_outside_runs(out: Path) -> None:
    """Raise UsageError if an output would lie in a run folder, unless it is a page of its report.

    A folder with anything else in it could not be replaced any more, and a part of a run must not be overwritten.
    """
    place = out.parent.resolve() / out.name
    for folder in place.parents:
        if (folder / MANIFEST).exists() and _is_taken(folder, place.relative_to(folder).as_posix()):
            raise UsageError(f"{out} would be a part of the run {folder}", "Name another place with -o.")


def _is_taken(folder: Path, name: str) -> bool:
    """True if a file of that name would be in the way of the run in the folder."""
    if name.partition("/")[0] in MAIN:
        return True
    with suppress(UsageError):  # Other programs have a manifest.json too.
        read_manifest(folder)
        return foreign_entry([Entry(name, is_folder=False, is_file=True)]) is not None
    return False


def check_run(folder: Path) -> Manifest:
    """The manifest of a folder that holds a run and nothing else. Raises UsageError for any other folder."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, so it is not replaced", "Name the folder it leads to.")
    refuse_foreign(str(folder), entries(folder))
    return read_manifest(folder)


def refuse_foreign(place: str, found: Iterable[Entry]) -> None:
    """Raise UsageError if a run folder has an entry that no run writes."""
    foreign = foreign_entry(found)
    if foreign is not None:
        raise UsageError(
            f"{place} holds {shown(foreign)}, which no run writes, so it is not removed",
            "Move that away, or name another folder with -o.",
        )


def empty_run(folder: Path) -> None:
    """Remove a run from its folder, whose lock this process has; the lock stays.

    Raises UsageError, with nothing removed, unless the folder holds a run and nothing else. An interruption leaves an
    unfinished run, which can be resumed or removed.
    """
    write_manifest(folder, replace(check_run(folder), finished=None))
    _remove(folder, keep=(MANIFEST, LOCK))
    (folder / MANIFEST).unlink()


def remove_leftover(folder: Path) -> None:
    """Remove the folder of a run, whose parts may be missing, if it exists; its manifest goes first.

    Raises UsageError, with nothing removed, if it holds anything that no run writes.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder", "Move it away: nightly runs write there.")
    if not folder.exists():
        return
    refuse_foreign(str(folder), entries(folder))
    (folder / MANIFEST).unlink(missing_ok=True)
    _remove(folder)
    folder.rmdir()


def _remove(folder: Path, *, keep: Sequence[str] = ()) -> None:
    """Remove the files of a run and its empty folders, one by one: never a whole tree."""
    found = list(entries(folder))
    for entry in found:
        if entry.is_file and entry.name not in keep:
            (folder / entry.name).unlink(missing_ok=True)
    for entry in found:
        if entry.is_folder:
            (folder / entry.name).rmdir()
