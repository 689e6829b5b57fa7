"""Nights in a row: every night's run, and which of them the next one is compared with.

    HISTORY/
      nights/night=2026-11-22T030000Z-1a2b3c/     a run folder, its parts joined into one file of each kind
        gate.json                                 what the night was compared with, and why it failed
        report.html, summary.md, junit.xml, ...   what was said of it
      accepted.jsonl                              which night became the baseline when, and why; the last one is it
      tonight/                                    the run that is under way

The files are plain Parquet in folders that name the night, so that duckdb and pandas read them as they are.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count, takewhile
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from editcore.errors import UsageError
from reports.compare.gate import Failure
from reports.runs.manifest import Manifest, read_manifest, write_atomically, write_manifest
from reports.runs.partial_parts import metadata_totals
from reports.runs.parts import part_metadata, part_path, part_table, parts_done
from reports.runs.rows import KINDS

NIGHT = "night="
"""Before a night's name, as partitions of a table are named."""
_PART = "all"
_ROW_GROUP = 100_000
"""Rows at a time of a night's file: few enough to be skipped by their ids."""
_ENOUGH = 32 << 20
"""Bytes at a time, since the texts of wrong edits may be long."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A night was made the baseline."""

    night: str
    accepted: str
    """When; ISO 8601, UTC."""
    why: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What the gate said of a night."""

    baseline: str | None
    """What it was compared with; absent for the first."""
    failures: tuple[Failure, ...] = ()
    not_comparable: str | None = None
    """Why it could not be compared with the baseline."""


class History:
    """The nights in a folder, which need not be there yet. Raises UsageError for a folder that is something else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists() and not (folder / "nights").is_dir() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} holds no history of nights", "Name an empty or a new folder with --history.")

    def make(self) -> Path:
        """Make the folder, if need be; where in it a night's run is to be made."""
        try:
            (self.folder / "nights").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be made: {error.strerror}", "Name another --history.") from None
        return self.folder / "tonight"

    def nights(self) -> list[str]:
        """The names of the nights, the first one first."""
        found = (path.parent.name.removeprefix(NIGHT) for path in self.folder.glob(f"nights/{NIGHT}*/manifest.json"))
        return sorted(found)

    def night(self, name: str) -> Path:
        """The run folder of a night. Raises UsageError where there is none of that name."""
        found = self.folder / "nights" / f"{NIGHT}{name.removeprefix(NIGHT)}"
        if not (found / "manifest.json").is_file():
            last = self.nights()[-3:]
            raise UsageError(
                f"{self.folder} has no night {name!r}", f"The last ones: {', '.join(last)}." if last else "It is empty."
            )
        return found

    # The baseline

    def acceptances(self) -> list[Accepted]:
        """Every night that was made the baseline, in order of time."""
        path = self.folder / "accepted.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found += [msgspec.convert(json.loads(line), Accepted)] if line.strip() else []
            except (ValueError, msgspec.ValidationError) as error:
                raise UsageError(
                    f"Line {number} of {path} cannot be read: {error}", "Mend or remove it; each line is one night."
                ) from None
        return found

    def baseline(self) -> Accepted | None:
        """The night that is compared with; None where none was accepted yet."""
        accepted = self.acceptances()
        return accepted[-1] if accepted else None

    def accept(self, night: str, why: str) -> Accepted:
        """Make a night the baseline."""
        self.night(night)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        accepted = Accepted(night, now, why)
        lines = [*self.acceptances(), accepted]
        text = "".join(json.dumps(asdict(line)) + "\n" for line in lines)
        write_atomically(self.folder / "accepted.jsonl", text.encode())
        return accepted

    # Nights

    def add(self, run: Path) -> str:
        """Add a finished run as a night; its name. The run stays where it is. Raises UsageError where it is there."""
        manifest = read_manifest(run)
        if manifest.finished is None:
            raise UsageError(f"{run} is not finished", "Go on with --resume.")
        known = self.added(run)
        if known:
            raise UsageError(f"{self.folder} has that run already, as the night {known}", "A run is one night.")
        nights = self.nights()
        name = next(name for name in _names(manifest) if name not in nights)
        place = self.folder / "nights" / f"{NIGHT}{name}"
        growing = place.with_name(f".{place.name}.{os.getpid()}.tmp")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            for torn in place.parent.glob(f".{place.name}.*.tmp"):
                shutil.rmtree(torn)
            _join(run, growing)
            write_manifest(growing, replace(manifest, n_shards=1))
            # A folder without a manifest is what a killed process left of an earlier try.
            shutil.rmtree(place, ignore_errors=True)
            growing.rename(place)
        except OSError as error:
            raise UsageError(f"{place} cannot be written: {error.strerror or error}", "Is there room for it?") from None
        finally:
            shutil.rmtree(growing, ignore_errors=True)
        return name

    def added(self, run: Path) -> str | None:
        """The night that the run has been added as; None where it has not."""
        manifest, nights = read_manifest(run), self.nights()
        named = takewhile(nights.__contains__, _names(manifest))
        return next((name for name in named if _is_same(read_manifest(self.night(name)), manifest)), None)

    def remove_leftovers(self, night: str) -> None:
        """Remove what whoever was killed at writing of this night left half written. Only for who adds nights."""
        for torn in (*self.folder.glob(".accepted.jsonl.*.tmp"), *self.night(night).rglob(".*.tmp")):
            torn.unlink(missing_ok=True)

    def judge(self, night: str, judged: Judged) -> None:
        """Note what the gate said."""
        text = json.dumps({"schema_version": 1, **asdict(judged)}, indent=2)
        write_atomically(self.night(night) / "gate.json", text.encode("utf-8", "backslashreplace") + b"\n")

    def judged(self, night: str) -> Judged | None:
        """What the gate said of a night; None where it was added by hand."""
        path = self.night(night) / "gate.json"
        if not path.exists():
            return None
        try:
            return msgspec.convert(json.loads(path.read_bytes()), Judged)
        except (ValueError, msgspec.ValidationError) as error:
            raise UsageError(f"{path} cannot be read: {error}", "Remove it; the night stays.") from None


def _names(manifest: Manifest) -> Iterator[str]:
    """When the run was begun, and what was planned: sorts by time. A number follows where another run has both."""
    begun = datetime.datetime.fromisoformat(manifest.created).astimezone(datetime.UTC)
    first = f"{begun:%Y-%m-%dT%H%M%SZ}-{manifest.plan[:6]}"
    yield first
    for number in count(2):
        yield f"{first}-{number}"


def _is_same(one: Manifest, other: Manifest) -> bool:
    """Whether both are of one run, resumed or not: no two take the same time, to the nanosecond."""
    return (one.created, one.plan, one.strategy_ns) == (other.created, other.plan, other.strategy_ns)


def _join(run: Path, folder: Path) -> None:
    """Write the parts of a run as one, in the order of their names."""
    parts = sorted(parts_done(run))
    for kind, schema in KINDS.items():
        path = part_path(folder, kind, _PART)
        path.parent.mkdir(parents=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            held: list[pa.Table] = []
            for part in parts:
                held.append(part_table(run, kind, part))
                if sum(one.num_rows for one in held) >= _ROW_GROUP or sum(one.nbytes for one in held) >= _ENOUGH:
                    _write(writer, held)
            _write(writer, held)
            if kind == "outcomes":
                writer.add_key_value_metadata(metadata_totals(part_metadata(run, part) for part in parts))


def _write(writer: pq.ParquetWriter, held: list[pa.Table]) -> None:
    if held:
        writer.write_table(pa.concat_tables(held).unify_dictionaries())
        held.clear()
