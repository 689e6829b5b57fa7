"""A night: run, add to the history, compare with the last accepted night, write the reports."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from editcore.errors import UsageError
from editcore.quoting import markdown_code, markdown_prose
from harness.progress import Report, no_report
from harness.run.plan import Request
from harness.run.runner import run
from reports.compare.comparison import Comparison, compare
from reports.compare.costs import advised
from reports.compare.gate import Failure, Gate, Rule, check_gone, failures, latency_notes, open_findings, with_latencies
from reports.compare.latency import levels
from reports.history.fuzz_nights import FuzzNight
from reports.history.nights import History, Judged, latencies_of, sample_marks
from reports.page.document import write_page
from reports.page.head import rates
from reports.runs.manifest import MANIFEST, STDERR, read_manifest, remove_leftover, write_atomically
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import why_no_baseline, why_nothing_was_measured
from reports.views import ci
from reports.views.ci import program_files, sarif
from reports.views.comment import COMMENT_LIMIT, comparison_markdown, run_markdown
from reports.views.comparison_wording import Group, groups
from reports.wording import counted

NO_SENTENCES: Mapping[str, str] = MappingProxyType({})
FIRST = "the first night"
"""The reason recorded for accepting the first night as the baseline."""


@dataclass(frozen=True, slots=True)
class Night:
    name: str
    folder: Path
    """The run folder of the night, in the history."""
    baseline: str | None
    """The night that this one was compared with; None for the first night, which becomes the baseline."""
    comparison: Comparison | None = None
    failures: Sequence[Failure] | None = None
    """None if nothing was compared or no gate was requested."""
    groups: Sequence[Group] = ()
    """Samples whose verdict changed, in groups with diffs."""
    open_findings: Sequence[Failure] = ()
    """Strategies that still edit samples wrongly in which fuzzing found them wrong."""
    not_comparable: UsageError | None = None
    """The reason why the night cannot be compared with the baseline; None if it was, or there is none."""
    not_measured: str | None = None
    """The reason why no call of any strategy, or of one in a first night, ended in a result; None if some did."""


def night(
    request: Request, history: History, gate: Gate, *, fuzzed: FuzzNight | None = None,
    properties: Mapping[str, str] = NO_SENTENCES, report: Report = no_report,
    warn: Callable[[str], None] = lambda _: None,
) -> Night:  # fmt: skip
    """Run a night and add it to the history. Raises UsageError if another night is running or the baseline is lost.

    The page and the summary include the findings of `fuzzed`. `properties` maps the names of properties to the
    sentences that explain them on the page. A failed gate and a missing comparison are part of the result. With
    `request.resume`, an interrupted night is resumed; otherwise its remains are deleted first.
    """
    tonight = history.make()
    with history.locked():
        # A night whose deletion was interrupted has no manifest any more.
        is_resumed = request.resume and (tonight / MANIFEST).exists()
        if not is_resumed:
            remove_leftover(tonight)
        _refuse_lost_baseline(history, history.added(tonight) if is_resumed else None)
        accepted = history.baseline()
        check_gone(gate, history.run(accepted.night) if accepted else None)
        run(replace(request, folder=tonight), report=report, warn=warn)
        name = history.added(tonight) or history.add(tonight)
        if (tonight / STDERR).is_dir():
            shutil.move(tonight / STDERR, history.night(name) / STDERR)
        finished = _compared(history, name, gate, fuzzed, properties)
        history.remove_leftovers(name)
        with suppress(OSError, UsageError):  # The night is kept; the next one removes what is left, or says why not.
            remove_leftover(tonight)  # Last: while this folder exists, an interrupted night can be resumed.
        return finished


def _refuse_lost_baseline(history: History, tonight: str | None) -> None:
    """Raise UsageError if other nights exist and none is accepted: tonight would become the baseline as it is."""
    nights = [name for name in history.nights() if name != tonight]
    if history.baseline() or not any(why_no_baseline(history.run(name)) is None for name in nights):
        return
    judged = filter(None, (history.judged(name) for name in reversed(nights)))
    last = next((one.baseline for one in judged if one.baseline in nights), nights[0])
    raise UsageError(
        f"{history.folder} has {counted(len(nights), 'night')} and no baseline: its accepted.jsonl is lost",
        f"Accept one, and run again: {accepting(history, last)}",
    )


def accepting(history: History, night: str) -> str:
    return f"editgauge baseline accept {night} --history {shlex.quote(str(history.folder))} --why '...'"


def _compared(
    history: History, name: str, gate: Gate, fuzzed: FuzzNight | None, properties: Mapping[str, str]
) -> Night:
    """Compare the night with the baseline, and write the reports into its folder."""
    night = history.run(name)
    folder, accepted = night.folder, history.baseline()
    reason = why_nothing_was_measured(night) if accepted else why_no_baseline(night)
    not_measured = f"nothing was measured: {reason}" if reason and accepted else reason
    if accepted is None and not not_measured:
        accepted = history.accept(name, FIRST)
    baseline = accepted.night if accepted and accepted.night != name else None
    found = Night(name, folder, baseline, not_measured=not_measured, open_findings=open_findings(night))
    if baseline:
        found = _against(history, baseline, found, gate)
    why_not_comparable = found.not_comparable.message if found.not_comparable else None
    if found.open_findings:
        found = replace(found, failures=[*found.open_findings, *(found.failures or ())])
    reasons, of_samples = tuple(found.failures or ()), sample_marks(night)
    history.judge(name, Judged(baseline, reasons, why_not_comparable, levels(night), of_samples, rates(night)))
    write_page(
        night, folder / "report.html", comparison=found.comparison, failures=found.failures, fuzzed=fuzzed,
        properties=properties, history=history, not_comparable=why_not_comparable,
    )  # fmt: skip
    texts = {"summary.md": summary_markdown(found, fuzzed)}
    if found.comparison:
        texts["junit.xml"] = ci.junit(found.comparison, found.failures, found.groups)
        texts["comparison.json"] = json.dumps(ci.document(found.comparison, found.failures, found.groups), indent=2)
        files = program_files(read_manifest(folder), Path.cwd())
        texts["gate.sarif"] = json.dumps(sarif(found.failures or (), files), indent=2)
    for file, text in texts.items():
        write_atomically(folder / file, text.encode("utf-8", "backslashreplace"))
    return found


def _against(history: History, baseline: str, night: Night, gate: Gate) -> Night:
    """The night with its comparison and gate result, or with the reason why it cannot be compared."""
    try:
        comparison = compare(history.run(baseline), RunFolder(night.folder))
        latencies = latencies_of(history, night.name, baseline, gate.latency_tolerance)
    except UsageError as error:
        if isinstance(error.__cause__, OSError):  # The disk failed; that says nothing about the nights.
            raise
        return replace(night, not_comparable=error)
    notes = list(comparison.notes)
    if Rule.LATENCY in gate.fail_on:
        notes += latency_notes(latencies, gate.latency_tolerance)
    if later := history.later_by_clock(night.name):
        notes.append(
            f"The clock went back: {later} was added before this night and began later by its clock. "
            "Nights are in the order in which they were added."
        )
    compared = with_latencies(replace(comparison, notes=notes), gate, latencies)
    failed = failures(compared, gate)
    found = replace(night, comparison=compared, failures=failed, groups=groups(compared))
    if not compared.n_samples and not night.not_measured:
        found = replace(found, not_measured="nothing was measured: no sample and strategy is in both nights")
    return found


def summary_markdown(night: Night, fuzzed: FuzzNight | None, *, limit: int = COMMENT_LIMIT) -> str:
    """The night in Markdown of at most `limit` bytes: its comparison, or its rates and the reason why there is none."""
    if night.comparison:
        return comparison_markdown(night.comparison, night.failures, night.groups, fuzzed=fuzzed, limit=limit)
    manifest = read_manifest(night.folder)
    if night.not_comparable:
        why = f"It cannot be compared with {night.baseline}: {night.not_comparable.message}"
    elif night.not_measured:
        why = f"It is not the baseline: {night.not_measured}."
    else:
        why = "There was no baseline; this night is the baseline from now on."
    failed = [f"- {markdown_code(one.strategy)}: {markdown_prose(one.message)}" for one in night.open_findings]
    failed += [""] if failed else []
    opening = (f"## {markdown_code(f'night {night.name}')}", "", markdown_prose(why), "", *failed)
    rows, advice = advised(RunFolder(night.folder))
    return run_markdown(rows, manifest, night.folder, advice=advice, opening=opening, fuzzed=fuzzed, limit=limit)
