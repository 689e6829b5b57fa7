"""How other agents apply edits, as strategies `agent/NAME`; with other thresholds, `agent/NAME@THRESHOLD=VALUE`."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.sample import Sample
from editcore.agents import AGENTS, AgentRule, named_agent
from editcore.formats import EDIT_FORMATS
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.types import EditResult
from harness.strategies.strategy import BytesBy, Strategy, by_path

FAMILY = "agent"


def agent_strategies() -> Iterator[Strategy]:
    """Every rule of the table."""
    for name, agent in AGENTS.items():
        yield _strategy(f"{FAMILY}/{name}", agent)


def described_agent_strategy(name: str) -> Strategy | None:
    """The strategy that `agent/NAME@...` describes; None if it is no such description.

    Raises UsageError for an agent or threshold that does not exist.
    """
    family, _, member = name.partition("/")
    return _strategy(name, named_agent(member)) if family == FAMILY and AT in member else None


def _strategy(name: str, agent: AgentRule) -> Strategy:
    bytes_by: BytesBy = agent.on_bytes.habit if agent.on_bytes else "unknown"
    if agent.format == "edits":

        def apply(sample: Sample, _: Document | None) -> EditResult:
            return agent.apply_edits(sample.before[0].content, sample.edits or ())

        return Strategy(
            name, frozenset(EDIT_FORMATS), apply, agent.summary, agent.program, bytes_by=bytes_by, agent=agent
        )  # fmt: skip

    def apply_patch(sample: Sample, _: Document | None) -> EditResult:
        return agent.apply_patch(by_path(sample.before), sample.patch or "")

    return Strategy(
        name, frozenset({agent.format}), apply_patch, agent.summary, agent.program, reads="patch", bytes_by=bytes_by,
        agent=agent,
    )  # fmt: skip
