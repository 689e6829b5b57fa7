"""The parameters and values that a sweep tries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from editcore.errors import UsageError, did_you_mean
from editcore.variants import PARAMETERS, named_replacer, variant_name

Settings = dict[str, list[tuple[float, str]]]
"""Parameter -> its values in ascending order, each with the name of the variant."""


def settings(replacer: str, asked: Sequence[str]) -> Settings:
    """The settings that `NAME` and `NAME=V,V,...` stand for; every parameter of the replacer if `asked` is empty.

    Raises UsageError for a parameter that the replacer does not have, or a value out of its range.
    """
    taken = [parameter.name for parameter in PARAMETERS.values() if replacer in parameter.replacers]
    tried: dict[str, set[float]] = defaultdict(set)
    for text in asked or taken:
        name, _, written = text.partition("=")
        if name not in taken:
            near = did_you_mean(name, taken)
            raise UsageError(f"{replacer} has no parameter {name!r}", f"{near}It has: {', '.join(taken) or 'none'}.")
        try:
            values = [float(value) for value in written.split(",")] if written else PARAMETERS[name].values
        except ValueError:
            raise UsageError(f"-p {text} cannot be read", f"Write -p {name}=0,0.5,1.") from None
        tried[name].update(values)
    found = {
        name: [(value, variant_name(replacer, {name: value})) for value in sorted(values)]
        for name, values in tried.items()
    }
    for pairs in found.values():
        for _, variant in pairs:
            named_replacer(variant)
    return found
