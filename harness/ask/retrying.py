"""The second stage: where a rule refuses a reply, its message is sent back, and the model answers once more.

What that rescues is what the message is worth, so it is asked for each rule by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editcore.errors import UsageError
from editcore.types import Rejected
from harness.ask.corpus import sample_of_reply
from harness.ask.formats import Unreadable
from harness.ask.model import Model
from harness.ask.questions import Question, Refused, questions
from harness.ask.replies_file import RepliesFile
from harness.ask.settings import Settings
from harness.strategies.registry import select
from harness.strategies.strategy import Strategy


def retry_rules(names: tuple[str, ...]) -> list[Strategy]:
    """The rules with these names. Raises UsageError for one that is none, or that another program applies."""
    found = select(names) if names else []
    for one in found:
        if one.start is not None or one.name not in names:
            raise UsageError(
                f"--retry takes no {one.name}", "Name single rules of editgauge itself: cascade/recommended."
            )
    return found


def retries(settings: Settings, model: Model, replies: RepliesFile[Settings]) -> Iterator[Question]:
    """The questions whose replies, as far as the replies file has them, a rule refuses; each with the refusal."""
    rules = retry_rules(settings.rules)
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
