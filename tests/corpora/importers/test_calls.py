"""Times, and the texts that a call shows to the agent."""

from __future__ import annotations

from typing import Any

import pytest

from corpora.importers.calls import seconds, with_shown
from corpora.importers.session import Attempt, Disturbed, Event, Read, Shown, Wrote


def shown(*events: Event, told: Any = ({"command": "ls", "n": 1}, "a.py")) -> list[Event]:
    return list(with_shown(events, *told))


def test_a_call_that_disturbs_shows_its_arguments_and_its_result() -> None:
    assert shown(Disturbed()) == [Disturbed("ls\na.py")]
    assert shown(Disturbed(), told=("ls", None)) == [Disturbed()]


def test_other_calls_show_them_after_what_they_do() -> None:
    wrote, attempt = Wrote("a.py", "x"), Attempt("k", "str_replace")
    replied = Attempt("k", "str_replace", reply="a.py")
    assert shown(wrote, attempt) == [wrote, replied, Shown("ls\na.py")]
    assert shown() == [Shown("ls\na.py")]
    assert shown(told=({}, 5)) == shown(told=("ls", None)) == []


def test_a_read_says_what_was_seen() -> None:
    assert shown(Read("a.py", "x\n")) == [Read("a.py", "x\n")]


def test_texts_are_looked_for_in_nested_arguments_but_not_without_end() -> None:
    deep: Any = "deepest"
    for _ in range(5_000):
        deep = [deep]
    assert shown(told=([{"edits": [{"new": "a"}, {"new": "b"}]}, deep],)) == [Shown("a\nb")]


@pytest.mark.parametrize(
    "value", [1_780_000_000, 1_780_000_000_000, "2026-05-28T20:26:40Z", "2026-05-28T22:26:40.000+02:00"]
)
def test_a_time_is_in_seconds_or_milliseconds_or_by_iso_8601(value: object) -> None:
    assert seconds(value) == 1_780_000_000


@pytest.mark.parametrize("value", [None, 0, -1, True, 1e300, float("nan"), "", "yesterday", {}])
def test_what_is_no_time_is_none(value: object) -> None:
    assert seconds(value) is None
