"""Cancelling a call from another thread: an event that what waits, reads or searches looks at."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Lock, Thread
from typing import TypeVar

from editcore.errors import Cancelled

_T = TypeVar("_T")
TICK = 0.05
"""Seconds between two looks at a cancellation by something that waits."""


class Cancellation:
    """An event that ends a call: set once, by `cancel`, from any thread. One may be shared by several calls."""

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """End the calls that carry it, as soon as they look: within a fifth of a second. What was written stays."""
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise Cancelled where `cancel` was called."""
        if self._event.is_set():
            raise Cancelled

    def outcome(self, work: Callable[[], _T]) -> _T:
        """What `work` returns or raises. It runs in a thread of its own, so that waiting for it can be cancelled.

        After a cancellation the thread goes on until `work` returns, and the answer is dropped.
        """
        return self.committed(lambda _: work())

    def committed(self, work: Callable[[Callable[[], None]], _T]) -> _T:
        """The same for work that has effects: it calls its argument right before they come into being.

        That call raises Cancelled where the caller has not waited until then; afterwards the work is waited for,
        cancelled or not. So what was cancelled has no effects.
        """
        answer: Future[_T] = Future()
        lock, ended_by = Lock(), list[str]()

        def commit() -> None:
            if not self._is_first(lock, ended_by, "commit"):
                raise Cancelled

        def answering() -> None:
            try:
                answer.set_result(work(commit))
            except BaseException as error:  # Raised again where it is waited for.
                answer.set_exception(error)

        Thread(target=contextvars.copy_context().run, args=(answering,), daemon=True).start()
        while not wait((answer,), TICK).done:
            if self.is_cancelled and self._is_first(lock, ended_by, "cancel"):
                raise Cancelled
        return answer.result()

    @staticmethod
    def _is_first(lock: Lock, ended_by: list[str], what: str) -> bool:
        """Whether nothing else has ended the time in which a call can be cancelled."""
        with lock:
            if not ended_by:
                ended_by.append(what)
            return ended_by[0] == what
