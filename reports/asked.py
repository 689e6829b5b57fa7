"""Advice from a model's replies to tasks: the format it should write, and the rule that applies it best.

A task counts once, however often it was repeated: repetitions resemble each other. Pairs of format and rule are
compared task by task. The loss of a pair is missed + cost x wrong, as a share of its replies. A pair ties with the best
one if the 95 % interval of the difference of their losses includes 0 (`reports.compare.costs`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from editcore.errors import UsageError
from editcore.quoting import printable
from reports.compare.contrasts import Judged, judged
from reports.compare.costs import COSTS, Range, ranges, tied_with_best
from reports.measurements.interval import Estimate, clustered, percent, rate_with_interval, student
from reports.runs.manifest import ANSWER, write_atomically
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import RUNGS
from reports.views.between_wording import cost
from reports.views.tables import ABSENT, Column, print_rows
from reports.wording import listed

# Replies of a model as arrays: each with its task and format, and what every strategy made of it.

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AskedReply:
    """A reply that says something about its format."""

    sample_id: str
    """The id of the sample made from the reply; a reply without an edit has an id that no run has."""
    task: str
    format: str
    must_change: bool
    """True if the right answer changes a file."""
    is_edit: bool
    """True if the reply has an edit that can be read."""
    n_input: int
    n_output: int
    cost_usd: float | None
    retry_of: str = ""
    """The `sample_id` of the reply that was refused before, ..."""
    rule: str = ""
    """... and the strategy that refused it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A format and a strategy, on the tasks that were asked in every format."""

    format: str
    strategy: str
    right: Numbers
    """(n_tasks,) number of right results; `wrong` and `asked` have the same shape."""
    wrong: Numbers
    asked: Numbers
    n_retried: int = 0
    """Number of refusals that were sent back."""
    right_later: Numbers | None = None
    """Right results after the retries; None if nothing was sent back."""
    wrong_later: Numbers | None = None

    @property
    def missed(self) -> Numbers:
        """(n_tasks,) replies without a right or a wrong result: refused, or with no edit."""
        return self.asked - self.right - self.wrong


@dataclass(frozen=True, slots=True)
class Compared:
    """All pairs, on the same tasks."""

    pairs: tuple[Pair, ...]
    n_tasks: int
    n_left_out: int
    """Tasks that lack a reply in some format, such as tasks of several files."""
    replies: Mapping[str, tuple[AskedReply, ...]]
    """Format -> its replies to those tasks."""


def compared(replies: Sequence[AskedReply], run: RunFolder) -> Compared:
    """The pairs of each format and the strategies of a run that took any of its replies."""
    retries = [one for one in replies if one.rule]
    replies = [one for one in replies if not one.rule]
    formats = list(dict.fromkeys(one.format for one in replies))
    by_format = {name: [one for one in replies if one.format == name] for name in formats}
    everywhere = set.intersection(*({one.task for one in some} for some in by_format.values())) if replies else set()
    tasks = {task: at for at, task in enumerate(dict.fromkeys(one.task for one in replies if one.task in everywhere))}
    kept = {name: tuple(one for one in some if one.task in tasks) for name, some in by_format.items()}
    names = run.strategies
    grid, sides = judged(run, names)
    place = {one: at for at, one in enumerate(grid.ids)}
    pairs = [
        pair
        for name in formats
        for strategy in names
        if (pair := _pair(name, strategy, kept[name], tasks, place, sides[strategy]))
    ]
    n_left_out = len({one.task for one in replies}) - len(tasks)
    for at, pair in enumerate(pairs):
        mine = [one for one in retries if (one.format, one.rule) == (pair.format, pair.strategy) and one.task in tasks]
        pairs[at] = _with_retries(pair, mine, tasks, place, sides[pair.strategy])
    return Compared(tuple(pairs), len(tasks), n_left_out, kept)


def _pair(
    name: str,
    strategy: str,
    replies: Sequence[AskedReply],
    tasks: Mapping[str, int],
    place: Mapping[str, int],
    side: Judged,
) -> Pair | None:
    """The counts of a pair; None if the strategy took none of the format's replies."""
    right, wrong, asked = (np.zeros(len(tasks)) for _ in range(3))
    took_any = False
    for one in replies:
        ran, is_right, is_wrong = _result(one, place, side)
        took_any |= ran
        asked[tasks[one.task]] += 1
        right[tasks[one.task]] += is_right
        wrong[tasks[one.task]] += is_wrong
    return Pair(name, strategy, right, wrong, asked) if took_any else None


