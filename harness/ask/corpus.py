"""The replies file -> a corpus: every reply with an edit as a sample, read anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpora.sample import Provenance, Sample
from corpora.scrub import scrub
from corpora.write import SampleWriter
from harness.ask.clients.client import Reply
from harness.ask.formats import ASKED, Unreadable, sample_of
from harness.ask.model import Model
from harness.ask.questions import Question, said_in
from harness.ask.replies_file import Entry, RepliesFile
from harness.ask.settings import Settings


@dataclass(slots=True)
class Written:
    """What was written of a replies file."""

    n_samples: int = 0
    n_lost: int = 0
    """Replies of the replies file to questions that are asked no longer."""
    left_out: Counter[str] = field(default_factory=Counter)


def write_corpus(questions: Iterable[Question], model: Model, replies: RepliesFile[Settings], out: Path) -> Written:
    """Write the samples of all replies that the replies file has to these questions; what is there is replaced."""
    found = Written(n_lost=len(replies.places))
    with SampleWriter(out, replace=True) as writer:
        for sample in _samples(questions, model, replies, found):
            scrubbed = scrub(sample)
            if scrubbed.sample is None:
                found.left_out[scrubbed.why_not] += 1
                continue
            writer.add(scrubbed.sample)
    found.n_samples = writer.n_written
    return found


def _samples(
    questions: Iterable[Question], model: Model, replies: RepliesFile[Settings], found: Written
) -> Iterator[Sample]:
    for question in questions:
        entry = replies.entry(model.key(question))
        if entry is not None:
            found.n_lost -= 1
            try:
                sample = sample_of_reply(question, entry, model)
            except Unreadable as error:
                found.left_out[str(error)] += 1
                continue
            if sample:
                yield sample


def sample_of_reply(question: Question, entry: Entry, model: Model) -> Sample | None:
    """The sample of a reply; None where it has no edit. Raises Unreadable."""
    if entry.reply is None or entry.reply.stop != "end":
        return None
    said = said_in(question, entry.reply)
    return _sample(question, entry, entry.reply, said, model) if said else None


def _sample(question: Question, entry: Entry, reply: Reply, said: list[str], model: Model) -> Sample:
    task = question.task
    origin = task.origin
    tags = [
        f"asked:{question.format}", f"style:{question.style}", f"level:{task.level}", f"kind:{task.kind}",
        *(f"{axis}:{value}" for axis, value in task.axes.items()), f"repeat:{question.repeat}",
        f"template:{entry.template}", *([f"retry:{entry.rule}"] if entry.rule else []),
        *(f"{name}:{value}" for name, value in entry.sampling.items() if name in ("temperature", "seed", "effort")),
    ]  # fmt: skip
    return sample_of(
        ASKED[question.format], task, said, question.style,
        id=sample_id(entry.key),
        # Samples of one task resemble each other, not those of one repository: the repository is a tag.
        origin=Provenance("ask", _name(reply.model or model.name), commit=origin.commit, license=origin.license),
        tags=[*tags, *([f"source:{origin.repo}"] if origin.repo else [])],
    )  # fmt: skip


def sample_id(key: str) -> str:
    """The id of the sample that the reply to a question becomes."""
    return f"ask-{key}"


def _name(text: str) -> str:
    """A name as samples may have it."""
    return "".join(one if one.isprintable() else "?" for one in text)[:200]
