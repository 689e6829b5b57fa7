from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.openhands import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read_all, survives, write_lines

PATH = "/home/user/demo/a.py"
DIFF = f"--- {PATH}\n+++ {PATH}\n@@ -1 +1 @@\n-x = 1\n+x = 2"
CALL = {"tool_call_id": "c1", "function_name": "str_replace_editor", "model_response": {"model": "m"}}
EDIT = {"path": PATH, "command": "str_replace", "old_str": "x = 1", "new_str": "x = 2", "impl_source": "oh_aci"}


def action(number: int, name: str, **args: Any) -> dict[str, Any]:
    return {"id": number, "source": "agent", "action": name, "args": args}


def seen(cause: int, name: str, content: str = "", **extras: Any) -> dict[str, Any]:
    return {"id": cause + 100, "cause": cause, "observation": name, "content": content, "extras": extras}


def edit(number: int = 1, **args: Any) -> dict[str, Any]:
    return action(number, "edit", **(EDIT | args)) | {"tool_call_metadata": CALL}


def events(tmp_path: Path, *rows: dict[str, Any]) -> list[Event]:
    write_lines(tmp_path / "trajectory.json", [*rows])
    found, _ = read_all(IMPORTER, tmp_path)
    assert found[0] == Opened(afresh=True)
    return found[1:]


def attempt(**fields: Any) -> Attempt:
    known: dict[str, Any] = {"path": PATH, "edits": (Edit("x = 1", "x = 2"),), "model": "m", "outcome": "applied"}
    known |= {"quirks": ("expands_tabs",)}
    return Attempt("c1", "str_replace", **(known | fields))


def test_an_edit_has_the_whole_texts_where_its_result_has_them(tmp_path: Path) -> None:
    found = events(tmp_path, edit(), seen(1, "edit", "done", old_content="x = 1\ny\n", new_content="x = 2\ny\n"))
    assert found == [attempt(before=(File(PATH, "x = 1\ny\n"),), after=(File(PATH, "x = 2\ny\n"),))]


def test_the_calls_own_strings_are_not_taken_for_the_texts_of_the_file(tmp_path: Path) -> None:
    found = events(tmp_path, edit(), seen(1, "edit", "done", old_content="x = 1", new_content="x = 2", diff=DIFF))
    assert found == [attempt(diffs=(RecordedDiff(PATH, DIFF),))]


def test_a_diff_whose_trailing_blanks_are_lost_is_left_out(tmp_path: Path) -> None:
    found = events(tmp_path, edit(new_str="x = 2  "), seen(1, "edit", "done", diff=DIFF))
    assert found == [attempt(edits=(Edit("x = 1", "x = 2  "),))]


def test_observations_are_paired_by_their_cause(tmp_path: Path) -> None:
    failure = "ERROR:\nNo replacement was performed, old_str `y` did not appear verbatim in /home/user/demo/a.py."
    other = action(2, "edit", **(EDIT | {"old_str": "y"}))
    found = events(tmp_path, edit(), other, seen(2, "edit", failure), seen(1, "edit", "done"))
    error = failure.partition("\n")[2]
    assert found == [
        Attempt(
            "trajectory.json:0:1",
            "str_replace",
            path=PATH,
            edits=(Edit("y", "x = 2"),),
            outcome="no_match",
            error=error,
            quirks=("expands_tabs",),
        ),
        attempt(),
    ]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("No replacement was performed, old_str `x\ny` did not appear verbatim in a.py.", "no_match"),
        ("No replacement was performed. Multiple occurrences of old_str `x` in lines [1, 2].", "ambiguous"),
        ("Invalid `new_str` parameter: x. `new_str` and `old_str` must be different.", "identical"),
        ("Parameter `old_str` is required for command: str_replace.", "malformed"),
        ("Invalid `path` parameter: /x. The path /x does not exist.", "unknown"),
    ],
)
def test_a_failure_is_an_edit_observation_that_begins_with_error(tmp_path: Path, said: str, outcome: str) -> None:
    found = events(tmp_path, edit(), seen(1, "edit", f"ERROR:\n{said}", diff=DIFF))
    assert found == [attempt(outcome=outcome, error=said.split("\n")[0])]


def test_a_refusal_by_the_user_is_no_failure(tmp_path: Path) -> None:
    assert events(tmp_path, edit(), seen(1, "user_rejected", "Not that way")) == [attempt(outcome="declined")]


def test_an_edit_without_an_observation_is_told_at_the_end(tmp_path: Path) -> None:
    assert events(tmp_path, edit()) == [attempt(outcome="unknown")]


def test_inserted_lines_are_an_insert(tmp_path: Path) -> None:
    found = events(tmp_path, edit(command="insert", insert_line=2, old_str=None), seen(1, "edit", "done"))
    assert found == [Attempt("c1", "insert", path=PATH, patch="x = 2", line=2, model="m", outcome="applied")]


