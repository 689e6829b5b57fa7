"""Questions to a model, each in the words of a template: a task in one format, or a refused edit in one shape.

Both kinds of question say how they are sent (`request`), what a whole reply holds (`read`) and which fields of an
`Entry` describe them (`about`). Everything else of an asking is the same for both.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any

from corpora.sample import Provenance, Sample
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.text.endings import line_feeds
from editcore.types import EditResult, Reason, Rejected
from harness.ask.clients.client import Reply, Request, Sampling, Tool, Turn
from harness.ask.formats import ASKED, SHAPES, Broken, Repaired, Style, payloads, sample_of
from harness.ask.tasks import Level, Task, tasks
from harness.ask.tasks.steps import fence, fenced

_GROWING = ("words", "n_tasks", "n_repeats", "rules")
"""Fields of `Settings` that may differ when a replies file is continued: only the amount that is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked, whom, and how. Repairs have no tasks: their questions come from the refused edits of a corpus."""

    source: str = ""
    """Source of the tasks; empty for repairs, like all fields about tasks."""
    levels: tuple[Level, ...] = ()
    seed: int = 0
    model: str
    api: str
    address: str
    """URL of the server."""
    style: Style = "text"
    sampling: Sampling
    words: Mapping[str, str]
    """Name of a format, or of a shape of repair -> hash of its template."""
    n_tasks: int = 0
    n_repeats: int
    rules: tuple[str, ...] = ()
    """Strategies whose refusals are sent back to the model."""

    def tasks(self) -> Iterator[Task]:
        """Draw the tasks. Each call draws the same ones. Raises UsageError."""
        return islice(tasks(self.source, levels=self.levels, seed=self.seed), self.n_tasks)

    def request(self, question: Question) -> Request:
        return question.request(self.model, self.sampling)

    def key(self, question: Question) -> str:
        """Hash of everything that can change a reply: server, every word, tool, sampling, repetition, refusing rule.

        Two rules can refuse a reply with the same message. Their questions still have two keys: the second replies are
        two draws.
        """
        request = asdict(self.request(question))
        parts = {"address": self.address, "api": self.api, "request": request, "repeat": question.repeat}
        text = json.dumps({**parts, "rule": question.rule}, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def joined(self, other: Settings) -> Settings:
        """These settings with the growth of the newer `other`. Raises UsageError if another field differs."""
        for one in fields(self):
            old, new = getattr(self, one.name), getattr(other, one.name)
            if one.name not in _GROWING and old != new:
                several = "; `editgauge answer` takes several files" if self.source else ""
                raise UsageError(
                    f"The replies file was begun with another {one.name}: {old}, not {new}",
                    f"Ask with the same settings, or name another -o{several}.",
                )
        for name, mark in self.words.items():
            if other.words.get(name, mark) != mark:
                raise UsageError(
                    f"The words of {name} have changed since the replies file was begun", "Name another -o."
                )
        return replace(
            other,
            words={**self.words, **other.words},
            n_tasks=max(self.n_tasks, other.n_tasks),
            n_repeats=max(self.n_repeats, other.n_repeats),
            rules=tuple(dict.fromkeys((*self.rules, *other.rules))),
        )


_TEMPLATES = Path(__file__).parent / "templates"

NOTHING = "nothing"
"""The rule that refuses every edit: the model gets all of them."""
UNTRIED = Rejected(Reason.NO_MATCH, "the search text is not in the file.")
"""The refusal of the rule `nothing`."""

Rule = Callable[[Sample], EditResult | None]
"""Applies the edit of a sample; None for a sample that the rule does not take."""


@lru_cache(maxsize=32)
def template(name: str) -> Mapping[str, Any]:
    """The words of a format, of `common`, or of a shape: `repairs/SHAPE`."""
    return tomllib.loads((_TEMPLATES / f"{name}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=32)
def template_hash(*names: str) -> str:
    """Hash of these templates. The words of a format are `common` and its own."""
    return hashlib.sha256(b"".join((_TEMPLATES / f"{one}.toml").read_bytes() for one in names)).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Refused:
    """The refusal of the first reply to a question."""

    rule: str
    message: str
    reply: Reply
    key: str
    """Key of the question that the reply answered."""


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """A task in one format, for one of its repetitions."""

    task: Task
    format: str
    style: Style
    repeat: int
    refused: Refused | None = None
    """Set where the first reply was refused and is sent back."""

    @property
    def rule(self) -> str:
        """The rule that refused the first reply; empty for a first question."""
        return self.refused.rule if self.refused else ""

    @property
    def kind(self) -> str | None:
        """The format; None for a second question, whose reply says nothing about the format."""
        return None if self.refused else self.format

    @property
    def must_change(self) -> bool:
        return self.task.must_change

    def request(self, model: str, sampling: Sampling) -> Request:
        """The question as it is sent; a second question ends with the first reply and its refusal."""
        first = self._first_request(model, sampling)
        if self.refused is None:
            return first
        reply = self.refused.reply
        said = Template(template("common")["refused"]).substitute(message=self.refused.message).strip()
        results = [Turn("result", said, call_id=call.id) for call in reply.calls] or [Turn("user", said)]
        return replace(first, turns=(*first.turns, Turn("model", reply.text, reply.calls), *results))

    def _first_request(self, model: str, sampling: Sampling) -> Request:
        words, common, asked = template(self.format), template("common"), ASKED[self.format]
        system, description = common["system"].strip(), words["description"].strip()
        shown = "\n\n".join(
            Template(common["file"]).substitute(path=file.path, shown=fenced(asked.shown(file))).strip("\n")
            for file in self.task.shown
        )
        given = {"files": shown, "instruction": self.task.instruction}
        if self.style == "tool":
            text = Template(common["tool"]).substitute(given, name=words["name"])
            text += common["several_calls"] if asked.several_calls else ""
            tool = Tool(words["name"], description, json.loads(words["schema"]))
            return Request(model, system, (Turn("user", text.strip()),), tool, sampling)
        ticks = fence(shown + self.task.instruction)
        given |= {"description": description, "form": words["form"].strip(), "ticks": ticks}
        text = Template(common["text"]).substitute(given)
        return Request(model, system, (Turn("user", text.strip()),), None, sampling)

    def read(
        self, reply: Reply, *, id: str = "?", origin: Provenance | None = None, tags: Sequence[str] = ()
    ) -> Sample | None:
        """The edit of a whole reply as a sample; None for a reply without an edit. Raises Unreadable."""
        said = payloads(reply, self.style, template(self.format)["name"])
        origin = origin or Provenance()
        asked = ASKED[self.format]
        return sample_of(asked, self.task, said, self.style, id=id, origin=origin, tags=tags) if said else None

    def about(self) -> dict[str, Any]:
        """Fields of an `Entry` that describe the question."""
        return {
            "task": self.task.id, "level": self.task.level, "format": self.format, "style": self.style,
            "template": template_hash("common", self.format), "retry_of": self.refused.key if self.refused else "",
        }  # fmt: skip


def task_questions(settings: Settings) -> Iterator[TaskQuestion]:
    """Every task in each format that can express it, repeated; all formats of a task come before the next task."""
    for task in settings.tasks():
        for repeat in range(settings.n_repeats):
            for name in settings.words:
                if ASKED[name].takes(task):
                    yield TaskQuestion(task, name, settings.style, repeat)


@dataclass(frozen=True, slots=True)
class RepairQuestion:
    """A refused edit in one shape, for one of its draws.

    The question depends on the texts alone, so a strategy finds the kept reply again wherever the sample comes from.
    """

    sample_id: str
    shape: str
    broken: Broken
    repeat: int = 0
    rule: str = ""
    """Always empty: the same texts make the same question, whichever rule refused."""
    must_change: bool = False
    """Always false: a model may rightly let a refusal stand."""

    @property
    def kind(self) -> str:
        return self.shape

    def request(self, model: str, sampling: Sampling) -> Request:
        words, broken = template(f"repairs/{self.shape}"), self.broken
        old, new = broken.edit.old_string, broken.edit.new_string
        edit = {"file": broken.text, "edit": {"type": "diff", "search": old, "replace": new}}
        given = {
            "path": broken.path, "file": broken.text, "search": old, "replace": new, "message": broken.message,
            "edit": json.dumps(edit, ensure_ascii=False),
        }  # fmt: skip
        said = Template(words["user"]).substitute(given).strip()
        return Request(model, words["system"].strip(), (Turn("user", said),), None, sampling)

    def read(self, reply: Reply) -> Repaired:
        """The corrected edit of a whole reply; None where the refusal stands. Raises Unreadable."""
        return SHAPES[self.shape].read(self.broken, reply.text)

    def about(self) -> dict[str, Any]:
        return {
            "task": self.sample_id, "level": "repair", "format": self.shape, "style": "text",
            "template": template_hash(f"repairs/{self.shape}"),
        }  # fmt: skip


def broken_of(sample: Sample, refusal: Rejected) -> Broken | None:
    """The refused edit of a sample; None for a sample that models are not asked about (not one edit of one file)."""
    if not _is_asked_about(sample):
        return None
    assert sample.edits
    [file], [edit] = sample.before, sample.edits
    return Broken(file.path, line_feeds(file.content), edit, refusal.message)


def _is_asked_about(sample: Sample) -> bool:
    return sample.format in EDIT_FORMATS and len(sample.before) == 1 and len(sample.edits or ()) == 1


def repair_questions(
    samples: Iterable[Sample], rule: Rule, shapes: Sequence[str], n_repeats: int
) -> Iterator[RepairQuestion]:
    """Every refusal in each shape, repeated; all shapes of a refusal come before the next refusal."""
    for sample in samples:
        # A rule is run only where its refusal can be asked about.
        result = rule(sample) if _is_asked_about(sample) else None
        broken = broken_of(sample, result) if isinstance(result, Rejected) else None
        for repeat in range(n_repeats) if broken else ():
            for shape in shapes:
                assert broken
                yield RepairQuestion(sample.id, shape, broken, repeat)


def distinct(questions: Iterable[RepairQuestion], settings: Settings) -> Iterator[RepairQuestion]:
    """Each question once. Samples with the same texts share one, and shapes leave out some of the texts."""
    known = set[str]()
    for question in questions:
        if (key := settings.key(question)) not in known:
            known.add(key)
            yield question


Question = TaskQuestion | RepairQuestion
