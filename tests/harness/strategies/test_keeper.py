"""What commands leave behind and how much they write, with real processes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from editcore.errors import UsageError
from harness.processes import descendants, nothing_left_behind
from harness.strategies import command_process
from harness.strategies.external import external_strategy, start_limit_s
from harness.strategies.keeper import LAST_BYTES, BoundedLog
from harness.strategies.peers.programs import run_program
from harness.strategies.protocol import CommandError
from reports.runs.parts import outcomes
from tests.harness.program import Program, environment
from tests.harness.strategies.commands import OWNER, asking, assert_gone, files, script
from tests.processes import offspring
from tests.samples import sample, write_jsonl

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

DAEMON = """
def daemon(request):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            write_whole(".daemon", os.getpid())
            os.execve("/bin/sleep", ["sleep", "600"], {})
        os._exit(0)
    while not os.path.exists(sys.argv[0] + ".daemon"):
        time.sleep(0.01)
    say(request)
"""


def daemon(folder: Path) -> int:
    return int((folder / "command.py.daemon").read_text())


# What is left behind


@linux
def test_a_daemon_in_a_session_of_its_own_ends_with_the_command(tmp_path: Path) -> None:
    mine = external_strategy("cmd/mine", script(tmp_path, DAEMON + "daemon(next(requests()))\nsys.exit(3)"))
    assert files(mine, sample())
    pid = daemon(tmp_path)
    with pytest.raises(CommandError, match="exit code 3"):
        mine.apply(sample(), None)
    assert_gone(pid)


@pytest.mark.slow
@linux
@pytest.mark.parametrize("how", ["pass", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_daemon_ends_with_the_process_that_asked(tmp_path: Path, how: str) -> None:
    command = script(tmp_path, DAEMON + "for request in requests(): daemon(request)")
    subprocess.run(
        [sys.executable, "-c", f"{OWNER}pid\nmine.apply(sample(), None)\n{how}", "-", *command],
        env=environment(),
        check=False,
    )
    assert_gone(daemon(tmp_path))


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    "code", ["daemon(request)", "os.kill(os.getppid(), 9) or say(request)", "daemon(request); os.kill(os.getppid(), 9)"]
)
def test_a_run_leaves_nothing_behind_even_if_the_keeper_is_killed(
    editgauge: Program, tmp_path: Path, code: str
) -> None:
    command = script(
        tmp_path,
        DAEMON
        + f"for request in requests():\n    {code}\n    open(sys.argv[0] + '.pids', 'a').write(f'{{os.getpid()}}\\n')",
    )
    write_jsonl(tmp_path / "a.jsonl", [sample()])
    neighbour = subprocess.Popen(["sleep", "600"])
    try:
        before = offspring()
        done = editgauge("run", "a.jsonl", "-q", "-j", 1, "-s", f"cmd:mine={shlex.join(command)}", "-o", "run")
        # 1: every call crashed. A command that kills its keeper may be killed before it answers.
        assert done.returncode in ((0, 1) if "kill" in code else (0,)), done.stderr
        assert offspring() <= before
        if "daemon" in code:
            assert not psutil.pid_exists(daemon(tmp_path))
        assert neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()


@linux
def test_only_what_the_block_started_is_ended() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE) as neighbour:
        with nothing_left_behind():
            started = subprocess.run(
                ["sh", "-c", "setsid sleep 0.2 >&- 2>&- & echo $!"], stdout=subprocess.PIPE, check=True
            )
        assert not psutil.pid_exists(int(started.stdout))
        assert len(descendants(neighbour.pid)) == 1
        assert neighbour.poll() is None
        os.kill(descendants(neighbour.pid)[0], signal.SIGKILL)
        neighbour.kill()


# How much is written


def test_stdout_without_a_line_feed_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_process, "ANSWER_BYTES", 1 << 20)
    flood = "sys.stdin.readline()\nwhile True: os.write(1, b'x' * (1 << 16))"
    mine = external_strategy("cmd/mine", script(tmp_path, flood))
    with pytest.raises(CommandError, match="bytes on stdout without a line feed: an answer has at most 1,048,576"):
        mine.apply(sample(), None)
    text = "x" * (3 << 20)
    mine = external_strategy("cmd/mine", script(tmp_path, "for request in requests(): say(request)"))
    assert files(mine, asking("x", before=text)) == {"a.py": text}, "twice the request is always allowed"


@pytest.mark.parametrize("line", ["x\\n", "\\n", "{}\\n"])
def test_a_flood_of_lines_is_a_wrong_answer(tmp_path: Path, line: str) -> None:
    flood = f"sys.stdin.readline()\nwhile True: os.write(1, b'{line}' * 9999)"
    with pytest.raises(CommandError, match="more than one line"):
        external_strategy("cmd/mine", script(tmp_path, flood)).apply(sample(), None)


@pytest.mark.slow
def test_of_stderr_the_first_and_the_last_bytes_are_kept(editgauge: Program, tmp_path: Path) -> None:
    flood = """
