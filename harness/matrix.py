"""Results for the matrix: a run of the suite under strategies, turned into one result for each."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping, Sequence

from corpora.defects import defects
from corpora.edition import NUMBERS
from editcore.agents import AGENTS, AgentRule
from harness.defects import is_had_by, outcomes_of
from harness.progress import Report, no_report
from harness.strategies.strategy import Strategy
from reports.matrix.result import DATE, LETTERS, UNASKED, Result, result
from reports.runs.rows import Damage, Outcome

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
