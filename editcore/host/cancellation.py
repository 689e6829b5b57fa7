"""Cancelling a call from another thread: an event that code checks while it waits, reads or searches."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Lock, Thread
from typing import TypeVar

from editcore.errors import Cancelled

_T = TypeVar("_T")
TICK = 0.05
"""Seconds between two checks for a cancellation while code waits."""


class Cancellation:
    """An event that ends calls: set once, by `cancel`, from any thread. Several calls may share one."""

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """End the calls that have this event, within a fifth of a second. What was written stays."""
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise Cancelled if `cancel` was called."""
        if self._event.is_set():
            raise Cancelled

    def outcome(self, work: Callable[[], _T]) -> _T:
        """The result or exception of `work`, which runs in a thread of its own: a cancellation can end the waiting.

        After a cancellation the thread goes on until `work` returns, and its result is dropped.
        """
        return self.committed(lambda _: work())

    def committed(self, work: Callable[[Callable[[], None]], _T]) -> _T:
        """The result of `work` that has effects: it calls its argument right before the effects.

        That call raises Cancelled if the caller has stopped waiting. After it, the caller waits for `work` even if
        the call is cancelled. A cancelled call therefore has no effects.
        """
        answer: Future[_T] = Future()
        lock, ended_by = Lock(), list[str]()

        def commit() -> None:
            if not self._is_first(lock, ended_by, "commit"):
                raise Cancelled

        def answering() -> None:
            try:
                answer.set_result(work(commit))
            except BaseException as error:  # It is raised again in the waiting thread.
                answer.set_exception(error)

        Thread(target=contextvars.copy_context().run, args=(answering,), daemon=True).start()
        while not wait((answer,), TICK).done:
            if self.is_cancelled and self._is_first(lock, ended_by, "cancel"):
                raise Cancelled
        return answer.result()

    @staticmethod
    def _is_first(lock: Lock, ended_by: list[str], what: str) -> bool:
        """True if nothing else has ended the time in which a call can be cancelled."""
        with lock:
            if not ended_by:
                ended_by.append(what)
            return ended_by[0] == what
