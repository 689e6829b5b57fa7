"""Money: the most that a question can cost, the cost of a reply, and a limit that is not exceeded.

Before a question is sent, the most that it can cost is reserved. The sum of reserved and spent money never exceeds
the limit. Only a provider that bills more tokens than were asked for can exceed it. A reply whose tokens the server
does not count, or counts below 0, costs what was reserved.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from dataclasses import asdict, dataclass
from threading import Condition

from harness.ask.clients.client import Request, Usage
from harness.ask.questions import Question, Settings

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
