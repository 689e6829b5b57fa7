"""Questions about refused edits: those of a corpus, and what is asked about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from corpora.sample import Sample
from editcore.formats import EDIT_FORMATS
from editcore.text.endings import line_feeds
from editcore.types import EditResult, Reason, Rejected
from harness.ask.clients.client import Reply, Request, Sampling
from harness.ask.formats import Unreadable
from harness.ask.replies_file import Class, Entry, RepliesFile, key_of
from harness.repair.settings import RepairSettings
from harness.repair.shapes import SHAPES, Broken, request_of, words_hash

NOTHING = "nothing"
"""The rule that refuses every edit: the model gets all of them."""


Rule = Callable[[Sample], EditResult | None]
"""What refuses edits; None for a sample that it does not take."""


@dataclass(frozen=True, slots=True)
class RepairQuestion:
    """A refused edit, in one shape, for one of its draws."""

    sample_id: str
    shape: str
    broken: Broken
    repeat: int = 0
    rule: str = ""
    """Always empty: what is asked depends on texts alone, whatever rule has refused."""
    must_change: bool = False
    """A model may rightly let a refusal stand."""

    @property
    def kind(self) -> str | None:
        """The shape."""
        return self.shape

    def request(self, model: str, sampling: Sampling) -> Request:
        """The question as it is sent."""
        return request_of(self.shape, self.broken, model, sampling)

    def class_of(self, reply: Reply) -> tuple[Class, str]:
        """The class of a reply, and why it is malformed."""
        if reply.stop != "end":
            return reply.stop, ""
        try:
            return ("answered" if SHAPES[self.shape].read(self.broken, reply.text) else "no_call"), ""
        except Unreadable as error:
            return "malformed", str(error)

    def about(self) -> dict[str, Any]:
        """Fields of an `Entry` that say what was asked."""
        return {
            "task": self.sample_id, "level": "repair", "format": self.shape, "style": "text",
            "template": words_hash(self.shape),
        }  # fmt: skip


UNTRIED = Rejected(Reason.NO_MATCH, "the search text is not in the file.")
"""The refusal of the rule `nothing`."""


def broken_of(sample: Sample, refusal: Rejected) -> Broken | None:
    """A refused edit; None where no model is asked: it is not one edit of one file."""
    if not is_asked_about(sample):
        return None
    assert sample.edits
    [file], [edit] = sample.before, sample.edits
    return Broken(file.path, line_feeds(file.content), edit, refusal.message)


def is_asked_about(sample: Sample) -> bool:
    """Whether a sample has one edit of one file."""
    return sample.format in EDIT_FORMATS and len(sample.before) == 1 and len(sample.edits or ()) == 1


def repair_questions(
    samples: Iterable[Sample], rule: Rule, shapes: Iterable[str], n_repeats: int
) -> Iterator[RepairQuestion]:
    """Every refusal in each shape, so many times: all shapes of a refusal before the next one."""
    shapes = tuple(shapes)
    for sample in samples:
        result = rule(sample) if is_asked_about(sample) else None
        broken = broken_of(sample, result) if isinstance(result, Rejected) else None
        for repeat in range(n_repeats if broken else 0):
            for shape in shapes:
                assert broken
                yield RepairQuestion(sample.id, shape, broken, repeat)


def distinct(questions: Iterable[RepairQuestion], model: str, sampling: Sampling) -> Iterator[RepairQuestion]:
    """Each question once: samples with the same texts share it, and shapes leave out some of the texts."""
    known = set[str]()
    for question in questions:
        key = key_of(question.request(model, sampling), "", "", question.repeat, question.rule)
        if key not in known:
            known.add(key)
            yield question


def kept_reply(question: RepairQuestion, replies: RepliesFile[RepairSettings]) -> Entry | None:
    """The reply to a question in a file that has settings; None where it was not asked."""
    settings = replies.settings
    assert settings
    request = question.request(settings.model, settings.sampling)
    return replies.entry(key_of(request, settings.address, settings.api, question.repeat, question.rule))
