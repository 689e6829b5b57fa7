"""Printing of comparisons, and reporting them to GitHub."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from editcore.quoting import printable
from harness.terminal import pipe_may_close, print_prose

if TYPE_CHECKING:
    from reports.compare.comparison import Comparison
    from reports.compare.gate import Failure
    from reports.views.comparison_wording import Group


def print_notes(comparison: Comparison) -> None:
    """Print the caveats of a comparison on stderr."""
    from reports.views.comparison_wording import notes

    for note in notes(comparison):
        click.echo(f"note: {printable(note)}", err=True)


def print_comparison(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], stream: TextIO
) -> None:
    """Print the table, the turned samples with their diffs, the summary sentence and the gate's result."""
    from reports.views.comparison_wording import LEGEND, changed_lines, gate_lines, lines_about, print_table, sentence

    with pipe_may_close():
        print_table(comparison, file=stream)
    print_prose(("", LEGEND), stream)
    for line in lines_about(found):
        stream.write(f"{printable(line)}\n")
    print_prose(("", *changed_lines(comparison), sentence(comparison), *gate_lines(failed)), stream)


def annotate(comparison: Comparison, failed: Sequence[Failure] | None) -> None:
    """In a GitHub job: write annotations."""
    from reports.views import ci

    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in ci.annotations(comparison, failed):
            click.echo(line, err=True)


def append_to_job_summary(text: Callable[[int], str]) -> None:
    """In a GitHub job: append to its summary what `text` makes of the bytes that are left in it."""
    from reports.views.comment import SUMMARY_LIMIT

    if not (place := os.environ.get("GITHUB_STEP_SUMMARY")):
        return
    try:
        with open(place, "ab") as file:
            file.write(text(SUMMARY_LIMIT - file.tell()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        click.echo(f"warning: the job summary cannot be written: {error.strerror}", err=True)
