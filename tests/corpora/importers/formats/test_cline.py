from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.cline import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, Wrote
from editcore.types import File
from tests.corpora.importers.logs import read_all, survives, write_lines

DIFF = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"
SAVED = (
    "The content was successfully saved to a.py.\n\nHere is the full, updated content of the file that was saved:\n\n"
)
FINAL = '<final_file_content path="a.py">\nx = 2\n\n</final_file_content>\n\nIMPORTANT: use it.'
ORIGINAL = '<file_content path="a.py">\nx = 3\n\n</file_content>\n\nNow that you have the latest state'


def assistant(*texts: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": said} for said in texts]} | more


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": said} for said in texts]}


def replacing(path: str = "a.py", diff: str = DIFF) -> str:
    return f"Let me see.\n<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>"


def result(said: str, tool: str = "replace_in_file", path: str = "a.py") -> dict[str, Any]:
    return user(f"[{tool} for '{path}'] Result:", said, "<environment_details>\n# Current Mode\n</environment_details>")


def failure(said: str) -> str:
    return f"The tool execution failed with the following error:\n<error>\n{said}\n</error>"


def events(tmp_path: Path, *messages: dict[str, Any]) -> list[Event]:
    write_lines(tmp_path / "17" / "api_conversation_history.json", [*messages])
    found, _ = read_all(IMPORTER, tmp_path)
    assert found[0] == Opened()
    return found[1:]


def attempt(key: str = "17:0:0:0", **fields: Any) -> Attempt:
    return Attempt(key, "search_replace", **({"path": "a.py", "patch": DIFF, "outcome": "applied"} | fields))


def test_the_folder_stands_in_the_environment(tmp_path: Path) -> None:
    said = "<environment_details>\n# Current Working Directory (/home/user/demo) Files\na.py\n</environment_details>"
    assert events(tmp_path, user("make it two", said)) == [Opened("/home/user/demo")]


@pytest.mark.parametrize("together", [True, False])
def test_an_edit_has_the_file_as_saved(tmp_path: Path, together: bool) -> None:
    told = user("[replace_in_file for 'a.py'] Result:\n" + SAVED + FINAL) if together else result(SAVED + FINAL)
    assert events(tmp_path, assistant(replacing()), told) == [attempt(after=(File("a.py", "x = 2\n"),))]


def test_a_failed_edit_has_the_file_as_it_was(tmp_path: Path) -> None:
    said = failure("The SEARCH block:\nx = 1\n...does not match anything in the file.") + "\n\n" + ORIGINAL
    assert events(tmp_path, assistant(replacing()), result(said)) == [
        attempt(outcome="no_match", error="does not match anything in the file.", before=(File("a.py", "x = 3\n"),))
    ]


@pytest.mark.parametrize(
    ("said", "outcome", "error"),
    [
        ("The user denied this operation. The file was not updated.", "declined", None),
        ("Tool [replace_in_file] was not executed because a tool has already been used.", "cancelled", None),
        (
            failure("Missing value for required parameter 'diff'."),
            "malformed",
            "Missing value for required parameter 'diff'.",
        ),
        (failure("ENOENT: no such file"), "unknown", "ENOENT: no such file"),
    ],
)
def test_refusals_and_failures_are_kept_apart(tmp_path: Path, said: str, outcome: str, error: str | None) -> None:
    assert events(tmp_path, assistant(replacing()), result(said)) == [attempt(outcome=outcome, error=error)]


def test_what_the_user_changed_is_told(tmp_path: Path) -> None:
    said = "The user made the following updates to your content:\n\n+y\n\nsuccessfully saved to a.py.\n\n" + FINAL
    assert events(tmp_path, assistant(replacing()), result(said)) == [
        attempt(after=(File("a.py", "x = 2\n"),), changed_by_user=True)
    ]


def test_what_a_formatter_changed_is_no_result_of_the_edit(tmp_path: Path) -> None:
    said = (
        "Along with your edits, the user's editor applied the following auto-formatting to your content:\n\n-a\n+b\n\n"
    )
    assert events(tmp_path, assistant(replacing()), result("successfully saved to a.py.\n" + said + FINAL)) == [
        attempt(),
        Read("a.py", "x = 2\n"),
    ]


def test_closing_tags_within_a_files_text_do_not_close_it(tmp_path: Path) -> None:
    content = "<content>\n<path>no</path>\n</content>\n<read_file>\n</write_to_file>\n!"
    said = f"<write_to_file>\n<path>a.py</path>\n<content>\n{content}\n</content>\n</write_to_file>"
    assert events(tmp_path, assistant(said), result(SAVED, "write_to_file")) == [Wrote("a.py", content)]


def test_results_are_paired_by_the_tool_and_path_they_name(tmp_path: Path) -> None:
    both = user(
        "[replace_in_file for 'b.py'] Result:", failure("ENOENT"), "[replace_in_file for 'a.py'] Result:", SAVED
    )
    assert events(tmp_path, assistant(replacing() + replacing("b.py")), both) == [
        attempt("17:0:0:1", path="b.py", outcome="unknown", error="ENOENT"),
        attempt(),
    ]


def test_native_calls_are_paired_by_their_ids(tmp_path: Path) -> None:
    def use(key: str, name: str, **given: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": key, "name": name, "input": given}

    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
    calls = [use("c1", "replace_in_file", path="a.py", diff=DIFF), use("c2", "apply_patch", input=patch)]
    told = [
        {"type": "tool_result", "tool_use_id": "c2", "content": "Successfully applied patch to a.py"},
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": SAVED + FINAL}]},
    ]
    model = {"modelInfo": {"modelId": "m"}}
    assert events(tmp_path, {"role": "assistant", "content": calls} | model, {"role": "user", "content": told}) == [
        Attempt("c2", "begin_patch", patch=patch, model="m", outcome="applied"),
        attempt("c1", model="m", after=(File("a.py", "x = 2\n"),)),
    ]


def test_the_model_is_named_beside_the_log_if_there_was_only_one(tmp_path: Path) -> None:
    used = [{"ts": 1, "model_id": "m", "mode": "act"}, {"ts": 2, "model_id": "m", "mode": "plan"}]
    write_lines(tmp_path / "17" / "task_metadata.json", {"model_usage": used})
    assert events(tmp_path, assistant(replacing()), result(SAVED)) == [attempt(model="m")]
    write_lines(tmp_path / "17" / "task_metadata.json", {"model_usage": [*used, {"model_id": "n"}]})
    assert events(tmp_path, assistant(replacing()), result(SAVED)) == [attempt()]


def test_an_edit_without_a_result_is_told_at_the_end(tmp_path: Path) -> None:
    assert events(tmp_path, assistant(replacing())) == [attempt(outcome="unknown")]


def test_reads_writes_and_commands_stand_where_their_results_came(tmp_path: Path) -> None:
    reading = "<read_file>\n<path>a.py</path>\n</read_file>"
    found = events(
        tmp_path,
        assistant(reading),
        result("x = 1\n", "read_file"),
        assistant(reading),
        result("1 | x = 1\n2 |   y", "read_file"),
        assistant(reading),
        result("[[NOTE] This file read has been removed to save space]", "read_file"),
        assistant(reading),
        result(failure("File not found"), "read_file"),
        assistant("<write_to_file><path>a.py</path><content>x</content></write_to_file>"),
        result(SAVED + FINAL, "write_to_file"),
        assistant("<write_to_file><path>a.py</path><content>x</content></write_to_file>"),
        result("The user denied this operation.", "write_to_file"),
        assistant("<execute_command>\n<command>ls</command>\n</execute_command>"),
        result("Command executed.", "execute_command", "ls\n-l"),
        user("<environment_details>\n# Recently Modified Files\nThese files have been modified\na.py"),
    )
    assert found == [
        Read("a.py", "x = 1\n"),
        Read("a.py", "x = 1\n  y", ends_shown=False),
        Wrote("a.py", "x = 2\n"),
        Disturbed(),
        Disturbed(),
    ]


def test_a_log_cut_short_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps([assistant(replacing())])[:-5])
    assert read_all(IMPORTER, path) == ([Opened()], {"document is not JSON": 1})


def test_nothing_that_stands_in_a_log_raises(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "c", "name": "apply_patch", "input": {"input": "x"}}
    done = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "x"}]}
    messages = [assistant(replacing(), modelInfo={"modelId": "m"}), result(SAVED + FINAL)]
    messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}]
    assert survives(IMPORTER, tmp_path / "api_conversation_history.json", messages)
