"""Edit calls of imported sessions by what became of them, the calls that never became an edit among them.

A model calls a tool that the agent does not have, misnames a field, nests the fields otherwise, or its arguments end in
the middle. The agent answers with an error, and no edit is left that a strategy could apply. A match rate that leaves
these calls out is a rate of the calls that arrived. An import writes the counts to a file beside its corpus, and a run
of the corpus reports them before its rates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from corpora.regular_file import content

OUTCOMES = {
    "applied": "an edit was made",
    "wrong_field": "a field is missing or unknown",
    "wrong_nesting": "a field has another type, or is in another place",
    "truncated_arguments": "the arguments end in the middle, or are not JSON",
    "invented_tool": "there is no such tool",
    "malformed": "the patch is not well formed",
    "unread": "the file had not been read",
    "stale": "the file had changed since it was read",
    "no_match": "the search text was not found",
    "ambiguous": "the search text was found several times",
    "same_text": "search text and new text are equal",
    "permission": "a person, a hook or a rule forbade it",
    "cancelled": "another call of the turn failed, or the turn ended",
    "unknown": "the log does not tell",
}
"""Each outcome of an edit call, in the order of tables, with its meaning."""
_BESIDE = ".calls.json"
_LARGEST_FILE = 16 << 20


class EditCalls(NamedTuple):
    """The edit calls that have all this in common."""

    outcome: str
    agent: str
    model: str
    month: str
    """`2026-07`; empty where the log has no time."""


@dataclass(slots=True)
class CallCounts:
    """The number of edit calls. A call that several logs have counts once."""

    counts: Counter[EditCalls] = field(default_factory=Counter)
    _known: dict[int, EditCalls] = field(default_factory=dict)

    def add(self, call: int, outcome: str, agent: str, model: str | None, time: float | None) -> None:
        """Count a call, given a hash that all its copies have, and its time in seconds since 1970."""
        month = "" if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m}"
        calls, known = EditCalls(outcome, agent, model or "", month), self._known.get(call)
        if known is None or (known.outcome == "unknown" != outcome):
            # A copy of a log may end before the call's result.
            self.counts -= Counter([known] if known else [])
            self.counts[calls] += 1
            self._known[call] = calls

    def by(self, *names: str) -> dict[tuple[str, ...], Counter[str]]:
        """Outcome -> number of calls, for each combination of these fields, the most frequent combination first."""
        found: dict[tuple[str, ...], Counter[str]] = {}
        for calls, n in self.counts.items():
            found.setdefault(tuple(getattr(calls, name) for name in names), Counter())[calls.outcome] += n
        return dict(sorted(found.items(), key=lambda one: (-one[1].total(), one[0])))

    def rows(self) -> list[dict[str, Any]]:
        """The counts as JSON objects, in order."""
        return [{**calls._asdict(), "n": n} for calls, n in sorted(self.counts.items())]

    def write_beside(self, corpus: Path) -> None:
        """Write the counts to the file beside a corpus."""
        document = {"schema_version": 1, "calls": self.rows()}
        corpus.with_name(corpus.name + _BESIDE).write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")


def counts_beside(corpora: Iterable[Path]) -> CallCounts:
    """The counts in the files beside some corpora; equal files count once. A file that cannot be read has none."""
    counts: Counter[EditCalls] = Counter()
    read = set[bytes]()
    for corpus in corpora:
        with suppress(OSError, ValueError, AttributeError, KeyError, TypeError, RecursionError):
            data = content(corpus.with_name(corpus.name + _BESIDE), _LARGEST_FILE)
            rows = [] if data in read else json.loads(data)["calls"]
            mine: Counter[EditCalls] = Counter()
            for row in rows:
                mine[EditCalls(*(str(row.get(name, "")) for name in EditCalls._fields))] += int(row["n"])
            counts.update(mine)
            read.add(data)
    return CallCounts(counts)


def outcomes_beside(corpus: Path) -> dict[str, int]:
    """Outcome -> number of calls, by the file beside a corpus. Empty if there is no such file, or another one."""
    counts = counts_beside([corpus]).by().get((), Counter())
    return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome] > 0}


def calls_sentence(counts: Mapping[str, int]) -> str:
    """The calls that never became an edit, in a sentence. Empty without calls."""
    n = sum(counts.values())
    lost = Counter({outcome: of_it for outcome, of_it in counts.items() if outcome not in ("applied", "unknown")})
    if not n:
        return ""
    named = ", ".join(f"{of_it:,} {outcome}" for outcome, of_it in lost.most_common())
    share = f"{lost.total():,} ({100 * lost.total() / n:.1f} %) made no edit"
    return f"Of {n:,} edit calls in the logs, {share}{': ' * bool(named)}{named}."
