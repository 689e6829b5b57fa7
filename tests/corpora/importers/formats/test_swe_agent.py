from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.swe_agent import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read_all, survives, write_lines

PATH = "/home/user/demo/a.py"
REPLACED = (
    f"The file {PATH} has been edited. Here's the result of running `cat -n` on a snippet of {PATH}:\n     1\tx = 2\n"
)


def step(action: str, observation: Any, **state: str) -> dict[str, Any]:
    return {"action": action, "observation": observation, "thought": "hm", "state": json.dumps(state)}


def window(*lines: str, first: int = 1, total: int | None = None) -> str:
    n = total or first + len(lines) - 1
    above = [f"({first - 1} more lines above)"] * (first > 1)
    below = [f"({n - first - len(lines) + 1} more lines below)"] * (n > first + len(lines) - 1)
    shown = [f"{first + i}:{line}" for i, line in enumerate(lines)]
    return "\n".join([f"[File: {PATH} ({n} lines total)]", *above, *shown, *below])


def replacing(old: str, new: str) -> str:
    return f"str_replace_editor str_replace {PATH} --old_str {shlex.quote(old)} --new_str {shlex.quote(new)}"


def events(tmp_path: Path, *steps: dict[str, Any]) -> list[Event]:
    config = json.dumps({"agent": {"model": {"name": "m"}}})
    run = {"trajectory": [*steps], "info": {"swe_agent_version": "1.1.0"}, "replay_config": config}
    write_lines(tmp_path / "demo-1.traj", run)
    found, _ = read_all(IMPORTER, tmp_path)
    assert found[0] == Opened(version="1.1.0")
    return found[1:]


def attempt(number: int = 0, **fields: Any) -> Attempt:
    known: dict[str, Any] = {"path": PATH, "edits": (Edit("x = 1", "x = 2"),), "model": "m", "outcome": "applied"}
    if fields.get("tags"):
        known["quirks"] = ("sees_window",)
    elif fields.get("path", PATH):
        known["quirks"] = ("expands_tabs",)
    return Attempt(f"demo-1.traj:{number}", "str_replace", **(known | fields))


def test_the_values_of_a_command_are_quoted_for_a_shell(tmp_path: Path) -> None:
    old, new = "it's = '''a'''\n    $b", 'x = "2"\n'
    assert events(tmp_path, step(replacing(old, new), REPLACED)) == [attempt(edits=(Edit(old, new),))]


def test_the_words_of_a_shown_file_do_not_make_an_edit_fail(tmp_path: Path) -> None:
    said = REPLACED + "     2\tprint('old_str did not appear verbatim')\n"
    assert events(tmp_path, step(replacing("x = 1", "x = 2"), said)) == [attempt()]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("No replacement was performed, old_str `x\ny` did not appear verbatim in a.py.", "no_match"),
        ("No replacement was performed. Multiple occurrences of old_str `x` in lines [1, 2].", "ambiguous"),
        ("No replacement was performed, old_str `x` is the same as new_str `x`.", "identical"),
        ("Parameter `old_str` is required for command: str_replace", "malformed"),
        ("The path /x does not exist. Please provide a valid path.", "unknown"),
    ],
)
def test_a_failure_is_told_by_its_first_line(tmp_path: Path, said: str, outcome: str) -> None:
    found = events(tmp_path, step(replacing("x = 1", "x = 2"), said))
    assert found == [attempt(outcome=outcome, error=said.split("\n")[0])]


def test_a_command_with_open_quotes_is_malformed(tmp_path: Path) -> None:
    said = "bash: unexpected EOF while looking for matching `''"
    found = events(tmp_path, step(f"str_replace_editor str_replace {PATH} --old_str 'x", said))
    assert found == [attempt(path=None, edits=None, outcome="malformed", error=said)]


def test_the_last_step_may_have_no_observation(tmp_path: Path) -> None:
    assert events(tmp_path, step(replacing("x = 1", "x = 2"), None)) == [attempt(outcome="unknown")]


