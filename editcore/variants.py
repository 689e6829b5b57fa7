"""Replacers with other thresholds and guards, by name: `block_anchor@several_similarity=0.5,size_window=0.25`.

A variant is a replacer like any other: it can stand in a `Cascade`, be run alone, and be compared with its
siblings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from editcore.document import Document
from editcore.errors import UsageError, did_you_mean
from editcore.replacers import REPLACERS, Replacer
from editcore.replacers.block_anchor import block_anchor
from editcore.replacers.size_guard import SizeGuard

AT = "@"
"""Stands between a replacer's name and its parameters."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A threshold or guard that a replacer can be given."""

    name: str
    replacers: frozenset[str]
    """Which take it."""
    low: float
    high: float
    values: tuple[float, ...]
    """Worth trying, ascending; the replacer's own setting is among them where it is a number."""
    meaning: str
    make: Callable[[Replacer, float], Replacer]
    """The replacer with the parameter put in."""


def _keyword(*names: str) -> Callable[[Replacer, float], Replacer]:
    def make(replacer: Replacer, value: float) -> Replacer:
        return partial(replacer, **dict.fromkeys(names, value))

    return make


def _proportionate(replacer: Replacer, factor: float) -> Replacer:
    return partial(_offered, replacer, SizeGuard(line_factor=factor))


def _offered(replacer: Replacer, guard: SizeGuard, document: Document, find: str) -> Iterator[str]:
    """What the replacer offers, without the candidates that are out of proportion to the find."""
    return (candidate for candidate in replacer(document, find) if not guard.refuses(candidate, find))


_TENTHS = tuple(round(0.1 * n, 1) for n in range(11))
_BLOCK_ANCHOR = frozenset({"block_anchor"})

PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        parameter.name: parameter
        for parameter in (
            Parameter(
                "similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "both of the next two", _keyword("single_similarity", "several_similarity"),
            ),
            Parameter(
                "single_similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "what is asked of the only pair of anchors", _keyword("single_similarity"),
            ),
            Parameter(
                "several_similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "what is asked of the best of several pairs", _keyword("several_similarity"),
            ),
            Parameter(
                "size_window", _BLOCK_ANCHOR, 0, 100, (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0),
                "by what share of the find's line count a block may differ", _keyword("size_window"),
            ),
            Parameter(
                "anchor_rarity", _BLOCK_ANCHOR, 0, 1, (0.0, 0.02, 0.05, 0.1, 0.2, 0.25, 0.33, 0.5, 1.0),
                "one anchor stands in at most 1 / rarity lines of the document", _keyword("anchor_rarity"),
            ),
            Parameter(
                "line_factor", frozenset(REPLACERS), 1, 100, (1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
                "passes over what has so many times the find's lines and 3 more, or 4 times the characters and 500",
                _proportionate,
            ),
        )
    }
)  # fmt: skip
"""Name -> parameter."""


def variant_name(replacer: str, parameters: Mapping[str, float]) -> str:
    """The name of a replacer with these parameters."""
    return f"{replacer}{AT}{','.join(f'{name}={value:.15g}' for name, value in parameters.items())}"


def named_replacer(name: str) -> Replacer:
    """The replacer of that name, with its parameters put in. Raises UsageError for one that is not there."""
    plain, _, written = name.partition(AT)
    if plain not in REPLACERS:
        near = did_you_mean(plain, REPLACERS)
        raise UsageError(f"There is no replacer {plain!r}", f"{near}Choose from: {', '.join(REPLACERS)}.")
    replacer: Replacer = block_anchor if plain == "block_anchor" else REPLACERS[plain]
    # The guards wrap what the keywords make, whatever the order in which they are written.
    given = [_given(plain, one) for one in written.split(",")] if AT in name else []
    for parameter, value in sorted(given, key=lambda item: item[0].make is _proportionate):
        replacer = parameter.make(replacer, value)
    return replacer


def _given(replacer: str, written: str) -> tuple[Parameter, float]:
    name, equals, text = written.partition("=")
    taken = [parameter.name for parameter in PARAMETERS.values() if replacer in parameter.replacers]
    if name not in taken:
        near = did_you_mean(name, taken)
        raise UsageError(f"{replacer} takes no parameter {name!r}", f"{near}Choose from: {', '.join(taken)}.")
    parameter = PARAMETERS[name]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not equals or not parameter.low <= value <= parameter.high:
        raise UsageError(
            f"{name} of {replacer} is to be a number from {parameter.low:g} to {parameter.high:g}, not {text!r}",
            f"Write {variant_name(replacer, {name: parameter.values[-1]})}, say.",
        )
    return parameter, value
