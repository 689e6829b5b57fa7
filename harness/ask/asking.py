"""The asking: questions are sent several at a time, in bounded memory, and their replies are kept; the money of it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from random import Random
from threading import Condition, Event, Lock

from editcore.errors import UsageError
from harness.ask.clients.client import Client, ProviderError, Reply, Request, Sampling, Usage
from harness.ask.formats import Unreadable
from harness.ask.questions import Question, Settings
from harness.ask.replies_file import LONGEST_REPLY, Class, Entry, RepliesFile

# Money: the most that a question can cost, the cost of a reply, and a limit that is not exceeded.
#
# Before a question is sent, the most that it can cost is reserved. The sum of reserved and spent money never exceeds
# the limit. Only a provider that bills more tokens than were asked for can exceed it. A reply whose tokens the server
# does not count, or counts below 0, costs what was reserved.

_MILLION = 1_000_000
_AROUND = 64
"""Tokens that a provider may add around a message or a tool."""
_BYTES_PER_TOKEN = 3.0
"""Bytes of a token in an estimate; the most that a question can cost counts each byte as a token."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Price of input that is read from a cache; None: the price of other input."""

    def cost(self, usage: Usage) -> float:
        cached = self.input if self.cached is None else self.cached
        fresh = max(usage.input - usage.cached, 0)
        return (fresh * self.input + usage.cached * cached + usage.output * self.output) / _MILLION


def most_tokens(request: Request) -> Usage:
    """Upper bound of the tokens of a question and its reply: no token is shorter than a byte."""
    said = [request.system, *(json.dumps(asdict(turn), ensure_ascii=False) for turn in request.turns)]
    if request.tool:
        said.append(json.dumps(asdict(request.tool), ensure_ascii=False))
    n_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in said)
    return Usage(n_bytes + _AROUND * (len(said) + 1), output=request.sampling.max_tokens)


