"""Count what every built-in strategy writes that was not meant: `make oracle`, or `make oracle RUNS=N` draws.

One kind of damage, two and three kinds at once, and contradictions are each drawn so often.

The counts are of one seed and so the same on every machine; they ship, and the page and docs/study.md show them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from corpora.generation.recipes import KINDS
from harness.fuzz.drills.oracle import counts
from harness.fuzz.engine.known import COUNTED
from harness.fuzz.targets.intents import asked_of
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy
from reports.runs.manifest import Unmeant


def main(runs: int) -> None:
    """Write the counts of so many draws."""
    chosen = [one for one in strategies().values() if one.origin == "editgauge" and _is_asked(one)]
    intents, slips, contradictions = (counts(chosen, kind, runs=runs) for kind in KINDS if kind != "stale")
    lines = []
    for one in chosen:
        meant, contradicted = (
            [found[one.name] for found in (intents, slips) if one.name in found],
            contradictions[one.name],
        )
        n_meant, n_wrong = sum(found.n for found in meant), sum(found.n_wrong for found in meant)
        found = Unmeant(n_meant, n_wrong, contradicted.n, contradicted.n_applied)
        lines.append(json.dumps({"strategy": one.name, **asdict(found)}))
    COUNTED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _is_asked(one: Strategy) -> bool:
    return any(kind == "intent" for kind, _ in asked_of(one))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
