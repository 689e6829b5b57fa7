"""Recorded sessions of several agents, re-run through the tools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editcore.host.tools import TOOLS
from harness.replay import session_workspace
from tests.corpora.importers.logs import write_lines
from tests.harness.commands.corpora.recorded_sessions import (
    CHANGED,
    CWD,
    DIFF,
    FORMATS,
    NOT_FOUND,
    PATH,
    SPACED,
    TEXT,
    Claude,
    call,
    claude_code,
    codex,
    copilot_cli,
    document,
    opencode,
    outcomes,
    patches,
    pi,
    repository,
)


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_a_session_of_every_format_is_recognised_and_comes_out_as_it_was_recorded(make: Any, tmp_path: Path) -> None:
    log = make(tmp_path)
    first = {"codex": "edit_patch", "copilot_cli": "write", "cline": "write"}.get(make.__name__, "read")
    edit = "edit_patch" if make is codex else "edit"
    expected = [
        (first, "applied", "applied", "same"),
        (edit, "applied", "applied", "same"),
        (edit, "no_match", "no_match", "same"),
    ]
    for place in (log, tmp_path):
        assert outcomes(place) == expected
        assert [one["format"] for one in document(place)["sessions"]] == [make.__name__]
    assert outcomes(log, "--format", make.__name__) == expected
    assert call(log).exit_code == 0


UPDATE = "*** Update File: a.py\n@@\n-    return 1\n+    return 3"
UPDATED = {PATH: {"type": "update", "unified_diff": DIFF, "move_path": None}}


# What differs


def test_what_a_cascade_finds_and_the_recorded_tool_did_not_is_a_difference(tmp_path: Path) -> None:
    log = Claude().reads().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND).at(tmp_path)
    found = call(log)
    assert found.stdout.splitlines() == [
        f"{log}:#2 edit a.py: recorded no_match, here applied: found by indentation",
        "2 calls of 1 session",
        "        1  the same",
        "        1  differ",
        "          1  applied here",
        "        0  not comparable",
    ]
    assert found.exit_code == 1
    for cascade in ("exact", "simple+multi_occurrence", "block_anchor@similarity=1"):
        assert call(log, "--cascade", cascade).exit_code == 0, cascade
    assert call(log, "--cascade", "simple+line_trimmed").exit_code == 1


def test_after_a_difference_the_files_go_on_as_they_were_recorded(tmp_path: Path) -> None:
    refused = Claude().reads().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND)
    again = refused.edits("def f():\n    return 1", "def f():\n    return 3").edits("return 3", "return 4")
    assert [verdict for *_, verdict in outcomes(again.at(tmp_path))] == ["same", "applied here", "same", "same"]


def test_an_edit_that_was_applied_and_is_refused_here_says_why(tmp_path: Path) -> None:
    log = opencode(tmp_path)
    old, new = json.dumps(SPACED), json.dumps("def f():\n    return 3")
    log.write_text(log.read_text().replace('"return 1"', old).replace('"return 3"', new))
    assert outcomes(log)[1] == ("edit", "applied", "applied", "same")
    (_, edit, then) = document(log, "--all", "--cascade", "exact")["sessions"][0]["calls"]
    assert (edit["verdict"], edit["here"], edit["reason"]) == ("refused here", "no_match", "no_match")
    assert "not found" in edit["message"]
    assert then["verdict"] == "same"


def test_another_reason_is_a_difference(tmp_path: Path) -> None:
    several = "Found 2 matches of the string to replace, but replace_all is false."
    log = Claude().reads().edits("x", "y", refused=several).at(tmp_path)
    (edit,) = document(log)["sessions"][0]["calls"]
    assert (edit["recorded"], edit["here"], edit["verdict"]) == ("ambiguous", "no_match", "other reason")


def test_another_text_is_told_by_the_lines_that_differ(tmp_path: Path) -> None:
    after = TEXT.replace("return 2", "return 9")
    log = opencode(tmp_path)
    log.write_text(log.read_text().replace(json.dumps(CHANGED), json.dumps(after)))
    (edit,) = document(log)["sessions"][0]["calls"]
    assert edit == {
        "index": 2,
        "tool": "edit",
        "path": "a.py",
        "recorded": "applied",
        "here": "applied",
        "verdict": "other text",
        "reason": None,
        "message": "lines 2-6 differ: recorded '    return 1', here '    return 3'",
        "first_differing_line": 2,
    }
    assert "#2 edit a.py: recorded applied, here applied with another text: lines 2-6" in call(log).stdout
    assert document(log)["differs"] == {"other text": 1}


def test_a_file_that_the_recorded_tool_ends_otherwise_is_another_text(tmp_path: Path) -> None:
    taken = Claude().reads("a\nb\nc\n").edits("b", "", originalFile="a\nb\nc\n")
    (edit,) = document(taken.at(tmp_path))["sessions"][0]["calls"]
    assert (edit["verdict"], edit["first_differing_line"]) == ("other text", 2)


def test_a_write_over_a_file_that_was_not_read_is_refused_here_and_the_session_goes_on(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", "old\n")
    log = copilot_cli(tmp_path / "log", headCommit="HEAD")
    assert outcomes(log, "--repo", project) == [
        ("write", "applied", "unread", "refused here"),
        ("edit", "applied", "applied", "same"),
        ("edit", "no_match", "no_match", "same"),
    ]


# What is the same


def test_an_edit_without_reading_is_refused_here_as_well(tmp_path: Path) -> None:
    log = Claude().edits("x", "y", refused="File has not been read yet.").at(tmp_path)
    assert outcomes(log) == [("edit", "unread", "unread", "same")]


def test_what_is_written_and_changed_in_several_places_is_made_again(tmp_path: Path) -> None:
    session = Claude().writes(TEXT).writes(CHANGED).edits_all(("return 3", "return 4"), ("return 2", "return 5"))
    same = ("applied", "applied", "same")
    assert outcomes(session.at(tmp_path)) == [("write", *same), ("write", *same), ("multi_edit", *same)]


def test_a_file_that_changed_unseen_is_the_one_that_was_read_again(tmp_path: Path) -> None:
    formatted = TEXT.replace("    ", "  ")
    session = Claude().reads().runs().reads(formatted).edits("  return 1", "  return 3")
    assert [verdict for *_, verdict in outcomes(session.at(tmp_path), "--cascade", "exact")] == ["same"] * 3


def test_a_stretch_is_read_where_it_is_the_files(tmp_path: Path) -> None:
    session = Claude().reads().reads("def g():", first=5, total=7).reads("def h():", first=5, total=7)
    told = [verdict for *_, verdict in outcomes(session.reads("x", first=5, total=7).at(tmp_path))]
    assert told == ["same", "same", "the file may have changed unseen", "the file's text is not known"]


def test_a_text_that_the_log_lacks_is_the_repositorys_until_the_session_has_changed_it(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", TEXT)
    moved = {
        "type": "update",
        "move_path": f"{CWD}/b.py",
        "unified_diff": "@@ -2 +2 @@\n-    return 3\n+    return 4\n",
    }
    log = patches(
        tmp_path / "log",
        (UPDATE, UPDATED),
        ("*** Update File: a.py\n*** Move to: b.py\n@@\n-    return 3\n+    return 4", {PATH: moved}),
        ("*** Delete File: b.py", {f"{CWD}/b.py": {"type": "delete", "content": ""}}),
        (UPDATE, UPDATED),
    )
    same = ("edit_patch", "applied", "applied", "same")
    unknown = ("edit_patch", "applied", "-", "the file's text is not known")
    assert outcomes(log, "--repo", project) == [same, same, same, unknown]
    assert outcomes(log) == [unknown] * 4


def test_of_a_patch_that_names_no_file_of_a_workspace_nothing_is_known(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", TEXT)
    both = f"{UPDATE}\n*** Delete File: {'x' * 300}"
    log = patches(tmp_path / "log", (UPDATE, UPDATED), (both, UPDATED), (UPDATE, UPDATED))
    assert [told for *_, told in outcomes(log, "--repo", project)] == [
        "same",
        "its path cannot be in a workspace",
        "the file's text is not known",
    ]


def test_where_only_a_diff_was_recorded_it_says_whether_the_text_is_the_same(tmp_path: Path) -> None:
    lines = [" def f():", "-    return 1", "+    return 3"]
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": lines}
    found = Claude().reads().edits(SPACED, "def f():\n    return 3", structuredPatch=[hunk])
    log = found.edits("return 3", "return 4").at(tmp_path)
    assert [told for *_, told in outcomes(log)] == ["same"] * 3
    assert [told for *_, told in outcomes(log, "--cascade", "exact")] == [
        "same",
        "the recorded diff does not fit the text",
        "the file's text is not known",
    ]


def test_lines_are_inserted_where_they_were(tmp_path: Path) -> None:
    log = copilot_cli(tmp_path)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[3]["data"] |= {"toolName": "insert", "arguments": {"path": PATH, "insert_line": 1, "new_str": "    x = 1"}}
    shown = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n def f():\n+    x = 1\n     return 1\n"
    lines[4]["data"]["result"]["detailedContent"] = shown
    write_lines(log, *lines)
    assert outcomes(log)[1] == ("insert_at", "applied", "applied", "same")


def test_a_session_that_starts_afresh_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    def action(number: int, **args: Any) -> list[dict[str, Any]]:
        args = {"path": "/workspace/a.py", **args}
        extras = {"tool_call_metadata": {"tool_call_id": f"c{number}"}}
        made = {"id": number, "source": "agent", "action": "edit", "args": args} | extras
        seen = {"id": number + 1, "cause": number, "observation": "edit", "content": "", "extras": {}} | extras
        return [made, seen]

    history = {"history": action(1, command="create", file_text=TEXT)}
    log = write_lines(tmp_path / "s.jsonl", history, history)
    assert outcomes(log, "--format", "openhands") == [("write", "applied", "applied", "same")] * 2


def test_a_tool_that_fails_is_a_difference_and_the_calls_behind_it_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("no more")

    monkeypatch.setattr(session_workspace, "TOOLS", {**TOOLS, "edit": replace(TOOLS["edit"], run=fail)})
    log = Claude().reads().edits("return 1", "return 3").reads(CHANGED).at(tmp_path)
    assert outcomes(log) == [
        ("read", "applied", "applied", "same"),
        ("edit", "applied", "-", "crashed"),
        ("read", "applied", "applied", "same"),
    ]
    assert call(log).stdout.startswith(f"{log}:#2 edit a.py: recorded applied, crashed: RuntimeError: no more\n")


# The command


def test_a_folder_of_several_agents_is_replayed_up_to_a_limit(tmp_path: Path) -> None:
    for make in FORMATS:
        make(tmp_path / make.__name__)
    assert {one["format"] for one in document(tmp_path)["sessions"]} == {make.__name__ for make in FORMATS}
    assert document(tmp_path)["n_calls"] == 3 * len(FORMATS)
    assert len(document(tmp_path, "-n", 2)["sessions"]) == 2
    assert "7 sessions" in call(tmp_path).stdout


def test_without_all_only_what_differs_is_listed(tmp_path: Path) -> None:
    log = claude_code(tmp_path)
    assert call(log).stdout.splitlines()[0] == "3 calls of 1 session"
    assert call(log, "--all").stdout.splitlines()[0] == f"{log}:#1 read a.py: recorded applied, here applied"
    assert document(log)["sessions"][0]["calls"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone"], "There is no gone"),
        (["empty"], "These sessions hold no call that reads, writes or edits a file"),
        (["empty", "--format", "pi"], "empty holds no logs of pi"),
        (["chat.jsonl", "--format", "pi"], "These sessions hold no call that reads, writes or edits a file"),
        (["chat.jsonl"], "These sessions hold no call that reads, writes or edits a file"),
        (["s.jsonl", "--format", "fortran"], "There is no importer 'fortran'"),
        (["s.jsonl", "--cascade", "waterfall"], "There is no cascade 'waterfall'"),
        (["s.jsonl", "--cascade", "simple+simpel"], "There is no replacer 'simpel'"),
        ([], "Missing argument 'LOG...'."),
    ],
)
def test_what_can_not_be_replayed_is_told_in_two_lines(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    write_lines(Path("chat.jsonl"), {"type": "user", "message": {"content": "hello"}})
    claude_code(tmp_path)
    found = call(*arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.splitlines()[0] == f"error: {message}"
    assert len(found.stderr.splitlines()) == 2


def test_a_misspelt_format_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    assert (
        "  Did you mean claude_code? Choose from: auto, claude_code, "
        in call(claude_code(tmp_path), "--format", "claudecode").stderr
    )


# Recorded calls that cannot be compared with what the tools do, and paths that a log must not lead to.


@pytest.mark.parametrize(
    ("session", "why_not"),
    [
        (Claude().edits("x", "y"), "the file's text is not known"),
        (Claude().edits("x", "y", refused=NOT_FOUND), "the file's text is not known"),
        (Claude().reads().runs().edits("retrun", "x"), "the file may have changed unseen"),
        (Claude().reads().edits("return 1", "x", refused=NOT_FOUND), "the text contradicts the recorded failure"),
        (
            Claude().reads().edits("x", "y", refused="File has been modified since read"),
            "the file may have changed unseen",
        ),
        (Claude().reads().edits("x", "y", refused="The user doesn't want to"), "it was not tried: declined"),
        (Claude().reads().edits("x", "y", refused="What?"), "its outcome was not recorded"),
        (Claude().reads().edits(SPACED, "def f():\n    return 3"), "what it left is not known"),
        (
            Claude().reads().edits("return 1", "x", originalFile=TEXT, userModified=True),
            "the user changed the proposal",
        ),
        (
            Claude().reads().runs().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND),
            "the file may have changed unseen",
        ),
    ],
)
def test_what_the_log_does_not_tell_for_certain_is_no_difference(session: Claude, why_not: str, tmp_path: Path) -> None:
    log = session.at(tmp_path)
    assert outcomes(log)[-1][2:] == ("-", why_not)
    found = document(log)
    assert found["not_comparable"] == {why_not: 1}
    assert found["n_same"] == found["n_calls"] - 1
    assert call(log).exit_code == 0


def test_an_edit_without_its_arguments_can_not_be_made(tmp_path: Path) -> None:
    log = copilot_cli(tmp_path)
    log.write_text(log.read_text().replace('"old_str": "return 1", ', ""))
    assert outcomes(log)[1] == ("edit", "applied", "-", "the log lacks its arguments")


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ([("return 1", "return 3"), ("def g", "def h")], ("applied", "same")),
        (
            [("return 1", "return 2"), ("return 2", "return 1")],
            ("-", "each of its edits is for the text before all of them"),
        ),
    ],
)
def test_edits_for_the_text_before_all_of_them_are_compared_where_it_comes_to_the_same(
    edits: list[tuple[str, str]], told: tuple[str, str], tmp_path: Path
) -> None:
    log = pi(tmp_path)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (part,) = lines[3]["message"]["content"]
    part["arguments"]["edits"] = [{"oldText": old, "newText": new} for old, new in edits]
    # Without a diff the edits say what came of them.
    lines[4]["message"]["details"] = {}
    write_lines(log, *lines)
    assert outcomes(log)[1] == ("multi_edit", "applied", *told)


# Paths


@pytest.mark.parametrize(
    ("cwd", "path"),
    [
        (CWD, "{outside}/victim.py"),
        (CWD, "../../../../../../../..{outside}/victim.py"),
        ("", "../../../../../../../../../..{outside}/victim.py"),
        ("", "../victim.py"),
        (CWD, "a\0b"),
        (CWD, "x" * 300),
        (CWD, "x/" * 3000 + "y"),
        (CWD, "\ud800"),
        ("/", "{outside}/victim.py"),
    ],
)
def test_whatever_a_log_names_nothing_outside_is_touched(cwd: str, path: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "victim.py"
    victim.write_text("mine\n")
    path = path.format(outside=outside)
    session = Claude(cwd).reads(TEXT, path).edits("return 1", "return 3", path).writes("all new\n", path)
    log = session.at(tmp_path / "log")
    found = document(log, "--all")
    assert found["n_calls"] == 3
    assert victim.read_text() == "mine\n"
    assert [one.name for one in outside.iterdir()] == ["victim.py"]
    if cwd and path.endswith("victim.py"):
        assert found["n_same"] == 3
    else:
        assert found["not_comparable"] == {"its path cannot be in a workspace": 3}


def test_a_file_that_is_said_to_lie_in_a_file_is_not_comparable(tmp_path: Path) -> None:
    told = outcomes(Claude().reads().reads("x", f"{PATH}/b.py").reads().at(tmp_path))
    assert [verdict for *_, verdict in told] == ["same", "its file cannot be written here", "same"]


def test_a_text_that_utf_8_does_not_have_is_not_comparable(tmp_path: Path) -> None:
    told = outcomes(Claude().reads("\ud800\n").writes("x\n").at(tmp_path))
    assert [verdict for *_, verdict in told] == ["its file cannot be written here", "same"]
