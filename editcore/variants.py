"""Variants: replacers with other thresholds and guards, such as `block_anchor@several_similarity=0.5,size_window=0.25`.

A variant is a replacer like any other: it can be part of a `Cascade`, or a strategy on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from editcore.errors import UsageError, did_you_mean
from editcore.replacers import REPLACERS, Replacer
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.thresholds import AT, number, settings_of
from editcore.tiers import THRESHOLDS, TIERS, Tier


@dataclass(frozen=True, slots=True)
class Parameter:
    """A threshold or guard that replacers take."""

    name: str
    replacers: frozenset[str]
    """Names of the replacers that take it."""
    low: float
    high: float
    values: tuple[float, ...]
    """Values worth trying, ascending; they include the replacer's default if that is a number."""
    meaning: str
    make: Callable[[Replacer, float], Replacer]
    """Makes the replacer with a value of the parameter."""


def _keyword(*names: str) -> Callable[[Replacer, float], Replacer]:
    def make(replacer: Replacer, value: float) -> Replacer:
        return partial(replacer, **dict.fromkeys(names, value))

    return make


def _proportionate(replacer: Replacer, factor: float) -> Replacer:
    return partial(_proportionate_candidates, replacer, SizeGuard(line_factor=factor))


def _proportionate_candidates(replacer: Replacer, guard: SizeGuard, document: Document, find: str) -> Iterator[str]:
    """The candidates of a replacer that are not out of proportion to the search text."""
    return (candidate for candidate in replacer(document, find) if not guard.refuses(candidate, find))


_TENTHS = tuple(round(0.1 * n, 1) for n in range(11))
_BLOCK_ANCHOR = frozenset({"block_anchor"})

PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        parameter.name: parameter
        for parameter in (
            Parameter(
                "similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "single_similarity and several_similarity at once", _keyword("single_similarity", "several_similarity"),
            ),
            Parameter(
                "single_similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "least similarity of a block when only one has both anchors", _keyword("single_similarity"),
            ),
            Parameter(
                "several_similarity", _BLOCK_ANCHOR, 0, 1, _TENTHS,
                "least similarity of the best of several blocks", _keyword("several_similarity"),
            ),
            Parameter(
                "size_window", _BLOCK_ANCHOR, 0, 100, (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0),
                "share of the search text's line count by which a block may differ", _keyword("size_window"),
            ),
            Parameter(
                "anchor_rarity", _BLOCK_ANCHOR, 0, 1, (0.0, 0.02, 0.05, 0.1, 0.2, 0.25, 0.33, 0.5, 1.0),
                "one of the anchors matches at most 1 / rarity lines of the file", _keyword("anchor_rarity"),
            ),
            Parameter(
                "line_factor", frozenset(REPLACERS), 1, 100, (1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
                "skips candidates with this many times the search text's lines, or 4 times its characters",
                _proportionate,
            ),
        )
    }
)  # fmt: skip
"""The parameters of replacers by name."""


def variant_name(replacer: str, parameters: Mapping[str, float]) -> str:
    """The name of a replacer with parameters, as `named_replacer` reads it."""
    return f"{replacer}{AT}{','.join(f'{name}={value:.15g}' for name, value in parameters.items())}"


def named_replacer(name: str) -> Replacer:
    """The replacer of that name, with its parameters applied. Raises UsageError for an unknown name or wrong value."""
    # Guards wrap the replacer that the thresholds make, in whatever order they are written.
    parameters = sorted(check_replacer(name), key=lambda item: item[0].make is _proportionate)
    replacer = REPLACERS[name.partition(AT)[0]]
    for parameter, value in parameters:
        replacer = parameter.make(replacer, value)
    return replacer


def check_replacer(name: str) -> list[tuple[Parameter, float]]:
    """The parameters in the name of a replacer. Raises UsageError for an unknown name or wrong value."""
    plain, at, written = _known(name, REPLACERS, "replacer").partition(AT)
    return [_parameter(plain, one) for one in written.split(",")] if at else []


def named_tier(name: str) -> Tier:
    """The tier of that name, with its thresholds set. Raises UsageError for an unknown name or wrong value."""
    settings = check_tier(name)
    tier = TIERS[name.partition(AT)[0]]
    return partial(tier, **settings) if settings else tier


def check_tier(name: str) -> dict[str, float]:
    """The thresholds in the name of a tier. Raises UsageError for an unknown name or wrong value."""
    plain, at, written = _known(name, TIERS, "tier").partition(AT)
    return settings_of(plain, THRESHOLDS.get(plain, ()), written) if at else {}


def _known(name: str, members: Mapping[str, object], kind: str) -> str:
    plain = name.partition(AT)[0]
    if plain in members:
        return name
    near = did_you_mean(plain, members)
    raise UsageError(f"There is no {kind} {plain!r}", f"{near}Choose from: {', '.join(members)}.")


def _parameter(replacer: str, written: str) -> tuple[Parameter, float]:
    name, _, text = written.partition("=")
    taken = [parameter.name for parameter in PARAMETERS.values() if replacer in parameter.replacers]
    if name not in taken:
        near = did_you_mean(name, taken)
        raise UsageError(f"{replacer} takes no parameter {name!r}", f"{near}Choose from: {', '.join(taken)}.")
    parameter = PARAMETERS[name]
    example = variant_name(replacer, {name: parameter.values[-1]})
    return parameter, number(text, f"{name} of {replacer}", parameter.low, parameter.high, example=example)
