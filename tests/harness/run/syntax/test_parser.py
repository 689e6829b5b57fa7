"""The process that parses: it survives the texts that kill it, and bounds them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from harness.run.syntax import parser
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import source


@pytest.fixture
def process() -> Iterator[ParserProcess]:
    found = ParserProcess()
    yield found
    found.stop()


def test_a_process_answers_with_the_severity(process: ParserProcess) -> None:
    for given, severity in ((b"x = 1 # c\n", "same_tree"), (b"x = 2\n", "other_tree"), (b"x = (\n", "broken")):
        assert process.severity("python", b"x = 1\n", given) == severity
    assert process.severity("python", b"x = (\n", b"x = 1\n") == "unknown"
    assert process.severity("python", b"x = (\n", b"x = (((\ny = ]]]\n ) ) )\n") in ("broken", "unknown")
    assert process.severity("python", source("s = '\ud800'\n"), source("s = '\udfff'\n")) in ("other_tree", "unknown")


def test_a_language_without_a_grammar_has_no_answer_and_the_next_one_has(process: ParserProcess) -> None:
    assert process.severity("cobol", b"x", b"y") is None
    first = process._process
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process is first


DEEP = "".join(" " * level + "a:\n" for level in range(1200))


@pytest.mark.parametrize(
    ("language", "text"),
    [("yaml", DEEP), pytest.param("java", "a<" * 50_000, marks=pytest.mark.slow),
     pytest.param("bash", "a|" * 25_000, marks=pytest.mark.slow)],
    ids=["crash", "endless", "memory"],
)  # fmt: skip
def test_a_text_that_kills_the_parser_has_no_answer_and_the_next_one_has(
    process: ParserProcess, language: str, text: str
) -> None:
    assert process.severity(language, b"a: 1\n", text.encode()) is None
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"


@pytest.mark.parametrize("opening", ["(", "[", "x = [", "if x:\n", "f(", "not "])
def test_deep_nesting_is_answered(process: ParserProcess, opening: str) -> None:
    assert process.severity("python", b"x\n", opening.encode() * 20_000) in ("broken", None)


def test_a_process_that_somebody_kills_is_replaced(process: ParserProcess) -> None:
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process
    os.kill(process._process.pid, signal.SIGKILL)
    process._process.wait()
    assert process.severity("python", b"x\n", b"y\n") is None
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"


def test_a_process_that_hangs_is_given_up(process: ParserProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process
    monkeypatch.setattr(parser, "_WALL_S", 0.1)
    os.kill(process._process.pid, signal.SIGSTOP)
    assert process.severity("python", b"x\n", b"y\n") is None
