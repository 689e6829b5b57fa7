"""Commands that want a better figure than they have earned: real processes, one run, and what it says of each."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from editcore.types import File
from reports.runs.parts import outcomes
from tests.harness.program import run_in
from tests.harness.same import rows
from tests.samples import sample, write_jsonl

N = 24

HONEST = """
import json, sys, threading, time

def exact(request):
    file, edit = request["before"][0], request["edits"][0]
    text = file["content"].replace(edit["old_string"], edit["new_string"])
    return {"id": request["id"], "status": "applied", "after": [{**file, "content": text}]}

def say(answer):
    print(json.dumps(answer), flush=True)

def requests():
    for line in sys.stdin:
        yield json.loads(line)

def work():
    start = time.process_time()
    while time.process_time() - start < 0.001:
        pass

known = {}

def remembered(request, key):
    if key not in known:
        work()
        known[key] = exact(request)
    return {**known[key], "id": request["id"]}
"""

CHEATS = {
    "honest": "for one in requests(): work(); say(exact(one))",
    "remembers": "for one in requests(): say(remembered(one, json.dumps({**one, 'id': 0})))",
    "remembers_a_part": "for one in requests(): say(remembered(one, one['before'][0]['content'][-12:]))",
    "flips": """
for one in requests():
    key = json.dumps({**one, "id": 0})
    answer = exact(one)
    if key in known:
        answer["after"][0]["content"] = ""
    known[key] = True
    say(answer)
""",
    "refuses_later": """
for one in requests():
    key = json.dumps({**one, "id": 0})
    say({"id": one["id"], "status": "rejected", "reason": "no_match"} if key in known else exact(one))
    known[key] = True
""",
    "crashes": """
for one in requests():
    if "s3 " not in one["before"][0]["content"] and "basket" not in one["before"][0]["content"]:
        sys.exit(3)
    say(exact(one))
""",
    "too_early": """
for one in requests():
    say(exact(one))
    time.sleep(0.05)
    say({"id": one["id"], "status": "rejected", "reason": "no_match"})
    time.sleep(600)
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run of all cheats, `run`, and what was printed."""
    folder = tmp_path_factory.mktemp("cheats")
    made = []
    for n in range(N):
        text = f"total = s{n} \nmore of file {n:04}\n"
        target = (File("a.py", text.replace("total", "total other")),)
        made.append(sample(n, before=text, old="total", new="total other", label="apply", target=target))
    write_jsonl(folder / "a.jsonl", made)
    strategies: list[str] = []
    for name, code in CHEATS.items():
        (folder / f"{name}.py").write_text(HONEST + code)
        strategies += ["-s", f"cmd:{name}={sys.executable} -S {name}.py"]
    done = run_in(folder, "run", "a.jsonl", "-q", "-j", 1, "-o", "run", *strategies)
    assert done.returncode == 0, done.stderr
    (folder / "printed").write_text(done.stdout)
    return folder


def outcomes_of(folder: Path, name: str) -> list[dict[str, Any]]:
    found = [one for one in rows(folder / "run") if one["strategy"] == f"cmd/{name}"]
    assert len(found) == N
    return found


def verdicts(folder: Path, name: str) -> Counter[str]:
    return Counter(one["verdict"] for one in outcomes_of(folder, name))


@pytest.mark.parametrize("name", ["honest", "remembers", "remembers_a_part"])
def test_who_always_answers_alike_is_right(folder: Path, name: str) -> None:
    assert verdicts(folder, name) == {"correct": N}


@pytest.mark.parametrize("name", ["remembers", "remembers_a_part"])
def test_who_remembers_is_timed_on_texts_that_are_new(folder: Path, name: str) -> None:
    """Each such text takes a millisecond of work, and a repeat counts that takes two thirds of that."""
    found = [one for one in outcomes(folder / "run") if one.strategy == f"cmd/{name}"]
    assert min(one.latency_ns or 0 for one in found) >= 1_000_000 / 1.5


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("flips", "the same request again: at first applied, then left another text"),
        ("refuses_later", "the same request again: at first applied, then refused (no_match)"),
    ],
)
def test_who_answers_otherwise_when_asked_again_is_unstable(folder: Path, name: str, error: str) -> None:
    unstable = [one for one in outcomes_of(folder, name) if one["verdict"] == "unstable"]
    assert {one["error"] for one in unstable} == {error}
    # What happened to take 10 ms, on a busy machine, is not repeated.
    assert unstable


def test_who_crashes_where_it_is_not_sure_is_not_named_the_best(folder: Path) -> None:
    assert verdicts(folder, "crashes") == {"correct": 1, "crashed": N - 1}
    printed = (folder / "printed").read_text()
    assert "cmd/honest" in printed.splitlines()[0]
    assert "cmd/crashes" not in printed.splitlines()[0]


def test_who_answers_before_the_request_crashes_and_says_why(folder: Path) -> None:
    errors = {one["error"] for one in outcomes_of(folder, "too_early") if one["verdict"] == "crashed"}
    # Where the machine is busy, the answer may also come between the request and its own answer.
    assert errors
    assert errors <= {
        "CommandError: an answer was there before its request was sent",
        "CommandError: the answer has another `id` than its request",
    }