sys.stdin.readline()
os.write(2, b"the first line\\n")
for n in range(500):
    os.write(2, b"y" * (1 << 16))
os.write(2, b"\\nKeyError: 'the last line'\\n")
os._exit(1)
"""
    write_jsonl(tmp_path / "a.jsonl", [sample(), sample(1), sample(2)])
    command = script(tmp_path, flood)
    assert (
        editgauge("run", "a.jsonl", "-q", "-j", 1, "-s", f"cmd:mine={shlex.join(command)}", "-o", "run").returncode == 1
    )
    error = "CommandError: the command ended with exit code 1: KeyError: 'the last line'"
    assert [one.error for one in outcomes(tmp_path / "run")] == [error] * 3
    (log,) = (tmp_path / "run" / "stderr").iterdir()
    kept = log.read_bytes()
    assert len(kept) < (2 << 20) + 100
    assert kept.startswith(b"the first line\n")
    assert kept.endswith(b"\nKeyError: 'the last line'\n")
    assert kept.count(b" bytes left out]\n") == 1


@pytest.mark.parametrize("sizes", [[3], [10], [11], [10, 1], [15, 15], [5] * 9, [1] * 70, [100], [9, 100, 1], []])
def test_a_bounded_log_keeps_both_ends_and_counts_the_rest(tmp_path: Path, sizes: list[int]) -> None:
    written = b""
    for at, size in enumerate(sizes):
        with open(tmp_path / "log", "a+b") as file, open(tmp_path / "last", "w+b") as last:
            descriptor = os.open(tmp_path / "log", os.O_RDWR)
            log = BoundedLog(descriptor, last.fileno(), 10)
            data = bytes((at * 7 + n) % 26 + 65 for n in range(size))
            log.add(data)
            log.close()
            os.close(descriptor)
            written += data
            file.seek(0)
            kept = file.read()
            assert last.read() == data[-LAST_BYTES:]
        n_left_out = max(len(written) - 20, 0)
        note = b"\n[editgauge: %d bytes left out]\n" % n_left_out if n_left_out else b""
        assert kept == written[:10] + note + written[10:][-10:]


# The start


@pytest.mark.slow
def test_the_time_to_start_is_a_setting(editgauge: Program, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [sample()])
    command = script(tmp_path, "time.sleep(0.6)\nfor request in requests(): say(request)")
    slow = f"cmd:mine={shlex.join(command)}"
    found = []
    for limit in ("0.05", "30"):
        arguments = ("run", "a.jsonl", "-q", "-j", 1, "-s", slow, "--timeout", "0.2", "-o", f"run{limit}")
        done = editgauge(*arguments, extra={"EDITGAUGE_START_TIMEOUT": limit})
        assert done.returncode == int(limit == "0.05"), done.stderr  # A run in which every call timed out fails.
        found += [one.verdict for one in outcomes(tmp_path / f"run{limit}")]
    assert found == ["timed_out", "wrong_edit"]


@pytest.mark.parametrize("text", ["nan", "-1", "0", "inf", "soon", "1e9"])
def test_a_time_to_start_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("EDITGAUGE_START_TIMEOUT", text)
    with pytest.raises(UsageError, match="EDITGAUGE_START_TIMEOUT is"):
        start_limit_s()


# Programs that are peers


@linux
def test_of_a_program_that_floods_only_the_first_bytes_are_kept_and_its_children_end(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(
        "#!/bin/sh\nsleep 600 & echo $! > child.new; mv child.new child.pid\n"
        "head -c 30000000 /dev/zero\nhead -c 9000000 /dev/zero >&2\nexit 3\n"
    )
    program.chmod(0o755)
    code, *outputs = run_program([str(program)], b"x" * 1_000_000, cwd=tmp_path, environment=os.environ, timeout_s=60)
    assert (code, [len(output) for output in outputs]) == (3, [1 << 16] * 2)
    assert_gone(int((tmp_path / "child.pid").read_text()))
    program.write_text(program.read_text().replace("exit 3", "sleep 600"))
    for timeout_s in (1, 30):  # On a busy machine it may not have come so far within a second.
        (tmp_path / "child.pid").unlink(missing_ok=True)
        with pytest.raises(subprocess.TimeoutExpired):
            run_program([str(program)], b"x" * 1_000_000, cwd=tmp_path, environment=os.environ, timeout_s=timeout_s)
        if (tmp_path / "child.pid").exists():
            break
    assert_gone(int((tmp_path / "child.pid").read_text()))
