"""The protocol: its messages and their schema, its documentation, the check, and the examples in other languages."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from corpora.load import load
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Applied, Rejected
from harness.cli import main
from harness.commands.strategies.protocol import _probes
from harness.strategies.external import FORMATS, external_strategy
from harness.strategies.protocol import CommandError, parse_answer, request_line, schema
from harness.strategies.registry import strategies
from harness.strategies.strategy import example_sample
from tests.harness.program import ROOT
from tests.samples import sample

EXACT = ROOT / "tests" / "harness" / "exact.py"
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples" / "protocol"
PYTHON = [sys.executable, "-S"]


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema()["$defs"]})


# Messages and their schema


def test_the_schema_in_the_documentation_is_that_of_the_program() -> None:
    Draft202012Validator.check_schema(schema())
    assert json.loads((DOCS / "protocol.schema.json").read_text()) == schema()
    printed = CliRunner().invoke(main, ["protocol", "schema"])
    assert json.loads(printed.output) == schema()


@pytest.mark.parametrize("corpus", ["house", "smoke"])
def test_every_request_is_one_line_of_ascii_that_fits_the_schema(corpus: str) -> None:
    valid = validator("Request")
    for one in load(corpus):
        line = request_line("7", one)
        assert line.isascii()
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        request = json.loads(line)
        valid.validate(request)
        assert request["before"] == [{"path": file.path, "content": file.content} for file in one.before]
        assert ("edits" in request, "patch" in request) == (one.edits is not None, one.patch is not None)


FILE = {"path": "a", "content": "b"}
ANSWERS: list[tuple[dict[str, Any], bool]] = [
    ({"id": "1", "status": "applied", "after": []}, True),
    ({"id": "1", "status": "applied", "after": [FILE], "replacer": "x", "reason": "no_match", "more": 3}, True),
    ({"id": "1", "status": "applied", "after": [FILE], "replacer": None}, True),
    ({"id": "1", "status": "rejected", "reason": "no_match"}, True),
    ({"id": "1", "status": "rejected", "reason": "too_large", "message": None}, True),
    ({"id": "1", "status": "applied"}, False), ({"id": 1, "status": "applied", "after": []}, False),
    ({"status": "applied", "after": []}, False), ({"id": "1", "status": "done", "after": []}, False),
    ({"id": "1", "after": []}, False), ({"id": "1", "status": "applied", "after": {"a": "b"}}, False),
    ({"id": "1", "status": "applied", "after": [{"path": "a"}]}, False),
    ({"id": "1", "status": "applied", "after": [], "replacer": 3}, False), ({"id": "1", "status": "rejected"}, False),
    ({"id": "1", "status": "rejected", "reason": "because"}, False),
    ({"id": "1", "status": "rejected", "reason": "no_match", "message": 3}, False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "good"), ANSWERS, ids=lambda value: json.dumps(value))
def test_an_answer_is_read_exactly_if_it_fits_the_schema(answer: dict[str, Any], good: bool) -> None:
    assert validator("Answer").is_valid(answer) == good
    # The second text is one that only the slower reader takes.
    for text in (json.dumps(answer), json.dumps({"x": "\ud800", **answer})):
        if good:
            assert isinstance(parse_answer(text.encode(), "1"), Applied | Rejected)
        else:
            with pytest.raises(CommandError, match="the wrong shape"):
                parse_answer(text.encode(), "1")


@pytest.mark.parametrize("line", [b"", b" ", b"{", b"\xff", b"nil", b"[" * 100_000, b'{"id": "1"} x'])
def test_what_is_not_json_is_said_to_be_none(line: bytes) -> None:
    with pytest.raises(CommandError, match=r"not JSON|wrong shape") as caught:
        parse_answer(line, "1")
    assert len(caught.value.message) < 200


def test_the_session_in_the_documentation_is_one() -> None:
    text = (DOCS / "protocol.md").read_text()
    asked = [json.loads(line) for line in re.findall(r"^-> (.*)$", text, re.MULTILINE)]
    answers = re.findall(r"^<- (.*)$", text, re.MULTILINE)
    assert len(asked) == len(answers) == 2
    for request, answer in zip(asked, answers, strict=True):
        validator("Request").validate(request)
        validator("Answer").validate(json.loads(answer))
        parse_answer(answer.encode(), request["id"])
    assert request_line("1", sample()).decode().strip() in text


# The check


def check(command: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["protocol", "check", command, *options])


def written(path: Path, code: str) -> str:
    path.write_text(f"import json, os, sys, time\nsys.path.insert(0, {str(EXACT.parent)!r})\nimport exact\n{code}")
    return shlex.join([*PYTHON, str(path)])


LOOP = """
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], **exact.answer(request)}
"""


def levels(done: Result) -> dict[str, str]:
    """Probe -> what the check says of it."""
    rows = (re.split(r"  +", line, maxsplit=2) for line in done.output.splitlines()[:-1] if line[0] != " ")
    return {name: f"{level}: {text}" for level, name, text in rows}


def test_a_command_that_is_right_is_right_in_everything() -> None:
    done = check(shlex.join([*PYTHON, str(EXACT)]))
    assert done.exit_code == 0, done.output
    assert {line.split()[0] for line in done.output.splitlines()[:-1]} == {"right"}
    assert done.output.splitlines()[-1] == f"{len(levels(done))} right, 0 notes, 0 errors"
    assert len(levels(done)) > 15


ERRORS = {
    "garbage": ("print('hello', flush=True)", "the answer is not JSON: 'hello'"),
    "end": ("sys.exit('no more')", "the command ended with exit code 1: no more"),
    "silent": ("pass", "no answer within 1 s"),
    "end_after_refusal": (
        "print(json.dumps(answer), flush=True)\n    if 'reason' in answer: sys.exit()",
        "the command ended with exit code 0",
    ),
    "fixed_id": (
        "print(json.dumps({**answer, 'id': 'x'}), flush=True)",
        "the answer has another `id` than its request",
    ),
    "deaf": ("print(json.dumps(answer), flush=True)\ntime.sleep(600)", "it still runs after 1 s"),
}


@pytest.mark.parametrize("mistake", ERRORS)
def test_what_breaks_the_protocol_is_an_error_with_a_remedy(tmp_path: Path, mistake: str) -> None:
    code, text = ERRORS[mistake]
    done = check(written(tmp_path / "mine.py", f"{LOOP}    {code}\n"), "--timeout", "1")
    assert done.exit_code == 1
    assert f"error: {text}" in levels(done).values()
    following = done.output[done.output.index(text) :].splitlines()[1]
    assert following.startswith("       ")


def test_a_first_probe_that_fails_is_the_last(tmp_path: Path) -> None:
    done = check(written(tmp_path / "mine.py", "sys.exit(3)"))
    assert list(levels(done).values()) == ["error: the command ended with exit code 3"]


NOTES = {
    "crlf": (
        "print(json.dumps(answer).replace('\\\\r', ''), flush=True)",
        "str_replace: CRLF",
        r"note: applied, but line 1 has '# one\n",
    ),
    "surrogates": (
        "json.dumps(answer, ensure_ascii=False).encode()\n    print(json.dumps(answer), flush=True)",
        "str_replace: a lone surrogate",
        "note: the command ended with exit code 1: UnicodeEncodeError",
    ),
    "first": (
        "twice = answer.get('reason') == 'ambiguous'\n"
        "    answer = {'id': answer['id'], 'status': 'applied', 'after': request['before']} if twice else answer\n"
        "    print(json.dumps(answer), flush=True)",
        "str_replace: two matches",
        "note: applied; a strict program rejects this as ambiguous",
    ),
    "other_word": (
        "print(json.dumps(answer).replace('identical', 'empty'), flush=True)",
        "str_replace: nothing to change",
        "note: rejected as empty; the reason for this is identical",
    ),
    "other_path": (
        "print(json.dumps(answer).replace('src/', ''), flush=True)",
        "str_replace: an edit",
        "note: src/basket.py is not in `after`, which deletes it",
    ),
    "idle": (
        "print(json.dumps({'id': answer['id'], 'status': 'applied', 'after': request['before']}), flush=True)",
        "str_replace: an edit",
        "note: applied, but nothing changed",
    ),
    "exit_code": (
        "print(json.dumps(answer), flush=True)\nsys.exit(3)",
        "the end of stdin",
        "note: ended with exit code 3",
    ),
}


@pytest.mark.parametrize("oddity", NOTES)
def test_an_edit_otherwise_than_asked_is_a_note(tmp_path: Path, oddity: str) -> None:
    code, probe, text = NOTES[oddity]
    done = check(written(tmp_path / "mine.py", f"{LOOP}    {code}\n"))
    assert done.exit_code == 0, done.output
    assert levels(done)[probe].startswith(text)


def test_every_request_of_a_format_with_a_patch_has_it() -> None:
    for format in FORMATS:
        for probe in _probes([format]):
            assert (probe.sample.patch is None) == (format == "str_replace"), probe.name


def test_the_formats_of_a_spec_are_those_that_are_checked(tmp_path: Path) -> None:
    code = """
