"""The text cases of `tests/cases/agents`: what each agent's rule does, its known failures above all.

A case is written as those of `tests/cases/replace` are. Its outcomes name the agents they hold for:

    --- result by STEP in AGENT, AGENT
    --- rejected REASON in AGENT

An edit of several steps has several pairs of `--- old` and `--- new`. An agent may have thresholds: `zed@share=0.9`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from editcore.agents import AGENTS, named_agent
from editcore.types import Applied, Edit, Reason
from tests.drawn import undrawn

CASES = Path(__file__).parents[2] / "cases" / "agents"
FILES = sorted(CASES.glob("*.txt"))
HEADING = re.compile(
    r"--- (?:(?P<text>content|old|new)|(?:result by (?P<step>\w+)|rejected (?P<reason>\w+)) in (?P<agents>[\w@=., ]+))"
)


@dataclass
class Case:
    content: str = ""
    olds: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    replace_all: bool = False
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Agent -> (step, content) or ("rejected", reason)."""

    @property
    def edits(self) -> list[Edit]:
        """The edits, in order."""
        return [Edit(old, new, self.replace_all) for old, new in zip(self.olds, self.news, strict=True)]


def read_case(text: str) -> Case:
    """The case that a file's text describes."""
    head, *sections = re.split(r"^(?=--- )", text, flags=re.MULTILINE)
    assert all(line.startswith("# ") for line in head.splitlines()), "neither a comment nor a heading"
    case = Case(replace_all="# replace_all" in head.splitlines())
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        if heading["text"] == "content":
            case.content = undrawn(lines, is_file=True)
        elif heading["text"]:
            (case.olds if heading["text"] == "old" else case.news).append(undrawn(lines, is_file=False))
        for agent in (heading["agents"] or "").replace(", ", "\n").split():
            assert agent not in case.outcomes, f"twice: {agent}"
            if heading["step"]:
                case.outcomes[agent] = heading["step"], undrawn(lines, is_file=True)
            else:
                assert lines == [], f"text under a refusal: {lines}"
                case.outcomes[agent] = "rejected", Reason(heading["reason"])
    assert case.outcomes, "has no outcome"
    return case


def outcomes() -> Iterator[tuple[str, str]]:
    """(file, agent) of every outcome."""
    for path in FILES:
        yield from ((path.name, agent) for agent in read_case(path.read_text("utf-8")).outcomes)


@pytest.mark.parametrize(("file", "agent"), list(outcomes()))
def test_agent(file: str, agent: str) -> None:
    case = read_case((CASES / file).read_text("utf-8"))
    result = named_agent(agent).apply_edits(case.content, case.edits)
    given = (result.replacer, result.content) if isinstance(result, Applied) else ("rejected", result.reason)
    assert given == case.outcomes[agent]


def test_every_agent_that_takes_edits_has_a_case() -> None:
    shown = {agent.partition("@")[0] for _, agent in outcomes()}
    assert shown == {agent.name for agent in AGENTS.values() if agent.format == "edits"}


def test_every_file_name_is_a_sentence() -> None:
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
