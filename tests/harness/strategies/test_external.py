"""Commands as strategies: requests, answers, and the names by which they are called."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from unittest.mock import ANY

import pytest

from corpora.sample import Sample
from corpora.write import SampleWriter
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.strategies.external import FORMATS, command_strategy, external_strategy
from harness.strategies.registry import select, strategy
from tests.harness.program import ROOT, Program, call, call_in
from tests.harness.strategies.commands import EXACT, PYTHON, Written, asking, files, pid, script
from tests.samples import sample, samples, write_jsonl

# Requests and answers


def test_an_answer_is_a_result(written: Written) -> None:
    mine = written("""
for request in requests():
    say(request, after=[{"path": "b.py", "content": "new"}], replacer="guess")
    say(next(requests()) | {}, status="rejected", reason="ambiguous", message="two places")
""")
    assert mine.apply(sample(), None) == Applied(files={"b.py": "new"}, replacer="guess")
    assert mine.apply(sample(), None) == Rejected(Reason.AMBIGUOUS, "two places")


def test_a_command_sees_the_edit_and_nothing_that_tells_the_answer(written: Written) -> None:
    mine = written("for request in requests(): say(request, after=[{'path': 'seen', 'content': json.dumps(request)}])")
    secret = {"label_source": "secret", "tags": ("secret",), "target": (File("a.py", "secret"),), "label": "apply"}
    one = replace(sample(**secret), id="secret", edits=(Edit("a", "b"), Edit("c", "d", True, -1)))
    assert json.loads(files(mine, one)["seen"]) == {
        "id": ANY,
        "format": "str_replace",
        "before": [{"path": "a.py", "content": "x = 1\n"}],
        "edits": [
            {"old_string": "a", "new_string": "b", "replace_all": False},
            {"old_string": "c", "new_string": "d", "replace_all": True, "occurrence": -1},
        ],
    }
    patch = Sample("secret", "line_range", (File("a", ""), File("b", "")), "refuse", patch="p", line=0, end_line=2)
    assert json.loads(files(mine, patch)["seen"]) == {
        "id": ANY,
        "format": "line_range",
        "before": [{"path": "a", "content": ""}, {"path": "b", "content": ""}],
        "patch": "p",
        "line": 0,
        "end_line": 2,
    }


TEXTS = ["", "\ufeff\r\n\r\x00\x1b\x85\u2028", "\U0001f9fa\u00e9", "\ud800", "a\udc00\ud800b", '"\\\n', "\x7f\x80"]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_any_text_goes_there_and_back(written: Written, text: str) -> None:
    mine = written("for request in requests(): say(request)")
    assert files(mine, asking(text + "x", before=text)) == {"a.py": text}


@pytest.mark.parametrize("text", TEXTS[:3], ids=ascii)
def test_an_answer_may_be_in_utf8(written: Written, text: str) -> None:
    mine = written("""
sys.stdout.reconfigure(encoding="utf-8")
for request in requests():
    print(json.dumps({"id": request["id"], "status": "applied", "after": request["before"]}, ensure_ascii=False))
    sys.stdout.flush()
""")
    assert files(mine, asking("x", before=text)) == {"a.py": text}


def test_a_process_is_kept_and_asked_again(written: Written) -> None:
    mine = written("for request in requests(): pid(request)")
    assert len({pid(mine) for _ in range(5)}) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_the_cpu_time_of_a_command_is_known_and_so_is_that_of_what_it_starts(tmp_path: Path) -> None:
    work = "for request in requests(): sum(range(10**6)); say(request)"
    inner = shlex.join(script(tmp_path, work))
    for command in (script(tmp_path, work), ["/bin/sh", "-c", f"{inner}; true"]):
        mine = external_strategy("cmd/mine", command)
        assert mine.cpu_ns
        assert mine.cpu_ns() == 0
        mine.apply(sample(), None)
        before = mine.cpu_ns()
        mine.apply(sample(), None)
        assert 1_000_000 < mine.cpu_ns() - before < 1_000_000_000


def test_lines_may_be_of_any_length(written: Written) -> None:
    mine = written("for request in requests(): say(request)")
    text = "0123456789abcdef\n" * 300_000
    assert files(mine, asking("x", before=text)) == {"a.py": text}


def test_a_command_may_write_much_before_it_has_read_all(written: Written) -> None:
    mine = written("""
