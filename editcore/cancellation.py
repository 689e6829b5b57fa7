"""Cancelling a call from another thread: an event that what waits, reads or searches looks at."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Thread
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
        answer: Future[_T] = Future()

        def answering() -> None:
            try:
                answer.set_result(work())
            except BaseException as error:  # Raised again where it is waited for.
                answer.set_exception(error)

        Thread(target=contextvars.copy_context().run, args=(answering,), daemon=True).start()
        while not wait((answer,), TICK).done:
            self.check()
        return answer.result()
