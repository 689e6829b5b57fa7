"""The record of fuzzing: a line for each night, with coverage and new findings, and a list of the reported findings.

    FUZZ/
      nights.jsonl                 one line for each night
      findings/ID.jsonl, ID.txt    findings, written as soon as they are found
      told.txt                     the ids of reported findings, one a line

A finding is known once it was reported. A campaign that was killed leaves findings that nobody heard of: they are new
to the next campaign, and to the next night.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgspec

from editcore.errors import UsageError
from editcore.quoting import markdown_code, markdown_prose
from reports.runs.manifest import write_atomically
from reports.wording import counted

NIGHTS, TOLD = "nights.jsonl", "told.txt"


@dataclass(frozen=True, slots=True)
class NewFinding:
    """An input that breaks a property in a new way."""

    id: str
    """The name of its files in findings/."""
    property: str
    path: str
    """The decision or code location that distinguishes it from other findings."""
    detail: str


@dataclass(frozen=True, slots=True)
class FuzzedTarget:
    """The results of one night for one fuzz target."""

    n_executions: int
    cpu_s: float
    n_edges: int | None = None
    """Edges covered; None for engines that do not measure coverage."""
    n_new_edges: int = 0
    """Edges that the night before did not cover."""
    n_inputs: int = 0
    n_known: int = 0
    """Known findings that occurred again."""
    new: Sequence[NewFinding] = ()
    failure: str | None = None
    """The reason why the target could not be fuzzed, or not far enough."""


@dataclass(frozen=True, slots=True)
class FuzzNight:
    night: int
    """1-based."""
    ended: str
    """UTC, ISO 8601."""
    targets: Mapping[str, FuzzedTarget] = field(default_factory=dict)

    @property
    def new(self) -> list[tuple[str, NewFinding]]:
        """(target, finding) of all new findings."""
        return [(name, finding) for name, target in self.targets.items() for finding in target.new]

    @property
    def failures(self) -> list[tuple[str, str]]:
        """(target, reason) of the targets that could not be fuzzed, or not far enough."""
        return [(name, target.failure) for name, target in self.targets.items() if target.failure]

    @property
    def fails(self) -> bool:
        """True if there is a new finding, a target could not be fuzzed, or nothing was fuzzed at all."""
        return bool(self.new or self.failures or not self.n_executions)

    @property
    def n_executions(self) -> int:
        return sum(target.n_executions for target in self.targets.values())


def fuzz_nights(folder: Path) -> list[FuzzNight]:
    """The nights recorded in a folder, oldest first. Raises UsageError for a damaged record."""
    path = folder / NIGHTS
    try:
        return [msgspec.json.decode(line, type=FuzzNight) for line in path.read_bytes().splitlines()]
    except FileNotFoundError:
        return []
    except (msgspec.DecodeError, ValueError, OSError, RecursionError) as error:
        raise UsageError(f"{path} is damaged: {error}", "Move it away; the corpus and the findings stay.") from None


def last_fuzz_night(folder: Path) -> FuzzNight:
    nights = fuzz_nights(folder)
    if not nights:
        raise UsageError(f"{folder} has no night of fuzzing", "Run `editgauge fuzz nightly -o DIR` first.")
    return nights[-1]


def append_night(folder: Path, night: FuzzNight) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one)) for one in (*fuzz_nights(folder), night)]
    write_atomically(folder / NIGHTS, ("\n".join(lines) + "\n").encode())


def told(folder: Path) -> set[str]:
    """The ids of the findings that were reported. Raises UsageError for a damaged record."""
    return _listed(folder) | {finding.id for night in fuzz_nights(folder) for _, finding in night.new}


def tell(folder: Path, ids: Collection[str]) -> None:
    listed = _listed(folder)
    if not listed.issuperset(ids):
        write_atomically(folder / TOLD, "".join(f"{one}\n" for one in sorted(listed.union(ids))).encode())


def _listed(folder: Path) -> set[str]:
    path = folder / TOLD
    try:
        return {*path.read_text(encoding="utf-8", errors="replace").splitlines()}
    except FileNotFoundError:
        return set()
    except (ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "Move it away: all findings are reported again.") from None


def fuzz_lines(night: FuzzNight) -> Iterator[str]:
    """The night in Markdown: a heading, the counts, and a line for each new finding and each failure."""
    yield f"### Fuzzing, night {night.night}"
    found = counted(len(night.new), "new finding")
    yield f"{night.n_executions:,} inputs over {len(night.targets)} targets: {found}."
    for name, finding in night.new:
        what = f"{markdown_code(name)} breaks {markdown_code(finding.property)}"
        yield f"- {what} ({markdown_prose(finding.path)}): {markdown_prose(finding.detail)}"
    for name, why in night.failures:
        yield f"- {markdown_code(name)} could not be fuzzed: {markdown_prose(why)}"
