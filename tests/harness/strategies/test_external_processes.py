"""Commands as strategies that misbehave, hang, are killed or outlive their owner, with real processes."""

from __future__ import annotations

import gc
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import Any

import pytest

from editcore.types import Applied
from harness.run import latency
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies import command_process, external
from harness.strategies.external import external_strategy
from harness.strategies.protocol import CommandError
from harness.strategies.strategy import Strategy
from reports.runs.parts import outcomes
from tests.harness.program import Program, environment
from tests.harness.strategies.commands import (
    EXACT,
    OWNER,
    PYTHON,
    Written,
    asking,
    assert_gone,
    files,
    pid,
    script,
)
from tests.processes import eventually
from tests.samples import sample, write_jsonl

# What goes wrong

TRICKS = """
import faulthandler

def leave(request):
    sys.exit(3)

def explode(request):
    print("on the way", file=sys.stderr)
    {}["missing"]

def explode_like_node(request):
    print("app.js:1\\n\\nError: boom\\n    at error.js:3\\n\\nNode.js v20", file=sys.stderr)
    sys.exit(1)

def segfault(request):
    faulthandler.disable()  # PYTHONFAULTHANDLER would have it say something first.
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(600)

def babble(request):
    print("hello", flush=True)

def babble_in_bytes(request):
    os.write(1, b"\\xff\\n")

def say_twice(request):
    print(line(request) + "\\n" + line(request), flush=True)

def list_it(request):
    print("[]", flush=True)

def forget_the_files(request):
    say(request, after=None)

def name_a_file_twice(request):
    say(request, after=request["before"] * 2)

def invent_a_reason(request):
    say(request, status="rejected", reason="dunno")

def forget_the_id(request):
    print("{}", flush=True)

def answer_another(request):
    say({**request, "id": "0"})

def stop_halfway(request):
    os.write(1, line(request)[:-9].encode())
    os._exit(0)

def close_stdout(request):
    os.close(1)
    time.sleep(600)

def hang(request):
    time.sleep(600)

def hang_with_a_child(request):
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    write_whole(".pids", os.getpid(), child.pid)
    time.sleep(600)

for request in requests():
    globals().get(request["edits"][0]["old_string"], say)(request)
"""

WRONG = {
    "leave": "the command ended with exit code 3", "explode": "the command ended with exit code 1: KeyError: 'missing'",
    "explode_like_node": "the command ended with exit code 1: Error: boom",
    "segfault": "the command ended with SIGSEGV", "babble": "the answer is not JSON: 'hello'",
    "babble_in_bytes": "the answer is not JSON: '\ufffd'", "say_twice": "the answer is more than one line",
    "list_it": "the answer has the wrong shape: Expected `object`, got `array`",
    "forget_the_files": "the answer has the wrong shape: Expected `array`, got `null` - at `$.after`",
    "name_a_file_twice": "the answer has a path twice in `after`",
    "invent_a_reason": "the answer has the wrong shape: Invalid enum value 'dunno' - at `$.reason`",
    "forget_the_id": "the answer has the wrong shape: Object missing required field `status`",
    "answer_another": "the answer has another `id` than its request",
    "stop_halfway": "the command ended with exit code 0", "close_stdout": "the command closed its stdin or stdout",
}  # fmt: skip


QUICK = ("leave", "explode", "segfault", "babble", "list_it", "close_stdout")


@pytest.mark.parametrize("trick", [pytest.param(one, marks=[] if one in QUICK else pytest.mark.slow) for one in WRONG])
def test_what_goes_wrong_is_said_in_one_line_and_the_next_sample_gets_a_new_process(
    written: Written, trick: str
) -> None:
    mine = written(TRICKS)
    first = pid(mine)
    with pytest.raises(CommandError) as caught:
        mine.apply(asking(trick), None)
    assert str(caught.value) == WRONG[trick]
    assert caught.value.tip
    assert_gone(first)
    assert pid(mine) != first


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_a_call_that_is_interrupted_ends_the_process_and_its_children(
    written: Written, tmp_path: Path, time_is_up: Callable[[], None]
) -> None:
    mine = written(TRICKS)
    first, file = pid(mine), tmp_path / "command.py.pids"
    waiting = Thread(target=lambda: (eventually(file.exists), time_is_up()))
    waiting.start()
    assert isinstance(tried(mine, "hang_with_a_child"), TimedOut)
    waiting.join()
    pids = list(map(int, file.read_text().split()))
    assert pids[0] == first
    assert_gone(*pids)
    assert pid(mine) != first


