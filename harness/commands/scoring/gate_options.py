"""The options that say what a gate fails on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from editcore.errors import UsageError

if TYPE_CHECKING:
    from reports.compare.gate import Gate


_KINDS = ("wrong_edit", "match_rate", "crash", "latency", "regression")


_NEVER = "never"
_Command = TypeVar("_Command", bound=Callable[..., object])


def gate_options(command: _Command) -> _Command:
    """The options that say what a gate fails on."""
    fail_on = click.option(
        "--fail-on",
        "findings",
        multiple=True,
        type=click.Choice([*_KINDS, _NEVER]),
        help="What ends in exit code 1; again for more. Default: all but regression, which is any sample turned worse.",
    )
    tolerance = click.option(
        "--latency-tolerance",
        type=click.FloatRange(min=0),
        default=0.25,
        show_default=True,
        metavar="SHARE",
        help="By how much slower a strategy may be.",
    )
    return fail_on(tolerance(command))


def gate_of(findings: Sequence[str], latency_tolerance: float) -> Gate:
    """The gate that those options ask for. Raises UsageError where they contradict each other."""
    from reports.compare.gate import DEFAULT, Gate, Rule

    if _NEVER in findings and len(set(findings)) > 1:
        raise UsageError("--fail-on never excludes the others", "Leave it out, or leave them out.")
    fail_on = frozenset(map(Rule, set(findings) - {_NEVER})) if findings else DEFAULT
    return Gate(fail_on, latency_tolerance)
