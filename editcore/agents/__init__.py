"""How other agents apply edits: one file per agent, each with versions of its rule.

A rule is rebuilt from what its docstring names, as far as that is known; what a rule does wrong is part of it. Where
the program itself can be installed, `editgauge peers` runs it, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.agents.after_opencode import MAKI, ZERO
from editcore.agents.aider import AIDER
from editcore.agents.cline import CLINE
from editcore.agents.continue_dev import CONTINUE
from editcore.agents.copilot import COPILOT
from editcore.agents.crush import CRUSH
from editcore.agents.diffs.aider_udiff import AIDER_DIFFS
from editcore.agents.envelopes.cline import CLINE_ENVELOPES
from editcore.agents.envelopes.codex import CODEX_ENVELOPES, ROO_ENVELOPES
from editcore.agents.envelopes.cookbook import COOKBOOK_ENVELOPES
from editcore.agents.envelopes.copilot import COPILOT_ENVELOPES
from editcore.agents.envelopes.openai_agents import OPENAI_AGENTS_ENVELOPES
from editcore.agents.envelopes.opencode import OPENCODE_2_ENVELOPES, OPENCODE_ENVELOPES
from editcore.agents.folded_lines import CODEX, GOOSE, PI, REASONIX, TAU
from editcore.agents.gemini import GEMINI
from editcore.agents.hermes import HERMES
from editcore.agents.margins import OH_MY_PI, QBIT
from editcore.agents.opencode import MIMO, OPENCODE, OPENCODE_FORGIVING, OPENCODE_GUARDED
from editcore.agents.roo import ROO
from editcore.agents.rule import AgentRule
from editcore.agents.whole_text import ANTHROPIC, FREEBUFF, KIMI, MISTRAL_VIBE, OPENHANDS
from editcore.agents.zed import ZED
from editcore.errors import UsageError, did_you_mean
from editcore.thresholds import AT, Threshold, settings_of

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
    *OPENCODE_FORGIVING,
    *OPENCODE_GUARDED,
    *ZERO,
    *MAKI,
    *MIMO,
    *KIMI,
    *MISTRAL_VIBE,
    *FREEBUFF,
    *TAU,
    *REASONIX,
    *CODEX_ENVELOPES,
    *COOKBOOK_ENVELOPES,
    *OPENCODE_ENVELOPES,
    *OPENCODE_2_ENVELOPES,
    *OPENAI_AGENTS_ENVELOPES,
    *COPILOT_ENVELOPES,
    *CLINE_ENVELOPES,
    *ROO_ENVELOPES,
    *AIDER_DIFFS,
)

AGENTS: Mapping[str, AgentRule] = MappingProxyType({agent.name: agent for agent in _TABLE})
"""Name -> rule."""


def named_agent(name: str) -> AgentRule:
    """The rule of that name, `zed` or `zed@share=0.9`, with its thresholds set. Raises UsageError if there is none."""
    plain, at, written = name.partition(AT)
    if plain not in AGENTS:
        raise UsageError(f"There is no agent {plain!r}", f"{did_you_mean(plain, AGENTS)}See `editgauge ls strategies`.")
    agent = AGENTS[plain]
    return agent.with_settings(settings_of(agent.name, agent.thresholds, written)) if at else agent


__all__ = ["AGENTS", "AgentRule", "Threshold", "named_agent"]
