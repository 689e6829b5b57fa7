"""Questions: a task in the words of a format's template."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from harness.ask.clients.client import Reply, Request, Sampling, Tool, Turn
from harness.ask.formats import ASKED, Style, payloads
from harness.ask.settings import Settings
from harness.ask.tasks import Task
from harness.ask.tasks.steps import fence, fenced

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Refused:
    """What came of the first reply to a question: a rule refused it."""

    rule: str
    message: str
    reply: Reply
    key: str
    """Of the question without it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A task in one format, for one of its repetitions."""

    task: Task
    format: str
    style: Style
    repeat: int
    refused: Refused | None = None
    """None of a question that is asked for the first time."""


def questions(settings: Settings) -> Iterator[Question]:
    """Every task in each format that can say it, so many times: all formats of a task before the next one."""
    for task in settings.tasks():
        for repeat in range(settings.n_repeats):
            for name in settings.words:
                if ASKED[name].takes(task):
                    yield Question(task, name, settings.style, repeat)


def request_of(question: Question, model: str, sampling: Sampling) -> Request:
    """The question as it is sent; where its first reply was refused, with that reply and the refusal."""
    first = _first_request(question, model, sampling)
    if question.refused is None:
        return first
    reply = question.refused.reply
    said = Template(template("common")["refused"]).substitute(message=question.refused.message).strip()
    results = [Turn("result", said, call_id=call.id) for call in reply.calls] or [Turn("user", said)]
    return replace(first, turns=(*first.turns, Turn("model", reply.text, reply.calls), *results))


def _first_request(question: Question, model: str, sampling: Sampling) -> Request:
    words, common = template(question.format), template("common")
    asked, task = ASKED[question.format], question.task
    name = words["name"]
    files = [
        Template(common["file"]).substitute(path=file.path, shown=fenced(asked.shown(file))).strip("\n")
        for file in task.shown
    ]
    shown = "\n\n".join(files)
    if question.style == "tool":
        text = Template(common["tool"]).substitute(files=shown, instruction=task.instruction, name=name)
        several = common["several_calls"] if asked.several_calls else ""
        tool = Tool(name, words["description"].strip(), json.loads(words["schema"]))
        return Request(model, common["system"].strip(), (Turn("user", (text + several).strip()),), tool, sampling)
    ticks = fence(shown + task.instruction)
    text = Template(common["text"]).substitute(
        files=shown, description=words["description"].strip(), form=words["form"].strip(),
        instruction=task.instruction, ticks=ticks,
    )  # fmt: skip
    return Request(model, common["system"].strip(), (Turn("user", text.strip()),), None, sampling)


@lru_cache(maxsize=32)
def template(name: str) -> Mapping[str, Any]:
    """The words of a format, or `common`."""
    return tomllib.loads((_TEMPLATES / f"{name}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=32)
def template_hash(name: str) -> str:
    """The hash of all words that a question in this format can have."""
    state = hashlib.sha256()
    for one in ("common", name):
        state.update((_TEMPLATES / f"{one}.toml").read_bytes())
    return state.hexdigest()[:12]


def said_in(question: Question, reply: Reply) -> list[str]:
    """What a reply says in the question's format."""
    return payloads(reply, question.style, template(question.format)["name"])
