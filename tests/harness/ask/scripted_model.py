"""A model that writes every edit well, except for its habits: one kind of damage for each format, at a known rate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from editcore.anchors.views import changes_between, write_call
from editcore.text.endings import line_feeds
from editcore.types import File
from harness.ask.clients.client import Sampling
from harness.ask.formats import ASKED
from harness.ask.questions import TaskQuestion, template
from harness.ask.tasks import Task
from harness.ask.tasks.steps import blocks, done, fence, lines_of
from tests.harness.ask.scripted_server import Asked, Says

Habit = Callable[[str], str]
"""The correct edit -> the edit that the model writes."""


def wished(task: Task) -> tuple[File, ...] | None:
    """The shown files after the change; None if nothing is to be done."""
    if not task.must_change:
        return None
    after = []
    for file in task.shown:
        lines = done(lines_of(file.content), task.steps[file.path])
        assert lines is not None
        after.append(File(file.path, _text(lines, like=file)))
    return tuple(after)


def _text(lines: Iterable[str], *, like: File) -> str:
    return "\n".join(lines) + ("\n" if like.content.endswith("\n") else "")


def well_written(task: Task, name: str) -> str | None:
    """The edit of a task in a format: arguments of a call as JSON, or a text; None if nothing is to be done."""
    after = wished(task)
    if after is None:
        return None
    before = tuple(File(file.path, line_feeds(file.content)) for file in task.shown)
    match name:
        case "unified_diff":
            return CleanPatch(before, after).unified()
        case "begin_patch":
            return CleanPatch(before, after).envelope()
        case "hashline_h4":
            calls = [
                write_call(name, a.content, changes_between(a.content, b.content), path=a.path)
                for a, b in zip(before, after, strict=True)
            ]
            return "".join(filter(None, calls))
        case "search_replace":
            pairs = [
                (a.path, *pair) for a, b in zip(before, after, strict=True) for pair in _pairs(a.content, b.content)
            ]
            return "".join(
                f"{path}\n<<<<<<< SEARCH\n{_ended(old)}=======\n{_ended(new)}>>>>>>> REPLACE\n"
                for path, old, new in pairs
            )
    (old_file,), (new_file,) = before, after
    path, pairs = old_file.path, _pairs(old_file.content, new_file.content)
    edits = [{"old_string": old, "new_string": new} for old, new in pairs]
    match name:
        case "str_replace":
            return json.dumps([{"path": path, **edit} for edit in edits])
        case "multi_edit":
            return json.dumps({"path": path, "edits": edits})
        case "whole_file":
            return json.dumps({"path": path, "content": new_file.content})
    changes = changes_between(old_file.content, new_file.content)
    return write_call(name, old_file.content, changes, path=path)


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _pairs(before: str, after: str) -> list[tuple[str, str]]:
    """Pairs of old and new texts; each old text is long enough to be unique in the file."""
    lines = lines_of(before)
    steps = blocks(lines, lines_of(after))
    if steps is None:
        return [(before, after)]
    found = []
    for step in steps:
        (first,) = lines.places(step.old)
        end, above, below = first + len(step.old), [], []
        while before.count(_joined([*above, *step.old, *below])) != 1 and len(above) < 40:
            above = [*lines[max(first - len(above) - 1, 0) : first]]
            below = [*lines[end : end + len(below) + 1]]
        found.append((_joined([*above, *step.old, *below]), _joined([*above, *step.new, *below])))
    return found


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class Model:
    """Answers the questions it knows, with its habits."""

    def __init__(
        self, tasks: Iterable[Task], style: str, habits: Mapping[str, tuple[float, Habit]], seed: int = 0
    ) -> None:
        self._known: dict[str, TaskQuestion] = {}
        pairs = [(task, name) for task in tasks for name in ASKED if ASKED[name].takes(task)]
        for task, name in pairs:
            question = TaskQuestion(task, name, style, 0)  # type: ignore[arg-type]
            request = question.request("", Sampling(1))
            self._known[self._key(request.turns[0].text, request.tool and request.tool.description)] = question
        self._habits, self._seed = habits, seed

    @staticmethod
    def _key(text: str, description: str | None) -> str:
        return f"{description}\0{text}"

    def __call__(self, asked: Asked) -> Says:
        tools = asked.body.get("tools")
        tool = (tools[0].get("function") or tools[0]) if tools else None
        question = self._known[self._key(asked.text, tool and tool["description"])]
        right = well_written(question.task, question.format)
        if right is None:
            return Says("nothing to do")
        if len([one for one in asked.body["messages"] if one["role"] != "system"]) > 1:
            return said(question, right)  # Told of its mistake, it makes none.
        rate, habit = self._habits.get(question.format, (0.0, str))
        # Whatever the order in which questions come.
        if Random(f"{self._seed} {question.task.id} {question.format}").random() < rate:
            right = habit(right)
        return said(question, right)


def said(question: TaskQuestion, edit: str) -> Says:
    """A reply with this edit, in the question's style."""
    name = template(question.format)["name"]
    is_json = question.format in ("str_replace", "multi_edit", "hashline_h2", "exhash")
    if question.style == "text":
        text = json.loads(edit)["content"] if question.format == "whole_file" else edit
        marks = fence(text)
        return Says(f"Here it is:\n{marks}\n{_ended(text)}{marks}\n")
    if question.format == "str_replace":
        return Says(calls=tuple((name, json.dumps(one)) for one in json.loads(edit)))
    if is_json or question.format == "whole_file":
        return Says(calls=((name, edit),))
    return Says(calls=((name, json.dumps({"patch": edit})),))


def misremembered(edit: str) -> str:
    """A diff whose old lines have their case swapped."""
    return re.sub(r"(?m)^([ -])(?!-- )(.*)$", lambda found: found[1] + found[2].swapcase(), edit)


def misread(edit: str) -> str:
    """A call whose anchors have wrong hashes."""
    return re.sub(r'"(\d+)([:#])\w+"', r'"\1\2ZZ"' if "#" in edit else r'"\1\2zz"', edit)


def shouted(edit: str) -> str:
    """Edits whose search texts have their case swapped."""
    value = json.loads(edit)
    for one in value if isinstance(value, list) else value["edits"]:
        one["old_string"] = one["old_string"].swapcase()
    return json.dumps(value)
