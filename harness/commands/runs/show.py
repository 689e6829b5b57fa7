"""`show`: everything a run recorded about one sample, or the list of the samples on which strategies were wrong."""

from __future__ import annotations

from collections.abc import Sequence

import click

from editcore.errors import UsageError
from harness.commands.options import JSON, MATCHING, RUN, STRATEGIES
from harness.commands.runs.sample_details import (
    diff_lines,
    lines_about,
    no_such_sample,
    of_strategies,
    outcomes_document,
    print_outcomes,
    sample_document,
)
from harness.commands.runs.summary import note_if_unfinished
from harness.strategies.registry import matching_names
from harness.terminal import print_json, print_lines, tell
from reports.measurements.measurement import UNRELIABLE
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.runs.sample_rows import chosen, sample_record, selected_ids

_ALL = ""
"""Value of `--diff` without an argument."""


@click.command()
@RUN
@click.argument("sample_id", metavar="[SAMPLE]", required=False)
@click.option("--wrong", is_flag=True, help="List wrong edits, and unstable answers. The default without a SAMPLE.")
@click.option("--missed", is_flag=True, help="List edits that were refused and should have been applied.")
@click.option("--verdict", "verdicts", multiple=True, metavar="V", help="List outcomes of it; repeatable.")
@STRATEGIES
@MATCHING
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="List at most N."
)
@click.option(
    "--diff", "diffed", metavar="[STRATEGY]", is_flag=False, flag_value=_ALL,
    help="Of a SAMPLE: only what this strategy, or those of -s, made of it, as diffs. Of a list: each with its diffs.",
)  # fmt: skip
@JSON
def show(
    run: RunFolder, sample_id: str | None, wrong: bool, missed: bool, verdicts: Sequence[str], patterns: Sequence[str],
    matching: str | None, limit: int, diffed: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show one sample of a run, or list those that went wrong.

    Of a SAMPLE, prints the edit as written, the file around its place, the right answer, each strategy's outcome with
    the message of its refusal, and each result that is not right as diffs from the file before and from the right
    answer. Without one, prints a line for each wrong edit: the sample, how bad it is, what decided, and where.
    """
    for one in verdicts:
        if one not in [*Verdict]:
            raise UsageError(f"{one!r} is no verdict", f"Choose from: {', '.join(Verdict)}.")
    if diffed is not None and as_json:
        raise UsageError("--diff and --json exclude each other", "Leave one of them out: the document has all diffs.")
    note_if_unfinished(run)
    patterns = [*patterns, diffed] if diffed else patterns
    if sample_id is None:
        wanted = {*verdicts, *(UNRELIABLE if wrong else ()), *([Verdict.MISSED] if missed else ())}
        _list(
            run, wanted or {*UNRELIABLE}, matching_names(run.strategies, patterns), matching, limit,
            diffs=diffed is not None, as_json=as_json,
        )  # fmt: skip
    elif wrong or missed or verdicts or matching is not None:
        raise UsageError("A SAMPLE is named, and what to list", "Leave one of them out.")
    else:
        _show(run, sample_id, patterns, diffs=diffed is not None, as_json=as_json)


def _list(
    run: RunFolder, verdicts: set[str], strategies: Sequence[str], matching: str | None, limit: int, *, diffs: bool,
    as_json: bool,
) -> None:  # fmt: skip
    ids = selected_ids(run, strategies, matching) if matching is not None else None
    found = chosen(run, verdicts, strategies, ids=ids, limit=limit)
    if as_json:
        print_json(outcomes_document(found))
    elif found.n:
        print_outcomes(run, found, diffs=diffs)
        if found.n > limit:
            tell(f"{limit:,} of {found.n:,}; -n N shows more")
    else:
        tell(f"none: no outcome is {' or '.join(sorted(verdicts))}")


def _show(run: RunFolder, sample_id: str, patterns: Sequence[str], *, diffs: bool, as_json: bool) -> None:
    record = sample_record(run, sample_id)
    if not record.outcomes:
        raise no_such_sample(run, sample_id)
    names = matching_names([one.strategy for one in record.outcomes], patterns)
    record = of_strategies(record, names)
    if as_json:
        print_json(sample_document(record))
        return
    print_lines((line for name in names for line in diff_lines(record, name)) if diffs else lines_about(record))