def _result(one: AskedReply, place: Mapping[str, int], side: Judged) -> tuple[bool, bool, bool]:
    """Three flags: the strategy took the reply; its result is right; its result is wrong."""
    at = place.get(one.sample_id)
    if at is None or not side.ran[at]:
        # What is no edit, or is not taken, changes nothing.
        return False, not one.must_change, False
    return True, bool(side.right[at]), bool(side.wrong[at])


def _with_retries(
    pair: Pair, retries: Sequence[AskedReply], tasks: Mapping[str, int], place: Mapping[str, int], side: Judged
) -> Pair:
    if not retries:
        return pair
    right, wrong = pair.right.copy(), pair.wrong.copy()
    for one in retries:
        task, before = tasks[one.task], place.get(one.retry_of)
        _, is_right, is_wrong = _result(one, place, side)
        right[task] += is_right - (before is not None and bool(side.right[before]))
        wrong[task] += is_wrong
    return replace(pair, n_retried=len(retries), right_later=right, wrong_later=wrong)


# The best pair at each cost of a wrong edit, and the pairs that tie with it.

_PREFERRED = "recommended"
FEWEST_TASKS = 10
"""With fewer tasks no advice is given."""


@dataclass(frozen=True, slots=True)
class Row:
    """A format with its best rule at one cost of a wrong edit."""

    format: str
    strategy: str
    right: Estimate
    wrong: Estimate
    missed: Estimate
    no_edit: float
    """The share of replies without a readable edit, though one was asked for."""
    tokens_per_right: float | None
    """Input and output; None if nothing is right. `usd_per_right` is None also without a price."""
    usd_per_right: float | None
    loss: float
    is_tied: bool
    """True if the difference from the best pair may be chance."""
    right_later: Estimate | None
    """After one retry with the rule's refusal; None if none was asked for."""
    wrong_later: Estimate | None


@dataclass(frozen=True, slots=True)
class Retried:
    """The effect of sending the refusals of a rule back to the model."""

    format: str
    strategy: str
    n_retried: int
    n_rescued: int
    """Additional right results; negative if a rightful refusal was answered by an edit."""
    n_wrong: int
    """Additional wrong results."""


@dataclass(frozen=True, slots=True)
class Advice:
    rows: tuple[Row, ...]
    """A row for each format, the best first."""
    cost: float
    """The cost of a wrong edit, in missed ones, for which `rows` are the best."""
    others: tuple[tuple[Range, str, str], ...]
    """Ranges of costs with their format and strategy; empty if one pair is best at every cost."""
    retried: tuple[Retried, ...]
    n_tasks: int
    n_left_out: int
    n_needed: int | None
    """Estimated number of tasks that would tell the first two formats apart; None if they differ already, or not at
    all.
    """


def advice(found: Compared, cost: float) -> Advice:
    whole = [pair for pair in found.pairs if not pair.strategy.startswith(RUNGS)]
    if {pair.format for pair in whole} == {pair.format for pair in found.pairs}:
        found = replace(found, pairs=tuple(whole))  # A lone tier is no advice: it is a part of a rule.
    missed, wrong = (np.array([side / pair.asked for pair, side in one]) for one in _sides(found.pairs))
    tied = tied_with_best(missed, wrong, np.ones(found.n_tasks))
    at = int(np.argmin([abs(math.log(one / cost)) for one in COSTS]))
    losses = missed + cost * wrong
    best = {pair.format: _best(pair.format, found.pairs, losses) for pair in found.pairs}
    rated = [(_row(found, one, float(losses[one].mean()), bool(tied[at, one])), one) for one in best.values()]
    rated.sort(key=lambda both: (round(both[0].loss, 9), both[0].tokens_per_right or math.inf))
    rows, order = tuple(row for row, _ in rated), [one for _, one in rated]
    n_missed, n_wrong = ([round(float(side.sum())) for _, side in one] for one in _sides(found.pairs))
    everything = list(ranges(tied, n_missed, n_wrong, range(len(found.pairs))))
    others = tuple((one, found.pairs[one.strategy].format, found.pairs[one.strategy].strategy) for one in everything)
    needed = _needed(losses[order[0]], losses[order[1]]) if len(order) > 1 and rows[1].is_tied else None
    return Advice(
        rows, cost, others if len(others) > 1 else (), _retried(found.pairs), found.n_tasks, found.n_left_out, needed
    )