def test_the_editor_also_views_creates_inserts_and_undoes(tmp_path: Path) -> None:
    head = f"Here's the result of running `cat -n` on {PATH}:\n"
    found = events(
        tmp_path,
        step(f"str_replace_editor view {PATH}", head + "     1\tx\n     2\t  y\n     3\t\n"),
        step(f"str_replace_editor view {PATH} --view_range 2 2", head + "     2\t  y\n"),
        step(f"str_replace_editor view {PATH}", head + "     1\tx\n     2\ty<response clipped><NOTE>To save\n"),
        step(f"str_replace_editor create {PATH} --file_text 'z\n'", f"File created successfully at: {PATH}"),
        step(f"str_replace_editor create {PATH} --file_text 'z\n'", f"File already exists at: {PATH}."),
        step(f"str_replace_editor insert {PATH} --insert_line 3 --new_str 'y'", REPLACED),
        step(f"str_replace_editor undo_edit {PATH}", "Last edit undone"),
        step("python a.py", ""),
    )
    assert found == [
        Read(PATH, "x\n  y\n"),
        Read(PATH, "  y", 2, False),
        Wrote(PATH, "z\n"),
        Attempt("demo-1.traj:5", "insert", path=PATH, patch="y", line=3, model="m", outcome="applied"),
        Disturbed(),
        Disturbed(),
    ]


def test_a_file_indented_by_eights_may_have_had_tabs_and_is_not_taken_as_seen(tmp_path: Path) -> None:
    said = "     1\tif x:\n     2\t        y\n     3\t\n"
    assert events(tmp_path, step(f"str_replace_editor view {PATH}", said)) == [
        Read(PATH, "if x:\n        y\n", whole=False)
    ]


@pytest.mark.parametrize("action", ["edit 2:3\ny\n\nend_of_edit", "edit 2:3 << 'end_of_edit'\ny\n\nend_of_edit\n"])
def test_an_edit_by_lines_is_of_the_file_whose_window_is_open(tmp_path: Path, action: str) -> None:
    found = events(
        tmp_path,
        step("open a.py", window("x", "b", "c", "d")),
        step(action, window("x", "y", "", "d") + "\nFile updated. Please review the changes."),
    )
    assert found == [
        Read(PATH, "x\nb\nc\nd", ends_shown=False),
        Attempt(
            "demo-1.traj:1",
            "line_range",
            path=PATH,
            patch="y\n\n",
            line=2,
            end_line=3,
            model="m",
            outcome="applied",
        ),
        Read(PATH, "x\ny\n\nd", ends_shown=False),
    ]


def test_before_1_0_an_edit_by_lines_ends_every_line(tmp_path: Path) -> None:
    steps = [
        step("open a.py", window("x", "b")),
        step("edit 2:9\ny\nend_of_edit", window("x", "y") + "\nFile updated."),
    ]
    write_lines(tmp_path / "demo-1.traj", {"trajectory": steps})
    (tmp_path / "args.yaml").write_text("agent:\n  name: primary\n  model:\n    top_p: 1\n    model_name: vendor/m\n")
    _, _, made, after = read_all(IMPORTER, tmp_path)[0]
    assert isinstance(made, Attempt)
    assert (made.after, made.model, after) == ((File(PATH, "x\ny\n"),), "vendor/m", Read(PATH, "x\ny\n"))


def test_the_state_names_the_open_file_where_no_window_was_shown(tmp_path: Path) -> None:
    (found,) = events(tmp_path, step("edit 2:2\nend_of_edit", "Usage: edit", open_file=PATH))
    error: dict[str, Any] = {"outcome": "malformed", "error": "Usage: edit"}
    assert found == Attempt("demo-1.traj:0", "line_range", path=PATH, patch="", line=2, end_line=2, model="m", **error)


