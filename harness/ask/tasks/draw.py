"""Tasks: what one is, and tasks drawn by seed. A task depends on the seed, its number and the texts alone.

A drawn task is dropped unless it has one right answer (`objection`), so some numbers give no task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Literal, NamedTuple, get_args

import xxhash

from corpora.sample import Provenance
from editcore.errors import UsageError
from editcore.types import File
from harness.ask.tasks.mutations import (
    LENGTHS,
    MUTATIONS,
    N_HUNKS,
    SHAPES,
    SMALL,
    SPECIALS,
    STYLED,
    STYLES,
    nearest,
    of_length,
    telling,
)
from harness.ask.tasks.sources import MUTATIONS as FROM_TEXTS
from harness.ask.tasks.sources import Origin, Texts, check, is_mutated, origins
from harness.ask.tasks.steps import InLine, Lines, Step, Undo, blocks, changes, done, lines_of

# A task: the files that a model is shown, the steps to make, and the one right result.

Level = Literal["copy", "located", "undo"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""copy: the old and the new lines are shown; located: place and change are named; undo: a mistake is hinted at."""


@dataclass(frozen=True, slots=True)
class Task:
    """A change that a model is asked for, in no format yet."""

    level: Level
    kind: str
    """Kind of change: the name of a mutation, or `commit` or `sample` for a recorded change."""
    shown: tuple[File, ...]
    """The files as the model sees them."""
    live: tuple[File, ...]
    """The files at the time when the edit is applied."""
    target: tuple[File, ...]
    """The right result; equal to `live` where nothing may change."""
    steps: Mapping[str, tuple[Step, ...]]
    """Path -> steps, which refer to the file as it is shown."""
    axes: Mapping[str, str]
    """Properties that the task varies: length, hunks, special."""
    origin: Provenance = field(default_factory=Provenance)

    @property
    def id(self) -> str:
        """Hash of all files and of the instruction."""
        state = xxhash.xxh3_64()
        for files in (self.shown, self.live, self.target):
            for file in files:
                for text in (file.path, file.content):
                    data = text.encode("utf-8", "surrogatepass")
                    state.update(b"%d:" % len(data) + data)
        state.update(f"{self.level}\0{self.instruction}".encode("utf-8", "surrogatepass"))
        return f"task-{state.hexdigest()}"

    @property
    def instruction(self) -> str:
        """All steps in words, the same for every format."""
        several = sum(map(len, self.steps.values())) > 1
        said = list[str]()
        for path, steps in self.steps.items():
            said += [f"In {path}:"] if len(self.steps) > 1 else []
            said += [f"{n}. {step.words}" if several else step.words for n, step in enumerate(steps, 1)]
        return "\n\n".join(said)

    @property
    def must_change(self) -> bool:
        return self.live != self.target


# The audit reads a task as a model would, from the shown files alone.


def objection(task: Task) -> str | None:
    """Why the right answer is not certain; None where it is."""
    if any(not file.content.strip() for file in task.shown):
        return "a file is empty"
    after = dict[str, Lines]()
    for file in task.shown:
        lines = lines_of(file.content)
        if task.axes["special"] == "made_already":
            # The text to change must be absent: the change was made already.
            if any(step.readings(lines) for step in task.steps[file.path]):
                return "a step can be done again"
            continue
        result = done(lines, task.steps[file.path])
        if result is None:
            return "a step can be read in more ways than one"
        if result == lines:
            return "nothing changes"
        after[file.path] = result
    if task.axes["special"] == "made_already":
        return None if task.live == task.target else "something changes"
    if task.axes["special"] != "changed_since":
        return (
            None
            if all((lines_of(file.content) == after[file.path]) for file in task.target)
            else "the steps give another text"
        )
    return _objection_to_stale(task, after)


def _objection_to_stale(task: Task, after: dict[str, Lines]) -> str | None:
    """Why the task and another hand's change cannot both be in one text; None where they can."""
    for shown, live, target in zip(task.shown, task.live, task.target, strict=True):
        was, now, right = (lines_of(file.content) for file in (shown, live, target))
        if len(now) != len(was) + 1:
            return "another hand has done more than add a line"
        at = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), len(was))
        if (*right[:at], *right[at + 1 :]) != after[shown.path] or right[at] != now[at]:
            return "the steps give another text"
    return None


_SHARES = (3, 4, 2, 1)
"""Weight of each length in the draw. Long files cost the most to ask about."""
_SPECIAL_SHARE = 0.5
"""Share of tasks that are special in some way."""
_MOST_HUNKS = 12
_APART = 4
"""Least number of lines between two changes of one task."""
_IN_VAIN = 400
"""Most draws for one number. If all are dropped, the texts give no more tasks."""