@pytest.fixture
def other_thread() -> Iterator[None]:
    """A thread that takes the signals which the main thread blocks: the handlers are called all the same."""
    over = Event()
    thread = Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.fixture
def time_is_up(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the time of the call be up from now on."""

    def pass_the_deadline() -> None:
        monkeypatch.setattr(latency, "monotonic", lambda: inf)
        os.kill(os.getpid(), signal.SIGALRM)

    return pass_the_deadline


def tried(strategy: Strategy, trick: str) -> object:
    """What a call of the strategy with a time limit comes to."""
    with Stopwatch() as stopwatch:
        return stopwatch.time(partial(strategy.apply, asking(trick), None), prepare=lambda: None, timeout_s=60).value


@pytest.mark.slow
@pytest.mark.usefixtures("other_thread")
def test_the_end_of_a_process_is_not_interrupted(
    written: Written, time_is_up: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = written(TRICKS)

    def alarm(frame: Any, event: str, _: Any) -> Any:
        nonlocal countdown
        if frame.f_code.co_name in ("_end", "end_kept") and event == "line":
            countdown -= 1
            if countdown == 0:
                time_is_up()
        return alarm

    old = sys.gettrace()
    gc.collect()
    gc.disable()  # The end of another test's process, in the midst of this, would count.
    try:
        for after in count(1):
            countdown = after
            ended = pid(mine)
            sys.settrace(alarm)
            assert isinstance(tried(mine, "babble"), TimedOut | CommandError)
            sys.settrace(old)
            monkeypatch.undo()
            assert_gone(ended)
            if countdown > 0:
                break
    finally:
        sys.settrace(old)
        gc.enable()
    gc.collect()  # A process that nobody waited for, or a file left open, warns now.
    assert after > 5


@pytest.mark.usefixtures("other_thread")
def test_a_start_that_is_interrupted_leaves_no_file_open_and_no_process(
    written: Written, time_is_up: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def interrupted() -> Any:
        made.append(TemporaryFile())  # noqa: SIM115
        time_is_up()
        return made[-1]

    monkeypatch.setattr(command_process, "TemporaryFile", interrupted)
    assert isinstance(tried(written(TRICKS), "hang"), TimedOut)
    gc.collect()  # A process that nobody waited for warns now.
    assert made[0].closed


@pytest.mark.slow
def test_wherever_a_call_is_interrupted_no_answer_is_taken_for_another(written: Written) -> None:
    mine = written("for request in requests(): say(request, replacer=request['edits'][0]['old_string'])")
    n_interrupted = 0

    def interrupt(frame: Any, event: str, _: Any) -> Any:
        nonlocal countdown
        if event == "line" and frame.f_code.co_filename.endswith(("external.py", "command_process.py", "protocol.py")):
            countdown -= 1
            if countdown == 0:
                raise TimedOut
        return interrupt

    old = sys.gettrace()
    for after in range(1, 200, 2):
        countdown = after
        sys.settrace(interrupt)
        try:
            mine.apply(asking(f"before {after}"), None)
        except TimedOut:
            n_interrupted += 1
        finally:
            sys.settrace(old)
        result = mine.apply(asking(f"after {after}"), None)
        assert isinstance(result, Applied)
        assert result.replacer == f"after {after}"
        if countdown > 0:
            break
    assert n_interrupted > 10


def test_a_second_answer_that_comes_late_is_not_taken_for_the_next(written: Written) -> None:
    mine = written("""
before = None
for request in requests():
    say(before or request)
    before = request
""")
    assert files(mine, sample())
    with pytest.raises(CommandError, match="the answer has another `id` than its request"):
        mine.apply(sample(), None)
    assert files(mine, sample())


def test_an_answer_that_is_there_before_its_request_is_a_crash_and_the_next_sample_gets_a_new_process(
    written: Written, tmp_path: Path
) -> None:
    mine = written(f"""
for request in requests():
    say(request)
    time.sleep(0.1)  # So that the answer is read alone.
    say(request)
    open({str(tmp_path / "early")!r}, "w").close()
""")
    assert files(mine, sample())
    eventually((tmp_path / "early").exists)
    with pytest.raises(CommandError) as caught:
        mine.apply(sample(), None)
    assert str(caught.value) == "an answer was there before its request was sent"
    assert files(mine, sample())


def test_the_id_of_a_request_is_not_known_from_those_before(written: Written) -> None:
    mine = written("for request in requests(): say(request, replacer=request['id'])")
    ids = [mine.apply(sample(), None).replacer for _ in range(20)]  # type: ignore[union-attr]
    assert len({*ids}) == 20
    assert {len(one or "") for one in ids} == {16}


def test_a_process_that_ends_after_some_answers_is_a_crash_and_is_replaced(written: Written) -> None:
    mine = written("""
for n, request in enumerate(requests()):
    if n == 3:
        sys.exit()
    pid(request)
""")
    pids = [pid(mine) for _ in range(3)]
    with pytest.raises(CommandError, match="ended with exit code 0"):
        pid(mine)
    assert pid(mine) not in pids


def test_a_program_that_cannot_be_run_is_an_error_of_each_sample(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("no program")
    (tmp_path / "program").chmod(0o755)
    mine = external_strategy("cmd/mine", [str(tmp_path / "program")])
    for _ in range(2):
        with pytest.raises(OSError, match="Exec format"):
            mine.apply(sample(), None)


# Processes and their owners


def owner(tmp_path: Path, code: str) -> subprocess.Popen[str]:
    command = [*script(tmp_path, "for request in requests(): pid(request)")]
    return subprocess.Popen(
        [sys.executable, "-c", OWNER + code, "-", *command],
        env=environment(),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


def test_a_fork_has_a_process_of_its_own_and_leaves_the_other_alone(tmp_path: Path) -> None:
    code = """
print(pid(), flush=True)
if child := os.fork():
    os.waitpid(child, 0)
print(pid(), flush=True)
"""
    with owner(tmp_path, code) as process:
        stdout, _ = process.communicate(timeout=60)
    before, in_the_fork, after = stdout.split()
    assert before == after
    assert in_the_fork != before
    assert_gone(int(before), int(in_the_fork))


@pytest.mark.parametrize(
    "how",
    ["pass", pytest.param("os.kill(os.getpid(), signal.SIGKILL)", id="kill")],
)
def test_the_process_ends_with_its_owner(tmp_path: Path, how: str) -> None:
    with owner(tmp_path, f"print(pid(), flush=True)\n{how}\n") as process:
        stdout, _ = process.communicate(timeout=60)
    assert_gone(int(stdout))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the end of stdin tells it")
def test_a_hanging_process_ends_with_its_owner_too(tmp_path: Path) -> None:
    command, file = script(tmp_path, "write_whole('.pid', os.getpid())\ntime.sleep(600)"), tmp_path / "command.py.pid"
    code = f"""
signal.signal(signal.SIGALRM, lambda *_: os.path.exists({str(file)!r}) and os.kill(os.getpid(), signal.SIGKILL))
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
pid()
"""
    done = subprocess.run([sys.executable, "-c", OWNER + code, "-", *command], env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL
    assert_gone(int(file.read_text()))


# Runs


def judged(folder: Path, name: str) -> list[tuple[object, ...]]:
    found = [outcome for outcome in outcomes(folder) if outcome.strategy == name]
    return sorted((one.sample_id, one.verdict, one.damage or "", one.reason or "", one.error or "") for one in found)


@pytest.mark.slow
def test_a_run_of_a_command_is_that_of_the_cascade_it_reimplements_and_is_resumed(
    editgauge: Program, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(EXACT.read_text())
    arguments = ("run", "smoke", "-q", "-s", f"cmd:mine={shlex.join([*PYTHON, str(mine)])}")
    arguments += ("-s", "cascade/exact", "-o", "run")
    done = editgauge(*arguments, "-j", 2)
    assert done.returncode == 0, done.stderr
    before = judged(tmp_path / "run", "cmd/mine")
    assert len(before) == 50
    assert before == judged(tmp_path / "run", "cascade/exact")
    assert not (tmp_path / "run" / "stderr").exists()

    next((tmp_path / "run" / "outcomes").iterdir()).unlink()
    assert editgauge(*arguments, "-j", 1, "--resume").returncode == 0
    assert judged(tmp_path / "run", "cmd/mine") == before

    mine.write_text(EXACT.read_text() + "# another build\n")
    again = editgauge(*arguments, "--resume")
    assert again.returncode == 2
    assert "other samples, strategies or limits" in again.stderr


def test_crashes_and_hangs_are_outcomes_and_stderr_is_kept(editgauge: Program, tmp_path: Path) -> None:
    fates = {name: ("crashed", f"CommandError: {WRONG[name]}") for name in ("leave", "explode", "babble")}
    fates |= {"hang": ("timed_out", "")}
    made = []
    for number, trick in enumerate(fates):
        made += [sample(2 * number, old=trick), sample(2 * number + 1, old="say")]
    write_jsonl(tmp_path / "a.jsonl", made)
    spec = f"cmd:mine={shlex.join(script(tmp_path, TRICKS))}"
    done = editgauge("run", "a.jsonl", "-q", "-j", 2, "--timeout", 0.7, "-s", spec, "-o", "run")
    assert (done.returncode, done.stderr) == (0, "run: run\n")
    found = {one.sample_id: (one.verdict, one.error or "") for one in outcomes(tmp_path / "run")}
    assert [found[f"s{2 * number}"] for number in range(len(fates))] == list(fates.values())
    assert {found[f"s{2 * number + 1}"][0] for number in range(len(fates))} == {"wrong_edit"}
    logs = list((tmp_path / "run" / "stderr").iterdir())
    assert [log.name.startswith("cmd-mine-") for log in logs] == [True]
    assert "on the way\nTraceback" in logs[0].read_text()


# Several requests at once

LOCKSTEP = """
import json, os, sys

while data := os.read(0, 1 << 20):
    request = json.loads(data)  # Whatever is there is taken for one request.
    [file] = request["before"]
    print(json.dumps({"id": request["id"], "status": "applied", "after": [file]}), flush=True)
"""
DEAF = LOCKSTEP.replace(
    "    request =",
    """    if data.count(b"\\n") > 1:
        data = os.read(0, 1 << 20)  # Waits for more than was sent.
    request =""",
)


@pytest.mark.parametrize("code", [LOCKSTEP, DEAF])
def test_a_program_that_does_not_take_several_requests_is_asked_one_by_one(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "_AHEAD_S", 0.3)
    mine = external_strategy("cmd/mine", script(tmp_path, code))
    samples = [sample(n, before=f"x = {n}\n") for n in range(4)]
    assert mine.ask_ahead
    assert mine.apply(samples[0], None) == Applied(files={"a.py": "x = 0\n"})
    for _ in range(2):
        mine.ask_ahead(samples)
        assert [mine.apply(one, None) for one in samples] == [Applied(files={"a.py": f"x = {n}\n"}) for n in range(4)]


def test_answers_to_several_requests_are_those_to_each(written: Written) -> None:
    mine = written(TRICKS)
    samples = [sample(n, before="x = 1\n" * n, old="x = 1", new="x = 2") for n in range(20)]
    alone = [mine.apply(one, None) for one in samples]
    assert mine.ask_ahead
    mine.ask_ahead(samples)
    assert mine.apply(samples[3], None) == alone[3]
    other = asking("leave")
    with pytest.raises(CommandError, match="exit code 3"):
        mine.apply(other, None)
    assert [mine.apply(one, None) for one in samples] == alone


def test_a_program_that_ends_at_one_of_several_requests_is_blamed_for_that_one(written: Written) -> None:
    mine = written(TRICKS)
    mine.apply(sample(), None)
    samples = [sample(1), asking("leave"), sample(2)]
    assert mine.ask_ahead
    mine.ask_ahead(samples)
    assert isinstance(mine.apply(samples[0], None), Applied)
    with pytest.raises(CommandError, match="exit code 3"):
        mine.apply(samples[1], None)
    assert isinstance(mine.apply(samples[2], None), Applied)
