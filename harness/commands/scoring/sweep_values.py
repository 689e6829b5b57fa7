"""The parameters and values that a sweep tries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from editcore.agents import AGENTS, named_agent
from editcore.errors import UsageError, did_you_mean
from editcore.tiers import THRESHOLDS
from editcore.variants import PARAMETERS, named_replacer, named_tier, variant_name
from harness.commands.scoring.replacer_runs import AGENT, REPLACER, TIER

_NAMED: Mapping[str, Callable[[str], object]] = {REPLACER: named_replacer, TIER: named_tier, AGENT: named_agent}
"""Family -> what checks the name of a variant."""
Settings = dict[str, list[tuple[float, str]]]
"""Parameter -> its values in ascending order, each with the name of the variant."""


def settings(member: str, asked: Sequence[str], *, family: str = REPLACER) -> Settings:
    """The settings that `NAME` and `NAME=V,V,...` stand for; every parameter of the member if `asked` is empty.

    The member is a replacer, or a tier or an agent by its family. Raises UsageError for a parameter that it does not
    have, or a value out of its range.
    """
    if family == REPLACER:
        taken = {name: one.values for name, one in PARAMETERS.items() if member in one.replacers}
    else:
        thresholds = THRESHOLDS[member] if family == TIER else AGENTS[member].thresholds
        taken = {threshold.name: threshold.values for threshold in thresholds}
    found = _settings(member, taken, asked)
    for pairs in found.values():
        for _, variant in pairs:
            _NAMED[family](variant)
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
