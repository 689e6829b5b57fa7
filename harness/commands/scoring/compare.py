"""`compare`: samples whose verdicts changed between two runs, or differ between strategies of one run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import click

from editcore.errors import UsageError
from harness.commands.options import MATCHING, STRATEGIES, Output
from harness.commands.scoring.gate import annotate, append_to_job_summary, gate_options, print_comparison, print_notes
from harness.strategies.registry import matching_names
from harness.terminal import output, print_json, print_lines, print_prose, tell
from reports.compare.comparison import Comparison
from reports.compare.comparison import compare as compare_runs
from reports.compare.contrasts import Matrix, matrix
from reports.compare.gate import Failure, Gate, check_gone, failures, with_latencies
from reports.runs.run_folder import RunFolder, selected_ids
from reports.statistics.grid import read_grid
from reports.statistics.summary import why_nothing_was_measured
from reports.views import ci
from reports.views.comment import comparison_markdown
from reports.views.comparison_wording import Group, gate_lines, groups

# The strategies of one run against each other


def _compare_within(
    run: RunFolder, names: Sequence[str], patterns: Sequence[str], matching: str | None, limit: int, form: str,
    stream: TextIO,
) -> None:  # fmt: skip
    """Print the matrix of a run's strategies, or compare `names` in pairs. Raises UsageError."""
    used = run.strategies
    if names and patterns:
        raise UsageError("-s and --between both name strategies", "Name them after --between.")
    if names:
        _print_between(run, _in_order_given(used, names), matching, limit, form, stream)
    elif matching is not None:
        raise UsageError("-k needs --between", "Name the strategies: --between A B.")
    else:
        found = matrix(read_grid(run, matching_names(used, patterns)))
        if form == "json":
            print_json({"schema_version": 1, "matrix": asdict(found)}, stream)
        else:
            _print_matrix(found, stream)


def _in_order_given(used: Sequence[str], names: Sequence[str]) -> list[str]:
    """The strategies that match names and globs, in the order of the names. Raises UsageError for fewer than two."""
    chosen = list(dict.fromkeys(found for name in names for found in matching_names(used, [name])))
    if len(chosen) < 2:
        raise UsageError(
            f"--between needs two strategies, and {', '.join(names)} is one",
            f"Name another one of the run's: {', '.join(used)}."
            if len(used) < 12
            else "Name another one of the run's.",
        )
    return chosen


def _print_between(
    run: RunFolder, chosen: Sequence[str], matching: str | None, limit: int, form: str, stream: TextIO
) -> None:
    from reports.compare.between import between, differing
    from reports.views.between_wording import advice, caveats, document, legend, lines_about, print_groups, print_pairs

    only = selected_ids(run, chosen, matching) if matching is not None else None
    found = between(run, chosen, only=only)
    table = matrix(read_grid(run, chosen, only=only))
    shown = [differing(found, pair, limit=limit) for pair in found.pairs]
    if form == "json":
        print_json(document(found, table, shown), stream)
        return
    print_prose([*advice(found), ""], stream)
    headings = print_pairs(found, file=stream)
    print_prose(["", legend(headings), *caveats(found), ""], stream)
    if len(chosen) > 2:
        _print_matrix(table, stream)
    for pair, samples in zip(found.pairs, shown, strict=True):
        print_lines(["", f"== {pair.first} | {pair.second}"], stream)
        if pair.groups:
            print_groups(pair, file=stream)
        print_lines(lines_about(pair, samples), stream)


def _print_matrix(found: Matrix, stream: TextIO) -> None:
    from reports.views.between_wording import matrix_legend, print_matrix

    print_matrix(found, file=stream)
    print_prose([matrix_legend(found)], stream)


_BETWEEN = "--between"


