"""Replies of a model as arrays: each with its task and format, and what every strategy made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from reports.compare.judged import Judged, judged
from reports.runs.manifest import read_manifest

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AskedReply:
    """A reply that says something about its format."""

    sample_id: str
    """Of the sample that it became; a reply without an edit has one that no run knows."""
    task: str
    format: str
    must_change: bool
    """Whether the right answer changes anything."""
    is_edit: bool
    """Whether it has an edit that can be read."""
    n_input: int
    n_output: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A format and a strategy, on the tasks that were asked in every format."""

    format: str
    strategy: str
    right: Numbers
    """(n_tasks,) the number of right results; `wrong` and `asked` alike."""
    wrong: Numbers
    asked: Numbers

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
    """Tasks without a reply in every format, such as those of several files."""
    replies: Mapping[str, tuple[AskedReply, ...]]
    """Format -> its replies to those tasks."""


def compared(replies: Sequence[AskedReply], folder: Path) -> Compared:
    """The pairs of each format and the strategies of a run that took any of its replies."""
    formats = list(dict.fromkeys(one.format for one in replies))
    by_format = {name: [one for one in replies if one.format == name] for name in formats}
    everywhere = set.intersection(*({one.task for one in some} for some in by_format.values())) if replies else set()
    tasks = {task: at for at, task in enumerate(dict.fromkeys(one.task for one in replies if one.task in everywhere))}
    kept = {name: tuple(one for one in some if one.task in tasks) for name, some in by_format.items()}
    names = [one.name for one in read_manifest(folder).strategies]
    ids, sides = judged(folder, names)
    place = {one: at for at, one in enumerate(ids)}
    pairs = [
        pair
        for name in formats
        for strategy in names
        if (pair := _pair(name, strategy, kept[name], tasks, place, sides[strategy]))
    ]
    n_left_out = len({one.task for one in replies}) - len(tasks)
    return Compared(tuple(pairs), len(tasks), n_left_out, kept)


def _pair(
    name: str,
    strategy: str,
    replies: Sequence[AskedReply],
    tasks: Mapping[str, int],
    place: Mapping[str, int],
    side: Judged,
) -> Pair | None:
    """The counts of a pair; None where the strategy took none of the format's replies."""
    right, wrong, asked = (np.zeros(len(tasks)) for _ in range(3))
    took_any = False
    for one in replies:
        at, task = place.get(one.sample_id), tasks[one.task]
        asked[task] += 1
        ran = at is not None and bool(side.ran[at])
        took_any |= ran
        if ran:
            right[task] += side.right[at]
            wrong[task] += side.wrong[at]
        else:
            # What is no edit, or is not taken, changes nothing.
            right[task] += not one.must_change
    return Pair(name, strategy, right, wrong, asked) if took_any else None