from editcore.patches.unified_diff import apply_unified_diff
for line in sys.stdin:
    request = json.loads(line)
    files = apply_unified_diff({file["path"]: file["content"] for file in request["before"]}, request["patch"]).files
    after = [{"path": path, "content": content} for path, content in (files or {}).items()]
    status = {"status": "applied", "after": after} if files else {"status": "rejected", "reason": "no_match"}
    print(json.dumps({"id": request["id"], **status}), flush=True)
"""
    (tmp_path / "mine.py").write_text(f"import json, sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}")
    done = check(f"cmd:mine[unified_diff]={shlex.join([sys.executable, str(tmp_path / 'mine.py')])}")
    assert done.exit_code == 0, done.output
    assert {text.partition(":")[0] for text in levels(done).values()} == {"right"}
    assert {name.partition(":")[0] for name in levels(done)} == {"unified_diff", "the end of stdin"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-here", "There is no program"),
        ("cmd:mine", "is not cmd:NAME=COMMAND"),
        ("{folder}/program", "The command cannot be started: Exec format error"),
    ],
)
def test_a_command_that_cannot_be_started_is_the_users_mistake(tmp_path: Path, command: str, message: str) -> None:
    (tmp_path / "program").write_text("no program")
    (tmp_path / "program").chmod(0o755)
    done = check(command.format(folder=tmp_path))
    assert done.exit_code == 2
    assert message in done.output
    assert len(done.output.splitlines()) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_the_example_of_each_format_is_applied_by_ours(form: str) -> None:
    one = example_sample(form)  # type: ignore[arg-type]
    names = {"str_replace": "cascade/exact", "insert": "insert/line", "line_range": "line_range/lines"}
    names |= dict.fromkeys(ANCHORED_FORMATS, "anchors/strict")
    names |= {"search_replace": "search_replace/exact", "unified_diff": "unified_diff/strict", "shell": "shell/careful"}
    result = strategies()[names.get(form, "begin_patch/strict")].apply(one, None)
    assert isinstance(result, Applied)
    assert one.target
    assert one.target[0].content in (result.content, *(result.files or {}).values())


# The examples in other languages, each where its tools are


def typescript(folder: Path) -> list[str]:
    """Node runs it as it is from 22.18 on; before, the compiler makes JavaScript of it."""
    source = EXAMPLES / "edit.ts"
    node = shutil.which("node")
    if (
        node
        and subprocess.run([node, source], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    ):
        return [node, str(source)]
    compiler = shutil.which("tsc")
    if not node or not compiler:
        pytest.skip("needs Node 22.18, or an older one and tsc")
    options = ["--outDir", str(folder), "--target", "es2022", "--module", "nodenext", "--noCheck"]
    subprocess.run([compiler, *options, str(source)], check=False, capture_output=True)
    return [node, str(folder / "edit.js")]


def go(folder: Path) -> list[str]:
    compiler = found("go")
    environment = os.environ | {"GOTOOLCHAIN": "local", "GOFLAGS": "", "GOPROXY": "off"}
    built = [compiler, "build", "-o", str(folder / "edit"), str(EXAMPLES / "edit.go")]
    subprocess.run(built, env=environment, check=True, capture_output=True)
    return [str(folder / "edit")]


def rust(folder: Path) -> list[str]:
    compiler = found("rustc")
    built = [compiler, "-O", "-D", "warnings", str(EXAMPLES / "edit.rs"), "-o", str(folder / "edit")]
    subprocess.run(built, check=True, capture_output=True)
    return [str(folder / "edit")]


def bash(_: Path) -> list[str]:
    found("jq")
    return [found("bash"), str(EXAMPLES / "edit.sh")]


def python(_: Path) -> list[str]:
    return [*PYTHON, str(EXAMPLES / "edit.py")]


def found(program: str) -> str:
    path = shutil.which(program, path=f"{os.environ['PATH']}{os.pathsep}{Path.home() / '.cargo' / 'bin'}")
    return path or pytest.skip(f"needs {program}")


@pytest.mark.slow
@pytest.mark.parametrize("build", [typescript, go, rust, bash, python])
def test_the_examples_do_what_they_say(tmp_path: Path, build: Callable[[Path], list[str]]) -> None:
    command = build(tmp_path)
    done = check(shlex.join(command))
    assert done.exit_code == 0, done.output
    notes = {name for name, text in levels(done).items() if not text.startswith("right")}
    assert notes <= {"str_replace: a lone surrogate"}

    exact, theirs = strategies()["replacer/simple"], external_strategy("cmd/theirs", command)
    for one in load("house"):
        if not exact.takes(one):
            continue
        expected, given = exact.apply(one, None), theirs.apply(one, None)
        if isinstance(expected, Applied):
            assert isinstance(given, Applied), one.id
            assert given.files == {one.before[0].path: expected.content}, one.id
        else:
            assert isinstance(given, Rejected), one.id
            assert given.reason == expected.reason, one.id


def test_the_example_that_does_nothing_does_so() -> None:
    echo = external_strategy("cmd/echo", [*PYTHON, str(EXAMPLES / "echo.py")])
    for text in ("x = 1\n", "\ud800 \u2028", ',"edits":,"format":'):
        assert echo.apply(sample(before=text), None) == Applied(files={"a.py": text})