class _Compare(click.Command):
    """A command whose option `--between` takes all names up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_spread(args)))


def _spread(args: Sequence[str]) -> Iterator[str]:
    """Rewrite `--between A B C` as click takes it: `--between A --between B --between C`."""
    taking = False
    for argument in args:
        if argument == _BETWEEN:
            taking = True
        elif argument.startswith("-"):
            taking = False
            yield argument
        elif taking:
            yield from (_BETWEEN, argument)
        else:
            yield argument
    if args and args[-1] == _BETWEEN:
        yield _BETWEEN


@click.command(cls=_Compare)
@click.argument("places", type=click.Path(path_type=Path), metavar="[BASE] RUN", nargs=-1)
@click.option(
    _BETWEEN, "names", multiple=True, metavar="A B [C...]",
    help="Compare these strategies of RUN with each other, in pairs; globs such as 'cascade/*' too.",
)  # fmt: skip
@click.option(
    "--matrix", "as_matrix", is_flag=True,
    help="For each two strategies of RUN: on how many samples one is right and the other is not.",
)  # fmt: skip
@STRATEGIES
@MATCHING
@gate_options
@click.option(
    "-n", "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N",
    help="Show the diffs of at most this many samples that turned worse, and as many that turned better; with "
    "--between, of each kind on which two strategies differ.",
)  # fmt: skip
@click.option(
    "--output-format", "form", type=click.Choice(["table", "json", "markdown", "junit", "github"]), default="table",
    show_default=True,
    help="Format of the output.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Same as --output-format json.")
@click.option("-o", "--out", type=Output(dir_okay=False), metavar="FILE", help="Write to FILE instead of stdout.")
@click.pass_context
def compare(
    context: click.Context, places: Sequence[Path], names: Sequence[str], as_matrix: bool, patterns: Sequence[str],
    matching: str | None, gate: Gate, limit: int, form: str, as_json: bool, out: Path | None,
) -> None:  # fmt: skip
    """Compare two runs, or strategies of one run, sample by sample.

    With BASE: shows which samples turned worse or better under which strategy, with both diffs, and which differences
    are significant. The exit code is 1 if the gate fails: by default on any new or worse wrong edit, crash or time-out,
    on a significantly lower match rate, on a clearly higher latency, and on a strategy that only BASE has. It is also 1
    if nothing could be compared.

    Latencies are compared as CPU time: of a rule of this program, or of a program (cmd:) with its children. Both runs
    need replacer/simple, which measures the machine's speed (-s replacer/simple); without it, only a CPU time of more
    than about three times as much fails. The wall time of programs, which depends on the machine's load, is judged by
    `editgauge nightly` only.

    RUN --between A B: shows on how many samples both are right, only one is, or both are wrong; the samples on which
    they differ, with both diffs; tests and intervals of the differences; and which one to take at which cost of a wrong
    edit.
    """
    form = "json" if as_json else form
    if names or as_matrix:
        _refuse_what_is_for_two_runs(context, form)
        if len(places) != 1:
            raise UsageError(
                f"{_BETWEEN if names else '--matrix'} is for one run, and {len(places) or 'none'} are named",
                "Name one run." if places or not names else f"Name the run first: compare RUN {_BETWEEN} A B.",
            )
        with output(out) as stream:
            _compare_within(RunFolder(places[0]), names, patterns, matching, limit, form, stream)
        return
    if len(places) != 2:
        n = {0: "No run is named", 1: "One run is named"}.get(len(places), f"{len(places)} runs are named")
        raise UsageError(n, "Name a baseline and a run; or one run, with --between A B or --matrix.")
    if matching is not None:
        raise UsageError("-k needs --between", "Name one run, and strategies of it: --between A B.")
    base, run = map(RunFolder, places)
    _compare_runs(base, run, patterns, gate, limit, form, out)


def _refuse_what_is_for_two_runs(context: click.Context, form: str) -> None:
    """Raise UsageError for options of the gate, and for output formats that report a gate."""
    given = [
        option
        for name, option in (("rules", "--fail-on"), ("latency_tolerance", "--latency-tolerance"), ("gone", "--gone"))
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if form not in ("table", "json"):
        given.append(f"--output-format {form}")
    if given:
        raise UsageError(f"{given[0]} is for two runs, and one is named", "Name a baseline too: compare BASE RUN.")


def _compare_runs(
    base: RunFolder, run: RunFolder, patterns: Sequence[str], gate: Gate, limit: int, form: str, out: Path | None
) -> None:
    """Compare a run with a baseline, print the comparison, and exit with the gate's code."""
    check_gone(gate, base)
    comparison = compare_runs(base, run, strategies=_chosen(base, run, patterns))
    comparison = with_latencies(comparison, gate)
    failed = failures(comparison, gate)
    found = groups(comparison, n_diffs=limit)
    print_notes(comparison)
    _write(comparison, failed, found, form, out)
    if form != "github" or out:
        annotate(comparison, failed)
    append_to_job_summary(lambda left: comparison_markdown(comparison, failed, found, limit=left))
    unmeasured = _why_not_comparable(comparison) if failed is not None else None
    if unmeasured:
        tell(f"error: nothing was compared: {unmeasured}")
    sys.exit(1 if failed or unmeasured else 0)


def _why_not_comparable(comparison: Comparison) -> str | None:
    """Why nothing was compared, in one line; None if something was."""
    names = [one.strategy for one in comparison.strategies]
    for folder in (comparison.base, comparison.run):
        if reason := why_nothing_was_measured(folder, strategies=names or None):
            return f"in {folder}, {reason}"
    return None if comparison.n_samples else "the runs have no sample and strategy in common"


def _chosen(base: RunFolder, run: RunFolder, patterns: Sequence[str]) -> list[str]:
    """The chosen strategies of both runs; empty where all are chosen."""
    names = list(dict.fromkeys((*base.strategies, *run.strategies)))
    return matching_names(names, patterns) if patterns else []


def _write(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], form: str, out: Path | None
) -> None:
    """Print or write the comparison. Unless a table is printed, the gate's result goes to stderr too."""
    with output(out) as stream:
        match form:
            case "json":
                print_json(ci.document(comparison, failed, found), stream)
            case "markdown":
                stream.write(comparison_markdown(comparison, failed, found))
            case "junit":
                stream.write(ci.junit(comparison, failed, found))
            case "github":
                stream.writelines(f"{line}\n" for line in ci.github_annotations(comparison, failed))
            case _:
                print_comparison(comparison, failed, found, stream)
    if form != "table" or out is not None:
        for line in gate_lines(failed):
            tell(line)
