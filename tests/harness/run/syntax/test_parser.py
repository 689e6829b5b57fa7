"""The process that parses: it survives the texts that kill it, and bounds them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from harness.run.syntax import parser
from harness.run.syntax.parser import ParserProcess


@pytest.fixture
def process() -> Iterator[ParserProcess]:
    found = ParserProcess()
    yield found
    found.stop()


def test_a_process_answers_with_the_severity(process: ParserProcess) -> None:
    for given, severity in (("x = 1 # c\n", "same_tree"), ("x = 2\n", "other_tree"), ("x = (\n", "broken")):
        assert process.severity("python", "x = 1\n", given) == severity
    assert process.severity("python", "x = (\n", "x = 1\n") == "unknown"
    assert process.severity("python", "x = (\n", "x = (((\ny = ]]]\n ) ) )\n") in ("broken", "unknown")
    assert process.severity("cobol", "x", "y") == "unknown"
    assert process.severity("python", "s = '\ud800'\n", "s = '\udfff'\n") in ("other_tree", "unknown")


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
    assert process.severity(language, "a: 1\n", text) is None
    assert process.severity("python", "x\n", "y\n") == "other_tree"


@pytest.mark.parametrize("opening", ["(", "[", "x = [", "if x:\n", "f(", "not "])
def test_deep_nesting_is_answered(process: ParserProcess, opening: str) -> None:
    assert process.severity("python", "x\n", opening * 20_000) in ("broken", None)


def test_a_process_that_somebody_kills_is_replaced(process: ParserProcess) -> None:
    assert process.severity("python", "x\n", "y\n") == "other_tree"
    assert process._process
    os.kill(process._process.pid, signal.SIGKILL)
    process._process.wait()
    assert process.severity("python", "x\n", "y\n") is None
    assert process.severity("python", "x\n", "y\n") == "other_tree"


def test_a_process_that_hangs_is_given_up(process: ParserProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.severity("python", "x\n", "y\n") == "other_tree"
    assert process._process
    monkeypatch.setattr(parser, "_WALL_S", 0.1)
    os.kill(process._process.pid, signal.SIGSTOP)
    assert process.severity("python", "x\n", "y\n") is None
