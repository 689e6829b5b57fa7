"""How other agents apply edits: their rules (`runner`), and what is known of each rule (`agents.toml`).

What a rule does wrong is part of it. Where a program can be installed, `editgauge peers` runs it, and tests compare
it with its rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.agents import (
    after_opencode,
    aider,
    cline,
    continue_dev,
    copilot,
    crush,
    folded_lines,
    gemini,
    hermes,
    margins,
    opencode,
    pi,
    roo,
    whole_text,
    zed,
)
from editcore.agents.diffs import aider_udiff
from editcore.agents.envelopes import cline as cline_envelopes
from editcore.agents.envelopes import codex as codex_envelopes
from editcore.agents.envelopes import cookbook, openai_agents
from editcore.agents.envelopes import copilot as copilot_envelopes
from editcore.agents.envelopes import opencode as opencode_envelopes
from editcore.agents.rule import AgentRule, declared
from editcore.errors import UsageError, did_you_mean
from editcore.thresholds import AT, Threshold, settings_of

_MODULES = (
    aider, cline, continue_dev, copilot, crush, gemini, hermes, margins, opencode, after_opencode, roo, whole_text,
    folded_lines, pi, zed, codex_envelopes, cookbook, opencode_envelopes, openai_agents, copilot_envelopes,
    cline_envelopes, aider_udiff,
)  # fmt: skip

AGENTS: Mapping[str, AgentRule] = MappingProxyType(
    declared({name: rule for module in _MODULES for name, rule in module.RULES.items()})
)


def named_agent(name: str) -> AgentRule:
    """The rule `name` with its thresholds set: `zed`, or `zed@share=0.9`. Raises UsageError for an unknown name."""
    plain, at, written = name.partition(AT)
    if plain not in AGENTS:
        raise UsageError(f"There is no agent {plain!r}", f"{did_you_mean(plain, AGENTS)}See `editgauge ls strategies`.")
    agent = AGENTS[plain]
    return agent.with_settings(settings_of(agent.name, agent.thresholds, written)) if at else agent


__all__ = ["AGENTS", "AgentRule", "Threshold", "named_agent"]
