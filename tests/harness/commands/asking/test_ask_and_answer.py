"""From `ask` to `answer`: planted habits are found, a kill costs nothing, mistakes are refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from threading import Event

import pytest

from harness.ask.tasks import tasks
from reports.asked import kept_answer
from tests.harness.ask.code import code
from tests.harness.ask.scripted_model import Habit, Model, misread, misremembered, shouted
from tests.harness.ask.scripted_server import Asked, Says, scripted_server
from tests.harness.program import ROOT, call, command, document, environment, mistake

_HABITS: dict[str, tuple[float, Habit]] = {
    "str_replace": (0.3, shouted), "unified_diff": (0.5, misremembered), "hashline_h2": (0.2, misread),
}  # fmt: skip
_RULE_OF = {
    "str_replace": "cascade/exact",
    "unified_diff": "unified_diff/tolerant",
    "hashline_h2": "anchors/recommended",
}
_RULES = [part for rule in _RULE_OF.values() for part in ("-s", rule)]


@pytest.fixture
def source() -> Path:
    return code()


def _ask(url: str, source: Path, out: Path, *more: object) -> tuple[object, ...]:
    return (
        "ask", "--model", "m", "--base-url", f"{url}/v1", "--yes", "--tasks", f"mutations:{source}", "--repeat", 1,
        "-q", "--formats", ",".join(_HABITS), "-o", out, *more,
    )  # fmt: skip


def _plain(source: Path, n: int) -> list[object]:
    return [task for task, _ in zip(tasks(f"mutations:{source}", levels=("copy",)), range(n), strict=False)]


def test_planted_habits_come_back_and_a_refusal_mends_them(source: Path, tmp_path: Path) -> None:
    n, out = 30, tmp_path / "mine.jsonl"
    model = Model(_plain(source, n), "tool", _HABITS, seed=5)  # type: ignore[arg-type]
    with scripted_server(model) as server:
        words = _ask(server.url, source, out, "-n", n, "--price", 2, 10, "--retry", "cascade/exact")
        asked = call(*words)
        n_asked = len(server.asked)
        assert call(*words).exit_code == 0
        assert len(server.asked) == n_asked  # Nothing is asked twice.
    assert asked.exit_code == 0, asked.output
    assert re.match(r"\d+ samples of \d+ replies; asked now: ", asked.stdout)
    found = document("answer", out, "-o", tmp_path / "run", "-q", "-j", 1, *_RULES)
    rows = {row["format"]: row for row in found["formats"]}
    assert {name: row["strategy"] for name, row in rows.items()} == _RULE_OF
    for name, (rate, _) in _HABITS.items():
        assert rows[name]["missed"]["low"] <= rate <= rows[name]["missed"]["high"], name
        assert rows[name]["right"]["n"] >= 24
        assert rows[name]["usd_per_right"] > 0
    assert found["model"] == "scripted-1"
    # The refusals of one rule were sent back, and the model has mended what it was told of.
    (retried,) = found["retried"]
    assert (retried["format"], retried["strategy"], retried["n_wrong"]) == ("str_replace", "cascade/exact", 0)
    assert retried["n_rescued"] == retried["n_retried"] > 3
    assert rows["str_replace"]["right_later"]["value"] == 1.0
    # The run is one like any other, and its page begins with the answer.
    assert kept_answer(tmp_path / "run") == found["sentences"]
    assert call("report", tmp_path / "run").exit_code == 0
    assert found["sentences"][0][:40] in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert call("table", tmp_path / "run", "--by", "asked").exit_code == 0


@pytest.mark.slow
def test_a_killed_asking_is_resumed_without_paying_twice(source: Path, tmp_path: Path) -> None:
    n, out = 12, tmp_path / "mine.jsonl"
    model, enough, counted = Model(_plain(source, n), "tool", {}), Event(), list[str]()  # type: ignore[arg-type]

    def script(asked: Asked) -> Says:
        counted.append(json.dumps(asked.body, sort_keys=True))
        if len(counted) == 12:
            enough.set()
        time.sleep(0.02)
        return model(asked)

    with scripted_server(script) as server:
        words = _ask(server.url, source, out, "-n", n, "--concurrency", 1)
        process = subprocess.Popen(command(*words), env=environment(), cwd=ROOT, start_new_session=True)
        assert enough.wait(60)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not out.exists()
        replies = out.with_suffix(".replies")
        kept = [line for line in replies.read_bytes().splitlines() if line.startswith(b'{"key"')]
        with replies.open("ab") as file:
            file.write(b'{"key":"cut off in the mid')  # As a kill within a write would leave it.
        before = len(counted)
        done = call(*words)
    assert done.exit_code == 0, done.output
    assert 10 <= len(kept) <= 12
    again = counted[before:]
    assert len(set(counted)) == len(kept) + len(again)
    # What was in flight when it was killed is asked again, and nothing else.
    assert len(counted) - len(set(counted)) <= 1
    assert len(out.read_text().splitlines()) > 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("ask",), "--model is missing"),
        (("ask", "--formats", "xml"), "There is no format 'xml' to ask for"),
        (
            ("ask", "--model", "m", "--base-url", "http://127.0.0.1:9", "--budget", "1"),
            "--budget and --cached-price need --price",
        ),
        (("ask", "--model", "m", "--base-url", "http://127.0.0.1:9"), "-o is missing"),
        (("ask", "--model", "m", "--base-url", "http://127.0.0.1:9", "-o", "a.parquet"), "does not end in .jsonl"),
        (("ask", "--model", "m", "--base-url", "http://me:pw@127.0.0.1:9", "-o", "a.jsonl"), "holds a password"),
        (("ask", "--model", "m", "--base-url", "ftp://127.0.0.1", "-o", "a.jsonl"), "is not the URL of a server"),
        (("ask", "--model", "m", "--retry", "cascade/*", "-o", "a.jsonl"), "--retry takes no cascade/"),
        (("ask", "--print-tasks", "--tasks", "nowhere"), "There are no tasks 'nowhere'"),
        (("answer", "nowhere.jsonl"), "There is no nowhere.jsonl"),
    ],
)
def test_mistakes_are_refused_in_two_lines(words: tuple[str, ...], what: str) -> None:
    assert what in mistake(*words)


def test_a_corpus_without_a_replies_file_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    out.write_text("")
    done = call("ask", "--model", "m", "--base-url", "http://127.0.0.1:9", "-o", out)
    assert (done.exit_code, out.read_text()) == (2, "")
    assert "no replies file mine.replies beside it" in done.output


def test_a_dry_run_says_what_it_may_cost_and_asks_nothing(source: Path) -> None:
    words = (
        "ask",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9",
        "--tasks",
        f"mutations:{source}",
        "-n",
        3,
        "--dry-run",
    )
    found = document(*words, "--price", 1, 2)
    assert found["n_questions"] == 81
    assert found["most_usd"] == pytest.approx(
        (found["most_tokens"]["input"] + 2 * found["most_tokens"]["output"]) / 1e6
    )
    assert found["likely_tokens"]["input"] < found["most_tokens"]["input"]


def test_a_dry_run_needs_no_key(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("ask", "--model", "m", "--tasks", f"mutations:{source}", "-n", 1)
    assert document(*words, "--dry-run")["n_questions"] == 27
    assert "OPENAI_API_KEY is not set" in call(*words, "-o", source.parent / "a.jsonl").stderr


def test_tasks_are_printed_without_a_model(source: Path) -> None:
    words = ("ask", "--print-tasks", "--tasks", f"mutations:{source}", "-n", 3)
    assert call(*words).stdout.count("== task-") == 3
    lines = call(*words, "--json").stdout.splitlines()
    assert [sorted(json.loads(line)) for line in lines] == 3 * [
        ["axes", "before", "id", "instruction", "kind", "level", "shown", "target"]
    ]


def test_files_of_which_no_task_can_be_made_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("x = 1\n")
    assert "gives no task with one right answer" in mistake(
        *_ask("http://127.0.0.1:9", tmp_path / "code", tmp_path / "mine.jsonl", "-n", 1)
    )
    assert [one.name for one in tmp_path.iterdir()] == ["code"]


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("-n", 1), "Nothing was sent: 3 questions: at most "),
        (("-n", 1, "--price", 1, 1), " US dollars\n  Agree with --yes, or set a limit"),
        (("-n", 1, "--price", 1, 1000, "--budget", 1), "--budget 1 does not cover the first question"),
    ],
)
def test_nothing_is_sent_that_nobody_agreed_to_and_no_file_is_written(
    source: Path, tmp_path: Path, more: tuple[object, ...], what: str
) -> None:
    with scripted_server(Model([], "tool", _HABITS, seed=5)) as server:
        words = [one for one in _ask(server.url, source, tmp_path / "mine.jsonl", *more) if one != "--yes"]
        assert what in mistake(*words)
        assert not server.asked
    assert not list(tmp_path.glob("mine.*"))


def test_a_full_disk_is_told_with_the_file_of_replies(source: Path, tmp_path: Path) -> None:
    model = Model(_plain(source, 3), "tool", {})  # type: ignore[arg-type]
    with scripted_server(model) as server:
        words = command(*_ask(server.url, source, out := tmp_path / "mine.jsonl", "-n", 3))
        limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *words]
        no_bytecode = {"PYTHONDONTWRITEBYTECODE": "1"}  # Else the files of modules are cut off too, and stay.
        done = subprocess.run(
            limited, env=environment(no_bytecode), cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    replies = out.with_suffix(".replies")
    *_, error, tip = done.stderr.splitlines()
    assert error.startswith(f"error: {replies}: ")
    assert tip == "  Free some space and try again."


def test_a_server_that_cannot_be_reached_is_said_at_once(source: Path, tmp_path: Path) -> None:
    words = _ask("http://127.0.0.1:9", source, tmp_path / "mine.jsonl", "-n", 1)
    assert "http://127.0.0.1:9/v1/ cannot be reached: Connection refused" in mistake(*words)
    assert not list(tmp_path.glob("mine.*"))
