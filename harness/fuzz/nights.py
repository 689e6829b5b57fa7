"""Nights of fuzzing: a budget over all targets, and what is carried from one night to the next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from editcore.errors import UsageError
from harness.fuzz.campaign import Progress
from harness.fuzz.target import Target
from harness.fuzz.targets import targets
from reports.runs import write_atomically

_STATE = "nights.jsonl"


@dataclass(frozen=True, slots=True)
class Tonight:
    """What is to be fuzzed in a night."""

    number: int
    """1 for the first; it moves the seed on, so that no night does what another did."""
    targets: Sequence[Target]
    """In the order in which they are worth their time: those that reached or found something lately go first."""


def tonight(folder: Path) -> Tonight:
    """The next night, by what lies in the folder."""
    nights = past(folder)
    last = nights[-1]["targets"] if nights else {}
    chosen = list(targets().values())
    chosen.sort(key=lambda target: -last.get(target.name, {}).get("n_new_edges", 0))
    return Tonight(len(nights) + 1, chosen)


def keep_night(folder: Path, night: Tonight, found: Sequence[Progress]) -> None:
    """Write down what a night did, below those before it."""
    nights = past(folder)
    before = nights[-1]["targets"] if nights else {}
    told = {
        one.target: {
            "n_executions": one.n_executions,
            "cpu_s": round(one.cpu_s, 3),
            "n_edges": one.n_edges,
            "n_new_edges": max((one.n_edges or 0) - (before.get(one.target, {}).get("n_edges") or 0), 0),
            "n_inputs": one.n_inputs,
            "new": [asdict(finding) for finding in one.found],
            "failure": one.failure,
        }
        for one in found
    }
    line = {"night": night.number, "ended": datetime.now(UTC).isoformat(timespec="seconds"), "targets": told}
    lines = [json.dumps(one) for one in (*nights, line)]
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / _STATE, ("\n".join(lines) + "\n").encode())


def past(folder: Path) -> list[dict[str, Any]]:
    """The nights so far, oldest first. Raises UsageError where the file that tells of them is damaged."""
    path = folder / _STATE
    if not path.exists():
        return []
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    except ValueError as error:
        raise UsageError(f"{path} is damaged: {error}", "Move it away; the corpus and the findings stay.") from None
