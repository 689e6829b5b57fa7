"""How other agents apply edits: their rules (`runner`), and what is known of each rule (`agents.toml`).

What a rule does wrong is part of it. Where a program can be installed, `editgauge peers` runs it, and tests compare
it with its rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module

from editcore.agents.rule import AgentRule, declared
from editcore.errors import UsageError, did_you_mean
from editcore.thresholds import AT, Threshold, settings_of

_NAMES = (
    "aider", "cline", "continue_dev", "copilot", "crush", "gemini", "hermes", "margins", "opencode",
    "roo", "whole_text", "folded_lines", "pi", "sloppy", "warp", "zed", "envelopes.codex", "envelopes.cookbook",
    "envelopes.opencode", "envelopes.openai_agents", "envelopes.copilot", "envelopes.cline", "diffs.aider_udiff",
)  # fmt: skip
"""The modules that have a table `RULES`."""


class _Rules(Mapping[str, AgentRule]):
    """The rules by name. Their modules take a while to import, so they are imported when a rule is asked for."""

    @cached_property
    def _of_name(self) -> Mapping[str, AgentRule]:
        modules = [import_module(f"{__name__}.{name}") for name in _NAMES]
        return declared({name: rule for module in modules for name, rule in module.RULES.items()})

    def __getitem__(self, name: str) -> AgentRule:
        return self._of_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of_name)

    def __len__(self) -> int:
        return len(self._of_name)


AGENTS: Mapping[str, AgentRule] = _Rules()


def named_agent(name: str) -> AgentRule:
    """The rule `name` with its thresholds set: `zed`, or `zed@share=0.9`. Raises UsageError for an unknown name."""
    plain, at, written = name.partition(AT)
    if plain not in AGENTS:
        raise UsageError(f"There is no agent {plain!r}", f"{did_you_mean(plain, AGENTS)}See `editgauge ls strategies`.")
    agent = AGENTS[plain]
    return agent.with_settings(settings_of(agent.name, agent.thresholds, written)) if at else agent


__all__ = ["AGENTS", "AgentRule", "Threshold", "named_agent"]
