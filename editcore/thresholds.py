"""Thresholds: numbers that a rule compares with, and that a name can set, as in `zed@share=0.9`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editcore.errors import UsageError, did_you_mean

AT = "@"
"""Separates a name from its thresholds or parameters."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that a rule compares with, and that can be varied."""

    name: str
    low: float
    high: float
    values: tuple[float, ...]
    """Values worth trying, ascending; they include the rule's own."""
    meaning: str


def settings_of(owner: str, thresholds: Sequence[Threshold], written: str) -> dict[str, float]:
    """The values that `NAME=VALUE,...` sets. Raises UsageError for an unknown name or a value out of range."""
    return dict(_setting(owner, {one.name: one for one in thresholds}, setting) for setting in written.split(","))


def _setting(owner: str, thresholds: dict[str, Threshold], written: str) -> tuple[str, float]:
    name, _, text = written.partition("=")
    if name not in thresholds:
        choice = f"Choose from: {', '.join(thresholds)}." if thresholds else "It has none."
        raise UsageError(f"{owner} has no threshold {name!r}", f"{did_you_mean(name, thresholds)}{choice}")
    threshold = thresholds[name]
    example = f"{owner}{AT}{name}={threshold.values[-1]:g}"
    return name, number(text, f"{name} of {owner}", threshold.low, threshold.high, example=example)


def number(text: str, what: str, low: float, high: float, *, example: str) -> float:
    """The number in a text. Raises UsageError unless there is one from `low` to `high`."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise UsageError(f"{what} must be a number from {low:g} to {high:g}, not {text!r}", f"Write {example}, say.")
    return value
