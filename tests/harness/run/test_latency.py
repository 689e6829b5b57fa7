from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import NoReturn

import pytest

from harness.processes import uninterrupted
from harness.run import latency
from harness.run.latency import CAN_INTERRUPT, Stopwatch, Timed, TimedOut, clock_overheads_ns

needs_signals = pytest.mark.skipif(not CAN_INTERRUPT, reason="no interval timers here")


def timed(stopwatch: Stopwatch, call: Callable[[], object], timeout_s: float = 20) -> Timed:
    return stopwatch.time(call, prepare=lambda: None, timeout_s=timeout_s)


def test_a_call_gives_its_value_and_its_latency(stopwatch: Stopwatch) -> None:
    result = timed(stopwatch, lambda: sum(range(1000)))
    assert (result.value, result.raised) == (499_500, False)
    assert 0 < result.latency_ns <= result.total_ns


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), GeneratorExit(), MemoryError(), StopIteration()])
def test_an_exception_is_an_outcome(stopwatch: Stopwatch, error: BaseException) -> None:
    def fail() -> NoReturn:
        raise error

    result = timed(stopwatch, fail)
    assert (result.value, result.raised) == (error, True)


def test_the_cpu_time_of_a_call_that_others_work_for_is_theirs(stopwatch: Stopwatch) -> None:
    readings = iter([5_000_000_000, 7_000_000_123])
    result = stopwatch.time(lambda: 1, prepare=lambda: None, timeout_s=20, elsewhere=lambda: next(readings))
    assert result.cpu_ns == 2_000_000_123
    assert result.latency_ns < 1_000_000_000


def test_endless_recursion_is_an_outcome(stopwatch: Stopwatch) -> None:
    def recurse() -> object:
        return recurse()

    assert isinstance(timed(stopwatch, recurse).value, RecursionError)


def test_ctrl_c_is_none(stopwatch: Stopwatch) -> None:
    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        timed(stopwatch, interrupt)


@needs_signals
def test_a_loop_is_interrupted(stopwatch: Stopwatch) -> None:
    def loop() -> NoReturn:
        while True:
            pass

    start = time.monotonic()
    result = timed(stopwatch, loop, timeout_s=0.05)
    assert time.monotonic() - start >= 0.05
    assert result.raised
    assert isinstance(result.value, TimedOut)
    assert result.total_ns > 0


@needs_signals
def test_a_loop_that_catches_every_exception_is_interrupted(stopwatch: Stopwatch) -> None:
    def stubborn() -> NoReturn:
        while True:
            try:
                time.sleep(60)
            except Exception:
                continue

    assert isinstance(timed(stopwatch, stubborn, timeout_s=0.05).value, TimedOut)


@needs_signals
def test_what_must_not_be_interrupted_comes_to_its_end_first(stopwatch: Stopwatch) -> None:
    done: list[str] = []

    def call() -> None:
        with uninterrupted(), uninterrupted():
            time.sleep(0.2)
            done.append("all of it")
        time.sleep(60)

    assert isinstance(timed(stopwatch, call, timeout_s=0.05).value, TimedOut)
    assert done == ["all of it"]


@needs_signals
def test_a_call_after_one_that_timed_out_has_its_full_time(stopwatch: Stopwatch) -> None:
    timed(stopwatch, lambda: time.sleep(60), timeout_s=0.05)
    assert timed(stopwatch, lambda: time.sleep(0.2)).raised is False


@needs_signals
def test_nothing_is_interrupted_between_calls(stopwatch: Stopwatch) -> None:
    timed(stopwatch, lambda: None, timeout_s=0.01)
    time.sleep(0.2)


@needs_signals
def test_afterwards_the_timer_is_gone() -> None:
    with Stopwatch():
        assert signal.getitimer(signal.ITIMER_REAL)[1] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_a_call_is_prepared_and_made_once(stopwatch: Stopwatch) -> None:
    log: list[str] = []
    stopwatch.time(lambda: log.append("call"), prepare=lambda: log.append("prepare"), timeout_s=20)
    assert log == ["prepare", "call"]


def test_waiting_takes_wall_time_and_no_cpu_time(stopwatch: Stopwatch) -> None:
    result = timed(stopwatch, lambda: time.sleep(0.02))
    assert result.latency_ns >= 20_000_000 - clock_overheads_ns()[0] * 100
    assert result.cpu_ns < 10_000_000


def test_the_cost_of_the_clocks_is_subtracted(stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    walls, cpus = iter([0, 0, 900]), iter([100, 700])
    monkeypatch.setattr(latency, "perf_counter_ns", lambda: next(walls))
    monkeypatch.setattr(latency, "thread_time_ns", lambda: next(cpus))
    monkeypatch.setattr(stopwatch, "_overhead_ns", 50)
    monkeypatch.setattr(stopwatch, "_cpu_overhead_ns", 70)
    result = timed(stopwatch, lambda: None)
    assert (result.latency_ns, result.cpu_ns, result.total_ns) == (850, 530, 900)


def test_a_call_faster_than_the_clock_takes_no_negative_time(
    stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopwatch, "_overhead_ns", 10**9)
    monkeypatch.setattr(stopwatch, "_cpu_overhead_ns", 10**9)
    result = timed(stopwatch, lambda: None)
    assert (result.latency_ns, result.cpu_ns) == (0, 0)


def test_reading_the_clocks_costs_something_but_not_much() -> None:
    wall, cpu = clock_overheads_ns()
    assert 0 <= wall <= 1_000_000
    assert 0 <= cpu < 1_000_000