def _retried(pairs: Sequence[Pair]) -> tuple[Retried, ...]:
    return tuple(
        Retried(
            one.format, one.strategy, one.n_retried, round(float((one.right_later - one.right).sum())),
            round(float((one.wrong_later - one.wrong).sum())),
        )
        for one in pairs
        if one.right_later is not None and one.wrong_later is not None
    )  # fmt: skip


def _sides(pairs: Sequence[Pair]) -> tuple[list[tuple[Pair, Numbers]], list[tuple[Pair, Numbers]]]:
    return [(pair, pair.missed) for pair in pairs], [(pair, pair.wrong) for pair in pairs]


def _best(name: str, pairs: Sequence[Pair], losses: Numbers) -> int:
    """The index of a format's pair with the least loss; among equals, our own rule, then the first."""
    mine = [at for at, pair in enumerate(pairs) if pair.format == name]
    return min(mine, key=lambda at: (round(float(losses[at].sum()), 9), _PREFERRED not in pairs[at].strategy, at))


def _row(found: Compared, at: int, loss: float, is_tied: bool) -> Row:
    pair = found.pairs[at]
    replies = found.replies[pair.format]
    n_right = float(pair.right.sum())
    return Row(
        pair.format, pair.strategy, _rate("right", pair, pair.right), _rate("wrong", pair, pair.wrong),
        _rate("missed", pair, pair.missed), sum(not one.is_edit and one.must_change for one in replies) / len(replies),
        sum(one.n_input + one.n_output for one in replies) / n_right if n_right else None,
        _price(replies, n_right), loss, is_tied,
        None if pair.right_later is None else _rate("right", pair, pair.right_later),
        None if pair.wrong_later is None else _rate("wrong", pair, pair.wrong_later),
    )  # fmt: skip


def _rate(metric: str, pair: Pair, hits: Numbers) -> Estimate:
    """A rate over the replies; its interval is clustered by task, since a task is worth one sample."""
    interval = clustered(hits, pair.asked, np.ones(len(hits)))
    n = int(pair.asked.sum())
    return Estimate(metric, pair.strategy, int(hits.sum()) / n, *interval, n)


def _price(replies: Sequence[AskedReply], n_right: float) -> float | None:
    costs = [one.cost_usd for one in replies]
    return sum(filter(None, costs)) / n_right if n_right and None not in costs else None


def _needed(one: Numbers, other: Numbers) -> int | None:
    """The number of tasks at which a difference of this size would be seen; None for no difference."""
    difference = other - one
    mean, spread = float(difference.mean()), float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
    if mean <= 0 or not spread:
        return None
    return math.ceil((student(100) * spread / mean) ** 2)


# The advice about a model in words, as a table and as a JSON document.

_COLUMNS: tuple[Column[Row], ...] = (
    Column("", "cannot be told from the first", lambda row: "=" if row.is_tied else " "),
    Column("format", "what the model writes", lambda row: row.format),
    Column("rule", "what applies it", lambda row: row.strategy),
    Column("right at once", "of the replies", lambda row: rate_with_interval(row.right), lambda row: row.right.value),
    Column("wrong", "of the replies", lambda row: rate_with_interval(row.wrong), lambda row: row.wrong.value),
    Column("missed", "of the replies", lambda row: percent(row.missed.value), lambda row: row.missed.value),
    Column("right later", "after one retry", lambda row: rate_with_interval(row.right_later)),
    Column("wrong later", "after one retry", lambda row: rate_with_interval(row.wrong_later)),
    Column("no edit", "of the replies", lambda row: percent(row.no_edit), lambda row: row.no_edit),
    Column(
        "tokens/right", "per right edit", lambda row: _number(row.tokens_per_right), lambda row: row.tokens_per_right
    ),
    Column("USD/right", "per right edit", lambda row: _dollars(row.usd_per_right), lambda row: row.usd_per_right),
)


