"""How other agents apply edits: one file per agent, each with versions of its rule.

A rule is rebuilt from what its docstring names, as far as that is known; what a rule does wrong is part of it. Where
the program itself can be installed, `editgauge peers` runs it, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.agents.aider import AIDER
from editcore.agents.anthropic import ANTHROPIC
from editcore.agents.cline import CLINE
from editcore.agents.codex import CODEX
from editcore.agents.continue_dev import CONTINUE
from editcore.agents.copilot import COPILOT
from editcore.agents.crush import CRUSH
from editcore.agents.envelopes.codex import CODEX_ENVELOPES
from editcore.agents.envelopes.cookbook import COOKBOOK_ENVELOPES
from editcore.agents.envelopes.opencode import OPENCODE_ENVELOPES
from editcore.agents.gemini import GEMINI
from editcore.agents.goose import GOOSE
from editcore.agents.hermes import HERMES
from editcore.agents.oh_my_pi import OH_MY_PI
from editcore.agents.opencode import OPENCODE
from editcore.agents.openhands import OPENHANDS
from editcore.agents.pi import PI
from editcore.agents.qbit import QBIT
from editcore.agents.roo import ROO
from editcore.agents.rule import AgentRule, Threshold
from editcore.agents.zed import ZED
from editcore.errors import UsageError, did_you_mean
from editcore.variants import AT

_TABLE = (
    *AIDER,
    *ANTHROPIC,
    *CLINE,
    *CODEX,
    *CONTINUE,
    *COPILOT,
    *CRUSH,
    *GEMINI,
    *GOOSE,
    *HERMES,
    *OH_MY_PI,
    *OPENCODE,
    *OPENHANDS,
    *PI,
    *QBIT,
    *ROO,
    *ZED,
    *CODEX_ENVELOPES,
    *COOKBOOK_ENVELOPES,
    *OPENCODE_ENVELOPES,
)

AGENTS: Mapping[str, AgentRule] = MappingProxyType({agent.name: agent for agent in _TABLE})
"""Name -> rule."""


def named_agent(name: str) -> AgentRule:
    """The rule of that name, `zed` or `zed@share=0.9`, with its thresholds set. Raises UsageError if there is none."""
    plain, at, written = name.partition(AT)
    if plain not in AGENTS:
        raise UsageError(f"There is no agent {plain!r}", f"{did_you_mean(plain, AGENTS)}See `editgauge ls strategies`.")
    agent = AGENTS[plain]
    return agent.with_settings(dict(_setting(agent, one) for one in written.split(","))) if at else agent


def _setting(agent: AgentRule, written: str) -> tuple[str, float]:
    name, _, text = written.partition("=")
    thresholds = {threshold.name: threshold for threshold in agent.thresholds}
    if name not in thresholds:
        choice = f"Choose from: {', '.join(thresholds)}." if thresholds else "It has none."
        raise UsageError(f"{agent.name} has no threshold {name!r}", f"{did_you_mean(name, thresholds)}{choice}")
    threshold = thresholds[name]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not threshold.low <= value <= threshold.high:
        raise UsageError(
            f"{name} of {agent.name} must be a number from {threshold.low:g} to {threshold.high:g}, not {text!r}",
            f"Write {agent.name}{AT}{name}={threshold.values[-1]:g}, say.",
        )
    return name, value


__all__ = ["AGENTS", "AgentRule", "Threshold", "named_agent"]
