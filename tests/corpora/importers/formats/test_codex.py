"""Codex' logs, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.codex import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Opened, RecordedDiff
from tests.corpora.importers.logs import read, spoilt, survives, write_lines

CWD = "/home/user/demo"
META = {
    "type": "session_meta",
    "payload": {
        "id": "s",
        "cwd": CWD,
        "cli_version": "0.118.0",
        "git": {"commit_hash": "abc", "repository_url": "https://user:secret@github.com/some/demo.git"},
    },
}
TURN = {"type": "turn_context", "payload": {"cwd": CWD, "model": "m"}}
OPENED = Opened(CWD, "0.118.0", "abc", "some/demo")
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
OTHER = PATCH.replace("a.py", "b.py")
DIFF = "@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"
UPDATE = {"type": "update", "unified_diff": DIFF, "move_path": None}
SUCCESS = "Success. Updated the following files:\nM a.py\n"


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": kind} | payload}


def patch(key: str = "c1", text: str = PATCH) -> dict[str, Any]:
    return item("custom_tool_call", name="apply_patch", call_id=key, input=text)


def script(source: str, key: str = "c1") -> dict[str, Any]:
    return item("custom_tool_call", name="exec", call_id=key, input=source)


def function(name: str, key: str = "c1", **arguments: Any) -> dict[str, Any]:
    return item("function_call", name=name, call_id=key, arguments=json.dumps(arguments))


def output(key: str = "c1", said: Any = SUCCESS, kind: str = "custom_tool_call_output") -> dict[str, Any]:
    return item(kind, call_id=key, output=said)


def landed(key: str = "c1", success: bool = True, changes: Any = None, **more: Any) -> dict[str, Any]:
    payload = {"type": "patch_apply_end", "call_id": key, "success": success, "changes": changes}
    return {"type": "event_msg", "payload": payload | more}


def changed(*names: str) -> dict[str, Any]:
    return {f"{CWD}/{name}": UPDATE for name in names}


def attempt(key: str = "c1", text: str = PATCH, **fields: Any) -> Attempt:
    return Attempt(key, "begin_patch", patch=text, model="m", **fields)


def diffs(*names: str) -> tuple[RecordedDiff, ...]:
    return tuple(RecordedDiff(f"{CWD}/{name}", DIFF) for name in names)


def events(tmp_path: Path, *lines: Any) -> list[Any]:
    found, _ = read(IMPORTER, write_lines(tmp_path / "rollout-1.jsonl", META, TURN, *lines))
    assert found[0] == OPENED
    return found[1:]


# The tool of its own.


def test_a_patch_has_the_diffs_of_its_event(tmp_path: Path) -> None:
    found = events(tmp_path, patch(), landed(changes=changed("a.py")), output())
    assert found == [attempt(outcome="applied", diffs=diffs("a.py"))]


@pytest.mark.parametrize(
    "said",
    [
        SUCCESS,
        json.dumps({"output": SUCCESS, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{SUCCESS}",
        [{"type": "input_text", "text": SUCCESS}],
        {"content": SUCCESS, "success": True},
    ],
)
def test_a_version_without_the_event_tells_success_by_its_output(tmp_path: Path, said: Any) -> None:
    assert events(tmp_path, patch(), output(said=said)) == [attempt(outcome="applied")]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("apply_patch verification failed: Failed to find expected lines in /home/user/demo/a.py:\nsecret", "no_match"),
        ("apply_patch verification failed: Failed to find context 'def f():' in /home/user/demo/a.py", "no_match"),
        ("apply_patch verification failed: invalid hunk at line 3, Unexpected line", "malformed"),
        ("apply_patch verification failed: Failed to read file to update /home/user/demo/a.py: none", "unknown"),
        ("some other trouble\nmore", "unknown"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_failure_is_told_by_the_first_line_of_its_error(
    tmp_path: Path, said: str, outcome: str, wrapped: bool
) -> None:
    told = json.dumps({"output": said, "metadata": {"exit_code": 1}}) if wrapped else f"Exit code: 1\nOutput:\n{said}"
    expected = attempt(outcome=outcome, error=said.split("\n")[0])
    assert events(tmp_path, patch(), output(said=told)) == [expected]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("patch rejected by user", "declined"), ("aborted by user after 3.2s", "cancelled")],
)
def test_what_was_not_tried_is_no_failure(tmp_path: Path, said: str, outcome: str) -> None:
    assert events(tmp_path, patch(), output(said=said)) == [attempt(outcome=outcome)]


def test_an_event_may_tell_of_a_failure_or_a_refusal(tmp_path: Path) -> None:
    failed = landed("c1", False, {}, stderr="Failed to find expected lines in a.py:\nsecret")
    declined = landed("c2", False, {}, stderr="private words", status="declined")
    assert events(tmp_path, patch("c1"), patch("c2"), failed, declined) == [
        attempt("c1", outcome="no_match", error="Failed to find expected lines in a.py:"),
        attempt("c2", outcome="declined"),
    ]


def test_new_deleted_and_moved_files_are_told_by_diffs(tmp_path: Path) -> None:
    changes = changed("a.py") | {
        f"{CWD}/n.py": {"type": "add", "content": "n\n"},
        f"{CWD}/d.py": {"type": "delete", "content": "d\n"},
        f"{CWD}/e.py": {"type": "delete", "content": ""},
        f"{CWD}/m.py": UPDATE | {"move_path": f"{CWD}/o.py"},
    }
    (made,) = events(tmp_path, patch(), landed(changes=changes))
    assert made.diffs == (
        *diffs("a.py"),
        RecordedDiff(f"{CWD}/n.py", f"--- /dev/null\n+++ b/{CWD}/n.py\n@@ -0,0 +1 @@\n+n\n"),
        RecordedDiff(f"{CWD}/d.py", f"--- a/{CWD}/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n"),
        RecordedDiff(f"{CWD}/e.py", f"--- a/{CWD}/e.py\n+++ /dev/null\n"),
        RecordedDiff(f"{CWD}/m.py", DIFF, moved_to=f"{CWD}/o.py"),
    )


@pytest.mark.parametrize(
    "change",
    [
        {"type": "update"},
        {"type": "of_the_future", "content": "d\n"},
    ],
)
def test_a_change_that_cannot_be_read_leaves_the_patch_without_evidence(tmp_path: Path, change: dict[str, Any]) -> None:
    changes = changed("a.py") | {f"{CWD}/b.py": change}
    assert events(tmp_path, patch(), landed(changes=changes)) == [attempt(outcome="applied")]


def test_results_find_their_calls_by_id_and_the_rest_is_told_at_the_end(tmp_path: Path) -> None:
    found = events(tmp_path, patch("c1"), patch("c2"), patch("c3"), output("c3"), output("c1"))
    assert [(made.key, made.outcome) for made in found] == [("c3", "applied"), ("c1", "applied"), ("c2", "unknown")]


def test_the_model_and_the_folder_may_change(tmp_path: Path) -> None:
    turn = {"type": "turn_context", "payload": {"cwd": "/home/user/o", "model": "n"}}
    (opened, made) = events(tmp_path, turn, patch(), output())
    assert (opened, made.model) == (Opened("/home/user/o"), "n")


@pytest.mark.parametrize(
    ("url", "repo"),
    [
        ("git@github.com:some/demo.git", "some/demo"),
        ("https://github.com/some/demo", "some/demo"),
        ("ssh://git@example.org/some/demo.js/", "some/demo.js"),
        ("nonsense", None),
        (7, None),
    ],
)
def test_the_repository_is_its_owner_and_name(tmp_path: Path, url: Any, repo: str | None) -> None:
    meta = {"type": "session_meta", "payload": {"cwd": CWD, "git": {"repository_url": url}}}
    assert read(IMPORTER, write_lines(tmp_path / "r.jsonl", meta))[0] == [Opened(CWD, repo=repo)]


# Through a shell.


@pytest.mark.parametrize(
    "call",
    [
        function("apply_patch", input=PATCH),
        function("shell", command=["apply_patch", PATCH]),
        function("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"], workdir=CWD),
        function("shell_command", command=f"apply_patch <<'EOF'\n{PATCH}EOF"),
        function("exec_command", cmd=f"apply_patch <<'EOF'\n{PATCH}EOF"),
        item("local_shell_call", call_id="c1", action={"command": ["sh", "-c", f"apply_patch <<'E'\n{PATCH}E"]}),
    ],
)
def test_a_patch_may_come_through_any_shell(tmp_path: Path, call: Any) -> None:
    said = json.dumps({"output": SUCCESS, "metadata": {"exit_code": 0}})
    assert events(tmp_path, call, output(said=said, kind="function_call_output")) == [attempt(outcome="applied")]


def test_a_patch_in_another_folder_stands_there(tmp_path: Path) -> None:
    call = function("shell", command=["bash", "-lc", f"cd sub && apply_patch <<'EOF'\n{PATCH}EOF\n"])
    assert events(tmp_path, call, output(kind="function_call_output")) == [
        Opened(f"{CWD}/sub"),
        attempt(outcome="applied"),
        Opened(CWD),
    ]


def test_a_shell_that_does_more_than_patch_disturbs_and_its_words_are_not_told(tmp_path: Path) -> None:
    call = function("exec_command", cmd=f"make; apply_patch <<'EOF'\n{PATCH}EOF")
    said = "Chunk ID: 1\nProcess exited with code 0\nOutput:\nprivate words"
    assert events(tmp_path, call, output(said=said, kind="function_call_output")) == [attempt(), Disturbed()]


def test_shells_disturb_and_plans_do_not(tmp_path: Path) -> None:
    calls = [function(name, name, cmd="ls") for name in ("exec_command", "update_plan", "mcp__x")]
    outputs = [output(name, "x", "function_call_output") for name in ("exec_command", "update_plan", "mcp__x")]
    assert events(tmp_path, *calls, *outputs) == [Disturbed(), Disturbed()]


# Code mode.

DONE = [{"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}]


def failed(error: str) -> list[dict[str, str]]:
    return [
        {"type": "input_text", "text": "Script failed\nWall time 0.1 seconds\nOutput:\n"},
        {"type": "input_text", "text": f"Script error:\n{error}"},
    ]


def test_an_event_between_a_script_and_its_output_is_that_of_its_patch(tmp_path: Path) -> None:
    source = f"const p = String.raw`{PATCH}`;\ntext(await tools.apply_patch(p));"
    found = events(tmp_path, script(source), landed("exec-1", changes=changed("a.py")), output(said=DONE))
    assert found == [attempt(outcome="applied", diffs=diffs("a.py"))]


def test_several_patches_of_a_script_are_told_apart_by_their_files_and_lines(tmp_path: Path) -> None:
    third = PATCH.replace("+x = 2", "+x = 3")
    source = "".join(f"await tools.apply_patch(`{text}`);" for text in (third, PATCH, OTHER))
    found = events(
        tmp_path,
        script(source),
        landed("exec-1", changes=changed("b.py")),
        landed("exec-2", changes=changed("a.py")),
        output(said=failed(f"apply_patch verification failed: Failed to find expected lines in {CWD}/a.py:\nx = 1")),
    )
    line = f"apply_patch verification failed: Failed to find expected lines in {CWD}/a.py:"
    assert found == [
        attempt("c1#3", OTHER, outcome="applied", diffs=diffs("b.py")),
        attempt("c1#2", PATCH, outcome="applied", diffs=diffs("a.py")),
        attempt("c1", third, outcome="no_match", error=line),
    ]


def test_the_patch_that_an_error_names_failed_and_the_others_are_unknown(tmp_path: Path) -> None:
    source = f"await Promise.all([tools.apply_patch(`{PATCH}`), tools.apply_patch(`{OTHER}`)])"
    line = "apply_patch verification failed: Failed to find expected lines in /home/user/demo/b.py:"
    assert events(tmp_path, script(source), output(said=failed(f"{line}\nx = 1"))) == [
        attempt(),
        attempt("c1#2", OTHER, outcome="no_match", error=line),
    ]


def test_a_script_without_news_of_its_patch_leaves_it_unknown_and_its_words_untold(tmp_path: Path) -> None:
    said = [*DONE, {"type": "input_text", "text": "private words"}]
    assert events(tmp_path, script(f"await tools.apply_patch(`{PATCH}`)"), output(said=said)) == [attempt()]


def test_scripts_that_run_side_by_side_share_no_events(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        script(f"tools.apply_patch(`{PATCH}`)", "c1"),
        script(f"tools.apply_patch(`{OTHER}`)", "c2"),
        landed("exec-1", changes=changed("b.py")),
        landed("exec-2", changes=changed("a.py")),
    )
    assert [(made.key, made.diffs) for made in found] == [("c2", diffs("b.py")), ("c1", diffs("a.py"))]


def test_a_script_that_runs_on_is_settled_when_its_rest_is_waited_for(tmp_path: Path) -> None:
    source = f"await tools.apply_patch(`{PATCH}`); await tools.apply_patch(`{OTHER}`); await tools.exec_command({{}})"
    line = "apply_patch verification failed: invalid hunk at line 2"
    found = events(
        tmp_path,
        script(source),
        output(
            said=[{"type": "input_text", "text": "Script running with cell ID 28\nWall time 10 seconds\nOutput:\n"}]
        ),
        landed("exec-1", changes=changed("a.py")),
        function("wait", "w1", cell_id="28"),
        output("w1", failed(line), "function_call_output"),
    )
    assert found == [
        Disturbed(),
        attempt(outcome="applied", diffs=diffs("a.py")),
        Disturbed(),
        attempt("c1#2", OTHER, outcome="malformed", error=line),
        Disturbed(),
    ]


def test_a_patch_that_the_script_puts_together_is_counted(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl", script(f"tools.apply_patch(`{PATCH}${{x}}`)"), landed("exec-1", changes={})
    )
    counts = {"patch built by a script from variables": 1, "patch event without its call": 1}
    assert read(IMPORTER, path) == ([Disturbed()], counts)


def test_broken_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", '{"type": "session_meta",', patch(), output(), patch("c2", ""))
    path.write_text(path.read_text() + '{"type":"response_item","payload":{"type":"custom_tool_call","na')
    found, counts = read(IMPORTER, path)
    assert found == [Attempt("c1", "begin_patch", patch=PATCH, outcome="applied")]
    assert counts == {"line is not JSON": 2, "patch call without its patch": 1}


def test_whatever_stands_in_a_line_nothing_is_raised(tmp_path: Path) -> None:
    changes = changed("a.py") | {f"{CWD}/n.py": {"type": "add", "content": "n\n"}}
    log = [
        META,
        TURN,
        patch("c1"),
        landed("c1", changes=changes),
        output("c1"),
        script(f"tools.apply_patch(`{PATCH}`)", "c2"),
        landed("exec-1", changes=changed("a.py")),
        output("c2", [{"type": "input_text", "text": "Script running with cell ID 28\n"}]),
        function("wait", "c3", cell_id="28"),
        output("c3", {"content": "x", "metadata": {"exit_code": 0}}, "function_call_output"),
        item("local_shell_call", call_id="c4", action={"command": ["sh", "-c", "x"], "working_directory": "/"}),
        output("c4", json.dumps({"output": "x", "metadata": {"exit_code": 0}}), "function_call_output"),
    ]
    assert survives(IMPORTER, tmp_path / "r.jsonl", log, lines=True)
    arguments = {"command": ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}E"], "workdir": CWD}
    for other in spoilt(arguments):
        call = item("function_call", name="shell", call_id="c1", arguments=json.dumps(other))
        said = {"output": "x", "metadata": {"exit_code": 0}} if other is None else other
        read(IMPORTER, write_lines(tmp_path / "r.jsonl", call, output(said=json.dumps(said))))
