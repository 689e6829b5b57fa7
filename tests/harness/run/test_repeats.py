"""Repeated calls: which are chosen, what their answers and times change, and samples in other words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from corpora.load import load, segments
from corpora.sample import Sample
from editcore.text.document import Document
from editcore.types import Applied, EditResult, File, Reason, Rejected
from harness.run.job import Job, run_job
from harness.run.latency import Stopwatch, Timed
from harness.run.repeats import LEAST, MOST, FirstCalls, n_repeated, renamed, share, share_looked_at
from harness.run.results import Answers
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy
from reports.runs.parts import outcomes
from reports.runs.rows import Outcome
from tests.samples import sample, write_jsonl


class Caller:
    """A strategy that notes each call, and does in the nth one on a sample what a test asks for."""

    def __init__(
        self, name: str, log: list[tuple[str, str]], act: Callable[[int], None] = lambda _: None, *,
        answer: Callable[[int], EditResult] = lambda _: Applied("other"), family: str = "test",
    ) -> None:  # fmt: skip
        self.name, self.log, self.act, self.answer = name, log, act, answer
        self.strategy = Strategy(f"{family}/{name}", frozenset(["str_replace"]), self, "Notes.", "1")

    def __call__(self, one: Sample, _: Document | None) -> EditResult:
        self.log.append((one.id, self.name))
        nth = self.log.count((one.id, self.name))
        self.act(nth)
        return self.answer(nth)


def run(
    folder: Path, callers: list[Caller], stopwatch: Stopwatch, *, n: int = 3, n_samples: int = 6, looked_at: float = 0
) -> list[Outcome]:
    target = (File("a.py", "wanted = 1\n"),)
    made = [
        sample(number, before="total = 1\n", old=f"total = {number}", new="a word", label="apply", target=target)
        for number in range(n_samples)
    ]
    (only,) = segments(write_jsonl(folder / "a.jsonl", made))
    job = Job(only, folder / "run", 20.0, skip_bad=False, n_repeated=n, looked_at=looked_at)
    job.folder.mkdir(exist_ok=True)
    run_job(job, [one.strategy for one in callers], [0, 0, 0, 0], stopwatch)
    return list(outcomes(job.folder))


def test_repeats_come_in_rounds_after_all_samples_and_take_turns(tmp_path: Path, stopwatch: Stopwatch) -> None:
    log: list[tuple[str, str]] = []
    run(tmp_path, [Caller("a", log), Caller("b", log)], stopwatch)
    once, again = log[:12], log[12:]
    assert once == [(f"s{i}", name) for i in range(6) for name in "ab"]
    assert len(again) == 2 * 3 * 2
    rounds = [again[at : at + 6] for at in range(0, len(again), 6)]
    drawn = [sample_id for sample_id, _ in rounds[0][::2]]
    assert drawn == sorted(drawn)
    assert len(set(drawn)) == 3
    for number, calls in enumerate(rounds):
        turns = [("ab", "ba")[(number + at) % 2] for at in range(3)]
        assert calls == [(sample_id, name) for sample_id, names in zip(drawn, turns, strict=True) for name in names]


@pytest.mark.parametrize("family", ["cmd", "tool", "peer"])
def test_strategies_that_wait_have_their_turn_after_those_that_compute(
    tmp_path: Path, stopwatch: Stopwatch, family: str
) -> None:
    log: list[tuple[str, str]] = []
    run(tmp_path, [Caller("a", log), Caller("w", log, family=family), Caller("b", log)], stopwatch)
    assert "".join(name for _, name in log[:18]) == "awb" * 6
    for start in range(18, len(log), 9):
        names = "".join(name for _, name in log[start : start + 9])
        assert sorted(names[:6]) == sorted("ab" * 3)
        assert names[6:] == "www"


class Scripted(Stopwatch):
    """Every call takes as long as the script says next, in wall time; half of it in CPU time."""

    script: Iterator[int]

    def time(
        self, call: Callable[[], object], *, prepare: Callable[[], object], timeout_s: float,
        elsewhere: Callable[[], int] | None = None,
    ) -> Timed:  # fmt: skip
        taken = next(self.script)
        timed = super().time(call, prepare=prepare, timeout_s=timeout_s, elsewhere=elsewhere)
        return timed._replace(latency_ns=taken, cpu_ns=taken // 2)


def test_the_shortest_call_counts_and_outcomes_tell_the_subset(tmp_path: Path) -> None:
    scripted = Scripted()
    scripted.script = iter([900, 910, 800, 400, 420, 399, 401])
    found = run(tmp_path, [Caller("a", [])], scripted, n=2, n_samples=3)
    timed = {one.sample_id: (one.latency_ns, one.cpu_ns, one.first_cpu_ns, one.n_timed) for one in found}
    once = [number for number in range(3) if timed[f"s{number}"][3] == 1]
    first, second = (number for number in range(3) if number not in once)
    firsts = [900, 910, 800]
    assert timed[f"s{first}"] == (399, 199, firsts[first] // 2, 3)
    assert timed[f"s{second}"] == (401, 200, firsts[second] // 2, 3)
    assert [timed[f"s{number}"][0] for number in once] == [firsts[number] for number in once]


@pytest.mark.parametrize(("looked_at", "n_slow"), [(0.0, 0), (0.5, 60), (1.0, 166)])
def test_the_slowest_calls_of_one_strategy_are_repeated_too_and_marked(
    tmp_path: Path, looked_at: float, n_slow: int
) -> None:
    """Calls grow longer with every sample, so that each is the slowest so far."""
    log: list[tuple[str, str]] = []
    scripted = Scripted()
    times = [time for nth in range(200) for time in (1000 + 10 * nth, 10)]
    scripted.script = iter(times + [5] * 2000)
    found = run(
        tmp_path, [Caller("grows", log), Caller("even", log)], scripted, n=1, n_samples=200, looked_at=looked_at
    )
    why = {name: [one.repeated for one in found if one.strategy == name] for name in ("test/grows", "test/even")}
    drawn = {one.sample_id for one in found if one.repeated == "drawn"}
    assert [names.count("drawn") for names in why.values()] == [1, 1]
    assert len(drawn) == 1
    assert why["test/even"].count("slow") == 0
    assert why["test/grows"].count("slow") == n_slow
    assert all(one.repeated == "slow" or one.repeated is None for one in found if one.sample_id not in drawn)
    assert {one.n_timed for one in found if one.repeated} == {3}
    assert {one.n_timed for one in found if not one.repeated} == {1}


@pytest.mark.parametrize("family", ["cmd", "tool", "peer"])
def test_slow_calls_of_strategies_that_wait_are_not_repeated(tmp_path: Path, family: str) -> None:
    scripted = Scripted()
    scripted.script = iter(range(1000, 10_000, 10))
    found = run(tmp_path, [Caller("w", [], family=family)], scripted, n=1, n_samples=200, looked_at=1)
    assert [one.repeated for one in found if one.repeated] == ["drawn"]


def test_the_subset_is_the_same_in_every_run_and_part_of_a_larger_one(tmp_path: Path, stopwatch: Stopwatch) -> None:
    subsets = []
    for n in (2, 4, 2):
        found = run(tmp_path, [Caller("a", [])], stopwatch, n=n)
        subsets.append({one.sample_id for one in found if (one.n_timed or 0) > 1})
    assert (len(subsets[0]), len(subsets[1])) == (2, 4)
    assert subsets[0] == subsets[2] < subsets[1]


def test_a_call_that_took_long_is_not_repeated(tmp_path: Path, stopwatch: Stopwatch) -> None:
    log: list[tuple[str, str]] = []
    slow = Caller("slow", log, lambda _: sum(range(10**6)))
    assert {one.n_timed for one in run(tmp_path, [slow], stopwatch)} == {1}
    assert len(log) == 6


def test_a_call_during_which_the_machine_did_something_else_is_repeated(tmp_path: Path, stopwatch: Stopwatch) -> None:
    disturbed = Caller("disturbed", [], lambda nth: time.sleep(0.02 if nth == 1 else 0))
    found = [one.latency_ns or 0 for one in run(tmp_path, [disturbed], stopwatch) if (one.n_timed or 0) > 1]
    assert len(found) == 3
    assert max(found) < 20_000_000


def test_a_strategy_that_waits_is_not_repeated_without_end(tmp_path: Path, stopwatch: Stopwatch) -> None:
    waiting = Caller("waiting", [], lambda _: time.sleep(0.11))
    assert {one.n_timed for one in run(tmp_path, [waiting], stopwatch, n_samples=3)} == {1}


AGAIN = "the same request again: at first applied, then "


@pytest.mark.parametrize(
    ("later", "error"),
    [
        (lambda: Applied("another"), "left another text"),
        (lambda: Rejected(Reason.AMBIGUOUS, ""), "refused (ambiguous)"),
        (lambda: 1 // 0, "crashed (ZeroDivisionError: integer division or modulo by zero)"),
        (lambda: None, "crashed (returned NoneType, not Applied or Rejected)"),
    ],
)
def test_another_answer_to_the_same_text_makes_the_outcome_unstable(
    tmp_path: Path, stopwatch: Stopwatch, later: Callable[[], EditResult], error: str
) -> None:
    log: list[tuple[str, str]] = []
    found = run(
        tmp_path, [Caller("flips", log, answer=lambda nth: later() if nth > 1 else Applied("other"))], stopwatch
    )
    unstable = [one for one in found if one.verdict == "unstable"]
    assert {(one.error, one.failed_label, one.n_timed) for one in unstable} == {(AGAIN + error, "apply", 1)}
    assert [one.verdict for one in found if one not in unstable] == ["wrong_edit"] * 3
    assert len(log) == 6 + 3


def test_a_refusal_for_another_reason_is_another_answer_and_one_in_other_words_is_not(
    tmp_path: Path, stopwatch: Stopwatch
) -> None:
    reasons = [Reason.NO_MATCH, Reason.AMBIGUOUS]
    other = Caller("other", [], answer=lambda nth: Rejected(reasons[nth > 1], ""))
    worded = Caller("worded", [], answer=lambda nth: Rejected(Reason.NO_MATCH, f"attempt {nth}"))
    found = run(tmp_path, [other, worded], stopwatch, n_samples=3)
    assert [(one.strategy, one.verdict) for one in found] == [("test/other", "unstable"), ("test/worded", "missed")] * 3
    assert found[0].error == "the same request again: at first refused (no_match), then refused (ambiguous)"


def test_an_answer_as_text_equals_the_same_one_as_files(tmp_path: Path, stopwatch: Stopwatch) -> None:
    def answer(nth: int) -> EditResult:
        return Applied("other") if nth == 1 else Applied(files={"a.py": "other"})

    assert {one.verdict for one in run(tmp_path, [Caller("a", [], answer=answer)], stopwatch)} == {"wrong_edit"}


def test_what_takes_long_is_compared_on_a_part_of_the_samples_only(tmp_path: Path, stopwatch: Stopwatch) -> None:
    def answer(nth: int) -> EditResult:
        sum(range(10**6))
        return Applied("other" if nth == 1 else "another")

    found = run(tmp_path, [Caller("slow", [], answer=answer)], stopwatch, n=60, n_samples=60)
    assert 0 < [one.verdict for one in found].count("unstable") < 20


@pytest.mark.parametrize(("same", "counts"), [(300, True), (299, False)])
def test_a_call_for_the_same_text_that_was_too_short_to_be_work_does_not_count(
    tmp_path: Path, same: int, counts: bool
) -> None:
    scripted = Scripted()
    scripted.script = iter([900, 2 * same, 1400])
    (found,) = run(tmp_path, [Caller("remembers", [])], scripted, n=1, n_samples=1)
    assert (found.latency_ns, found.n_timed) == ((2 * same, 3) if counts else (900, 2))


def test_who_answers_a_renamed_text_as_the_one_before_is_timed_by_the_first_call(tmp_path: Path) -> None:
    scripted = Scripted()
    scripted.script = iter([900, 5, 5])
    found = run(tmp_path, [Caller("remembers", [], answer=lambda _: Applied("total: 1"))], scripted, n=1, n_samples=1)
    assert [(one.latency_ns, one.n_timed) for one in found] == [(900, 1)]


def test_a_call_that_crashed_is_not_repeated(tmp_path: Path, stopwatch: Stopwatch) -> None:
    def act(_: int) -> None:
        raise ValueError("no")

    log: list[tuple[str, str]] = []
    found = run(tmp_path, [Caller("broken", log, act)], stopwatch)
    assert {(one.verdict, one.latency_ns, one.n_timed) for one in found} == {("crashed", None, None)}
    assert len(log) == 6


def test_nothing_is_repeated_where_nothing_is_asked_for(tmp_path: Path, stopwatch: Stopwatch) -> None:
    log: list[tuple[str, str]] = []
    run(tmp_path, [Caller("a", log)], stopwatch, n=0)
    assert len(log) == 6


@pytest.mark.parametrize(
    ("n_samples", "n"), [(1, LEAST), (8_000, LEAST), (32_000, 2_000), (80_000, MOST), (10**9, MOST)]
)
def test_a_sixteenth_is_repeated_within_bounds(n_samples: int, n: int) -> None:
    assert n_repeated(n_samples) == n


def test_the_shares_of_jobs_add_up_to_all_and_little_more() -> None:
    sizes = [250] * 40 + [7, 1]
    shares = [share(500, size, sum(sizes)) for size in sizes]
    assert 500 <= sum(shares) <= 500 + len(sizes)


def decided(times: list[int], *, in_half: bool) -> list[int]:
    calls = FirstCalls()
    return [time for time in times if calls.is_repeated("a", time, in_half=in_half)]


def test_calls_in_the_tail_and_about_the_ninetieth_percentile_decide() -> None:
    times = list(range(10_000))
    Random(0).shuffle(times)
    slow, more = decided(times, in_half=False), decided(times, in_half=True)
    assert 230 <= len(slow) <= 280
    assert min(slow[50:]) > 9_600
    assert 750 <= len(more) - len(slow) <= 850
    others = sorted(set(more[100:]) - set(slow))
    assert others[len(others) // 20] > 8_400
    assert others[-len(others) // 20] < 9_600


def test_the_first_few_calls_decide_nothing() -> None:
    assert decided(list(range(7)), in_half=True) == []


def test_equal_calls_decide_nothing() -> None:
    assert decided([5] * 1000, in_half=True) == []


def test_strategies_are_ranked_apart() -> None:
    calls = FirstCalls()
    for taken in range(1, 101):
        calls.is_repeated("slow", 1000 * taken, in_half=False)
        calls.is_repeated("fast", taken, in_half=False)
    assert calls.is_repeated("fast", 500, in_half=False)
    assert not calls.is_repeated("slow", 500, in_half=False)


@pytest.mark.parametrize(("n", "share"), [(0, 1), (1, 1), (10_000, 1), (40_000, 0.25), (10**6, 0.01)])
def test_no_more_than_ten_thousand_samples_are_looked_at(n: int, share: float) -> None:
    assert share_looked_at(n) == share


def test_a_word_is_replaced_wherever_it_stands_by_one_of_the_same_length() -> None:
    one = sample(before="def total():\n    return total_of()\n", old="def total()", new="def Total()")
    other = renamed(one)
    assert other
    old, new = other.old, other.new
    assert old in ("def", "total", "Total")
    assert len(new) == len(old)
    assert [file.content for file in other.sample.before] == [file.content.replace(old, new) for file in one.before]
    assert [(edit.old_string, edit.new_string) for edit in other.sample.edits or ()] == [
        ("def total()".replace(old, new), "def Total()".replace(old, new))
    ]
    assert other == renamed(one)


def test_words_that_paths_or_the_syntax_of_patches_have_stay() -> None:
    assert renamed(sample(before="Begin py a\n", old="Begin", new="py")) is None
    assert renamed(sample(before="1\n", old="1", new="2")) is None


def test_a_text_that_still_has_the_old_word_is_not_turned_back() -> None:
    other = renamed(sample(before="total = 1\n", old="total = 1", new="total = 2"))
    assert other
    assert other.back(f"{other.new} = 2\n") == "total = 2\n"
    assert other.back(f"{other.new} = 2  # total\n") != "total = 2  # total\n"


@pytest.mark.parametrize(
    "name",
    [
        "cascade/recommended",
        "unified_diff/tolerant",
        pytest.param("begin_patch/codex", marks=pytest.mark.slow),
        pytest.param("cascade/reference", marks=pytest.mark.slow),
    ],
)
def test_the_answer_to_a_renamed_sample_is_nearly_always_the_old_one_renamed(name: str) -> None:
    chosen = strategy(name)
    taken = [one for one in load("house") if chosen.takes(one)]
    n_same = n_renamed = 0
    for one in taken:
        if other := renamed(one):
            results = chosen.apply(one, None), chosen.apply(other.sample, None)
            assert all(isinstance(result, Applied | Rejected) for result in results)
            n_renamed += 1
            n_same += Answers(one).of(results[0]) == Answers(other.sample, back=other.back).of(results[1])
    assert n_renamed > 0.95 * len(taken)
    assert n_same > 0.95 * n_renamed
