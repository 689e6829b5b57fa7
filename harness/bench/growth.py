"""CPU time of calls, and its growth with the size of the input, measured in a process of its own with limits."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from multiprocessing.connection import Connection
from pathlib import Path
from time import get_clock_info, thread_time
from typing import IO, Any, TypeVar

from corpora.sample import Sample
from corpora.scrub import scrub
from corpora.scrubbing.look import forget
from editcore.agents import AGENTS, AgentRule
from editcore.anchors import apply_anchored
from editcore.anchors.views import changes_between, write_call
from editcore.cascade import CASCADES, Cascade
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.line_edits import insert_lines
from editcore.patches.search_replace import apply_search_replace
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.replacers import REPLACERS
from editcore.stale.recommended import recommended
from editcore.text.diff import unified_diff
from editcore.text.document import Document
from editcore.text.lines import with_feeds
from editcore.tiers import TIERS
from editcore.types import Applied, Edit, File, Match, Reason, Rejected
from harness.bench.growth_inputs.edits import EDIT_FAMILIES, INTENT_FAMILIES, TIER_FAMILIES
from harness.bench.growth_inputs.patches import BLOCK_FAMILIES, DIFF_FAMILIES, ENVELOPE_FAMILIES
from harness.bench.growth_inputs.texts import INSERT_FAMILIES, SECRET_FAMILIES, TEXT_FAMILIES
from harness.processes import end_with_parent, exit_text

# CPU time of calls: the best of several, and its growth with the size of the input.
#
# Everything in `bench` and in the drill `growth` is measured here. CPU time is that of the calling thread. Reading the
# clock takes about 0.3 us, so shorter calls look longer than they are.

Result = TypeVar("Result")
TimedCall = Callable[[], object]

_TICK_S = get_clock_info("thread_time").resolution
"""The shortest time: a coarse clock returns 0 for short calls."""
_MAX_ROUNDS = 10
"""The most rounds, as a multiple of the least number of rounds."""


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    start = thread_time()
    result = call()
    return result, max(thread_time() - start, _TICK_S)


def best_of(
    calls: Sequence[TimedCall], *, rounds: int = 3, total_s: float = 0.0, after: Callable[[Any], object] | None = None
) -> list[float]:
    """The least CPU time of each call, in seconds, over several rounds in which the calls take turns.

    Rounds are added, up to ten times as many, until they have taken `total_s`. `after` gets each result; its time
    does not count.
    """
    times: list[list[float]] = []
    while len(times) < rounds or (sum(map(sum, times)) < total_s and len(times) < _MAX_ROUNDS * rounds):
        times.append([])
        for call in calls:
            result, seconds = timed(call)
            times[-1].append(seconds)
            if after:
                after(result)
    return [min(seconds) for seconds in zip(*times, strict=True)]


def growth_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The least-squares slope of log time over log size: 1 is linear, 2 quadratic."""
    xs, ys = [log(size) for size in sizes], [log(time) for time in times]
    mean = sum(xs) / len(xs)
    return sum((x - mean) * y for x, y in zip(xs, ys, strict=True)) / sum((x - mean) ** 2 for x in xs)


@dataclass(frozen=True, slots=True)
class Measurement:
    name: str
    size: str
    """The size of the input, with its unit."""
    seconds: float
    """CPU time at that size, the best of several."""
    exponent: float
    """The growth exponent from that size to twice the size."""


def measure_doubling(name: str, size: str, calls: tuple[TimedCall, TimedCall], *, rounds: int) -> Measurement:
    once, twice = best_of(calls, rounds=rounds)
    return Measurement(name, size, once, growth_exponent((1, 2), (once, twice)))


BUDGET_S = 2.0
"""The most CPU time of one call."""
MEMORY = 1 << 30
"""The most bytes that the process may allocate."""

_SMALLEST, _LARGEST = 256, 1_000_000
"""The first size, in the unit of the input; and the number of characters to stop at, however short the time is."""
_MEASURABLE_S = 0.04
"""The size grows until a call takes this long; then half and a quarter of that size are measured too."""
_MIN_S = 0.004
"""The growth of shorter times cannot be measured."""
_ROUNDS, _TOTAL_S = 3, 0.03
_LINE = "    value_7 = compute(item_3, 11) or default_7\n"
_TRIES = 3
"""The number of times that an exponent above the limit is measured again: other processes use the machine too."""
_TIMEOUT_S = 120.0
"""Wall time after which the process is ended."""

SizedCall = Callable[[int], tuple[int, TimedCall]]
"""A size, in a unit of the input -> the number of characters of the input, and the call to measure."""