def print_table(found: Advice, *, file: TextIO | None = None) -> None:
    absent = {
        *(() if any(row.usd_per_right is not None for row in found.rows) else ("USD/right",)),
        *(() if _has_later(found) else ("right later", "wrong later")),
    }
    print_rows(found.rows, [one for one in _COLUMNS if one.heading not in absent], file=file)


def legend(found: Advice) -> str:
    """The meaning of the table's columns."""
    later = "; later: after one retry with the rule's refusal" if _has_later(found) else ""
    return (
        "each format with its best rule; right at once, wrong, missed: of the replies that say something of the "
        f"format, with 95 % intervals by task{later}; no edit: replies without one, or with one that cannot be read; "
        "tokens: input and output; =: cannot be told from the first"
    )


def _has_later(found: Advice) -> bool:
    return any(row.right_later is not None for row in found.rows)


def sentences(found: Advice, model: str) -> Iterator[str]:
    """The answer: the best pair, the pairs that tie with it, and the best pairs at other costs."""
    first, *others = found.rows
    if found.n_tasks < FEWEST_TASKS:
        yield (
            f"{found.n_tasks} tasks were answered in every format: too few to say anything; ask {FEWEST_TASKS} or more."
        )
        return
    yield (
        f"For {model}: {first.format} with {first.strategy}: right at once {rate_with_interval(first.right)}, wrong "
        f"{rate_with_interval(first.wrong)}, {_worth(first)} ({found.n_tasks} tasks; a wrong edit counted as "
        f"{cost(found.cost)} missed ones)."
    )
    tied = [row.format for row in others if row.is_tied]
    if tied:
        yield f"{found.n_tasks} tasks are too few to tell it from {listed(tied)}{_needed_text(found)}."
    elif others:
        yield f"It is better than every other format here; the next is {others[0].format} with {others[0].strategy}."
    for one, name, strategy in found.others:
        yield f"  a wrong edit as bad as {_between(one.above, one.upto)}: {name} with {strategy}"
    for retried in found.retried:
        yield (
            f"Sent back, {retried.n_retried} refusals of {retried.strategy} make {retried.n_rescued} more of "
            f"{retried.format} right and {retried.n_wrong} more wrong."
        )
    if found.n_left_out:
        yield f"{found.n_left_out} tasks have no reply in every format, and are left out."


def _worth(row: Row) -> str:
    money = "" if row.usd_per_right is None else f" and {_dollars(row.usd_per_right)} US dollars"
    return f"{_number(row.tokens_per_right)} tokens{money} per right edit"


def _needed_text(found: Advice) -> str:
    return (
        "" if found.n_needed is None else f"; about {found.n_needed:,} would do for the next one, if it stays as it is"
    )


def _between(above: float | None, upto: float | None) -> str:
    if above is None:
        return f"up to {cost(upto or 0)} missed ones"
    return f"{cost(above)} missed ones or more" if upto is None else f"{cost(above)} to {cost(upto)} missed ones"


def _number(value: float | None) -> str:
    return ABSENT if value is None else f"{value:,.0f}"


def _dollars(value: float | None) -> str:
    return ABSENT if value is None else f"{value:.2g}"


def document(found: Advice, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "sentences": list(sentences(found, model)),
        "n_tasks": found.n_tasks,
        "n_left_out": found.n_left_out,
        "n_needed": found.n_needed,
        "wrong_cost": found.cost,
        "retried": [asdict(one) for one in found.retried],
        "formats": [asdict(row) for row in found.rows],
        "ranges": [
            {"above": one.above, "upto": one.upto, "format": name, "strategy": strategy}
            for one, name, strategy in found.others
        ],
    }


# The answer, kept in the run folder, so that the page begins with it


def keep_answer(folder: Path, sentences: Iterable[str]) -> None:
    """Keep the sentences of an answer in a run folder. Raises UsageError."""
    document = {"sentences": [printable(one) for one in sentences]}
    try:
        write_atomically(folder / ANSWER, json.dumps(document).encode())
    except OSError as error:
        raise UsageError(f"{folder / ANSWER} cannot be written: {error.strerror}", "Free some space.") from None


def kept_answer(folder: Path) -> list[str]:
    """The sentences that a run folder keeps; none without an answer."""
    path = folder / ANSWER
    try:
        return [printable(one) for one in json.loads(path.read_bytes())["sentences"]] if path.exists() else []
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path} cannot be read: {error!r}", "Remove it; the run stays.") from None
