"""Uses of the replies to tasks: samples of a corpus, and second questions about refused replies.

Both read the replies file anew each time. A killed asking loses no reply, and a better reader needs no new question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpora.sample import Provenance, Sample
from corpora.scrub import scrub
from corpora.write import SampleWriter
from editcore.types import Rejected
from harness.ask.formats import Unreadable
from harness.ask.questions import Refused, Rule, TaskQuestion, task_questions
from harness.ask.replies_file import Entry, RepliesFile


@dataclass(slots=True)
class Written:
    """Counts of a corpus that was written from a replies file."""

    n_samples: int = 0
    n_lost: int = 0
    """Replies in the file whose questions are no longer asked."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason why a reply is no sample -> number of replies."""


def write_corpus(questions: Iterable[TaskQuestion], replies: RepliesFile, out: Path) -> Written:
    """Write a sample for every known reply to these questions; an existing corpus is replaced."""
    assert replies.settings
    found = Written(n_lost=len(replies.places))
    with SampleWriter(out, replace=True) as writer:
        for question in questions:
            entry = replies.entry(replies.settings.key(question))
            if entry is None:
                continue
            found.n_lost -= 1
            try:
                sample = sample_of_reply(question, entry, replies.settings.model)
            except Unreadable as error:
                found.left_out[str(error)] += 1
                continue
            if sample is None:
                continue
            scrubbed = scrub(sample)
            if scrubbed.sample is None:
                found.left_out[scrubbed.why_not] += 1
            else:
                writer.add(scrubbed.sample)
    found.n_samples = writer.n_written
    return found


def retries(replies: RepliesFile, rules: Mapping[str, Rule]) -> Iterator[TaskQuestion]:
    """The second questions: for each rule that refuses a known reply, the refusal is sent back.

    The second reply measures what the message of a refusal is worth, so each rule gets its own.
    """
    settings = replies.settings
    assert settings
    for question in task_questions(settings) if rules else ():
        key = settings.key(question)
        entry = replies.entry(key)
        if entry is None or entry.reply is None:
            continue
        try:
            sample = sample_of_reply(question, entry, settings.model)
        except Unreadable:
            continue
        for name, rule in rules.items() if sample else ():
            assert sample
            result = rule(sample)
            if isinstance(result, Rejected):
                yield replace(question, refused=Refused(name, result.message, entry.reply, key))


def sample_of_reply(question: TaskQuestion, entry: Entry, model: str) -> Sample | None:
    """The sample of a reply; None for a reply without an edit. Raises Unreadable."""
    if entry.reply is None or entry.reply.stop != "end":
        return None
    task, origin = question.task, question.task.origin
    tags = [
        f"asked:{question.format}", f"style:{question.style}", f"level:{task.level}", f"kind:{task.kind}",
        *(f"{axis}:{value}" for axis, value in task.axes.items()), f"repeat:{question.repeat}",
        f"template:{entry.template}", *([f"retry:{entry.rule}"] if entry.rule else []),
        *(f"{name}:{value}" for name, value in entry.sampling.items() if name in ("temperature", "seed", "effort")),
        *([f"source:{origin.repo}"] if origin.repo else []),
    ]  # fmt: skip
    # The repository is a tag, not the provenance: samples are clustered by task, because those resemble each other.
    found = Provenance("ask", _name(entry.reply.model or model), commit=origin.commit, license=origin.license)
    return question.read(entry.reply, id=sample_id(entry.key), origin=found, tags=tags)


def sample_id(key: str) -> str:
    """Id of the sample that is made of the reply with this key."""
    return f"ask-{key}"


def _name(text: str) -> str:
    """A model's name, in characters that samples may have."""
    return "".join(one if one.isprintable() else "?" for one in text)[:200]