def test_reads_writes_and_runs_stand_where_their_observations_came(tmp_path: Path) -> None:
    listing = f"Here's the result of running `cat -n` on {PATH}:\n     1\ta\n     2\t\tb\n     3\t\n"
    found = events(
        tmp_path,
        action(1, "read", path=PATH, impl_source="oh_aci"),
        seen(1, "read", listing, path=PATH),
        action(2, "read", path=PATH, impl_source="oh_aci", view_range=[2, 2]),
        seen(2, "read", f"Here's the result of running `cat -n` on {PATH}:\n     2\t\tb\n", path=PATH),
        action(3, "read", path=PATH, start=0, end=-1, impl_source="default"),
        seen(3, "read", "a\n", path=PATH),
        action(4, "read", path=PATH, start=3, end=9),
        seen(4, "read", "a\n", path=PATH),
        edit(5, command="create", file_text="z\n"),
        seen(5, "edit", "File created successfully", old_content=None, new_content="z\n"),
        action(6, "write", path=PATH, content="z", start=0, end=-1),
        seen(6, "write"),
        action(7, "write", path=PATH, content="z", start=3, end=5),
        seen(7, "write"),
        action(8, "run", command="ls"),
        seen(8, "run", "a.py"),
        edit(9, command="undo_edit"),
        seen(9, "edit", "done"),
    )
    assert found == [
        Read(PATH, "a\n\tb\n"),
        Read(PATH, "\tb", 2, False),
        Read(PATH, "a\n"),
        Wrote(PATH, "z\n"),
        Wrote(PATH, "z\n"),
        Disturbed(),
        Disturbed(),
        Disturbed(),
    ]


@pytest.mark.parametrize("source", [{"impl_source": "llm_based_edit"}, {}])
def test_of_an_edit_drafted_by_a_second_model_only_the_result_counts(tmp_path: Path, source: dict[str, str]) -> None:
    drafted = action(1, "edit", path=PATH, content="# ... existing code ...\nx = 2", start=1, end=-1, **source)
    found = events(tmp_path, drafted, seen(1, "edit", "[File edited]", old_content="x = 1\n", new_content="x = 2\n"))
    assert found == [Wrote(PATH, "x = 2\n")]


def test_a_folder_of_events_is_one_log_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    rows = {10: seen(9, "edit", "done"), 9: edit(9), 0: action(0, "message", content="hello")}
    for number, row in rows.items():
        (tmp_path / "s" / "events").mkdir(parents=True, exist_ok=True)
        (tmp_path / "s" / "events" / f"{number}.json").write_text(json.dumps(row, indent=1))
    (tmp_path / "s" / "events" / "11.json").write_text('{"id": 11, ')
    assert read_all(IMPORTER, tmp_path) == ([Opened(afresh=True), attempt()], {"line is not JSON": 1})


def test_evaluation_output_has_a_session_a_line_its_events_in_pairs(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "output.jsonl",
        {"instance_id": "a", "history": [[edit(), seen(1, "edit", "done")]]},
        {"instance_id": "b", "history": [edit(), seen(1, "edit", "done")]},
        "{cut",
    )
    assert read_all(IMPORTER, tmp_path) == ([Opened(afresh=True), attempt()] * 2, {"line is not JSON": 1})


def test_the_later_sdk_pairs_by_the_tool_call(tmp_path: Path) -> None:
    asked = {"kind": "FileEditorAction", "command": "str_replace", "path": PATH, "old_str": "x = 1", "new_str": "x = 2"}
    told = {"kind": "FileEditorObservation", "prev_exist": True, "old_content": "x = 1\n", "new_content": "x = 2\n"}
    missed = told | {"is_error": True, "content": [{"type": "text", "text": "old_str `x` did not appear verbatim"}]}
    found = events(
        tmp_path,
        {"kind": "ActionEvent", "tool_call_id": "c1", "action": asked},
        {"kind": "ActionEvent", "tool_call_id": "c2", "action": asked},
        {"kind": "ActionEvent", "tool_call_id": "c3", "action": {"kind": "ExecuteBashAction", "command": "ls"}},
        {"kind": "ObservationEvent", "tool_call_id": "c3", "observation": {"kind": "ExecuteBashObservation"}},
        {"kind": "ObservationEvent", "tool_call_id": "c2", "observation": missed},
        {"kind": "ObservationEvent", "tool_call_id": "c1", "observation": told},
    )
    applied = attempt(model=None, before=(File(PATH, "x = 1\n"),), after=(File(PATH, "x = 2\n"),))
    assert found[0] == Disturbed()
    assert found[2] == applied
    assert isinstance(found[1], Attempt)
    assert (found[1].key, found[1].outcome) == ("c2", "no_match")


def test_nothing_that_stands_in_a_log_raises(tmp_path: Path) -> None:
    rows = [edit(), seen(1, "edit", "done", old_content="x = 1", new_content="x = 2", diff=DIFF)]
    rows += [action(2, "read", path=PATH, view_range=[1, 2]), seen(2, "read", "     1\ta")]
    rows += [action(3, "write", path=PATH, content="x", start=0, end=-1), seen(3, "write")]
    rows += [{"kind": "ActionEvent", "tool_call_id": "c1", "action": EDIT | {"kind": "FileEditorAction"}}]
    rows += [{"kind": "ObservationEvent", "tool_call_id": "c1", "observation": {"content": [{"text": "x"}]}}]
    assert survives(IMPORTER, tmp_path / "a.json", rows)
    assert survives(IMPORTER, tmp_path / "a.jsonl", {"history": [rows[:2]]})
