"""A lock among threads, and in which order they get it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from time import monotonic, sleep

from editcore.host.documents.database import FairLock


def test_those_who_wait_get_their_turn_in_the_order_in_which_they_came() -> None:
    turns, order = FairLock(), list[int]()

    def wait(n: int) -> None:
        with turns.acquired(10) as is_ours:
            assert is_ours
            order.append(n)

    with turns.acquired(0) as is_ours:
        assert is_ours
        threads = [Thread(target=wait, args=(n,)) for n in range(5)]
        for n, thread in enumerate(threads, 1):
            thread.start()
            while len(turns._waiting) < n:
                sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(5))


def test_a_turn_that_does_not_come_in_time_is_given_up_and_harms_nobody() -> None:
    turns, is_waiting = FairLock(), Event()

    def wait() -> bool:
        is_waiting.set()
        with turns.acquired(0.05) as is_ours:
            return is_ours

    with ThreadPoolExecutor(1) as pool:
        with turns.acquired(0):
            start = monotonic()
            assert pool.submit(wait).result() is False
            assert monotonic() - start > 0.04
        assert pool.submit(wait).result() is True


def test_only_one_thread_has_it_at_a_time_and_none_is_forgotten() -> None:
    turns, inside, most = FairLock(), list[int](), list[int]()

    def work(n: int) -> bool:
        # So short a wait that some give up just as their turn comes.
        with turns.acquired(0.0005 * (n % 5)) as is_ours:
            if is_ours:
                inside.append(n)
                most.append(len(inside))
                inside.pop()
            return is_ours

    with ThreadPoolExecutor(8) as pool:
        had = list(pool.map(work, range(4_000)))
    assert sum(had) == len(most)
    assert set(most) == {1}
    with turns.acquired(0) as is_ours:
        assert is_ours
