"""What a campaign blames: asked again before, shrunk, emitted once; of answers that vary, only that they do."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from harness.fuzz.engine import observer as module
from harness.fuzz.engine.observer import TAPE, Counted, Event, Met, Observer, input_of
from harness.fuzz.finding import DETERMINISTIC, SLOW, Finding, Violation
from harness.fuzz.generators.mutate import Mutator
from harness.fuzz.inputs import Fields
from harness.fuzz.target import Target, observe
from harness.fuzz.targets import target_by_name


def _target(check: Callable[[Fields], bool], **settings: object) -> Target:
    """A target that breaks a property where the check fails."""

    def broken(fields: Fields, _: bool) -> tuple[Violation, ...]:
        return () if check(fields) else (Violation("short", "here", f"{len(fields[0])} letters"),)

    def draw(rng: Random) -> Fields:
        return ("".join([rng.choice("abc") for _ in range(rng.randint(0, 20))]),)

    return Target("made", "Made up.", draw, broken, **settings)  # type: ignore[arg-type]


def _events(target: Target, *inputs: Fields | bytes, known: tuple[tuple[str, str, str], ...] = ()) -> list[Event]:
    stream = io.BytesIO()
    one = Observer(target, known, events=stream, seconds=60, runs=len(inputs))
    for each in inputs:
        if isinstance(each, bytes):
            one.check_bytes(each)
        elif not one.is_over:
            one.check(each)
    stream.seek(0)
    found: list[Event] = []
    while stream.tell() < len(stream.getvalue()):
        found.append(pickle.load(stream))
    return [event for event in found if not isinstance(event, Counted)]


def test_each_kind_is_blamed_once_with_its_smallest_input() -> None:
    target = _target(lambda fields: len(fields[0]) < 4)
    (finding,) = _events(target, ("abcabcabc",), ("abcab",), TAPE + b"1234567")
    assert finding == Finding("made", "short", "here", "4 letters", finding.fields)  # type: ignore[union-attr]
    (drawn,) = _events(target, *[TAPE + bytes([n]) for n in range(9)])
    assert isinstance(drawn, Finding)
    assert drawn.fields == ("aaaa",)


def test_a_known_finding_is_met_and_not_shrunk() -> None:
    key = ("made", "short", "here")
    assert _events(_target(lambda _: False), ("a",), ("b",), known=(key,)) == [Met(key)]


@pytest.mark.parametrize("n_right", [1, 2])
def test_of_a_program_whose_answers_vary_only_that_is_said(n_right: int) -> None:
    asked = 0

    def varies(_: Fields) -> bool:
        nonlocal asked
        asked += 1
        return asked == n_right + 1

    (finding,) = _events(_target(varies), *[(letter,) for letter in "abcdef"])
    assert isinstance(finding, Finding)
    assert (finding.property, finding.path) == (DETERMINISTIC, module.VARIES)
    assert "varies: asked again, it is not each time 1 letters" in finding.detail


@pytest.mark.parametrize("runs_elsewhere", [True, False])
def test_the_time_of_other_processes_counts_and_pauses_of_this_one_do_not(
    runs_elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.fuzz.target.perf_counter_ns", count(step=10_000_000).__next__)
    monkeypatch.setattr("harness.fuzz.target.thread_time_ns", lambda: 0)
    target = _target(lambda _: True, bound_ns=1_000_000, bound_ns_per_character=0, runs_elsewhere=runs_elsewhere)
    assert [one.property for one in observe(target, ("a",))] == [SLOW] * runs_elsewhere


def test_bytes_of_the_guided_engine_are_a_tape_or_fields() -> None:
    target = target_by_name("insert/split", ())
    assert input_of(target, b"a\x1eb") == ("a", "b")
    assert input_of(target, TAPE + b"a") == input_of(target, TAPE + b"a") != input_of(target, TAPE + b"b")


def test_a_mutated_input_is_the_same_for_the_same_state_and_never_longer_than_asked() -> None:
    data = b"a\nb\nc\x1eb\x1ex = 1"
    for noise in (None, lambda line, _: line[::-1]):
        made = [[Mutator(("t",), Random(seed), noise)(data, 12) for seed in range(200)] for _ in range(2)]
        assert made[0] == made[1]
        assert max(map(len, made[0])) <= 12
        assert len({*made[0]}) > 60
