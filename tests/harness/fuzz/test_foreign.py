"""Readers and servers of other projects are fuzzed with drawn edits: a flaw is found, a correct one has no finding."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from editcore.errors import UsageError
from editcore.patches.reading.envelope import parse_strict
from harness.fuzz.finding import Violation
from harness.fuzz.mcp_client import edit_call
from harness.fuzz.target import Target, observe
from harness.fuzz.targets import strategy_targets
from tests.harness.program import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "fuzz" / "reader.py"


def found(target: Target, n: int) -> Violation | None:
    return next((one for seed in range(n) for one in observe(target, target.generate(Random(seed)))), None)


def module(name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType(name)
    exec(compile(source, name, "exec"), made.__dict__)
    monkeypatch.setitem(sys.modules, name, made)
    return made


def test_the_flaw_of_the_example_is_found_and_without_it_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    source = EXAMPLE.read_text("utf-8")
    module("flawed_reader", source, monkeypatch)
    (target,) = strategy_targets("parse:mine[unified_diff]=flawed_reader:read")
    violation = found(target, 6000)
    assert violation is not None
    assert "the hunk is shorter than its header says" in violation.detail
    module("mended_reader", source.replace('line is None or line.startswith("--- ")', "line is None"), monkeypatch)
    (target,) = strategy_targets("parse:mine[unified_diff]=mended_reader:read")
    assert found(target, 2500) is None


def test_a_reader_of_envelopes_that_loses_an_anchor_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("envelopes", "", monkeypatch)

    def read(text: str, *, keeps: bool = True) -> list[dict[str, object]]:
        return [
            {"path": one.path, "action": one.action, "move_to": one.move_to,
             "hunks": [{"lines": list(hunk.lines), "anchors": list(hunk.anchors) if keeps else [],
                        "is_last": hunk.end_of_file} for hunk in one.hunks]}
            for one in parse_strict(text)
        ]  # fmt: skip

    made.right, made.wrong = read, lambda text: read(text, keeps=False)  # type: ignore[attr-defined]
    (target,) = strategy_targets("parse:mine[begin_patch]=envelopes:right")
    assert found(target, 1000) is None
    (target,) = strategy_targets("parse:mine[begin_patch]=envelopes:wrong")
    assert found(target, 1000) is not None


PROGRAM = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("reader", sys.argv[1])
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"sections": reader.read(asked["patch"])}
    except ValueError as error:
        answer = {"status": "rejected", "reason": "malformed", "message": str(error)}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


def test_a_program_may_be_the_reader(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = shlex.join([sys.executable, str(program), str(EXAMPLE)])
    (target,) = strategy_targets(f"parse:mine[unified_diff]={command}")
    violation = found(target, 6000)
    assert violation is not None
    assert "shorter than its header" in violation.detail


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("parse:mine=cat", "does not name the format"),
        ("parse:mine[str_replace]=cat", "does not name the format"),
        ("parse:mine[unified_diff]=nowhere_at_all:read", "cannot be imported"),
        ("mcp:mine", "is not mcp:NAME"),
    ],
)
def test_a_spec_that_names_nothing_is_the_users_mistake(spec: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        strategy_targets(spec)


class Tool:
    def __init__(self, name: str, **properties: object) -> None:
        self.name, self.input_schema = name, {"properties": properties}


TEXT = {"type": "string"}
PAIRS = {"type": "array", "items": {"properties": {"oldText": TEXT, "newText": TEXT}}}


@pytest.mark.parametrize(
    ("tool", "format", "arguments"),
    [
        (Tool("edit", filePath=TEXT, oldString=TEXT, newString=TEXT), "str_replace",
         {"filePath": "{path}", "oldString": "{old}", "newString": "{new}"}),
        (Tool("edit_block", file_path=TEXT, old_string=TEXT, new_string=TEXT), "str_replace",
         {"file_path": "{path}", "old_string": "{old}", "new_string": "{new}"}),
        (Tool("edit_file", path=TEXT, edits=PAIRS), "str_replace",
         {"path": "{path}", "edits": [{"oldText": "{old}", "newText": "{new}"}]}),
        (Tool("apply_patch", input=TEXT), "begin_patch", {"input": "{patch}"}),
        (Tool("read", filePath=TEXT), "str_replace", None),
    ],
)  # fmt: skip
def test_the_tool_for_an_edit_is_found_by_its_schema(tool: Tool, format: str, arguments: object) -> None:
    assert edit_call([tool], format) == (None if arguments is None else (tool.name, arguments))


SERVER = ROOT / "tests" / "harness" / "fuzz" / "drills" / "parallel" / "faulty_server.py"


def test_a_server_that_cuts_files_is_found_and_a_careful_one_is_not() -> None:
    assert importlib.util.find_spec("mcp")
    said = {}
    for fault in ("careful", "tears"):
        command = shlex.join([sys.executable, str(SERVER), fault])
        (target,) = strategy_targets(f"mcp:theirs={command} {{folder}}")
        said[fault] = found(target, 60)
    assert said["careful"] is None or said["careful"].property == "as_meant"
    assert said["tears"] is not None
    assert said["tears"].property == "as_meant"
