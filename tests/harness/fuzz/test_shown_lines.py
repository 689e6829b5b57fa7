"""Numbers mean the lines that were shown: the model that judges sessions, and tools that count otherwise."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from editcore.host.tools import Agent, Context, Registry, Result
from editcore.host.tools.edit_file import insert_at
from editcore.types import Rejected
from harness.fuzz.inputs import PATH
from harness.fuzz.targets import shown_lines
from harness.fuzz.targets.known_lines import Change, File, Line, Shown


def read(text: str) -> tuple[File, list[Shown]]:
    """A file with a line for each letter, and its lines as they are shown."""
    file = File([Line(letter) for letter in text])
    shown = [file.shown(index) for index in range(len(text))]
    file.time += 1
    return file, shown


def left(file: File, change: Change) -> list[str]:
    return ["".join(line.text for line in lines) for lines in file.edited(change, is_below=change.start == change.stop)]


def test_a_line_stays_the_same_line_wherever_it_goes() -> None:
    file, shown = read("abcd")
    file.inserted(0, "xy")
    file.moved(2, 3, 5)
    assert left(file, Change(shown[:1], 0, 1, ["A"])) == ["xybcdA"]
    assert left(file, Change(shown[1:2], 1, 1, ["N"])) == ["xybNcda"]


def test_a_line_that_is_gone_or_reworded_cannot_be_changed() -> None:
    file, shown = read("abcd")
    file.deleted(1, 2)
    file.lines[1].text = "C"
    assert left(file, Change(shown[:2], 0, 2, ["N"])) == []
    assert left(file, Change(shown[2:3], 0, 1, ["N"])) == []
    assert not any(map(file.is_vague, shown))


@pytest.mark.parametrize(
    ("text", "change", "vague"),
    [
        ("aabc", lambda file: file.deleted(0, 1), "aa"),
        ("abcd", lambda file: (file.copied(0, 2, 4), file.deleted(0, 2)), "ab"),
        ("abcd", lambda file: (file.deleted(1, 2), file.inserted(2, "b")), ""),
        ("abcd", lambda file: (file.deleted(1, 2), file.inserted(1, "b")), "b"),
    ],
)
def test_lines_that_the_two_texts_do_not_tell_apart_are_vague(
    text: str, change: Callable[[File], object], vague: str
) -> None:
    file, shown = read(text)
    change(file)
    assert "".join(one.text for one in shown if file.is_vague(one)) == vague


class _Counting(Registry):
    """Tools of which `insert_at` counts lines in the file as it is."""

    def call(self, agent: Agent, tool: str, context: Context, params: Any) -> Result:
        if tool != "insert_at":
            return super().call(agent, tool, context, params)
        result = insert_at(self.host.workspace, PATH, params["line"], params["content"])
        return Result(PATH, getattr(result, "message", ""), {}, is_error=isinstance(result, Rejected))


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("read", "insert", "insert_at"), "is made at another line"),
        (("read", "delete", "insert_at"), "is made at a line that is gone or reworded"),
        (("read_part", "insert_unshown"), "is made at a line that is gone or reworded"),
    ],
)
def test_a_tool_that_counts_lines_in_the_file_as_it_is_is_found(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], what: str
) -> None:
    monkeypatch.setattr(shown_lines, "Registry", _Counting)
    sessions = [("numbers", "a\nb\nc\nd\ne\n", *(f"{name} {seed}" for name in names)) for seed in range(20)]
    found = {one.path for fields in sessions for one in shown_lines.calls_mean_shown_lines(fields, False)}
    assert f"insert_at: {what}" in found


@pytest.mark.parametrize("seed", range(25))
def test_calls_of_a_session_are_made_where_their_lines_are_or_refused(seed: int) -> None:
    fields = shown_lines.session(Random(seed))
    assert shown_lines.calls_mean_shown_lines(fields, False) == (), fields
