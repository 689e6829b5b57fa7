"""Failed edits that must be refused."""

from __future__ import annotations

import pytest

from corpora.importers.rebuilding.labels import refusal_source
from corpora.importers.session import Attempt
from editcore.types import Edit

DONE = "def f():\n    x = 2\n    return x\n"


def failed(old: str, new: str, outcome: str = "no_match") -> Attempt:
    return Attempt("k", "str_replace", "a.py", (Edit(old, new),), outcome=outcome)


def test_a_change_that_the_file_has_already_is_to_be_refused() -> None:
    assert refusal_source(failed("    x = 1\n", "    x = 2\n"), [DONE], 0) == "already_applied"
    assert refusal_source(failed("def f():\n    return x\n", "def f():\n    x = 2\n    return x\n"), [DONE], 0)


@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        (failed("    x = 1\n", "    x = 3\n"), DONE),
        (failed("  x = 1\n", "    x = 2\n"), DONE + "    x = 1\n"),
        (failed("    x = 1\n", "    x = 2\n"), DONE + DONE),
        (failed("def f():\n    y = 1\n", "def f():\n    x = 2\n"), DONE + "\ndef f():\n    y = 3\n"),
        (failed("    x = 1\n    x = 2\n", "    x = 2\n"), DONE),
        (failed("    x = 1\n", "    x = 2 \n"), DONE),
        (failed("    x = 1\n", ""), DONE),
        (failed("", "    x = 2\n"), DONE),
        (failed("    x = 1\n", "    x = 2\n", "malformed"), DONE),
    ],
    ids=[
        "another new text",
        "the old text but for whitespace",
        "the new text twice",
        "its first line twice",
        "nothing new",
        "other whitespace",
        "no new text",
        "no search text",
        "no failed match",
    ],
)
def test_what_the_file_may_not_have_yet_is_not(attempt: Attempt, text: str) -> None:
    assert refusal_source(attempt, [text], 0) is None


def test_edits_of_several_files_and_patches_are_left_open() -> None:
    assert refusal_source(failed("    x = 1\n", "    x = 2\n"), [DONE, DONE], 0) is None
    assert refusal_source(Attempt("k", "begin_patch", patch="x", outcome="no_match"), [DONE], 0) is None
    assert refusal_source(failed("    x = 1\n", "    x = 2\n"), [], 0) is None
