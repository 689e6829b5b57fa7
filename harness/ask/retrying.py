"""The second stage: where a rule refuses a reply, its message is sent back, and the model answers once more.

What that rescues is what the message is worth, so it is asked for each rule by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from corpora.sample import Sample
from editcore.text.document import Document
from editcore.types import EditResult, Rejected
from harness.ask.corpus import sample_of_reply
from harness.ask.formats import Unreadable
from harness.ask.model import Model
from harness.ask.questions import Question, Refused, questions
from harness.ask.replies_file import RepliesFile
from harness.ask.settings import Settings


class Rule(Protocol):
    """What refuses replies: a strategy."""

    @property
    def name(self) -> str:
        """As in `Settings.rules`."""
        ...

    @property
    def apply(self) -> Callable[[Sample, Document | None], EditResult]:
        """The edit of a sample under it."""
        ...

    def takes(self, sample: Sample) -> bool:
        """Whether it can be run on a sample."""
        ...


def retries(
    settings: Settings, model: Model, replies: RepliesFile[Settings], rules: Sequence[Rule]
) -> Iterator[Question]:
    """The questions whose replies, as far as the replies file has them, a rule refuses; each with the refusal."""
    for question in questions(settings) if rules else ():
        key = model.key(question)
        entry = replies.entry(key)
        if entry is None or entry.reply is None:
            continue
        try:
            sample = sample_of_reply(question, entry, model)
        except Unreadable:
            continue
        for rule in rules:
            result = rule.apply(sample, None) if sample and rule.takes(sample) else None
            if isinstance(result, Rejected):
                yield replace(question, refused=Refused(rule.name, result.message, entry.reply, key))
