"""One question to a provider, as often as its failures are passing, within the budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from threading import Event, Lock

from harness.ask.budget import Budget
from harness.ask.clients.client import Client, ProviderError, Reply, Request

MOST_TRIES = 6
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0


class Pause:
    """The time until which nobody sends, since the provider has asked for that. Safe to use from threads."""

    def __init__(self) -> None:
        self._until = 0.0
        self._lock = Lock()

    def ask_for(self, seconds: float) -> None:
        """Let nobody send for so long."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self, stopped: Event) -> None:
        """Wait until it is over, or until the asking is stopped."""
        while (left := self._until - time.monotonic()) > 0 and not stopped.wait(min(left, 1.0)):
            pass


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of sending a question."""

    reply: Reply | None
    error: ProviderError | None
    cost_usd: float | None
    """Of the reply and of what was lost before it; None without a price."""
    seconds: float
    """Of the last try."""
    n_tries: int


class Sender:
    """Sends questions. Safe to use from threads."""

    def __init__(
        self, client: Client, budget: Budget, stopped: Event, *, first_wait_s: float = _FIRST_WAIT_S, seed: int = 0
    ) -> None:
        self.client, self.budget, self.stopped = client, budget, stopped
        self._pause = Pause()
        self._first_wait_s = first_wait_s
        self._rng = Random(seed)

    def send(self, request: Request) -> Sent | None:
        """What came of a question; None where it was not sent: the budget is used up, or the asking was stopped."""
        price, lost = self.budget.price, 0.0
        error: ProviderError | None = None
        for n_tries in range(1, MOST_TRIES + 1):
            self._pause.wait(self.stopped)
            reserved = None if self.stopped.is_set() else self.budget.reserve(request)
            if reserved is None:
                # What was lost is on the bill, although no reply is.
                return Sent(None, error, lost, 0.0, n_tries - 1) if error and lost else None
            started, cost = time.monotonic(), 0.0
            try:
                reply = self.client.complete(request)
                cost = price.cost(reply.usage) if price else 0.0
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
        """Wait as long as the provider says, and let all others wait; or twice as long as the last time."""
        if error.retry_after_s is not None:
            self._pause.ask_for(error.retry_after_s)
            return
        seconds = min(self._first_wait_s * 2 ** (n_tries - 1), _LONGEST_WAIT_S)
        self.stopped.wait(seconds * self._rng.uniform(0.5, 1.0))