def test_an_edit_that_a_linter_undid_was_declined_and_its_windows_are_no_reads(tmp_path: Path) -> None:
    said = "Your proposed edit has introduced new syntax error(s).\n\nERRORS:\n- E999\n\n" + window("x", "y")
    said += "\nYour changes have NOT been applied. Please fix your edit command and try again."
    (found,) = events(tmp_path, step("edit 2:2\ny(\nend_of_edit", said))
    assert isinstance(found, Attempt)
    assert (found.path, found.outcome) == (PATH, "declined")


def test_a_window_on_a_part_of_a_file_is_a_stretch(tmp_path: Path) -> None:
    found = events(tmp_path, step("goto 5", window("a", "b", first=5, total=9)))
    assert found == [Read(PATH, "a\nb", 5, False)]


def test_a_search_in_the_window_only_says_so(tmp_path: Path) -> None:
    missed = "Your edit was not applied (file not modified): Text 'q' not found in displayed lines."
    found = events(
        tmp_path,
        step("open a.py", window("x = 1")),
        step("edit 'x = 1' 'x = 2'", "Text replaced. Please review the changes\n" + window("x = 2")),
        step("edit 'q' 'r'", missed),
        step("create b.py", f"[File: {PATH} (1 lines total)]\n1:"),
    )
    tags: dict[str, Any] = {"tags": ("window_only",)}
    assert found == [
        Read(PATH, "x = 1", ends_shown=False),
        attempt(1, **tags),
        Read(PATH, "x = 2", ends_shown=False),
        attempt(2, edits=(Edit("q", "r"),), outcome="no_match", error=missed, **tags),
        Wrote(PATH, "\n"),
        Read(PATH, "", ends_shown=False),
    ]


def test_a_run_that_kept_only_messages_pairs_by_the_call(tmp_path: Path) -> None:
    def call(key: str, old: str) -> dict[str, Any]:
        arguments = {"command": "str_replace", "path": PATH, "old_str": old, "new_str": "x = 2"}
        return {"id": key, "function": {"name": "str_replace_editor", "arguments": json.dumps(arguments)}}

    history = [
        {"role": "assistant", "tool_calls": [call("c1", "x = 1"), call("c2", "y"), call("c3", "z")]},
        {
            "role": "tool",
            "tool_call_ids": ["c2"],
            "content": [{"type": "text", "text": "old_str did not appear verbatim"}],
        },
        {"role": "tool", "tool_call_ids": ["c1"], "content": REPLACED},
        {"role": "tool", "tool_call_ids": ["c9"], "content": REPLACED},
    ]
    write_lines(tmp_path / "a.traj", {"history": history, "trajectory": []})
    found, counts = read_all(IMPORTER, tmp_path)
    assert [(one.key, one.outcome) for one in found if isinstance(one, Attempt)] == [
        ("c2", "no_match"),
        ("c1", "applied"),
        ("c3", "unknown"),
    ]
    assert counts == {"result without its call": 1}


def test_the_folder_is_that_of_the_first_state(tmp_path: Path) -> None:
    run = {"trajectory": [step("goto 1", "", working_dir="/home/user/demo")]}
    write_lines(tmp_path / "a.traj", run)
    assert read_all(IMPORTER, tmp_path)[0] == [Opened(cwd="/home/user/demo")]


def test_a_document_that_is_no_run_is_counted(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.traj", {"x": 1})
    (tmp_path / "b.traj").write_text('{"trajectory": [')
    assert read_all(IMPORTER, tmp_path)[1] == {"document holds no steps": 1, "document is not JSON": 1}


def test_nothing_that_stands_in_a_log_raises(tmp_path: Path) -> None:
    steps = [step(replacing("x", "y"), REPLACED), step("edit 1:2\nx\nend_of_edit", window("x"), open_file=PATH)]
    call = {
        "id": "c",
        "function": {"name": "str_replace_editor", "arguments": json.dumps({"command": "insert", "path": PATH})},
    }
    history = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_ids": ["c"], "content": "x"}]
    assert survives(IMPORTER, tmp_path / "a.traj", {"trajectory": steps, "info": {}, "replay_config": "{}"})
    assert survives(IMPORTER, tmp_path / "a.traj", {"history": history})
