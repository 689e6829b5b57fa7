"""A history: the runs of successive nights, and the baseline that the next one is compared with.

    HISTORY/
      nights/night=2026-11-22T030000Z-1a2b3c/     a run folder, its parts joined into one file of each kind
        gate.json                                 the baseline of the night, and why the gate failed
        report.html, summary.md, junit.xml, ...   reports of the night
      accepted.jsonl                              nights accepted as baseline, when and why; the last line is current
      tonight/                                    the run in progress

Nights are in the order in which they were added: each has a number in its manifest. Clocks go back, and a night from
the future would stand behind all that come after it.

The files are plain Parquet in folders named `night=...`, so duckdb and pandas read them directly.
"""

from __future__ import annotations

import datetime
import glob
import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpora.regular_file import temporary_beside
from editcore.errors import UsageError
from editcore.quoting import quoted
from reports.compare.gate import Failure
from reports.compare.latency import (
    MOST_NIGHTS,
    YARDSTICK,
    NightLevels,
    NightlyLatency,
    levels,
    nightly_latencies,
    strategy_of,
)
from reports.runs.manifest import (
    MANIFEST,
    NIGHT,
    Manifest,
    check_outside_runs,
    is_name,
    read_manifest,
    remove_leftover,
    write_atomically,
    write_manifest,
)
from reports.runs.merge import metadata_totals
from reports.runs.parts import part_path, part_table, parts_done
from reports.runs.rows import KINDS
from reports.runs.run_folder import RunFolder

_PART = "all"
_NAME = re.compile(r"([0-9TZ-]{18})-[^-]{0,6}(?:-([0-9]{1,9}))?")
"""A night's name: its start, its plan, and a number if others began in the same second."""
_ROW_GROUP = 100_000
"""Rows in a row group of a night's file. Queries for one sample id skip the row groups without it."""
_ROW_GROUP_BYTES = 32 << 20
"""Bytes in a row group, since the texts of wrong edits may be long."""
_BEGIN = "Run `editgauge nightly` first, or name another folder."


@dataclass(frozen=True, slots=True)
class Accepted:
    """A night that was accepted as baseline."""

    night: str
    accepted: str
    """Time of acceptance; ISO 8601, UTC."""
    why: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The gate's result for a night."""

    baseline: str | None
    """The night it was compared with; None for the first night."""
    failures: tuple[Failure, ...] = ()
    not_comparable: str | None = None
    """Why it could not be compared with the baseline."""
    levels: dict[str, float] | None = None
    """Strategy -> level of its latency, as `reports.compare.latency` defines it."""
    samples: dict[str, str] | None = None
    """Strategy -> mark of the samples of its level, from `reports.history.nights`."""
    rates: dict[str, tuple[list[float] | None, list[float] | None]] | None = None
    """Strategy -> match rate and wrong rate, each (value, low, high, n), or None over no samples: they are read on
    later nights, which so need not read the outcomes of this one."""

    @property
    def is_comparable(self) -> bool:
        """True if the gate compared the night with a baseline."""
        return bool(self.baseline and not self.not_comparable)

    def messages(self, strategy: str) -> list[str]:
        """The reasons why the gate failed for a strategy."""
        return [one.message for one in self.failures if one.strategy == strategy]


def is_history(folder: Path) -> bool:
    """True if the folder is a history, and not a run."""
    return (folder / "nights").is_dir() and not (folder / MANIFEST).exists()


