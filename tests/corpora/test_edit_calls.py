"""Counts of edit calls, and the file beside a corpus that has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.edit_calls import CallCounts, EditCalls, calls_sentence, outcomes_beside
from corpora.importers.faults import fault_of, outcome_of
from corpora.importers.session import Attempt, Unmade

_FIELDS = ("filePath", "oldString", "newString")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (None, "truncated_arguments"),
        ('{"filePath": "a', "truncated_arguments"),
        ({"file": "a", "oldString": "x", "newString": "y"}, "wrong_field"),
        ({"edit": {"filePath": "a", "oldString": "x", "newString": "y"}}, "wrong_nesting"),
        ({"filePath": "a", "oldString": ["x"], "newString": "y"}, "wrong_nesting"),
    ],
)
def test_arguments_without_an_edit_have_a_fault(arguments: object, fault: str) -> None:
    assert fault_of(arguments, _FIELDS) == fault


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("<tool_use_error>Error: No such tool available: str_replace", "invented_tool"),
        ("InputValidationError: Edit failed:\nThe required parameter `file_path` is missing", "wrong_field"),
        ("InputValidationError: Edit failed:\nAn unexpected parameter `path` was provided", "wrong_field"),
        ("InputValidationError: The parameter `edits` type is expected as `array` but provided as `string`",
         "wrong_nesting"),
        ("Invalid input for tool edit: JSON parsing failed: Text: {", "truncated_arguments"),
        ("invalid hunk at line 2", "malformed"),
    ],
)  # fmt: skip
def test_the_reply_to_a_malformed_call_says_what_was_wrong(reply: str, outcome: str) -> None:
    assert outcome_of(Attempt("k", "str_replace", outcome="malformed", reply=reply)) == outcome


def test_a_failed_call_of_an_unknown_tool_counts_only_if_there_is_no_such_tool() -> None:
    assert outcome_of(Unmade("k", reply="Unknown tool: edit_file")) == "invented_tool"
    assert outcome_of(Unmade("k", reply="the server is down")) is None


def test_a_copy_of_a_call_counts_once_and_the_copy_with_a_result_counts() -> None:
    calls = CallCounts()
    for outcome in ("unknown", "unread", "unknown", "applied"):
        calls.add(7, outcome, "a", "m", 1_780_000_000.0)
    assert calls.counts == {EditCalls("unread", "a", "m", "2026-05"): 1}


def test_the_counts_beside_a_corpus_are_read_back_and_damage_reads_as_none(tmp_path: Path) -> None:
    calls, corpus = CallCounts(), tmp_path / "mine.jsonl"
    for key, outcome in enumerate(("applied", "applied", "unread", "no_match")):
        calls.add(key, outcome, "a", None, None)
    assert outcomes_beside(corpus) == {}
    calls.write_beside(corpus)
    assert outcomes_beside(corpus) == {"applied": 2, "unread": 1, "no_match": 1}
    told = "Of 4 edit calls in the logs, 2 (50.0 %) made no edit: 1 unread, 1 no_match."
    assert calls_sentence(outcomes_beside(corpus)) == told
    beside = tmp_path / "mine.jsonl.calls.json"
    for damaged in ("", "[]", '{"calls": [{}]}', '{"calls": [{"outcome": [], "n": 1}]}', '{"calls": 3}'):
        beside.write_text(damaged)
        assert outcomes_beside(corpus) == {}
