"""Recorded calls that cannot be compared with what the tools do, and paths that a log must not lead to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora.importers.logs import write_lines
from tests.harness.commands.corpora.recorded_sessions import (
    CWD,
    NOT_FOUND,
    PATH,
    SPACED,
    TEXT,
    Claude,
    call,
    copilot_cli,
    document,
    outcomes,
    pi,
)


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