class _Changed(NamedTuple):
    """A file before and after the change that the steps describe."""

    path: str
    before: Lines
    steps: tuple[Step, ...]
    after: Lines


def tasks(spec: str, *, levels: Sequence[Level], seed: int = 0) -> Iterator[Task]:
    """The tasks of a source; endless if its texts are mutated. Raises UsageError, also if there is no task."""
    check(spec)
    if not is_mutated(spec) and set(levels) != {"copy"}:
        raise UsageError(f"{spec} gives tasks of the level copy only", "Leave out --level, or name mutations:PATH.")
    task = None
    for task in _mutated(Texts(spec.removeprefix(FROM_TEXTS)), levels, seed) if is_mutated(spec) else _made(spec):
        yield task
    if task is None:
        raise UsageError(f"{spec} gives no task with one right answer", "Name more files, longer ones, or a corpus.")


def _made(spec: str) -> Iterator[Task]:
    """Tasks from the changes in a repository or a corpus."""
    known = set[str]()
    for origin in origins(spec):
        task = _of_origin(origin)
        if task is not None and objection(task) is None and task.id not in known:
            known.add(task.id)
            yield task


def _mutated(texts: Texts, levels: Sequence[Level], seed: int) -> Iterator[Task]:
    known = set[str]()
    for number in count():
        for attempt in range(_IN_VAIN):
            task = _drawn(texts, levels[number % len(levels)], Random(f"{seed} {number} {attempt}"))
            if task is not None and task.id not in known and objection(task) is None:
                known.add(task.id)
                yield task
                break
        else:
            return


def _of_origin(origin: Origin) -> Task | None:
    """The task of a recorded change, shown as blocks; None if words cannot express it, or it needs too many blocks."""
    if _ends(origin.before) is None or _ends(origin.before) != _ends(origin.after):
        return None
    before, after = lines_of(origin.before), lines_of(origin.after)
    steps = blocks(before, after)
    if steps is None or len(steps) > _MOST_HUNKS:
        return None
    files = (File(origin.path, origin.before),)
    axes = _axes([_Changed(origin.path, before, steps, after)], _special_of(origin.before))
    target = (File(origin.path, origin.after),)
    return Task("copy", origin.kind, files, files, target, {origin.path: steps}, axes, origin.provenance)


def _ends(text: str) -> tuple[bool, bool] | None:
    """True for CRLF, and true for a final line feed; None for a text with several line endings or a byte order mark."""
    n_all, n_crlf = text.count("\n"), text.count("\r\n")
    if n_crlf not in (0, n_all) or text.count("\r") != n_crlf or text.startswith("\ufeff"):
        return None
    return bool(n_crlf), text.endswith("\n")


def _axes(changed: Sequence[_Changed], special: str) -> dict[str, str]:
    n_hunks = sum(len(changes(one.before, one.after)) for one in changed)
    return {
        "length": nearest(max(len(one.before) for one in changed), LENGTHS),
        "hunks": nearest(n_hunks, N_HUNKS),
        "special": special,
    }


def _special_of(text: str) -> str:
    """The special property of a text that was not drawn."""
    if "\r\n" in text:
        return "crlf"
    return "none" if text.endswith("\n") else "no_final_line_feed"


def _drawn(texts: Texts, level: Level, rng: Random) -> Task | None:
    special = rng.choice(SPECIALS) if rng.random() < _SPECIAL_SHARE else "none"
    kind, n_hunks = rng.choice([*(STYLED if special in STYLES else MUTATIONS)]), rng.choice(N_HUNKS)
    if level == "undo":
        kind, n_hunks = "token", 1
    if (special == "made_already" and level != "copy") or (special in STYLES and kind not in STYLED):
        special = "none"
    n_hunks = n_hunks if kind in SMALL else 1
    changed = list[_Changed]()
    for _ in range(2 if special == "several_files" else 1):
        one = _changed(texts, kind, n_hunks, level, special, rng)
        if one is None or any(one.path == other.path for other in changed):
            return None
        changed.append(one)
    return _task(changed, kind, level, special, rng)


