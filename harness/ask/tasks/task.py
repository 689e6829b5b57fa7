"""A task: the files that a model is shown, the steps to make, and the one right result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import xxhash

from corpora.sample import Provenance
from editcore.types import File
from harness.ask.tasks.steps import Lines, Step, done, lines_of

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
