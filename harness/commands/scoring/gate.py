"""The gate on the command line: its options, and how a comparison is printed and reported to GitHub."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TextIO

import click

from editcore.errors import UsageError
from harness.commands.options import Number, group
from harness.terminal import print_lines, print_prose, tell, warn
from reports.compare.comparison import Comparison
from reports.compare.gate import CHOICES, DEFAULT, Failure, Gate, Rule
from reports.views import ci
from reports.views.comment import SUMMARY_LIMIT
from reports.views.comparison_wording import (
    LEGEND,
    Group,
    changed_lines,
    gate_lines,
    lines_about,
    notes,
    print_table,
    sentence,
)

# Options of the gate

_NEVER = "never"


def gate_of(rules: Sequence[str], latency_tolerance: float, gone: Sequence[str]) -> Gate:
    """Make the gate of these options. Raises UsageError for options that contradict each other."""
    if _NEVER in rules and len(set(rules)) > 1:
        raise UsageError("--fail-on never cannot be combined with other rules", "Give either never or rules.")
    fail_on = frozenset(map(Rule, set(rules) - {_NEVER})) if rules else DEFAULT
    return Gate(fail_on, latency_tolerance, gone=frozenset(gone))


gate_options = group(
    "gate", gate_of,
    click.option(
        "--fail-on", "rules", multiple=True, type=click.Choice([*map(str, CHOICES), _NEVER]),
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
"""Options for the rules of the gate, as one `gate`."""


# Reports of comparisons


def print_notes(comparison: Comparison) -> None:
    """Print the caveats of a comparison on stderr."""
    for note in notes(comparison):
        tell(f"note: {note}")


def print_comparison(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], stream: TextIO
) -> None:
    """Print the table, the changed samples with their diffs, the summary sentence and the gate's result."""
    print_table(comparison, file=stream)
    print_prose(("", LEGEND), stream)
    print_lines(lines_about(found), stream)
    print_prose(("", *changed_lines(comparison), sentence(comparison), *gate_lines(failed)), stream)


def annotate(comparison: Comparison, failed: Sequence[Failure] | None) -> None:
    """Write annotations to stderr, in a job of GitHub."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in ci.github_annotations(comparison, failed):
            click.echo(line, err=True)  # Unescaped: GitHub has to obey it.


def append_to_job_summary(text: Callable[[int], str]) -> None:
    """Append to the summary of a GitHub job. `text` makes the text for the number of bytes that are left."""
    if not (place := os.environ.get("GITHUB_STEP_SUMMARY")):
        return
    try:
        with open(place, "ab") as file:
            file.write(text(SUMMARY_LIMIT - file.tell()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        warn(f"the job summary cannot be written: {error.strerror}")