def _changed(texts: Texts, kind: str, n_hunks: int, level: Level, special: str, rng: Random) -> _Changed | None:
    """A shaped text with a change in words of the level; None if the drawn parts do not fit each other."""
    drawn = _text(texts, rng, is_table=kind == "table_row")
    if drawn is None:
        return None
    path, lines = drawn
    if special in SHAPES:
        lines = Lines(SHAPES[special](lines, rng))
    steps = _steps(lines, kind, n_hunks, special if special in STYLES else "", rng)
    after = done(lines, steps) if steps else None
    if after is None or after == lines:
        return None
    if level == "copy":
        steps = blocks(lines, after)
    elif level == "undo":
        steps = _hint(after, steps[0]) if steps and isinstance(steps[0], InLine) else None
        lines, after = after, lines
    return None if not steps else _Changed(path, lines, steps, after)


def _text(texts: Texts, rng: Random, *, is_table: bool) -> tuple[str, Lines] | None:
    n_lines = rng.choices(LENGTHS, _SHARES)[0]
    found = texts.drawn(n_lines, rng)
    if not found:
        return None
    lines = of_length([lines_of(file.content) for file in found], n_lines, rng)
    return ("TABLES.md", Lines(_table(lines, rng))) if is_table else (found[0].path, Lines(lines))


def _table(lines: Sequence[str], rng: Random) -> list[str]:
    """A Markdown file with a table of similar rows, made of the words of some lines."""
    names = sorted({word for line in lines for word in line.split() if word.isidentifier() and len(word) > 2})
    rows = [f"| {name} | {rng.choice(('yes', 'no'))} | {rng.randint(1, 4)} |" for name in names]
    return ["# Settings", "", "| name | on | level |", "| --- | --- | --- |", *rows, "", "See also the notes."]


def _steps(lines: Lines, kind: str, n_hunks: int, style: str, rng: Random) -> tuple[Step, ...] | None:
    """`n_hunks` changes of one kind, apart from each other; None if there is no room for them."""
    starts = telling(lines)
    rng.shuffle(starts)
    steps, taken = list[Step](), list[tuple[int, int]]()
    for at in starts[: 60 * n_hunks]:
        step = MUTATIONS[kind](lines, at, style, rng)
        readings = step.readings(lines) if step else ()
        if step is None or len(readings) != 1:
            continue
        first, end = min(one.first for one in readings[0]), max(one.end for one in readings[0])
        if any(first < stop + _APART and start < end + _APART for start, stop in taken):
            continue
        steps.append(step)
        taken.append((first, end))
        if len(steps) == n_hunks:
            order = sorted(range(n_hunks), key=lambda nth: taken[nth])
            return tuple(steps[nth] for nth in order)
    return None


def _hint(lines: Lines, step: InLine) -> tuple[Step, ...] | None:
    """A hint at the mistake that `step` makes, in the widest range of lines in which it can be undone at one place."""
    at = next((n for n, line in enumerate(lines) if line == step.line.replace(step.old, step.new, 1)), None)
    if at is None:
        return None
    best, by = None, 2
    while by <= 2 * len(lines):
        one = Undo(max(at + 1 - by, 1), min(at + 1 + by, len(lines)), step.new, step.old)
        if len(one.readings(lines)) != 1:
            break
        best, by = one, 2 * by
    return None if best is None else (best,)


def _task(changed: Sequence[_Changed], kind: str, level: Level, special: str, rng: Random) -> Task | None:
    """The task of changed files, with the special property of the files as a whole."""
    live = [one.before for one in changed]
    target = [one.after for one in changed]
    if special == "changed_since":
        both = [found for one in changed if (found := _by_another_hand(one, rng))]
        if len(both) < len(changed):
            return None
        live, target = (list(side) for side in zip(*both, strict=True))
    if special == "made_already":
        live, target = target, target
    end = "" if special == "no_final_line_feed" else "\n"
    eol = "\r\n" if special == "crlf" else "\n"

    def files(texts: Sequence[Sequence[str]]) -> tuple[File, ...]:
        return tuple(
            File(one.path, eol.join(text) + end.replace("\n", eol)) for one, text in zip(changed, texts, strict=True)
        )

    shown = files([one.before for one in changed]) if special == "changed_since" else files(live)
    steps = {one.path: one.steps for one in changed}
    return Task(level, kind, shown, files(live), files(target), steps, _axes(changed, special), Provenance())


def _by_another_hand(one: _Changed, rng: Random) -> tuple[Lines, Lines] | None:
    """The file before and after, both with a line added far from every change; None if there is no place for it."""
    n_same = next((n for n, (a, b) in enumerate(zip(one.before, one.after, strict=False)) if a != b), 0)
    if n_same < 2 * _APART:
        return None
    at = rng.randrange(0, n_same - _APART)
    added = f"{one.before[at]}  # by another hand"
    return Lines([*one.before[:at], added, *one.before[at:]]), Lines([*one.after[:at], added, *one.after[at:]])
