"""Options for the conditions of the gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from harness.commands.options import Number, group

if TYPE_CHECKING:
    from reports.compare.gate import Gate

_RULES = (
    "wrong_edit", "worse_edit", "match_rate", "crash", "unstable", "latency", "regression", "broken", "other_tree",
    "bytes",
)  # fmt: skip
_NEVER = "never"


def gate_of(rules: Sequence[str], latency_tolerance: float, gone: Sequence[str]) -> Gate:
    """The gate of these options. Raises UsageError for contradictory ones."""
    from reports.compare.gate import DEFAULT, Gate, Rule

    if _NEVER in rules and len(set(rules)) > 1:
        raise UsageError("--fail-on never cannot be combined with other rules", "Give either never or rules.")
    fail_on = frozenset(map(Rule, set(rules) - {_NEVER})) if rules else DEFAULT
    return Gate(fail_on, latency_tolerance, gone=frozenset(gone))


gate_options = group(
    "gate", gate_of,
    click.option(
        "--fail-on", "rules", multiple=True, type=click.Choice([*_RULES, _NEVER]),
        help="Rule that fails the gate (exit code 1); repeatable. Default: wrong_edit, worse_edit, match_rate, crash, "
        "unstable, latency. "
        "Others: regression (any sample worse); broken, other_tree (a new wrong edit of that severity); bytes (one "
        "of that damage).",
    ),
    click.option(
        "--latency-tolerance", type=Number(min=0), default=0.25, show_default=True, metavar="SHARE",
        help="Tolerated increase of a strategy's latency: 0.25 is a quarter.",
    ),
    click.option(
        "--gone", multiple=True, metavar="NAME",
        help="A strategy of the baseline that is meant not to be there, or a glob; any other fails the gate. "
        "Repeatable.",
    ),
)  # fmt: skip
"""Adds the options for the rules of the gate to a command, which gets them as one `gate`."""