class History:
    """The nights in a folder, which may not exist yet. Raises UsageError for a folder with other contents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers: dict[str, int] = {}
        if folder.exists() and not (folder / "nights").is_dir() and (not folder.is_dir() or any(folder.iterdir())):
            what = "a run, not a history of nights" if (folder / MANIFEST).is_file() else "not a history of nights"
            raise UsageError(
                f"{folder} is {what}",
                "Name the folder of `editgauge nightly --history`; for a first night, an empty or a new one.",
            )

    def make(self) -> Path:
        """Create the folder if needed, and return the path for tonight's run."""
        if not self.folder.exists():
            check_outside_runs(self.folder)
        try:
            (self.folder / "nights").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be created: {error.strerror}", "Name another --history.") from None
        return self.folder / "tonight"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Only this process adds or accepts nights in the block. Raises UsageError while another one does."""
        import filelock  # Importing it takes a tenth of a second.

        try:
            with filelock.FileLock(self.folder / ".lock").acquire(blocking=False):
                yield
        except filelock.Timeout:
            raise UsageError(
                f"A night is running in {self.folder}", "Wait for it to end, or name another folder with --history."
            ) from None

    def nights(self) -> list[str]:
        """The names of the nights, in the order of their addition."""
        found = (path.parent.name for path in self.folder.glob(f"nights/{NIGHT}*/manifest.json"))
        return sorted((name.removeprefix(NIGHT) for name in found), key=lambda one: (self._number(one), _by_clock(one)))

    def _number(self, name: str) -> int:
        """The number of a night. A night of an earlier version has 0: such nights go first, by their clock."""
        if name not in self._numbers:
            try:
                number = read_manifest(self.folder / "nights" / f"{NIGHT}{name}").night_number or 0
            except UsageError:
                number = 0  # Whoever reads this night says what is wrong with it.
            self._numbers[name] = number
        return self._numbers[name]

    def later_by_clock(self, night: str) -> str | None:
        """The baseline or the preceding night, if it began later than this night by its clock."""
        names = self.nights()
        before = names[: names.index(night)]
        baseline = self.baseline()
        begun = _by_clock(night)[0]
        near = [one for one in before if one == before[-1] or (baseline and one == baseline.night)]
        return next((one for one in near if _by_clock(one)[0] > begun), None)

    def night(self, name: str) -> Path:
        """The run folder of a night. Raises UsageError for an unknown name."""
        name = name.removeprefix(NIGHT)
        found = self.folder / "nights" / f"{NIGHT}{name}"
        if not is_name(NIGHT + name) or not (found / "manifest.json").is_file():
            last = self.nights()[-3:]
            raise UsageError(
                f"{self.folder} has no night {quoted(name)}",
                f"The last ones: {', '.join(last)}." if last else f"It has none yet. {_BEGIN}",
            )
        return found

    def run(self, night: str) -> RunFolder:
        return RunFolder(self.night(night))

    def check_begun(self) -> None:
        """Raise UsageError if there is no night yet."""
        if not self.nights():
            raise UsageError(f"{self.folder} has no nights", _BEGIN)

    # The baseline

    def acceptances(self) -> list[Accepted]:
        """The nights that were accepted as baseline, in order of time."""
        path = self.folder / "accepted.jsonl"
        try:
            lines = path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read: {error}", "Repair it; each line is one night.") from None
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found += [msgspec.convert(json.loads(line), Accepted)] if line.strip() else []
            except (ValueError, msgspec.ValidationError) as error:
                raise UsageError(
                    f"Line {number} of {path} cannot be read: {error}", "Repair or remove it; each line is one night."
                ) from None
        return found

    def baseline(self) -> Accepted | None:
        """The current baseline; None if no night was accepted yet."""
        accepted = self.acceptances()
        return accepted[-1] if accepted else None

    def accept(self, night: str, why: str) -> Accepted:
        """Make a night the baseline. Raises UsageError for an unknown name."""
        self.night(night)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        accepted = Accepted(night, now, why)
        lines = [*self.acceptances(), accepted]
        text = "".join(json.dumps(asdict(line)) + "\n" for line in lines)
        write_atomically(self.folder / "accepted.jsonl", text.encode())
        return accepted

    # Nights

    def add(self, run: Path) -> str:
        """Copy a finished run into the history and return the night's name.

        Raises UsageError if the run is not finished or already in the history.
        """
        manifest = read_manifest(run)
        if manifest.finished is None:
            raise UsageError(f"{run} is not finished", "Resume it with --resume.")
        known = self.added(run)
        if known:
            raise UsageError(f"{self.folder} already has that run, as night {known}", "Add each run once.")
        nights = self.nights()
        name = _name(manifest, nights)
        place = self.folder / "nights" / f"{NIGHT}{name}"
        growing = temporary_beside(place)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            for torn in place.parent.glob(f".{glob.escape(place.name)}.*.tmp"):
                remove_leftover(torn)
            growing.mkdir()
            try:
                _join(run, growing)
                number = max(map(self._number, nights), default=0) + 1
                write_manifest(growing, replace(manifest, n_shards=1, night_number=number))
                remove_leftover(place)  # A folder without a manifest is left over from a process that was killed.
                growing.rename(place)
            finally:
                with suppress(OSError, UsageError):
                    remove_leftover(growing)
        except OSError as error:
            raise UsageError(f"{place} cannot be written: {error.strerror or error}", "Is there room for it?") from None
        return name

    def added(self, run: Path) -> str | None:
        """The name of the night that the run was added as; None if it was not."""
        manifest = read_manifest(run)
        begun = _second(manifest)
        same = [name for name in self.nights() if _by_clock(name)[0] == begun]
        return next((name for name in same if _is_same(read_manifest(self.night(name)), manifest)), None)

    def remove_leftovers(self, night: str) -> None:
        """Remove temporary files of killed processes that wrote this night. Call it with the history's lock held."""
        for torn in (*self.folder.glob(".accepted.jsonl.*.tmp"), *self.night(night).rglob(".*.tmp")):
            torn.unlink(missing_ok=True)

    def judge(self, night: str, judged: Judged) -> None:
        text = json.dumps({"schema_version": 1, **asdict(judged)}, indent=2)
        write_atomically(self.night(night) / "gate.json", text.encode("utf-8", "backslashreplace") + b"\n")

    def judged(self, night: str) -> Judged | None:
        """The gate's result for a night; None if the night was added by hand."""
        path = self.night(night) / "gate.json"
        try:
            return msgspec.convert(json.loads(path.read_bytes()), Judged)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError, msgspec.ValidationError) as error:
            raise UsageError(f"{path} cannot be read: {error}", "Remove it; the night stays.") from None


