"""The table of agents: names, thresholds, what is known of each rule, refusals."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, note

from editcore import agents
from editcore.agents import AGENTS, named_agent
from editcore.agents.matching import STEPS, Work
from editcore.agents.rule import Evidence, Policy
from editcore.errors import PatchError, UsageError
from editcore.types import Applied, Edit, Reason, Rejected
from tests.properties.generators import anything, contents_and_finds, contents_and_finds_of_blocks
from tests.results import refused

BY_EDITS = [agent for agent in AGENTS.values() if agent.format == "edits"]
_TEXT = "def total(basket):\n    amount = 0\n    for item in basket:\n        amount += item.price\n    return amount\n"

_ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n-    amount = 0\n*** End Patch\n"


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
def test_the_table_says_what_is_known_of_each_rule(agent) -> None:
    assert agent.evidence in get_args(Evidence)
    assert agent.policy in get_args(Policy)
    assert agent.failures
    for said in (agent.summary, agent.basis, agent.decides, agent.endings, *agent.failures):
        assert re.fullmatch(r"[^\n]+\.\)?", said), said


def test_the_table_names_exactly_the_rules_that_modules_have() -> None:
    table = tomllib.loads((Path(agents.__file__).parent / "agents.toml").read_text("utf-8"))
    assert list(table) == list(AGENTS)
    assert set(table) == {name for one in agents._NAMES for name in import_module(f"editcore.agents.{one}").RULES}


@pytest.mark.parametrize("agent", BY_EDITS, ids=lambda agent: agent.name)
def test_a_unique_line_is_replaced_by_every_agent_but_the_one_that_needs_dots(agent) -> None:
    result = agent.apply_edits(_TEXT, [Edit("    amount = 0\n", "    amount = 1\n")])
    if agent.name == "aider_elision":
        assert isinstance(result, Rejected)
    else:
        assert isinstance(result, Applied)
        assert result.content == _TEXT.replace("amount = 0", "amount = 1")


@given(contents_and_finds() | contents_and_finds_of_blocks(), anything)
def test_no_agent_raises(texts: tuple[str, str], new: str) -> None:
    content, old = texts
    for agent in BY_EDITS:
        note(agent.name)
        result = agent.apply_edits(content, [Edit(old, new), Edit(new, old)])
        assert isinstance(result, Applied | Rejected)
        if isinstance(result, Rejected):
            assert "\n" not in result.message


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
def test_every_threshold_can_be_set_and_has_values_in_its_range(agent) -> None:
    for threshold in agent.thresholds:
        assert list(threshold.values) == sorted(set(threshold.values))
        assert threshold.low <= threshold.values[0] <= threshold.values[-1] <= threshold.high
        changed = named_agent(f"{agent.name}@{threshold.name}={threshold.values[0]:g}")
        if agent.format == "begin_patch":
            result = changed.apply_patch({"a.py": _TEXT}, _ENVELOPE)
        else:
            result = changed.apply_edits(_TEXT, [Edit("    amount = 0\n", "")])
        assert isinstance(result, Applied)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("zet", "There is no agent 'zet'"),
        ("zed@shape=1", "zed has no threshold 'shape'"),
        ("pi@share=1", "pi has no threshold 'share'"),
        ("zed@share=2", "share of zed must be a number from 0 to 1, not '2'"),
        ("zed@share", "share of zed must be a number from 0 to 1, not ''"),
    ],
)
def test_a_name_that_is_none_is_an_error(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        named_agent(name)


def test_too_much_work_is_refused_by_the_name_of_the_rule() -> None:
    work = Work("the rule")
    work.spend(STEPS)
    with pytest.raises(PatchError, match=r"^the rule would take over 20,000,000 steps") as raised:
        work.spend(1)
    assert raised.value.reason is Reason.TOO_LARGE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zed_fuzzy", "aider_distance", "hermes", "oh_my_pi", "gemini", "qbit", "roo_0_9"])
def test_what_compares_everything_with_everything_is_bounded(name: str) -> None:
    content = "".join(f"    value_{n} = compute(item_{n % 7}, {n})\n" for n in range(40_000))
    old = "".join(f"    walue_{n} = kompute(atem_{n % 5}, {n})\n" for n in range(300))
    result = refused(AGENTS[name].apply_edits(content, [Edit(old, "x\n")]))
    assert result.reason in (Reason.TOO_LARGE, Reason.NO_MATCH)
