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

from corpora.sample import Provenance
from harness.ask.clients.client import Reply, Request, Sampling, Tool, Turn
from harness.ask.formats import ASKED, Style, Unreadable, payloads, sample_of
from harness.ask.replies_file import Class
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

    @property
    def rule(self) -> str:
        """The rule that refused the first reply; empty where it is asked for the first time."""
        return self.refused.rule if self.refused else ""

    @property
    def kind(self) -> str | None:
        """The format, where it is asked for the first time."""
        return None if self.refused else self.format

    @property
    def must_change(self) -> bool:
        """Whether the task's right answer changes anything."""
        return self.task.must_change

    def request(self, model: str, sampling: Sampling) -> Request:
        """The question as it is sent; where its first reply was refused, with that reply and the refusal."""
        first = _first_request(self, model, sampling)
        if self.refused is None:
            return first
        reply = self.refused.reply
        said = Template(template("common")["refused"]).substitute(message=self.refused.message).strip()
        results = [Turn("result", said, call_id=call.id) for call in reply.calls] or [Turn("user", said)]
        return replace(first, turns=(*first.turns, Turn("model", reply.text, reply.calls), *results))

    def class_of(self, reply: Reply) -> tuple[Class, str]:
        """The class of a reply, and why it is malformed."""
        if reply.stop != "end":
            return reply.stop, ""
        said = said_in(self, reply)
        if not said:
            return "no_call", ""
        try:
            sample_of(ASKED[self.format], self.task, said, self.style, id="?", origin=Provenance(), tags=())
        except Unreadable as error:
            return "malformed", str(error)
        return "answered", ""

    def about(self) -> dict[str, Any]:
        """Fields of an `Entry` that say what was asked."""
        return {
            "task": self.task.id, "level": self.task.level, "format": self.format, "style": self.style,
            "template": template_hash(self.format), "retry_of": self.refused.key if self.refused else "",
        }  # fmt: skip


def questions(settings: Settings) -> Iterator[Question]:
    """Every task in each format that can say it, so many times: all formats of a task before the next one."""
    for task in settings.tasks():
        for repeat in range(settings.n_repeats):
            for name in settings.words:
                if ASKED[name].takes(task):
                    yield Question(task, name, settings.style, repeat)


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
