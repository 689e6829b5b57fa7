"""The asking: questions -> replies, so many at a time, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from threading import Event
from typing import Any

from editcore.errors import UsageError
from harness.ask.budget import Budget
from harness.ask.clients.client import Reply, Request, Sampling
from harness.ask.model import Askable, Model
from harness.ask.replies_file import LONGEST_REPLY, Class, Entry, RepliesFile
from harness.ask.sending import Sender, Sent

_FATAL = {401: "the key is refused", 402: "the account has no money", 403: "the key may not do that",
          404: "there is no such model or address"}  # fmt: skip


@dataclass(slots=True)
class Asked:
    """What an asking has come to."""

    n_known: int = 0
    """Replies that were in the replies file already."""
    n_sent: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    """Of the questions that were sent."""
    is_stopped: bool = False
    """Whether the budget has ended it."""


Report = Callable[[Asked], None]


def ask(
    questions: Iterable[Askable],
    model: Model,
    replies: RepliesFile[Any],
    budget: Budget,
    found: Asked,
    *,
    concurrency: int,
    report: Report = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
) -> None:
    """Ask what the replies file does not know yet, so many at a time; `found` counts it.

    Raises UsageError where the provider refuses on principle, and where no format is answered by an edit at first.
    KeyboardInterrupt lets the questions in flight end: they are paid.
    """
    stopped = Event()
    sender = Sender(model.client, budget, stopped)
    smoke = _Smoke(warn)
    flying: dict[Future[Entry | None], Askable] = {}
    with ThreadPoolExecutor(concurrency) as pool:
        try:
            for question in questions:
                if budget.is_used_up or found.is_stopped:
                    break
                request = model.request(question)
                key = model.key(question, request)
                if key in replies.places:
                    found.n_known += 1
                    report(found)
                    continue
                while len(flying) >= (concurrency if smoke.is_over(question) else 1):
                    _land(flying, found, smoke, report)
                flying[pool.submit(_asked, question, key, request, sender, replies)] = question
            while flying:
                _land(flying, found, smoke, report)
        except BaseException:
            stopped.set()
            raise
    found.is_stopped = budget.is_used_up


def _land(flying: dict[Future[Entry | None], Askable], found: Asked, smoke: _Smoke, report: Report) -> None:
    """Wait for a question in flight, and count what came of it. Raises what its thread has raised, and UsageError."""
    done, _ = wait(flying, return_when=FIRST_COMPLETED)
    for future in done:
        question = flying.pop(future)
        entry = future.result()
        if entry is None:
            continue
        found.n_sent += 1
        found.classes[entry.class_] += 1
        report(found)
        smoke.saw(question, entry)


class _Smoke:
    """The first question of each format: what fails there would fail always."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._asked = set[str]()
        self._first: dict[str, Class] = {}
        self._is_one_fine = False
        self._warn = warn

    def is_over(self, question: Askable) -> bool:
        """Whether the question's format, and all that were asked for before, have been answered once."""
        if question.kind is None:
            return True
        self._asked.add(question.kind)
        return self._asked <= self._first.keys()

    def saw(self, question: Askable, entry: Entry) -> None:
        """Take in a reply. Raises UsageError where none of the first ones has an edit."""
        if entry.class_ == "failed" and (status := _status(entry.why)) in _FATAL:
            raise UsageError(
                f"The provider answers with {entry.why}: {_FATAL[status]}", "Check --model, --base-url and the key."
            )
        if question.kind is None or question.kind in self._first:
            return
        self._first[question.kind] = entry.class_
        if entry.class_ == "answered" or (entry.class_ == "no_call" and not question.must_change):
            self._is_one_fine = True
        else:
            self._warn(f"{question.kind}: the first reply is {entry.class_}{f' ({entry.why})' if entry.why else ''}")
        seen = [*self._first.values()]
        if len(seen) >= 3 and not self._is_one_fine:
            style = "; if the model calls no tools, ask with --style text" if entry.style == "tool" else ""
            raise UsageError(
                f"None of the first {len(seen)} replies has an edit ({', '.join(sorted(set(seen)))})",
                f"Look at the replies file{style}.",
            )


def _status(why: str) -> int:
    return int(number) if (number := why.removeprefix("status ")).isdigit() else 0


def _asked(question: Askable, key: str, request: Request, sender: Sender, replies: RepliesFile[Any]) -> Entry | None:
    """Ask one question and put what came of it into the replies file; None where it was not sent."""
    sent = sender.send(request)
    if sent is None:
        return None
    entry = entry_of(question, key, request.sampling, sent)
    replies.add(entry)
    return entry


def entry_of(question: Askable, key: str, sampling: Sampling, sent: Sent) -> Entry:
    """The line of the replies file for what came of a question."""
    class_: Class = "failed"
    why, reply = sent.error.what if sent.error else "", sent.reply
    if reply is not None and _size(reply) > LONGEST_REPLY:
        class_, why = "malformed", f"over {LONGEST_REPLY:,} characters"
        reply = replace(reply, text="", calls=(), model=reply.model[:200], fingerprint=reply.fingerprint[:200])
    elif reply is not None:
        class_, why = question.class_of(reply)
    return Entry(
        key=key, **question.about(), repeat=question.repeat, class_=class_, must_change=question.must_change,
        reply=reply, why=why, cost_usd=sent.cost_usd, seconds=round(sent.seconds, 3), n_tries=sent.n_tries,
        rule=question.rule,
        sampling={name: value for name, value in asdict(sampling).items() if value is not None},
    )  # fmt: skip


def _size(reply: Reply) -> int:
    """The characters of all that a server has chosen."""
    calls = sum(len(one.name) + len(one.arguments) + len(one.id) for one in reply.calls)
    return len(reply.text) + len(reply.model) + len(reply.fingerprint) + calls
