"""Count what every built-in strategy writes that was not meant: `make oracle`, or `make oracle RUNS=N` draws.

The counts are of one seed and so the same on every machine; they ship, and the page and docs/study.md show them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from harness.fuzz.drills.oracle import counts
from harness.fuzz.targets.intents import asked_of
from harness.fuzz.unmeant import COUNTED
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy
from reports.runs.manifest import Unmeant


def main(runs: int) -> None:
    """Write the counts of so many draws."""
    chosen = [one for one in strategies().values() if one.origin == "editgauge" and _is_asked(one)]
    intents, contradictions = counts(chosen, "intent", runs=runs), counts(chosen, "contradiction", runs=runs)
    lines = []
    for one in chosen:
        meant, contradicted = intents[one.name], contradictions[one.name]
        found = Unmeant(meant.n, meant.n_wrong, contradicted.n, contradicted.n_applied)
        lines.append(json.dumps({"strategy": one.name, **asdict(found)}))
    COUNTED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _is_asked(one: Strategy) -> bool:
    return any(kind == "intent" for kind, _ in asked_of(one))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
