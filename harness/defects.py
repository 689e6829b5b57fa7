"""Which named defects a strategy has: a run of the corpus `defects`; results of strategies for the matrix."""

from __future__ import annotations

import platform
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.defects import Defect, defects
from corpora.edition import NUMBERS
from corpora.load import DEFECTS
from editcore.agents import AGENTS, AgentRule
from harness.fuzz.engine.telling import shown, texts_of
from harness.progress import Report, no_report
from harness.run.plan import Request
from harness.run.runner import run
from harness.strategies.strategy import Strategy
from reports.matrix import DATE, LETTERS, UNASKED, Result, result
from reports.runs.rows import Damage, Outcome, Verdict, WrongEdit
from reports.runs.run_folder import RunFolder

_BY_ITSELF = ("replacer/", "tier/")
"""Families of single rungs: one that refuses leaves the edit to the next."""
_FAILED = (Verdict.CRASHED, Verdict.TIMED_OUT)
_SEES = ("tool/", "cmd/", "repair/")
"""Families that are told the text that the model saw."""


@dataclass(frozen=True, slots=True)
class StrategyDefects:
    """The defects of one strategy."""

    strategy: str
    tried: tuple[str, ...]
    """Ids of the defects whose format the strategy reads, in the order of the table."""
    found: Mapping[str, Outcome]
    """Id -> outcome, for each defect that the strategy has."""
    wrong_edits: Mapping[str, WrongEdit]
    """Id -> what was written, where it was something."""
    n_failed: int = 0
    """Calls that crashed or timed out: they say nothing about a defect."""
    error: str | None = None
    """What the first of them said."""


def defects_of(strategies: Sequence[Strategy], *, timeout_s: float = 5.0) -> list[StrategyDefects]:
    """The defects of each strategy, in their order. Takes a few seconds; starts worker processes."""
    outcomes, wrong = outcomes_of([DEFECTS], strategies, timeout_s=timeout_s)
    return [_of(one, outcomes[one.name], wrong) for one in strategies]


def outcomes_of(
    corpora: Sequence[str], strategies: Sequence[Strategy], *, timeout_s: float, report: Report = no_report
) -> tuple[dict[str, dict[str, Outcome]], dict[tuple[str, str], WrongEdit]]:
    """Strategy -> sample id -> outcome; (sample id, strategy) -> wrong edit. Takes a run, whose folder is deleted."""
    with tempfile.TemporaryDirectory(prefix="editgauge-outcomes-") as folder:
        n_workers = 1 if len(strategies) == 1 else None
        request = Request(
            corpora, strategies, Path(folder) / "run", timeout_s=timeout_s, n_repeated=0, n_workers=n_workers
        )
        finished = RunFolder(run(request, report=report))
        outcomes: dict[str, dict[str, Outcome]] = {one.name: {} for one in strategies}
        for row in finished.table("outcomes").to_pylist():
            outcomes[row["strategy"]][row["sample_id"]] = Outcome(**row)
        rows = finished.table("wrong_edits").to_pylist()
    return outcomes, {(row["sample_id"], row["strategy"]): WrongEdit(**row) for row in rows}


def _of(
    strategy: Strategy, outcomes: Mapping[str, Outcome], wrong: Mapping[tuple[str, str], WrongEdit]
) -> StrategyDefects:
    tried = [one for one in defects().values() if one.id in outcomes and _is_asked(strategy, one)]
    found = {one.id: outcomes[one.id] for one in tried if is_had_by(strategy, one, outcomes[one.id])}
    written = {id: wrong[id, strategy.name] for id in found if (id, strategy.name) in wrong}
    failed = [outcomes[one.id] for one in tried if outcomes[one.id].verdict in _FAILED]
    error = (failed[0].error or failed[0].verdict) if failed else None
    return StrategyDefects(strategy.name, tuple(one.id for one in tried), found, written, len(failed), error)


def _is_asked(strategy: Strategy, defect: Defect) -> bool:
    """True if the defect says something about the strategy: a rung alone may refuse, and some rules see one text."""
    if defect.harm == "refused" and strategy.name.startswith(_BY_ITSELF):
        return False
    return defect.sample.seen is None or strategy.only_stale or strategy.name.startswith(_SEES)


def is_had_by(strategy: Strategy, defect: Defect, outcome: Outcome | None) -> bool:
    """True if the outcome of the defect's sample shows the defect; False without one."""
    if outcome is None or not _is_asked(strategy, defect):
        return False
    return outcome.verdict == Verdict.WRONG_EDIT or (defect.harm == "refused" and outcome.verdict == Verdict.MISSED)


def lines_about(defect: Defect) -> Iterator[str]:
    """A defect as lines of text: what it is, what is right, and its input."""
    sample = defect.sample
    yield f"{defect.id} {defect.title}"
    yield f"  right: {defect.why}"
    if defect.report:
        yield f"  reported: {defect.report}"
    for title, text in texts_of(sample):
        yield from shown(title, text)
    if sample.target is None:
        yield "  the right answer: a refusal"
    for file in sample.target or ():
        yield from shown(f"{file.path}, the right answer", file.content)


# Results for the matrix: a run of the suite under strategies, turned into one result for each.

_PROGRAM = re.compile(r"(.*?) (?:since )?(\d.*|(?=[0-9a-f]*\d)[0-9a-f]{7,40})")
"""`Codex 0.77`, `Continue since 2026-03-24`, `OpenCode 03832cbd` -> program and version."""
_OURS = ("cascade/recommended", "cascade/exact", "begin_patch/lenient", "unified_diff/tolerant")
_CODEX = "begin_patch/codex"


def built_in(strategies: Sequence[Strategy]) -> dict[str, tuple[str, str, str]]:
    """Strategy -> program, version and date, of the rules of agents, of ours, and of Codex's newest."""
    found = {}
    for one in strategies:
        if one.agent and not _is_a_part(one.agent):
            match = _PROGRAM.fullmatch(one.agent.program)
            program, version = (match[1], match[2]) if match else (one.agent.program, "?")
            date = one.agent.source.date if one.agent.source else None
            found[one.name] = (program, version, date or (version if DATE.fullmatch(version) else ""))
        elif one.name in _OURS:
            found[one.name] = ("editgauge", one.version, "")
        elif one.name == _CODEX:
            found[one.name] = ("Codex", "0.169", "")
    return found


def _is_a_part(agent: AgentRule) -> bool:
    """True for a step alone, or another threshold, of an agent's rule: `aider_perfect` beside `aider`."""
    return any(
        agent.name.startswith(f"{other.name}_") and (agent.program, agent.format) == (other.program, other.format)
        for other in AGENTS.values()
    )


def results_of(
    strategies: Sequence[Strategy], described: Mapping[str, tuple[str, str, str]], *, timeout_s: float = 5.0,
    report: Report = no_report,
) -> list[Result]:  # fmt: skip
    """The result of each strategy; `described` has the program, version and date of each."""
    outcomes, _ = outcomes_of(list(NUMBERS), strategies, timeout_s=timeout_s, report=report)
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return [
        result(
            program=described[one.name][0], version=described[one.name][1], date=described[one.name][2],
            strategy=one.name, command=f"editgauge run {' '.join(NUMBERS)} -s {one.name}", machine=machine,
            letters={id: _letter(its) for id, its in outcomes[one.name].items()},
            had=tuple(id for id, defect in defects().items() if is_had_by(one, defect, outcomes[one.name].get(id))),
        )
        for one in strategies
    ]  # fmt: skip


def _letter(one: Outcome) -> str:
    return UNASKED if one.damage == Damage.UNASKED else LETTERS[one.verdict]
