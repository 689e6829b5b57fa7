"""One sample of a run as text: its outcome under every strategy, and the diffs of wrong edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from editcore.diff import unified_diff
from editcore.errors import UsageError
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes, wrong_edits
from reports.runs.rows import Outcome, WrongEdit


def lines_about(folder: Path, sample_id: str) -> Iterator[str]:
    """The outcomes of a sample as lines of text. Raises UsageError for an id that the run does not have."""
    read_manifest(folder)
    found = [outcome for outcome in outcomes(folder) if outcome.sample_id == sample_id]
    if not found:
        raise no_such_sample(folder, sample_id)
    yield f"sample {sample_id}"
    yield ""
    width = max(len(outcome.strategy) for outcome in found)
    for outcome in found:
        yield f"{outcome.strategy:<{width}}  {_outcome_text(outcome)}"
    wrong = [edit for edit in wrong_edits(folder) if edit.sample_id == sample_id]
    if wrong:
        yield from ("", "the edit as written", "")
        yield from wrong[0].edit.split("\n")
    for edit in dict.fromkeys((edit.path, edit.line, edit.expected, edit.given) for edit in wrong):
        yield from _damage([one for one in wrong if (one.path, one.line, one.expected, one.given) == edit])


def no_such_sample(folder: Path, sample_id: str) -> UsageError:
    """The error for an unknown sample id, with the nearest known one."""
    return UsageError(f"{folder} has no sample {sample_id!r}", _tip(folder, sample_id))


def _outcome_text(outcome: Outcome) -> str:
    parts = [outcome.verdict]
    if outcome.damage:
        lost = f"{outcome.n_lines_lost} lines lost" if outcome.n_lines_lost else ""
        parts.append(f"({', '.join(filter(None, (outcome.damage, outcome.severity, lost)))})")
    if outcome.alternative:
        parts.append(f"(alternative {outcome.alternative})")
    if outcome.replacer:
        parts.append(f"by {outcome.replacer}")
    if outcome.reason:
        parts.append(f"({outcome.reason})" if outcome.verdict != "unlabelled" else f"rejected ({outcome.reason})")
    if outcome.error:
        parts.append(f"- {outcome.error}")
    if outcome.latency_ns is not None:
        parts.append(f"in {outcome.latency_ns / 1000:.0f} us")
    return " ".join(parts)


def _damage(same: list[WrongEdit]) -> Iterator[str]:
    """The diff from the right text to the result, for strategies with the same wrong edit."""
    edit = same[0]
    yield from (
        "",
        f"wrong under {', '.join(one.strategy for one in same)}: diff from the right text to the result",
        "",
    )
    yield from unified_diff(edit.expected, edit.given, path=edit.path).split("\n")[:-1]
    if edit.n_omitted:
        yield f"({edit.n_omitted:,} characters more)"


def _tip(folder: Path, sample_id: str) -> str:
    from rapidfuzz.process import extractOne

    ids = list(dict.fromkeys(outcome.sample_id for outcome in outcomes(folder)))
    near = extractOne(sample_id, ids, processor=str.lower, score_cutoff=80)
    return f"Did you mean {near[0]}?" if near else "The report and the corpus have the ids."
