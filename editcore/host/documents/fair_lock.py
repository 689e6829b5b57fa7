"""A fair (FIFO) lock for threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class FairLock:
    """A lock that goes to the thread that has waited longest; `threading.Lock` goes to any."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = False
        self._waiting: deque[Lock] = deque()
        """One lock per waiting thread, held until it is that thread's turn."""

    @contextmanager
    def acquired(self, timeout: float) -> Iterator[bool]:
        """Hold the lock. Yields False where it could not be acquired within `timeout` seconds."""
        is_held = self._wait(timeout)
        try:
            yield is_held
        finally:
            if is_held:
                self._pass_on()

    def _wait(self, timeout: float) -> bool:
        turn = Lock()
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=timeout):
            return True
        with self._lock:
            if turn not in self._waiting:  # Its turn came just now.
                return True
            self._waiting.remove(turn)
            return False

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False
