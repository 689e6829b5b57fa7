"""What a call shows the agent besides what it reads."""

from __future__ import annotations

from typing import Any

from corpora.importers.calls import with_shown
from corpora.importers.session import Attempt, Disturbed, Event, Read, Shown, Wrote


def shown(*events: Event, told: Any = ({"command": "ls", "n": 1}, "a.py")) -> list[Event]:
    return list(with_shown(events, *told))


def test_a_call_that_disturbs_shows_its_arguments_and_its_result() -> None:
    assert shown(Disturbed()) == [Disturbed("ls\na.py")]
    assert shown(Disturbed(), told=("ls", None)) == [Disturbed()]


def test_other_calls_show_them_after_what_they_do() -> None:
    wrote, attempt = Wrote("a.py", "x"), Attempt("k", "str_replace")
    assert shown(wrote, attempt) == [wrote, attempt, Shown("ls\na.py")]
    assert shown() == [Shown("ls\na.py")]
    assert shown(told=({}, 5)) == shown(told=("ls", None)) == []


def test_a_read_says_what_was_seen() -> None:
    assert shown(Read("a.py", "x\n")) == [Read("a.py", "x\n")]


def test_texts_are_looked_for_in_nested_arguments_but_not_without_end() -> None:
    deep: Any = "deepest"
    for _ in range(5_000):
        deep = [deep]
    assert shown(told=([{"edits": [{"new": "a"}, {"new": "b"}]}, deep],)) == [Shown("a\nb")]