def _name(manifest: Manifest, nights: Collection[str]) -> str:
    """The name for a run: its start and plan, and a number if other nights began in the same second."""
    second = _second(manifest)
    same = [number for begun, number, _ in map(_by_clock, nights) if begun == second]
    return f"{second}-{manifest.plan[:6]}" + (f"-{max(same) + 1}" if same else "")


def _second(manifest: Manifest) -> str:
    """The start of a run, as in the names of nights."""
    try:
        begun = datetime.datetime.fromisoformat(manifest.created).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"The run's manifest.json has {quoted(manifest.created)} as its time, which is none", "Run again."
        ) from None
    return f"{begun:%Y-%m-%dT%H%M%SZ}"


def _by_clock(name: str) -> tuple[str, int, str]:
    """The start of a night, its number among nights that began in the same second, and its name."""
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2] or 1), name) if found else (name, 1, name)


def _is_same(one: Manifest, other: Manifest) -> bool:
    """True if both manifests are of one run: no two runs have the same total latency to the nanosecond."""
    return (one.created, one.plan, one.strategy_ns) == (other.created, other.plan, other.strategy_ns)


def _join(run: Path, folder: Path) -> None:
    """Write the parts of a run as one part, in the order of their names."""
    parts = sorted(parts_done(run))
    for kind, schema in KINDS.items():
        path = part_path(folder, kind, _PART)
        path.parent.mkdir(parents=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            held: list[pa.Table] = []
            for part in parts:
                held.append(part_table(run, kind, part))
                if (
                    sum(one.num_rows for one in held) >= _ROW_GROUP
                    or sum(one.nbytes for one in held) >= _ROW_GROUP_BYTES
                ):
                    _write(writer, held)
            _write(writer, held)
            if kind == "outcomes":
                writer.add_key_value_metadata(metadata_totals((run, part) for part in parts))


def _write(writer: pq.ParquetWriter, held: list[pa.Table]) -> None:
    if held:
        writer.write_table(pa.concat_tables(held).unify_dictionaries())
        held.clear()


# The levels of latency of a history's nights, which `reports.compare.latency` judges.


def latencies_of(history: History, night: str, baseline: str, tolerance: float) -> list[NightlyLatency]:
    """The latencies of a night that is compared with a baseline, against earlier nights.

    A strategy is judged by the nights on which it and the yardstick ran on the same samples as tonight: strategies of
    other formats may come and go, and their samples with them.
    """
    run = history.run(night)
    fingerprint, tonight = run.manifest.corpus_fingerprint, sample_marks(run)
    nights = history.nights()
    before = nights[: nights.index(night)]
    # The baseline may be long ago.
    looked_at = [one for one in before if one == baseline or one in before[-MOST_NIGHTS:]]
    known = []
    for one in looked_at:
        judged, found = history.judged(one), levels_of(history, one)
        if history.run(one).manifest.corpus_fingerprint != fingerprint:
            marks = sample_marks(history.run(one)) if judged is None or judged.samples is None else judged.samples
            alike = {name for name, mark in tonight.items() if marks.get(name) == mark}
            found = {name: level for name, level in found.items() if strategy_of(name) in alike}
        known.append(NightLevels(baseline if one == baseline else (judged and judged.baseline) or one, found))
    return nightly_latencies([*known, NightLevels(baseline, levels_of(history, night))], tolerance)


def sample_marks(run: RunFolder) -> dict[str, str]:
    """Strategy -> a mark of the samples that it and the yardstick ran on; empty without fingerprints."""
    samples = run.frame("samples", "sample_id", "fingerprint").dropna().drop_duplicates("sample_id")
    rows = run.frame("outcomes", "sample_id", "strategy").merge(samples, on="sample_id")
    of_each = {
        str(name): rows["fingerprint"].to_numpy(np.uint64) for name, rows in rows.groupby("strategy", observed=True)
    }
    of_yardstick = of_each.get(YARDSTICK, np.zeros(0, np.uint64)).sum()
    return {name: f"{found.sum():016x}-{of_yardstick:016x}" for name, found in of_each.items()}


def levels_of(history: History, night: str) -> dict[str, float]:
    """The levels of a night: as recorded with the gate's result, else counted from its outcomes."""
    judged = history.judged(night)
    recorded = judged.levels if judged else None
    return levels(history.run(night)) if recorded is None else recorded
