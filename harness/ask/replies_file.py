"""The replies file: every paid reply, under a hash of everything that can change it; the samples made of it.

A line with the settings of the asking comes first, and another one each time the asking grows. The file is cache,
bill and raw data at once. A line that a killed process left unfinished is dropped when the file is opened.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Literal

import msgspec

from corpora.regular_file import append_whole, cannot_open, open_regular
from corpora.sample import Provenance, Sample
from corpora.scrub import scrub
from corpora.write import SampleWriter
from editcore.errors import UsageError
from editcore.types import Rejected
from harness.ask.clients.client import Reply
from harness.ask.formats import Unreadable
from harness.ask.questions import Refused, Rule, Settings, TaskQuestion, task_questions

LONGEST_REPLY = 2 << 20
"""Most characters of a kept reply; each takes up to twelve bytes of its line."""
_STARTS = (b'{"key":"', b'{"settings":{')
"""First characters of the two kinds of lines."""
Class = Literal["answered", "no_call", "malformed", "refused", "length", "failed"]
ABOUT_FORMATS: tuple[Class, ...] = ("answered", "no_call", "malformed")
"""Classes that say something about a format. The other classes are caused by the provider or by limits."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A question that was asked, with its reply or failure."""

    key: str
    task: str
    level: str
    format: str
    style: str
    repeat: int
    template: str
    class_: Class
    must_change: bool = True
    """True if the right answer changes a file."""
    reply: Reply | None = None
    """None for a failure."""
    why: str = ""
    cost_usd: float | None = None
    """None without a price. A lost reply counts as the most that it could cost."""
    seconds: float = 0.0
    n_tries: int = 1
    retry_of: str = ""
    """Key of the question whose reply was refused; empty for a first question."""
    rule: str = ""
    """The rule that refused that reply."""
    sampling: dict[str, Any] = field(default_factory=dict)


class RepliesFile:
    """A replies file, a context manager. One process at a time appends to it. Safe to use from threads."""

    def __init__(self, path: Path, *, is_only_read: bool = False) -> None:
        """`is_only_read` allows other processes to use the file at the same time."""
        self.path, self._is_only_read = path, is_only_read
        self.places: dict[str, tuple[int, int]] = {}
        """Key -> start and length of the line with its last reply. Failures are left out: they are asked again."""
        self.cost_usd = 0.0
        """Cost of all lines."""
        self.settings: Settings | None = None
        """None for a new file."""
        self._lock = Lock()

    def __enter__(self) -> RepliesFile:
        """Open or create the file. Raises UsageError if it cannot be read, or is in use."""
        try:
            how = os.O_RDONLY if self._is_only_read else os.O_RDWR | os.O_CREAT | os.O_APPEND
            self._descriptor = open_regular(self.path, how)
        except OSError as error:
            raise cannot_open(self.path, error) from None
        try:
            if not self._is_only_read:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError:
            os.close(self._descriptor)
            raise UsageError(f"{self.path} is in use by another process", "Wait for it, or name another -o.") from None
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def _read(self) -> None:
        end = 0
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    # The rest of another file must not be cut off.
                    if not any(line.startswith(one) or one.startswith(line) for one in _STARTS):
                        raise self._foreign(end)
                    if not self._is_only_read:
                        os.ftruncate(self._descriptor, end)  # A killed process left it unfinished.
                    return
                found = self._read_line(line, end)
                if isinstance(found, Entry):
                    self._know(found, end, len(line))
                else:
                    self.settings = found
                end += len(line)

    def _read_line(self, line: bytes, at: int) -> Entry | Settings:
        try:
            raw = json.loads(line)
            return msgspec.convert(raw["settings"], Settings) if "settings" in raw else msgspec.convert(raw, Entry)
        except (ValueError, TypeError, RecursionError):
            raise self._foreign(at) from None

    def _foreign(self, at: int) -> UsageError:
        return UsageError(f"{self.path} is no replies file: what begins at byte {at:,} is no reply", "Name another -o.")

    def _know(self, entry: Entry, at: int, length: int) -> None:
        self.cost_usd += entry.cost_usd or 0.0
        if entry.class_ != "failed":
            self.places[entry.key] = at, length

    def begin(self, settings: Settings) -> Settings:
        """Join `settings` with the file's, and write the result. Raises UsageError if they contradict each other."""
        joined = self.settings.joined(settings) if self.settings else settings
        if joined != self.settings:
            self._append({"settings": asdict(joined)})
            self.settings = joined
        return joined

    def add(self, entry: Entry) -> None:
        """Append a reply. It is on the disk when this returns. Raises OSError."""
        with self._lock:
            self._know(entry, *self._append(asdict(entry)))

    def _append(self, fields: dict[str, Any]) -> tuple[int, int]:
        """Append a line and return its place and length. The line is ASCII, so that lone surrogates survive."""
        line = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        at = os.fstat(self._descriptor).st_size
        append_whole(self.path, self._descriptor, line, synced=True)
        return at, len(line)

    def entry(self, key: str) -> Entry | None:
        """The kept reply of a key; None if there is none."""
        if key not in self.places:
            return None
        at, length = self.places[key]
        found = self._read_line(os.pread(self._descriptor, length, at), at)
        assert isinstance(found, Entry)
        return found

    def entries(self) -> Iterator[Entry]:
        """The last reply of each question, failures left out."""
        for key in self.places:
            found = self.entry(key)
            assert found
            yield found


# Uses of the replies to tasks: samples of a corpus, and second questions about refused replies.
#
# Both read the replies file anew each time. A killed asking loses no reply, and a better reader needs no new question.


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
