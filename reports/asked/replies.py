"""Replies of a model as arrays: each with its task and format, and what every strategy made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reports.compare.contrasts import Judged, judged
from reports.runs.run_folder import RunFolder

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