@dataclass(frozen=True, slots=True)
class Point:
    """The CPU time at one size."""

    size: int
    seconds: float
    """CPU time, the best of several."""
    yardstick: float
    """CPU time of a linear operation on as many characters: the text is split into lines, and each line is stripped."""


def exponent_over(points: Sequence[Point]) -> float | None:
    """The growth exponent over some sizes; None if the times are too short.

    The yardstick's excess over 1 is subtracted: less of a larger input fits into the caches, whatever the code does.
    """
    if points[-1].seconds < _MIN_S:
        return None
    sizes = [point.size for point in points]
    excess = growth_exponent(sizes, [point.yardstick for point in points]) - 1
    return growth_exponent(sizes, [point.seconds for point in points]) - max(excess, 0)


def measure_growth(make: SizedCall, limit: float) -> list[Point] | str:
    """The points at the three largest sizes, or one line on how the process ended.

    Points are measured again if their exponent is above `limit`.
    """
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    with tempfile.TemporaryFile("w+") as stack:
        process = context.Process(target=_work, args=(theirs, stack.fileno(), make, limit, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        try:
            answer: list[Point] | str = ours.recv() if ours.poll(_TIMEOUT_S) else f"no answer within {_TIMEOUT_S:g} s"
        except (EOFError, OSError):  # It died before its answer, or within it.
            process.join()
            stack.seek(0)
            answer = _ending(exit_text(process.exitcode), stack)
        finally:
            process.kill()
            process.join()
            ours.close()
    return answer


def _ending(how: str, stack: IO[str]) -> str:
    frame = re.search(r'File "(.+)", line (\d+) in (\w+)', stack.read())
    where = f" in {frame[3]} ({Path(frame[1]).name}:{frame[2]})" if frame else ""
    return f"over {BUDGET_S:g} s of CPU time{where}" if how == "SIGPROF" else f"the process ended with {how}"


# In the process


def _work(answers: Connection, stack: int, make: SizedCall, limit: float, parent: int) -> None:
    end_with_parent(parent)
    gc.disable()
    # C code writes the stack, whatever the interpreter is busy with; then the signal ends the process.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.register(signal.SIGPROF, file=stack, chain=True)
    used = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    )
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    answer: list[Point] | str
    try:
        answer = _measured(make, limit)
    except MemoryError:
        answer = f"over {MEMORY >> 20} MB of memory"
    except Exception as error:
        answer = f"raised {type(error).__name__}: {error}"[:200]
    answers.send(answer)


def _measured(make: SizedCall, limit: float) -> list[Point]:
    n = _largest(make)
    sizes = (n // 4, n // 2, n)
    points = [_point(make, size) for size in sizes]
    for _ in range(_TRIES):
        if (exponent_over(points) or 0) <= limit:
            break
        again = [_point(make, size) for size in sizes]
        points = [
            Point(one.size, min(one.seconds, other.seconds), min(one.yardstick, other.yardstick))
            for one, other in zip(points, again, strict=True)
        ]
    return points


def _largest(make: SizedCall) -> int:
    """The size at which a call takes long enough, or the largest size."""
    n = _SMALLEST
    while True:
        size, call = make(n)
        _, seconds = timed(_limited(call))
        grown = n * (4 if seconds < _MEASURABLE_S / 16 and size < _LARGEST / 4 else 2)
        if seconds >= _MEASURABLE_S or size * grown > _LARGEST * n:
            return n
        n = grown


def _point(make: SizedCall, n: int) -> Point:
    size, call = make(n)
    text = (_LINE * (size // len(_LINE) + 1))[:size]
    return Point(size, _best(call), _best(lambda: [line.strip() for line in text.split("\n")]))


def _best(call: TimedCall) -> float:
    [seconds] = best_of([_limited(call)], rounds=_ROUNDS, total_s=_TOTAL_S)
    return seconds


def _limited(call: TimedCall) -> TimedCall:
    """The call, interrupted by a signal when it exceeds its CPU time."""

    def limited() -> None:
        signal.setitimer(signal.ITIMER_PROF, BUDGET_S)
        call()
        signal.setitimer(signal.ITIMER_PROF, 0)

    return limited


# The operations that are measured on growing inputs: every way to apply edits, the diff, and scrubbing.

_FOR_AGENTS = (
    "exact, once", "indentation", "indentation, all of the file", "spaces", "a line that differs",
    "near twins that differ"
)  # fmt: skip


def _sized(call: Callable[..., object], make: Callable[[int], Any], n: int) -> tuple[int, TimedCall]:
    """The number of characters of an input, and the call on its parts."""
    made = make(n)
    parts = made if isinstance(made, tuple) else (made,)
    texts = [text for part in parts for text in (part.values() if isinstance(part, dict) else (part,))]
    return sum(len(text) for text in texts if isinstance(text, str)), lambda: call(*parts)


def _by(cascade: Cascade) -> Callable[..., object]:
    return lambda text, search, new="something else\n": cascade.apply(Document(text), Edit(search, new))


def _scrubbed(text: str) -> object:
    forget()
    return scrub(Sample("s", "str_replace", (File("f.py", text),), "unlabelled", (Edit("x = 1", "x = 2"),)))


def _anchored(make: Callable[[int], tuple[str, str]], n: int) -> tuple[int, TimedCall]:
    """A call in H4 for a text to which a line was added at the top since."""
    before, after = make(n)
    call = write_call("hashline_h4", before, changes_between(before, after), path="f.py")
    live = {"f.py": f"new\n{before}"}
    return 2 * len(before) + len(call), lambda: apply_anchored(live, call, "hashline_h4", seen={"f.py": before})


def _placed(make: Callable[[int], tuple[str, str]], n: int) -> tuple[int, TimedCall]:
    """Edits of the first, the middle and the last third of a text that another hand has changed."""
    before, after = make(n)
    lines = with_feeds(before)
    spans = [(at, min(at + 1 + len(lines) // 3, len(lines))) for at in range(0, len(lines), 1 + len(lines) // 3)]
    edits = ["".join(lines[first:last]) for first, last in spans]
    mine = ["".join([*lines[:first], "new\n", *lines[first + 1 :]]) for first, _ in spans]

    def call() -> None:
        for (first, _), search, content in zip(spans, edits, mine, strict=True):
            start = sum(map(len, lines[:first]))
            result = Applied(content, (Match(start, start + len(search), "exact"),), "exact")
            decided = {before: result}
            recommended(before, after, lambda text, decided=decided: decided.get(text, _NO_PLACE))  # type: ignore[misc]

    return len(before) + len(after), call


_NO_PLACE = Rejected(Reason.NO_MATCH, "The text is not in the file.")


def _all(call: Callable[..., object], families: Mapping[str, Callable[[int], Any]]) -> dict[str, SizedCall]:
    return {family: partial(_sized, call, make) for family, make in families.items()}


def operations() -> Mapping[str, Mapping[str, SizedCall]]:
    merging = {**TIER_FAMILIES, **INTENT_FAMILIES}
    cascades = {f"replacer/{name}": Cascade(name, (name,)) for name in REPLACERS}
    cascades |= {f"cascade/{name}": cascade for name, cascade in CASCADES.items()}
    table = {name: _all(_by(cascade), EDIT_FAMILIES) for name, cascade in cascades.items()}
    table |= {f"tier/{name}": _all(_by(Cascade(name, tiers=(name,))), merging) for name in TIERS}
    table["cascade/recommended"] |= _all(_by(CASCADES["recommended"]), merging)
    table["patch/search_replace"] = _all(apply_search_replace, BLOCK_FAMILIES)
    for reading in READINGS:
        table[f"patch/begin_patch/{reading}"] = _all(partial(apply_begin_patch, reading=reading), ENVELOPE_FAMILIES)
    for strictness in STRICTNESSES:
        apply = partial(apply_unified_diff, strictness=strictness)
        table[f"patch/unified_diff/{strictness}"] = _all(apply, DIFF_FAMILIES)
    table["diff"] = _all(partial(unified_diff, path="f.py"), TEXT_FAMILIES)
    table["scrub"] = _all(_scrubbed, SECRET_FAMILIES)
    table["anchors/recommended"] = {family: partial(_anchored, make) for family, make in TEXT_FAMILIES.items()}
    table["stale/recommended"] = {family: partial(_placed, make) for family, make in TEXT_FAMILIES.items()}
    table["insert"] = _all(insert_lines, INSERT_FAMILIES)
    return table


def imitations() -> Mapping[str, Mapping[str, SizedCall]]:

    def applying(agent: AgentRule) -> Callable[..., object]:
        return lambda text, search, new: agent.apply_edits(text, (Edit(search, new),))

    families = {family: TIER_FAMILIES[family] for family in _FOR_AGENTS}
    edits = {name: agent for name, agent in AGENTS.items() if agent.format == "edits"}
    return {f"agent/{name}": _all(applying(agent), families) for name, agent in edits.items()}
