"""The audit: why a task has no single right answer. It reads the task as a model would, from what is shown."""

from __future__ import annotations

from editcore.types import File
from harness.ask.tasks.copying import lines_of
from harness.ask.tasks.steps import Lines, done
from harness.ask.tasks.task import Task


def objection(task: Task) -> str | None:
    """Why the right answer is not certain; None where it is."""
    if any(not file.content.strip() for file in task.shown):
        return "a file is empty"
    after = dict[str, Lines]()
    for file in task.shown:
        lines = lines_of(file.content)
        if task.axes["special"] == "made_already":
            # Nothing of what is to be changed may be there.
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
        return None if all(_is(file, after[file.path]) for file in task.target) else "the steps give another text"
    return _objection_to_stale(task, after)


def _is(file: File, lines: Lines) -> bool:
    return lines_of(file.content) == lines


def _objection_to_stale(task: Task, after: dict[str, Lines]) -> str | None:
    """Why a change by another hand and the task do not meet in one text."""
    for shown, live, target in zip(task.shown, task.live, task.target, strict=True):
        was, now, right = (lines_of(file.content) for file in (shown, live, target))
        if len(now) != len(was) + 1:
            return "another hand has done more than add a line"
        at = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), len(was))
        if (*right[:at], *right[at + 1 :]) != after[shown.path] or right[at] != now[at]:
            return "the steps give another text"
    return None
