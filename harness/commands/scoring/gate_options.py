"""Options for the rules of the gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from editcore.errors import UsageError
from harness.commands.options import Number

if TYPE_CHECKING:
    from reports.compare.gate import Gate


_RULES = ("wrong_edit", "match_rate", "crash", "latency", "regression", "broken", "other_tree")


_NEVER = "never"
_Command = TypeVar("_Command", bound=Callable[..., object])


def gate_options(command: _Command) -> _Command:
    """Add the options for the rules of the gate to a command."""
    fail_on = click.option(
        "--fail-on",
        "rules",
        multiple=True,
        type=click.Choice([*_RULES, _NEVER]),
        help="Rule that fails the gate (exit code 1); repeatable. Default: wrong_edit, match_rate, crash, latency. "
        "Others: regression (any sample worse); broken, other_tree (a new wrong edit of that severity).",
    )
    tolerance = click.option(
        "--latency-tolerance",
        type=Number(min=0),
        default=0.25,
        show_default=True,
        metavar="SHARE",
        help="Tolerated increase of a strategy's latency: 0.25 is a quarter.",
    )
    return fail_on(tolerance(command))


def gate_of(rules: Sequence[str], latency_tolerance: float) -> Gate:
    """The gate of these options. Raises UsageError for contradictory ones."""
    from reports.compare.gate import DEFAULT, Gate, Rule

    if _NEVER in rules and len(set(rules)) > 1:
        raise UsageError("--fail-on never cannot be combined with other rules", "Give either never or rules.")
    fail_on = frozenset(map(Rule, set(rules) - {_NEVER})) if rules else DEFAULT
    return Gate(fail_on, latency_tolerance)
