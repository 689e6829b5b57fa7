"""The text of a comparison: its table, the turned samples with both diffs, a summary sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from editcore.text.diff import unified_diff
from reports.compare.comparison import Comparison, Side, StrategyCompared, Turn, Turned
from reports.compare.contrasts import Contrast
from reports.compare.gate import Failure
from reports.compare.latency import YARDSTICK
from reports.measurements.interval import percent
from reports.measurements.measurement import Unit
from reports.measurements.table import MATCH_RATE, MEASUREMENTS, WRONG_RATE
from reports.runs.rows import Verdict, WrongEdit
from reports.runs.run_folder import edits_of
from reports.statistics.significance import FEWEST
from reports.views.tables import ABSENT, Column, Row, measured, print_rows, visible
from reports.wording import counted, examples, first_named, listed

N_DIFFS = 20
"""Number of samples of each turn that are shown with diffs by default."""


@dataclass(slots=True)
class Group:
    """A sample that turned, and the strategies under which it turned in the same way."""

    first: Turned
    edits: tuple[WrongEdit | None, ...] = (None, None)
    """The wrong edits of the baseline and of the run; None if not wrong, or beyond the number of diffs to show."""
    strategies: list[str] = field(default_factory=list)


def groups(comparison: Comparison, *, n_diffs: int = N_DIFFS) -> list[Group]:
    """The turned samples in order, equal turns grouped; the first `n_diffs` of each turn with texts."""
    shown: dict[Turn, set[str]] = defaultdict(set)
    for pair in comparison.turned:
        if (_is_wrong(pair.base) or _is_wrong(pair.run)) and len(shown[pair.turn]) < n_diffs:
            shown[pair.turn].add(pair.sample_id)
    wanted = [pair for pair in comparison.turned if pair.sample_id in shown[pair.turn]]
    before = edits_of(comparison.base, [(pair.sample_id, pair.strategy) for pair in wanted if _is_wrong(pair.base)])
    after = edits_of(comparison.run, [(pair.sample_id, pair.strategy) for pair in wanted if _is_wrong(pair.run)])
    found: dict[tuple[object, ...], Group] = {}
    for pair in comparison.turned:
        place = pair.sample_id, pair.strategy
        edits = (before.get(place), after.get(place)) if pair.sample_id in shown[pair.turn] else (None, None)
        key = pair.sample_id, pair.turn, *map(verdict_text, (pair.base, pair.run)), *map(_text, edits)
        found.setdefault(key, Group(pair, edits)).strategies.append(pair.strategy)
    return list(found.values())


def _is_wrong(side: Side) -> bool:
    return side.verdict == Verdict.WRONG_EDIT


def _text(edit: WrongEdit | None) -> tuple[object, ...] | None:
    return (edit.path, edit.line, edit.expected, edit.given, edit.n_omitted) if edit else None


def verdict_text(side: Side) -> str:
    """The verdict of a sample in one run, with its damage, severity and lines lost, reason or error."""
    applied = "applied" if side.verdict == Verdict.UNLABELLED else None
    lost = f"{counted(side.n_lines_lost, 'line')} lost" if side.n_lines_lost else None
    detail = ", ".join(filter(None, (side.damage, side.severity, lost))) or side.reason or side.error or applied
    return f"{side.verdict} ({detail})" if detail else side.verdict


def turn_text(turned: Turned) -> str:
    return f"{verdict_text(turned.base)} -> {verdict_text(turned.run)}"


def heading(group: Group) -> str:
    """The sample and its two verdicts, in one line."""
    return f"{group.first.sample_id}: {turn_text(group.first)}"


def has_diff(group: Group) -> bool:
    """True if either side has a wrong edit to show."""
    return any(edit is not None for edit in group.edits)


def diff_of(edit: WrongEdit) -> str:
    """The diff from the right text to the result."""
    lines = unified_diff(edit.expected, edit.given, path=edit.path)
    return lines + (f"({edit.n_omitted:,} characters more)\n" if edit.n_omitted else "")


def side_texts(group: Group) -> list[tuple[str, str | None]]:
    """For the baseline and the run: the outcome as text, and the diff of a wrong edit."""
    return list(map(side_text, ("base", "run"), (group.first.base, group.first.run), group.edits))


def side_lines(sides: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    """The lines of outcomes as `side_text` gives them, each followed by its diff."""
    for text, diff in sides:
        yield text
        if diff:
            yield from diff.removesuffix("\n").split("\n")


def side_text(name: str, side: Side, edit: WrongEdit | None) -> tuple[str, str | None]:
    """The outcome on one side as text, which begins with `name`, and the diff of a wrong edit."""
    by = f", by {side.replacer}" if side.replacer else ""
    if edit:
        return f"{name}: wrong{by}; diff from the right text to the result, from line {edit.line}", diff_of(edit)
    return f"{name}: {_result_text(side)}{by}", None


def _result_text(side: Side) -> str:
    match side.verdict:
        case Verdict.CORRECT:
            return "the right text, byte for byte"
        case Verdict.MISSED:
            return f"refused ({side.reason})"
        case Verdict.REFUSED:
            return f"rightly refused ({side.reason})"
        case Verdict.UNLABELLED:
            return f"refused ({side.reason})" if side.reason else "applied; the right answer is not known"
        case Verdict.CRASHED:
            return f"crashed ({side.error})"
        case Verdict.TIMED_OUT:
            return "timed out"
        case Verdict.UNSTABLE:
            return f"unstable ({side.error})"
    return "wrong; its diff is not shown here"


def lines_about(found: Sequence[Group]) -> Iterator[str]:
    """The turned samples under a heading for each turn: first those with diffs, then the others, one line each."""
    for turn in (Turn.WORSE, Turn.BETTER, Turn.CHANGED):
        mine = [group for group in found if group.first.turn == turn]
        if mine:
            yield from ("", turn.value.upper())
        for group in (one for one in mine if has_diff(one)):
            yield from ("", heading(group), f"under {', '.join(group.strategies)}")
            yield from side_lines(side_texts(group))
        others = [group for group in mine if not has_diff(group)]
        if others:
            yield from ("", "without diffs")
        for group in others:
            yield f"{heading(group)}, under {', '.join(group.strategies)}"


def points(contrast: Contrast | None) -> str:
    """The difference in percentage points with its interval: `-0.4 (-1.2 to +0.3)`.

    Where samples of too few repositories differ, how many are counted on the second side only, and on the first:
    `+0 -2, too few`.
    """
    if contrast is None:
        return ABSENT
    if not contrast.n_only_base and not contrast.n_only_run:
        return "0.0"
    if contrast.interval is None:
        return f"+{contrast.n_only_run:,} -{contrast.n_only_base:,}, too few"
    low, high = contrast.interval
    return f"{100 * contrast.delta:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def p_value(contrast: Contrast | None) -> str:
    """The corrected p-value with two to four decimals; absent if too few repositories differ."""
    if contrast is None or contrast.corrected_p is None:
        return ABSENT
    p = contrast.corrected_p
    return "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def latency_text(one: StrategyCompared) -> str:
    """The latency ratio, and the ratio that noise explains: `1.02 (noise 1.33)`."""
    return f"{one.latency.ratio:.2f} (noise {one.latency.noise:.2f})" if one.latency else ABSENT


def result_text(one: StrategyCompared) -> str:
    """The status of a strategy in a word or two, including the latency rule."""
    if not one.is_slower:
        return one.status.value
    return "slower" if one.status == Turn.SAME else f"{one.status.value}, slower"


def _rates(contrast: Contrast | None) -> str:
    if contrast is None:
        return ABSENT
    base, run = percent(contrast.base), percent(contrast.run)
    return base if base == run else f"{base} -> {run}"


def _count(
    heading: str, meaning: str, number: Callable[[StrategyCompared], int], *, style: str = ""
) -> Column[StrategyCompared]:
    return Column(heading, meaning, lambda s: str(number(s)), number, lambda s: style if number(s) else "")


def contrast_column(
    heading: str, meaning: str, text: Callable[[Contrast | None], str], of: Callable[[Row], Contrast | None]
) -> Column[Row]:
    """A column about a contrast, sorted by its difference."""

    def number(row: Row) -> float | None:
        contrast = of(row)
        return contrast.delta if contrast else None

    return Column(heading, meaning, lambda row: text(of(row)), number)


_CHANGE = (
    "in percentage points, with its 95 % interval by itself, clustered by repository; where samples of fewer than "
    f"{FEWEST} repositories differ, the numbers of samples instead"
)
_TEST = "McNemar's exact test, clustered by repository and corrected for the number of strategies"
_COLOURS = {Turn.WORSE: "red", Turn.NEWLY_WRONG: "red", Turn.BETTER: "green", Turn.UNCLEAR: "yellow"}
_COLUMNS: tuple[Column[StrategyCompared], ...] = (
    Column("strategy", "what applied the edits", lambda s: visible(s.strategy)),
    _count("samples", "in both runs", lambda s: s.n_samples),
    _count("worse", "samples that turned worse", lambda s: s.n_worse, style="red"),
    _count("better", "samples that turned better", lambda s: s.n_better, style="green"),
    _count(
        "changed",
        "samples that changed without turning better or worse, as wrong in another way of one severity",
        lambda s: s.n_changed,
    ),
    _count("newly wrong", "wrong edits that were not wrong in the baseline", lambda s: s.n_newly_wrong, style="red"),
    _count(
        "newly failed",
        "crashed, timed out or unstable, and not in the baseline; or timed out where it crashed",
        lambda s: s.n_newly_failed,
        style="red",
    ),
    contrast_column("match rate", "correct / samples labelled apply", _rates, lambda s: s.match_rate),
    contrast_column("match change", _CHANGE, points, lambda s: s.match_rate),
    contrast_column("match p", _TEST, p_value, lambda s: s.match_rate),
    contrast_column("wrong rate", "wrong or unstable / all labelled samples", _rates, lambda s: s.wrong_rate),
    contrast_column("wrong change", _CHANGE, points, lambda s: s.wrong_rate),
    contrast_column("wrong p", _TEST, p_value, lambda s: s.wrong_rate),
    Column(
        "latency",
        f"run / base, on a night tonight / the nights before, each divided by {YARDSTICK} in the same run; noise: the "
        "ratio that noise explains",
        latency_text,
        lambda s: s.latency.ratio if s.latency else None,
    ),
    Column(
        "verdict",
        "result of the tests; newly wrong: some edit is, but no rate is significantly worse; unclear: no difference is "
        "significant; slower: by more than the latency rule tolerates",
        result_text,
        style=lambda s: "red" if s.is_slower else _COLOURS.get(s.status, ""),
    ),
)
_DROPPED_FIRST = (
    "samples", "changed", "wrong rate", "match rate", "newly failed", "wrong p", "match p", "wrong change",
    "match change", "latency",
)  # fmt: skip


def columns(comparison: Comparison) -> list[Column[StrategyCompared]]:
    """The columns to show; `newly failed` only if there is any."""
    failed = any(one.n_newly_failed for one in comparison.strategies)
    return [column for column in _COLUMNS if failed or column.heading != "newly failed"]


def print_table(comparison: Comparison, *, file: TextIO | None = None) -> None:
    print_rows(comparison.strategies, columns(comparison), dropped_first=_DROPPED_FIRST, file=file)


LEGEND = (
    "change: in percentage points; p: McNemar's exact test, corrected for the number of strategies; "
    f"latency: run / base, on a night tonight / the nights before, each divided by {YARDSTICK} in the same run; noise: "
    "the ratio that noise explains; slower: by more than noise and more than the latency rule tolerates; "
    "newly wrong: an edit is, though no rate is significantly worse; unclear: no difference is significant"
)


def sentence(comparison: Comparison) -> str:
    """The comparison in one sentence: numbers of turned samples, and strategies that differ significantly."""
    n_strategies, n_samples = len(comparison.strategies), comparison.n_samples
    if not n_samples:
        return "Nothing was compared: no strategy ran on any sample."
    ids = {turn: {pair.sample_id for pair in comparison.turned if pair.turn == turn} for turn in Turn}
    if not comparison.turned:
        under = comparison.strategies[0].strategy if n_strategies == 1 else f"{n_strategies} strategies"
        return f"Nothing turned: {under} had the same outcomes on {counted(n_samples, 'sample')}."
    counts = [f"{len(ids[turn]):,} {turn}" for turn in (Turn.WORSE, Turn.BETTER)]
    if ids[Turn.CHANGED]:
        counts.append(f"{len(ids[Turn.CHANGED]):,} changed")
    by_status = {turn: [one.strategy for one in comparison.strategies if one.status == turn] for turn in Turn}
    tested = [
        f"{first_named(names)} {'is' if len(names) == 1 else 'are'} {text}"
        for turn, text in (
            (Turn.WORSE, "significantly worse"),
            (Turn.NEWLY_WRONG, "newly wrong on some samples"),
            (Turn.BETTER, "significantly better"),
            (Turn.UNCLEAR, "not significantly different"),
        )
        if (names := by_status[turn])
    ]
    turned = f"{listed(counts)} of {counted(n_samples, 'sample')}, under {counted(n_strategies, 'strategy')}"
    return f"{turned}{': ' if tested else ''}{'; '.join(tested)}."


def changed_lines(comparison: Comparison) -> Iterator[str]:
    """The changed measurements that the table lacks, one line for each strategy with turned samples."""
    columns = [
        measured(one)
        for one in MEASUREMENTS
        if one.unit in (Unit.COUNT, Unit.SHARE) and one not in (MATCH_RATE, WRONG_RATE)
    ]
    for strategy in dict.fromkeys(pair.strategy for pair in comparison.turned):
        texts = [
            (column.heading, *(column.text(side) for side in comparison.measured.get(strategy, ())))
            for column in columns
        ]
        changed = [f"{heading} {' -> '.join(both)}" for heading, *both in texts if len(set(both)) > 1]
        if changed:
            yield f"{strategy}: {'; '.join(changed)}"


def gate_lines(failures: Sequence[Failure] | None) -> Iterator[str]:
    """The gate's result, then one line for each failure."""
    if failures is None:
        yield "No gate was applied."
        return
    if not failures:
        yield "The gate passes."
        return
    yield f"The gate fails, for {counted(len(failures), 'reason')}:"
    for failure in failures:
        some = f" ({examples(failure.sample_ids)})" if failure.sample_ids else ""
        yield f"  {failure.kind}: {failure.strategy}: {failure.message}{some}"


def notes(comparison: Comparison) -> Iterator[str]:
    yield from comparison.notes
    for folder, names in ((comparison.base, comparison.only_base), (comparison.run, comparison.only_run)):
        if names:
            yield f"Not compared, since only in {folder}: {', '.join(names)}."