def likely_tokens(request: Request) -> Usage:
    """Estimated tokens of the question, and of a reply with a tenth of its length."""
    n = int(most_tokens(request).input / _BYTES_PER_TOKEN)
    return Usage(n, output=min(n // 10 + 200, request.sampling.max_tokens))


class Budget:
    """The money of an asking. Safe to use from threads."""

    def __init__(self, price: Price | None, limit_usd: float | None, spent_usd: float) -> None:
        self.price = price
        self.spent_usd = spent_usd
        self.is_used_up = False
        self._limit = limit_usd
        self._reserved = 0.0
        self._changed = Condition()

    def reserve(self, request: Request) -> float | None:
        """Reserve the most that a question can cost, as soon as there is room; None if there will be none."""
        most = self.price.cost(most_tokens(request)) if self.price else 0.0
        with self._changed:
            while self._limit is not None and self.spent_usd + self._reserved + most > self._limit:
                if self.is_used_up or not self._reserved:
                    self.is_used_up = True
                    self._changed.notify_all()
                    return None
                self._changed.wait()
            self._reserved += most
        return most

    def settle(self, reserved: float, cost: float) -> None:
        """Release a reservation, and count the actual cost."""
        with self._changed:
            self._reserved = max(self._reserved - reserved, 0.0)
            # Sums of floating point numbers do not return to zero by themselves.
            self._reserved = 0.0 if self._reserved < 1e-12 else self._reserved
            self.spent_usd += cost
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens that an asking needs: at most, and probably."""

    n_questions: int
    n_known: int
    """Questions whose replies are known, which cost nothing."""
    most: Usage
    likely: Usage
    first: Usage
    """The most tokens of the first question that is not known."""


def estimate(questions: Iterable[Question], settings: Settings, known: Container[str] = ()) -> Estimate:
    """Count the tokens of questions whose keys are not `known`."""
    n = n_known = 0
    most = likely = first = Usage()
    for question in questions:
        n += 1
        if settings.key(question) in known:
            n_known += 1
            continue
        request = settings.request(question)
        first = first if most.output else most_tokens(request)
        most, likely = most.plus(most_tokens(request)), likely.plus(likely_tokens(request))
    return Estimate(n, n_known, most, likely, first)


MOST_TRIES = 6
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0


class Pause:
    """The time until which no question is sent, because the provider asked to wait. Safe to use from threads."""

    def __init__(self) -> None:
        self._until = 0.0
        self._lock = Lock()

    def ask_for(self, seconds: float) -> None:
        """Let nobody send for `seconds`."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self, stopped: Event) -> None:
        """Wait until the pause is over, or until the asking is stopped."""
        while (left := self._until - time.monotonic()) > 0 and not stopped.wait(min(left, 1.0)):
            pass


@dataclass(frozen=True, slots=True)
class Sent:
    """The result of sending a question: a reply, or the error of the last try."""

    reply: Reply | None
    error: ProviderError | None
    cost_usd: float | None
    """Cost of the reply and of replies that were lost before it; None without a price."""
    seconds: float
    """Duration of the last try."""
    n_tries: int


class Sender:
    """Sends questions, again where a failure is temporary, within the budget. Safe to use from threads."""

    def __init__(
        self, client: Client, budget: Budget, stopped: Event, *, first_wait_s: float = _FIRST_WAIT_S, seed: int = 0
    ) -> None:
        self.client, self.budget, self.stopped = client, budget, stopped
        self._pause = Pause()
        self._first_wait_s = first_wait_s
        self._rng = Random(seed)

    def send(self, request: Request) -> Sent | None:
        """Send a question. None if it was not sent because the budget is used up, or the asking was stopped."""
        price, lost = self.budget.price, 0.0
        error: ProviderError | None = None
        for n_tries in range(1, MOST_TRIES + 1):
            self._pause.wait(self.stopped)
            reserved = None if self.stopped.is_set() else self.budget.reserve(request)
            if reserved is None:
                # A lost reply may be on the bill, so its cost is kept.
                return Sent(None, error, lost, 0.0, n_tries - 1) if error and lost else None
            started, cost = time.monotonic(), 0.0
            try:
                reply = self.client.complete(request)
                # What a server does not count may be on the bill with the most that it can cost.
                cost = price.cost(reply.usage) if price and reply.is_counted else reserved
                seconds = time.monotonic() - started
                return Sent(reply, None, lost + cost if price else None, seconds, n_tries)
            except ProviderError as failed:
                error = failed
                cost = reserved if failed.is_lost else 0.0
                lost += cost
                seconds = time.monotonic() - started
            finally:
                self.budget.settle(reserved, cost)
            if not error.is_passing:
                break
            self._back_off(error, n_tries)
        return Sent(None, error, lost if price else None, seconds, n_tries)

    def _back_off(self, error: ProviderError, n_tries: int) -> None:
        """Let everybody wait as long as the provider says; or wait twice as long as the last time."""
        if error.retry_after_s is not None:
            self._pause.ask_for(error.retry_after_s)
            return
        seconds = min(self._first_wait_s * 2 ** (n_tries - 1), _LONGEST_WAIT_S)
        self.stopped.wait(seconds * self._rng.uniform(0.5, 1.0))


_FATAL = {401: "the key is refused", 402: "the account has no money", 403: "the key may not do that",
          404: "there is no such model or address"}  # fmt: skip


class Asking:
    """Asks the questions that a replies file does not know yet, several at a time, and counts their replies."""

    def __init__(
        self,
        client: Client,
        replies: RepliesFile,
        budget: Budget,
        *,
        concurrency: int,
        report: Callable[[Asking], None] = lambda _: None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`replies` has its settings; `report` is called after each reply."""
        assert replies.settings
        self.settings, self.replies, self.budget = replies.settings, replies, budget
        self.n_known = 0
        """Questions whose replies were in the file already."""
        self.n_sent = 0
        self.classes = Counter[str]()
        """Class of reply -> number of sent questions."""
        self.is_stopped = False
        """True if the budget ended the asking."""
        self._concurrency, self._report = concurrency, report
        self._stopped = Event()
        self._sender = Sender(client, budget, self._stopped)
        self._smoke = _Smoke(warn)
        self._flying: dict[Future[Entry | None], Question] = {}

    @property
    def so_far(self) -> str:
        """Number of replies of each class, and their cost, in words."""
        classes = ", ".join(f"{name} {n:,}" for name, n in sorted(self.classes.items()))
        money = f"; {self.budget.spent_usd:,.4f} US dollars" if self.budget.price else ""
        return f"{classes or 'nothing sent'}{money}"

    def ask(self, questions: Iterable[Question]) -> None:
        """Ask what is not known, and keep every reply.

        Raises UsageError where the provider refuses on principle, and where no first reply of a format has an edit.
        On KeyboardInterrupt the questions in flight are still answered and kept, because they are paid.
        """
        with ThreadPoolExecutor(self._concurrency) as pool:
            try:
                for question in questions:
                    if self.budget.is_used_up or self.is_stopped:
                        break
                    key = self.settings.key(question)
                    if key in self.replies.places:
                        self.n_known += 1
                        self._report(self)
                        continue
                    while len(self._flying) >= (self._concurrency if self._smoke.is_over(question) else 1):
                        self._land()
                    self._flying[pool.submit(self._send, question, key)] = question
                while self._flying:
                    self._land()
            except BaseException:
                # The pool waits for its threads: without this they would try again for minutes.
                self._stopped.set()
                raise
        self.is_stopped = self.budget.is_used_up

    def _land(self) -> None:
        """Wait for a question in flight and count its reply. Raises what its thread raised, and UsageError."""
        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        for future in done:
            question = self._flying.pop(future)
            entry = future.result()
            if entry is not None:
                self.n_sent += 1
                self.classes[entry.class_] += 1
                self._report(self)
                self._smoke.saw(question, entry)

    def _send(self, question: Question, key: str) -> Entry | None:
        """Send one question and keep its reply; None if it was not sent. In a thread."""
        sent = self._sender.send(self.settings.request(question))
        if sent is None:
            return None
        entry = entry_of(question, key, self.settings.sampling, sent)
        self.replies.add(entry)
        return entry


class _Smoke:
    """The first question of each format. A first reply that fails is a sign that all would fail."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._asked = set[str]()
        self._first: dict[str, Class] = {}
        self._is_one_fine = False
        self._warn = warn

    def is_over(self, question: Question) -> bool:
        """True if the question's format, and all formats that were asked before it, have been answered once."""
        if question.kind is None:
            return True
        self._asked.add(question.kind)
        return self._asked <= self._first.keys()

    def saw(self, question: Question, entry: Entry) -> None:
        """Note a reply. Raises UsageError if none of the first replies has an edit."""
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


def entry_of(question: Question, key: str, sampling: Sampling, sent: Sent) -> Entry:
    """The line of the replies file for a question that was sent."""
    class_: Class = "failed"
    why, reply = sent.error.what if sent.error else "", sent.reply
    if reply is not None and _size(reply) > LONGEST_REPLY:
        class_, why = "malformed", f"over {LONGEST_REPLY:,} characters"
        reply = replace(reply, text="", calls=(), model=reply.model[:200], fingerprint=reply.fingerprint[:200])
    elif reply is not None:
        class_, why = _class_of(question, reply)
    return Entry(
        key=key, **question.about(), repeat=question.repeat, class_=class_, must_change=question.must_change,
        reply=reply, why=why, cost_usd=sent.cost_usd, seconds=round(sent.seconds, 3), n_tries=sent.n_tries,
        rule=question.rule,
        sampling={name: value for name, value in asdict(sampling).items() if value is not None},
    )  # fmt: skip


def _class_of(question: Question, reply: Reply) -> tuple[Class, str]:
    """Class of a reply, and the reason why a malformed one cannot be read."""
    if reply.stop != "end":
        return reply.stop, ""
    try:
        return "no_call" if question.read(reply) is None else "answered", ""
    except Unreadable as error:
        return "malformed", str(error)


def _size(reply: Reply) -> int:
    """Number of characters that the server has chosen."""
    calls = sum(len(one.name) + len(one.arguments) + len(one.id) for one in reply.calls)
    return len(reply.text) + len(reply.model) + len(reply.fingerprint) + calls
