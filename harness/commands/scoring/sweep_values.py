"""The parameters and values that a sweep tries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from editcore.agents import AGENTS, named_agent
from editcore.errors import UsageError, did_you_mean
from editcore.tiers import THRESHOLDS
from editcore.variants import PARAMETERS, named_replacer, named_tier, variant_name

Settings = dict[str, list[tuple[float, str]]]
"""Parameter -> its values in ascending order, each with the name of the variant."""


def settings(replacer: str, asked: Sequence[str]) -> Settings:
    """The settings that `NAME` and `NAME=V,V,...` stand for; every parameter of the replacer if `asked` is empty.

    Raises UsageError for a parameter that the replacer does not have, or a value out of its range.
    """
    taken = {name: one.values for name, one in PARAMETERS.items() if replacer in one.replacers}
    found = _settings(replacer, taken, asked)
    for pairs in found.values():
        for _, variant in pairs:
            named_replacer(variant)
    return found


def tier_settings(tier: str, asked: Sequence[str]) -> Settings:
    """The same for the thresholds of a tier."""
    found = _settings(tier, {threshold.name: threshold.values for threshold in THRESHOLDS[tier]}, asked)
    for pairs in found.values():
        for _, variant in pairs:
            named_tier(variant)
    return found


def agent_settings(agent: str, asked: Sequence[str]) -> Settings:
    """The same for the thresholds of an agent's rule."""
    taken = {threshold.name: threshold.values for threshold in AGENTS[agent].thresholds}
    found = _settings(agent, taken, asked)
    for pairs in found.values():
        for _, variant in pairs:
            named_agent(variant)
    return found


def _settings(member: str, taken: Mapping[str, Sequence[float]], asked: Sequence[str]) -> Settings:
    tried: dict[str, set[float]] = defaultdict(set)
    for text in asked or taken:
        name, _, written = text.partition("=")
        if name not in taken:
            near = did_you_mean(name, taken)
            raise UsageError(f"{member} has no parameter {name!r}", f"{near}It has: {', '.join(taken) or 'none'}.")
        try:
            values = [float(value) for value in written.split(",")] if written else taken[name]
        except ValueError:
            raise UsageError(f"-p {text} cannot be read", f"Write -p {name}=0,0.5,1.") from None
        tried[name].update(values)
    return {
        name: [(value, variant_name(member, {name: value})) for value in sorted(values)]
        for name, values in tried.items()
    }
