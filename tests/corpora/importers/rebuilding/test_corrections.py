"""Retries with the same new text and a corrected search text."""

from __future__ import annotations

from time import process_time

import pytest

from corpora.importers.rebuilding.labels import is_corrected, retry_proof
from corpora.importers.session import Attempt
from editcore.types import Edit

TEXT = """import time

def wait(seconds):
    if not seconds:
        seconds = 60
    time.sleep(seconds)

def again(seconds):
    seconds = 20
    time.sleep(seconds)
"""
NEW = "    if not seconds:\n        seconds = 90\n"


def edit(old: str, new: str = NEW, replace_all: bool = False) -> Attempt:
    return Attempt("k", "str_replace", "a.py", (Edit(old, new, replace_all),))


RIGHT = edit("    if not seconds:\n        seconds = 60\n")


@pytest.mark.parametrize(
    "failed",
    [
        edit("    if not seconds:\n        seconds = 50\n"),
        edit("    if not secnods:\n        seconds = 60\n"),
        edit(".   if not seconds:\n        seconds = 60\n"),
        edit("    if not seconds: seconds = 60\n"),
    ],
    ids=["another value", "a slip", "a stray mark", "other lines, same words"],
)
def test_the_failed_edit_is_the_retry_with_another_search_text(failed: Attempt) -> None:
    assert is_corrected(failed, RIGHT, TEXT)
    assert retry_proof(failed, RIGHT, [TEXT]) == "retry_corrected"


@pytest.mark.parametrize(
    ("failed", "retried"),
    [
        (edit("    if not seconds:\n        pass\n"), RIGHT),
        (edit("    if not seconds:\n"), RIGHT),
        (edit("    if not seconds:\n        seconds = 50\n    time.sleep(seconds)\n"), RIGHT),
        (edit("    if not seconds:\n        seconds = 60\n        return 1\n"), RIGHT),
        (edit("    seconds = 40\n", "    seconds = 90\n"), edit("    seconds = 20\n", "    seconds = 90\n")),
        (edit("    if not seconds:\n        seconds = 50\n", NEW + "\n"), RIGHT),
        (edit("    if not seconds:\n        seconds = 50\n", ""), edit("    if not seconds:\n", "")),
        (edit("    if not seconds:\n        seconds = 50\n", replace_all=True), RIGHT),
        (edit("", NEW), RIGHT),
        (RIGHT, RIGHT),
    ],
    ids=[
        "a line of other words",
        "the retry gives up a line more",
        "a line that the retry leaves is in the file",
        "a line of words that nobody else has",
        "two places are as near",
        "another new text",
        "no new text",
        "all places",
        "no search text",
        "the same edit",
    ],
)
def test_what_may_be_another_change_proves_nothing(failed: Attempt, retried: Attempt) -> None:
    assert not is_corrected(failed, retried, TEXT)


def test_other_names_between_the_same_marks_are_another_line() -> None:
    line = "ROOT = path.join(path.dirname(here))\n"
    assert not is_corrected(edit("ENTRY = batch.take(batch.first(x))\n", "x\n"), edit(line, "x\n"), line)
    assert not is_corrected(edit("ROOT = path.join(path.absolute(here))\n", "x\n"), edit(line, "x\n"), line)
    assert is_corrected(edit("ROOT = path.join(path.dir_name(here))\n", "x\n"), edit(line, "x\n"), line)


def test_lines_that_only_the_retry_shows_count_for_nothing_if_they_stay() -> None:
    wider = edit("def wait(seconds):\n    if not seconds:\n", "def wait(seconds):\n    check()\n    if not seconds:\n")
    narrow = edit("def wait(seconds):\n    if not:\n", "def wait(seconds):\n    check()\n    if not seconds:\n")
    assert is_corrected(narrow, wider, TEXT)
    assert not is_corrected(edit("    seconds = 60\n"), RIGHT, TEXT)


def test_several_edits_are_corrected_one_by_one() -> None:
    other = Edit("def again(seconds):", "def again(n):")
    wrong = Edit("    if not seconds:\n        seconds = 50\n", NEW)
    retried = Attempt("k", "str_replace", "a.py", (*(RIGHT.edits or ()), other))
    assert is_corrected(Attempt("k", "str_replace", "a.py", (wrong, other)), retried, TEXT)
    assert not is_corrected(Attempt("k", "str_replace", "a.py", (wrong,)), retried, TEXT)
    assert not is_corrected(Attempt("k", "search_replace", "a.py", (wrong, other)), retried, TEXT)
    assert not is_corrected(Attempt("k", "begin_patch", patch="x"), retried, TEXT)


def test_long_search_texts_are_compared_in_little_time() -> None:
    start = process_time()
    line = "a = b + c\n"
    for n in (1_000, 20_000):
        assert not is_corrected(edit(line * n + "q\n", "x\n"), edit(line * n + "z\n", "x\n"), line * 2 * n)
    assert process_time() - start < 5