first = sys.stdin.read(100)
print(" " * 2_000_000, end="", flush=True)
say(json.loads(first + sys.stdin.readline()))
""")
    text = "0123456789abcdef\n" * 100_000
    assert files(mine, asking("x", before=text)) == {"a.py": text}


def test_a_noisy_command_never_waits_for_anybody_to_listen(written: Written) -> None:
    mine = written("""
for request in requests():
    sys.stderr.write("noise " * 100_000)
    say(request)
    sys.stderr.write("noise " * 100_000)
""")
    for _ in range(3):
        assert files(mine, sample())


def test_settings_are_added_to_the_environment(tmp_path: Path) -> None:
    command = script(tmp_path, "for request in requests(): say(request, replacer=os.environ['A'] + os.environ['PATH'])")
    result = external_strategy("peer/x", command, environment={"A": "1"}).apply(sample(), None)
    assert isinstance(result, Applied)
    assert result.replacer == "1" + os.environ["PATH"]


# Specs


def test_a_spec_is_a_strategy_by_name() -> None:
    spec = f"cmd:mine={shlex.join([*PYTHON, str(EXACT)])}"
    mine = strategy(spec)
    assert (mine.name, mine.spec, mine.formats) == ("cmd/mine", spec, frozenset(EDIT_FORMATS))
    assert mine.takes(sample())
    assert not mine.takes(replace(sample(), format="unified_diff", edits=None, patch="@@"))
    assert [one.name for one in select(["cascade/exact", spec])] == ["cascade/exact", "cmd/mine"]


def test_the_version_is_that_of_the_files_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    versions = []
    for text in ("1", "2", "1"):
        path.write_text(text)
        versions.append(command_strategy(f"cmd:mine=python3 {path} --fast").version)
    assert versions[0] == versions[2] != versions[1]


def test_formats_stand_behind_the_name() -> None:
    mine = command_strategy("cmd:a-b_C3[ unified_diff,insert ]=cat")
    assert (mine.name, mine.formats, mine.reads) == ("cmd/a-b_C3", {"unified_diff", "insert"}, "patch")
    assert command_strategy("cmd:mine[str_replace,unified_diff]=cat").reads == "edits"
    assert external_strategy("peer/x", ["cat"]).formats == set(FORMATS)


def test_what_takes_blocks_only_is_given_those_too_that_are_no_edits() -> None:
    blocks = replace(sample(), format="search_replace", edits=None, patch="no block")
    assert command_strategy("cmd:mine[search_replace]=cat").takes(blocks)
    assert not command_strategy("cmd:mine=cat").takes(blocks)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:", "is not cmd:NAME=COMMAND"),
        ("cmd:mine", "is not cmd:NAME=COMMAND"),
        ("cmd:=cat", "is not cmd:NAME=COMMAND"),
        ("cmd:my/own=cat", "is not cmd:NAME=COMMAND"),
        ("cmd:my own=cat", "is not cmd:NAME=COMMAND"),
        ("cmd:mine[insert=cat", "is not cmd:NAME=COMMAND"),
        ("cmd:mine=", "The command is empty"),
        ("cmd:mine=  ", "The command is empty"),
        ("cmd:mine='cat", "cannot be read: No closing quotation"),
        ("cmd:mine=no-such-program-here x", "There is no program 'no-such-program-here'"),
        ("cmd:mine=./nowhere", "There is no program"),
        (f"cmd:mine={ROOT / 'README.md'}", "cannot be run as a program"),
        ("cmd:mine[diff]=cat", "There is no format 'diff'"),
        ("cmd:mine[]=cat", "There is no format ''"),
    ],
)
def test_a_wrong_spec_is_the_users_mistake(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        select([spec])
    assert caught.value.tip


def test_two_commands_of_one_name_are_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="Two strategies have the same name"):
        select(["cmd:mine=cat", "cmd:mine=cat -u"])


def test_a_wrong_spec_ends_the_command_in_two_lines(editgauge: Program) -> None:
    done = editgauge("run", "smoke", "-s", "cmd:mine=no-such-program-here")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: There is no program 'no-such-program-here'",
        "  Give its path, or put it on the PATH.",
    ]


def test_fields_of_the_strategy_are_those_given() -> None:
    one = external_strategy(
        "peer/x", ["cat"], formats=["insert"], version="3", summary="A cat.", origin="cats", written="w"
    )
    assert {**asdict(one), "apply": None, "start": None, "cpu_ns": None, "ask_ahead": None} == {
        "name": "peer/x",
        "formats": frozenset({"insert"}),
        "apply": None,
        "summary": "A cat.",
        "version": "3",
        "origin": "cats",
        "reads": "patch",
        "written": "w",
        "start": None,
        "cpu_ns": None,
        "ask_ahead": None,
        "bytes_by": "itself",
        "only_stale": False,
        "agent": None,
        "once_s": None,
    }


def test_a_command_that_never_starts_is_given_up_after_three_processes(tmp_path: Path) -> None:
    program = tmp_path / "gone.py"
    program.write_text("open('starts', 'a').write('x')\nimport nothing_like_it\n")
    corpus = write_jsonl(tmp_path / "a.jsonl", samples(30))
    done = call_in(
        tmp_path, "run", corpus, "-q", "-j", 1, "-s", f"cmd:gone={sys.executable} gone.py", "-s", "cascade/exact",
        "-o", "run",
    )  # fmt: skip
    assert done.returncode == 0
    assert (tmp_path / "starts").read_text() == "xxx"
    warning = next(line for line in done.stderr.splitlines() if line.startswith("warning: "))
    assert warning.startswith("warning: cmd/gone was not measured: every call crashed")
    assert warning.endswith("No module named 'nothing_like_it' (all of stderr: run/stderr)")
    assert "Traceback" in "".join(path.read_text() for path in (tmp_path / "run" / "stderr").iterdir())


# Commands that are called once for each sample, with a time limit of their own.

_PROGRAM = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    with open(sys.argv[1], "a") as log:
        log.write("call\\n")
    time.sleep(0.6)
    print(json.dumps({"id": asked["id"], "status": "rejected", "reason": "no_match"}), flush=True)
"""


