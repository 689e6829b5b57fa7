"""The drill of many calls at once: it finds what a server, or a program, loses, tears, doubles or hides."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.fuzz.drills import parallel
from harness.fuzz.drills.drill import DrillSettings, Trial
from harness.fuzz.drills.parallel import PARALLEL, sides
from harness.fuzz.drills.parallel.sides import Calls, ToolCall, asked, read_calls
from harness.fuzz.drills.parallel.workload import SCENES, Call
from tests.harness.program import command
from tests.harness.strategies.commands import EXACT, PYTHON, script

SERVER = Path(__file__).with_name("faulty_server.py")
CALLS = {
    "edit": {"tool": "change", "arguments": {"file": "{name}", "old": "{old}", "new": "{new}"}},
    "read": {"tool": "show", "arguments": {"file": "{name}"}},
}


def trials(name: str, folder: Path, *, runs: int = 1) -> dict[str, Trial]:
    """The trials of one side, by the scene."""
    calls = folder / "calls.json"
    calls.write_text(json.dumps(CALLS))
    found = PARALLEL.run(DrillSettings(runs=runs, strategies=(name,), calls=calls))
    return {one.group.partition(", ")[2]: one for one in found}


def served(fault: str, folder: Path, *, runs: int = 1) -> dict[str, Trial]:
    command = shlex.join([sys.executable, str(SERVER), fault])
    return trials(f"mcp:{fault.replace(' ', '_')}={command} {{folder}}", folder, runs=runs)


def test_a_careful_server_holds_whatever_else_it_prints(tmp_path: Path) -> None:
    found = served("careful", tmp_path)
    assert [*found] == ["one file", "one file, with reads", "many files, with reads"]
    assert {one.broken for one in found.values()} == {None}
    assert {one.n for one in found.values()} == {16}


@pytest.mark.parametrize(
    ("fault", "figure", "words"),
    [
        ("loses", "lost", "lost updates"),
        ("tears", "torn", "1 torn files"),
        ("duplicates", "duplicates", "16 duplicate lines"),
        ("lies", "lost", "16 lost updates"),
        ("denies", "made though refused", "16 edits made though refused"),
        ("refuses", "refused", "every edit was refused, which proves nothing: edits are not allowed here"),
    ],
)
def test_a_planted_fault_is_found(
    fault: str, figure: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "SCENES", SCENES[:1])
    (found,) = served(fault, tmp_path).values()
    assert found.broken is not None
    assert words in found.broken
    assert found.figures[figure] > 0


def test_a_read_of_half_a_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "SCENES", SCENES[1:2])
    (found,) = served("shows half", tmp_path, runs=2).values()
    assert found.broken is not None
    assert found.figures["torn reads"] > 0
    assert (found.figures["lost"], found.figures["torn"]) == (0, 0)


@pytest.mark.parametrize(
    "name", [sides.OURS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in sides.OURS[1:])]
)
def test_our_tools_lose_nothing(name: str, tmp_path: Path) -> None:
    found = trials(name, tmp_path)
    assert {one.broken for one in found.values()} == {None}
    assert {one.figures["refused"] for one in found.values()} == {0}


@pytest.mark.slow
def test_our_server_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "SCENES", SCENES[1:2])
    line = f"mcp:ours={shlex.join(command('mcp'))} {{folder}} --ask nothing"
    (found,) = PARALLEL.run(DrillSettings(runs=1, strategies=(line,)))
    assert (found.broken, found.figures["refused"]) == (None, 0)


def test_a_program_edits_in_a_workspace_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "SCENES", SCENES[:1])
    (good,) = trials(f"cmd:exact={shlex.join([*PYTHON, str(EXACT)])}", tmp_path).values()
    assert good.broken is None
    forgetful = script(tmp_path, "for request in requests(): say(request)")
    (bad,) = trials(f"cmd:forgets={shlex.join(forgetful)}", tmp_path).values()
    assert bad.broken is not None
    assert "every edit was refused" in bad.broken or "16 lost updates" in bad.broken


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tool/edti", "The drill parallel knows no 'tool/edti'"),
        ("mcp:mine=", "The drill parallel knows no 'mcp:mine='"),
        ("mcp:mine=true", "true is no server that answers: "),
        ("mcp:mine=no-such-program-anywhere", "no-such-program-anywhere is no server that answers: "),
        ("mcp:mine='", 'The command "\'" cannot be read: No closing quotation'),
        ("cmd:mine", "'cmd:mine' is not cmd:NAME=COMMAND"),
    ],
)
def test_a_side_that_is_none_is_the_users_mistake(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(PARALLEL.run(DrillSettings(runs=1, strategies=(name,))))
    assert caught.value.message.startswith(message)
    assert caught.value.tip


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"edit": {"tool": "a", "arguments": {}}}', json.dumps({**CALLS, "more": 1}), "[" * 100_000, "\xff"],
)
def test_calls_that_say_nothing_are_the_users_mistake(text: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="does not say how tools are called") as caught:
        read_calls(path)
    assert json.loads(caught.value.tip.removeprefix("Write "))["edit"]["tool"] == "edit"
    with pytest.raises(UsageError):
        read_calls(tmp_path)


def test_a_read_that_shows_a_part_is_told_from_a_torn_file(tmp_path: Path) -> None:
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps({**CALLS, "read": {"tool": "show_half", "arguments": {"file": "{name}"}}}))
    line = f"mcp:mine={shlex.join([sys.executable, str(SERVER), 'careful'])} {{folder}}"
    with pytest.raises(UsageError, match=r"mine.*: the read shows not all 400 lines of .*round0_0\.txt: ") as caught:
        list(PARALLEL.run(DrillSettings(runs=1, strategies=(line,), calls=calls)))
    example, tools = caught.value.tip.partition("like ")[2].split("; or let it reach TMPDIR. It has the tools ")
    assert json.loads(example)["read"]["tool"] == "read"
    assert "show_half" in tools


def test_words_are_filled_in_once_wherever_they_stand(tmp_path: Path) -> None:
    one = Call("edit", "a.txt", "{new}", "x{path}")
    calls = Calls(ToolCall("t", {"list": [{"both": "{old}={new}", "n": 1}], "at": "{path}"}), ToolCall("r", {}))
    assert asked(calls, one, tmp_path) == (
        "t",
        {"list": [{"both": "{new}=x{path}", "n": 1}], "at": str(tmp_path / "a.txt")},
    )
