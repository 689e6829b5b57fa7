"""`show`: everything a run recorded about one sample, or the samples on which strategies were wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import click

from editcore.errors import UsageError
from editcore.text.diff import unified_diff
from harness.commands.options import JSON, MATCHING, RUN, STRATEGIES
from harness.commands.runs.summary import note_if_unfinished
from harness.strategies.registry import matching_names
from harness.terminal import print_json, print_lines, tell
from reports.measurements.measurement import UNRELIABLE
from reports.runs.rows import Change, Outcome, Verdict, WrongEdit
from reports.runs.run_folder import Chosen, RunFolder, SampleRecord, chosen, sample_record, selected_ids
from reports.views.tables import duration

# One sample of a run as text (edit, place, right answer, every strategy's result), and lists of outcomes.


def of_strategies(record: SampleRecord, names: Collection[str]) -> SampleRecord:
    """Reduce a record to these strategies; the right answer stays."""
    kept = [replace(one, strategies=tuple(name for name in one.strategies if name in names)) for one in record.changes]
    return replace(
        record,
        outcomes=tuple(one for one in record.outcomes if one.strategy in names),
        changes=tuple(one for one in kept if one.strategies or one.result == 0),
        wrong_edits=tuple(one for one in record.wrong_edits if one.strategy in names),
    )


def lines_about(record: SampleRecord) -> Iterator[str]:
    """Everything that a run recorded about a sample, as lines of text."""
    yield f"sample {record.outcomes[0].sample_id}"
    yield from _properties(record)
    yield from _edit(record)
    yield from _seen(record)
    for change in record.changes:
        if change.result == 0:
            yield from ("", "the right answer: diff from the file before", "")
            yield from _diff(change.path, change.line, change.before, change.after, change.n_omitted)
    yield ""
    yield from _outcome_lines(record.outcomes)
    yield from _results(record)


def diff_lines(record: SampleRecord, strategy: str, *, headed: bool = True) -> Iterator[str]:
    """Outcome of one strategy on a sample, then the diffs from the file before and from the right answer to its
    result.

    Without `headed` the outcome is left out. Raises UsageError for a strategy that has no outcome of the sample.
    """
    outcomes = [one for one in record.outcomes if one.strategy == strategy]
    if not outcomes:
        names = ", ".join(one.strategy for one in record.outcomes)
        raise UsageError(f"{strategy!r} has no outcome of this sample", f"Strategies with an outcome: {names}.")
    if headed:
        yield from _outcome_lines(outcomes)
    changes = [change for change in record.changes if strategy in change.strategies]
    for change in changes:
        right = " (the right answer)" if change.result == 0 else ""
        yield from ("", f"diff from the file before to the result{right}", "")
        yield from _diff(change.path, change.line, change.before, change.after, change.n_omitted)
    for wrong in record.wrong_edits:
        if wrong.strategy == strategy:
            yield from ("", "diff from the right text to the result", "")
            yield from _diff(wrong.path, wrong.line, wrong.expected, wrong.given, wrong.n_omitted)


def sample_document(record: SampleRecord) -> dict[str, Any]:
    return {"schema_version": 1, **asdict(record)}


def no_such_sample(run: RunFolder, sample_id: str) -> UsageError:
    """The error for an unknown sample id; its tip names the nearest known one."""
    return UsageError(f"{run} has no sample {sample_id!r}", _tip(run, sample_id))


def _properties(record: SampleRecord) -> Iterator[str]:
    """Format, label and origin of a sample, and its recorded outcome."""
    used = record.sample
    if used is None:
        return
    label = f"{used.label} ({used.label_source})" if used.label_source else used.label
    named = [("agent", used.agent), ("model", used.model), ("repo", used.repo), ("mutator", used.mutator)]
    if record.text:
        named.append(("recorded", record.text.recorded_outcome))
        named.append(("encoding", record.text.encoding))
    yield "; ".join([used.format, label, *(f"{name} {value}" for name, value in named if value)])
    if used.tags:
        yield " ".join(used.tags)


def _edit(record: SampleRecord) -> Iterator[str]:
    """The edit as written, and the file around its place, with line numbers."""
    text = record.text
    written = text.edit if text else record.wrong_edits[0].edit if record.wrong_edits else None
    if written is not None:
        yield from ("", "the edit as written", "", *written.split("\n"))
    if text is None or not text.place:
        return
    yield from ("", f"the file around its place: {text.path}", "")
    rows = text.place.removesuffix("\n").split("\n")
    width = len(str(text.line + len(rows)))
    yield from (f"{number:>{width}}  {row}".rstrip(" ") for number, row in enumerate(rows, text.line))
    if text.n_omitted:
        yield f"({text.n_omitted:,} characters more)"


def _seen(record: SampleRecord) -> Iterator[str]:
    """The changes to the file since the model saw it."""
    text = record.text
    if text is None or text.seen_path is None or text.since_line is None:
        return
    shown = f" (it was shown lines {text.seen_lines})" if text.seen_lines else ""
    yield from ("", f"changed since the model saw it{shown}: diff from what was seen to the file before", "")
    yield from _diff(
        text.seen_path, text.since_line, text.since_seen or "", text.since_now or "", text.n_seen_omitted or 0
    )
    if text.n_seen_files and text.n_seen_files > 1:
        yield f"({text.n_seen_files - 1} more changed since)"


def _outcome_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    width = max(len(outcome.strategy) for outcome in outcomes)
    for outcome in outcomes:
        yield f"{outcome.strategy:<{width}}  {outcome_text(outcome)}"
        if outcome.message:
            yield f"{'':<{width}}    {outcome.message}"


def outcome_text(outcome: Outcome, *, timed: bool = True) -> str:
    """An outcome in one line: verdict, severity, deciding replacer, and lines."""
    parts = [outcome.verdict]
    if outcome.damage:
        n = outcome.n_lines_lost
        lost = f"{n} line{'s' if n > 1 else ''} lost" if n else ""
        parts.append(f"({', '.join(filter(None, (outcome.damage, outcome.severity, lost)))})")
    if outcome.alternative:
        parts.append(f"(alternative {outcome.alternative})")
    if outcome.replacer:
        parts.append(f"by {outcome.replacer}")
    if outcome.reason:
        parts.append(f"({outcome.reason})" if outcome.verdict != "unlabelled" else f"rejected ({outcome.reason})")
    if outcome.lines:
        several = "s" if "," in outcome.lines else ""
        parts.append(f"{'at' if outcome.reason is None else 'considering'} line{several} {outcome.lines}")
    if outcome.error:
        parts.append(f"- {outcome.error}")
    if timed and outcome.latency_ns is not None:
        parts.append(f"in {duration(outcome.latency_ns)}")
    return " ".join(parts)


def _results(record: SampleRecord) -> Iterator[str]:
    """Each wrong result once, as a diff from the file before and from the right answer."""
    results: dict[int, list[Change]] = {}
    for change in record.changes:
        if change.result:
            results.setdefault(change.result, []).append(change)
    for changes in results.values():
        yield from ("", f"{', '.join(changes[0].strategies)}: diff from the file before to the result", "")
        for change in changes:
            yield from _diff(change.path, change.line, change.before, change.after, change.n_omitted)
    alike: dict[tuple[str, int, str, str, int], list[WrongEdit]] = {}
    for one in record.wrong_edits:
        alike.setdefault((one.path, one.line, one.expected, one.given, one.n_omitted), []).append(one)
    for (path, line, expected, given, n_omitted), same in alike.items():
        names = ", ".join(one.strategy for one in same)
        yield from ("", f"wrong under {names}: diff from the right text to the result", "")
        yield from _diff(path, line, expected, given, n_omitted)


def _diff(path: str, line: int, before: str, after: str, n_omitted: int) -> Iterator[str]:
    """Lines of a diff of two excerpts, which begin at line `line` of the file."""
    yield from unified_diff(before, after, path=path, first_line=line).split("\n")[:-1]
    if n_omitted:
        yield f"({n_omitted:,} characters more)"


def _tip(run: RunFolder, sample_id: str) -> str:
    from rapidfuzz.process import extractOne

    ids: dict[str, None] = {}
    for table in run.tables("outcomes", "sample_id", as_dictionaries=True):
        ids.update((name, None) for column in table["sample_id"].chunks for name in column.dictionary.to_pylist())
    near = extractOne(sample_id, list(ids), processor=str.lower, score_cutoff=80)
    return f"Did you mean {near[0]}?" if near else "The report and the corpus have the ids."


# Lists of outcomes


def print_outcomes(run: RunFolder, chosen: Chosen, *, diffs: bool = False) -> None:
    """Print a line for each outcome."""
    print_lines(_listed_lines(run, chosen, diffs=diffs))


def outcomes_document(chosen: Chosen) -> dict[str, Any]:
    rows = [asdict(one) | {"path": chosen.paths.get(one.sample_id)} for one in chosen.outcomes]
    return {"schema_version": 1, "n": chosen.n, "outcomes": rows}


def _listed_lines(run: RunFolder, chosen: Chosen, *, diffs: bool) -> Iterator[str]:
    strategies = {one.strategy for one in chosen.outcomes}
    id_width = max((len(one.sample_id) for one in chosen.outcomes), default=0)
    width = max(map(len, strategies), default=0)
    for outcome in chosen.outcomes:
        named = f"  {outcome.strategy:<{width}}" if len(strategies) > 1 else ""
        path = chosen.paths.get(outcome.sample_id)
        where = f"  {path}" if path else ""
        yield f"{outcome.sample_id:<{id_width}}{named}  {outcome_text(outcome, timed=False)}{where}"
        if diffs:
            yield from diff_lines(sample_record(run, outcome.sample_id), outcome.strategy, headed=False)
            yield ""


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