def test_it_is_asked_once_and_has_its_own_time(tmp_path: Path) -> None:
    program, log, corpus = tmp_path / "slow.py", tmp_path / "log", tmp_path / "c.jsonl"
    program.write_text(_PROGRAM)
    with SampleWriter(corpus) as writer:
        for n in range(2):
            writer.add(Sample(str(n), "str_replace", (File("a", "x\n"),), "refuse", edits=(Edit("y", "z"),)))
    spec = f"cmd:slow[once=20]={sys.executable} {program} {log}"
    done = call("run", corpus, "-s", spec, "--timeout", 0.2, "-o", tmp_path / "run", "-q", "-j", 1)
    assert done.exit_code == 0, done.output
    assert len(log.read_text().splitlines()) == 2
    assert "2 refused" in done.stdout, done.stdout


def test_formats_may_stand_beside_it() -> None:
    one = strategy("cmd:slow[unified_diff,once=2.5]=cat")
    assert (one.once_s, one.formats) == (2.5, frozenset({"unified_diff"}))
    assert strategy("cmd:slow[once=3]=cat").formats == frozenset({"str_replace", "search_replace"})
    assert strategy("cmd:slow=cat").once_s is None


@pytest.mark.parametrize("option", ["once", "once=", "once=0", "once=-1", "once=nan", "once=1e9"])
def test_a_time_limit_is_a_number_of_seconds(option: str) -> None:
    with pytest.raises(UsageError, match="is no time limit"):
        strategy(f"cmd:slow[{option}]=cat")
