"""The agent's view of the files of its edits."""

from __future__ import annotations

from random import Random

import pytest

from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, Shown, Wrote
from corpora.sample import Sample, SeenLines
from editcore.types import Edit, File
from tests.corpora.importers.rebuilding.attempts import DONE, TEXT, diff, edit, run, samples

LATER = TEXT.replace("x = 1", "x: int = 1")
"""The text after a formatter ran."""
LONG = "".join(f"line number {n}\n" for n in range(1, 21))
QUIET = Disturbed("ruff format\n1 file reformatted")


def of(text: str, path: str = "a.py") -> tuple[File, ...]:
    return (File(path, text),)


def met(text: str, old: str = "x = 1", new: str = "x = 2", outcome: str = "no_match", key: str = "k") -> Attempt:
    """An edit whose result has the text that it met."""
    return edit(old, new, outcome, key, before=of(text))


def last(*events: Event) -> Sample:
    return samples(*events)[-1]


def shown(*events: Event) -> tuple[str | None, bool]:
    """What was seen of the file of the last edit, and whether that is what it met."""
    sample = last(*events)
    return sample.seen[0].content if sample.seen else None, "seen:same" in sample.tags


def test_an_edit_of_what_was_read_is_known_to_be_so() -> None:
    for seen in (Read("a.py", TEXT), Wrote("a.py", TEXT)):
        assert shown(seen, edit()) == (None, True)
        assert shown(seen, QUIET, met(TEXT, "q")) == (None, True)


def test_an_edit_of_a_changed_file_says_what_was_seen() -> None:
    assert shown(Read("a.py", TEXT), QUIET, met(LATER)) == (TEXT, False)
    assert shown(Wrote("a.py", TEXT), QUIET, met(LATER)) == (TEXT, False)


def test_nothing_is_said_of_a_file_that_was_not_seen_or_may_have_changed() -> None:
    assert shown(met(LATER)) == (None, False)
    assert shown(Read("a.py", TEXT), QUIET, edit("q", outcome="no_match")) == (None, False)
    assert shown(Read("a.py", TEXT), Wrote("a.py", None), met(LATER)) == (None, False)
    assert shown(Read("a.py", TEXT), edit(outcome="unknown"), met(LATER)) == (None, False)
    assert shown(Read("a.py", TEXT), Opened(afresh=True), met(LATER)) == (None, False)


def test_a_change_that_was_shown_is_known() -> None:
    read = Read("a.py", TEXT)
    for event in (
        Disturbed("$ git diff\n+    x: int = 1"),
        Disturbed(),
        Shown("a.py:2:    x: int = 1"),
        Disturbed("q" * 2**21),
    ):
        assert shown(read, event, met(LATER)) == (None, False)
        assert shown(event, read, QUIET, met(LATER)) == (TEXT, False)


def test_an_output_that_is_not_kept_any_more_may_have_shown_the_change() -> None:
    long = Disturbed("q" * (2**20 - 99))
    assert shown(Read("a.py", TEXT), long, met(LATER)) == (TEXT, False)
    assert shown(Read("a.py", TEXT), long, long, met(LATER)) == (None, False)


def test_line_endings_are_not_seen() -> None:
    assert shown(Read("a.py", TEXT), QUIET, met(TEXT.replace("\n", "\r\n"), "q")) == (None, True)
    assert shown(Read("a.py", TEXT), QUIET, met(TEXT.removesuffix("\n"), "q")) == (None, True)


def test_own_edits_are_known_and_changes_beside_them_are_not() -> None:
    read, made = Read("a.py", TEXT), met("import os\n\n\n" + TEXT, outcome="applied", key="1")
    sample = last(read, QUIET, made, met("import os\n\n\n" + DONE, "q"))
    assert sample.seen == of(DONE)
    assert shown(read, edit(key="1"), met(DONE, "q")) == (None, True)
    patch = Attempt(
        "1", "insert", "a.py", patch="y = 1", line=3, outcome="applied", before=of(LATER), after=of(LATER + "y = 1\n")
    )
    assert shown(read, QUIET, patch, met(LATER + "y = 1\n", "q")) == (TEXT + "y = 1\n", False)


def test_an_own_edit_of_changed_lines_leaves_nothing_known() -> None:
    rewritten = Attempt(
        "1", "line_range", "a.py", patch="z", line=2, end_line=2, outcome="applied",
        before=of(LATER), after=of(LATER.replace("    x: int = 1", "z")),
    )  # fmt: skip
    assert shown(Read("a.py", TEXT), QUIET, rewritten, met(LATER.replace("    x: int = 1", "z"), "q")) == (None, False)


def part(first: int, end: int, text: str = LONG) -> Read:
    return Read("a.py", "\n".join(text.split("\n")[first - 1 : end]), first, whole=False)


@pytest.mark.parametrize("changed", [LONG.replace("number 2\n", "number two\n"), LONG + "more\n"])
def test_of_a_file_that_was_shown_in_part_the_lines_are_said(changed: str) -> None:
    start = edit("line number 1\n", "line number 1\n", "applied", "1", before=of(LONG), after=of(LONG))
    sample = last(start, Opened(), part(3, 5), part(6, 6), part(9, 9), QUIET, met(changed, "q", key="2"))
    assert sample.seen == of(LONG)
    assert sample.seen_lines == (SeenLines("a.py", 3, 6), SeenLines("a.py", 9, 9))


def test_own_edits_move_and_add_lines_that_were_shown() -> None:
    start = edit("line number 1\n", "line number 1\n", "applied", "1", before=of(LONG), after=of(LONG))
    grown = LONG.replace("line number 4\n", "four\nand a half\n")
    own = edit("line number 4\n", "four\nand a half\n", "applied", "2")
    sample = last(start, part(3, 5), part(9, 9), own, QUIET, met(grown + "more\n", "q", key="3"))
    assert sample.seen == of(grown)
    assert sample.seen_lines == (SeenLines("a.py", 3, 6), SeenLines("a.py", 10, 10))


def test_a_part_of_a_text_that_is_not_known_is_compared_where_it_stood() -> None:
    assert shown(part(3, 5), part(8, 9), QUIET, met(LONG, "q")) == (None, True)
    assert shown(part(3, 5), QUIET, met(LONG.replace("number 1\n", "number one\n"), "q")) == (None, True)
    assert shown(part(3, 5), QUIET, met("new\n" + LONG, "q")) == (None, False)
    assert shown(part(3, 5), part(4, 6, "new\n" + LONG), QUIET, met("new\n" + LONG, "q")) == (None, True)


def test_a_part_that_shows_a_change_replaces_what_was_seen() -> None:
    changed = "new\n" + LONG
    assert shown(Read("a.py", LONG), QUIET, part(2, 5, changed), met(changed, "q")) == (None, True)


def test_of_a_patch_every_file_that_was_seen_is_said() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** Update File: b.py\n@@\n-c\n+d\n*** End Patch"
    two = Attempt(
        "k", "begin_patch", patch=patch, outcome="no_match", before=(File("a.py", "1\n"), File("b.py", "2\n"))
    )
    both = last(Read("a.py", "1\n"), Read("b.py", "0\n"), two)
    assert both.seen == (File("a.py", "1\n"), File("b.py", "0\n"))
    one = last(Read("a.py", "1\n"), two)
    assert (one.seen, "seen:same" in one.tags) == (None, False)
    assert "seen:same" in last(Read("a.py", "1\n"), Read("b.py", "2\n"), two).tags


# Refused edits of files that had changed.


@pytest.mark.parametrize("outcome", ["stale", "no_match"])
def test_what_a_refused_edit_met_is_what_the_next_read_shows(outcome: str) -> None:
    [refused] = samples(Read("a.py", TEXT), QUIET, edit(outcome=outcome), Read("a.py", LATER))
    assert (refused.before, refused.seen) == (of(LATER), of(TEXT))
    assert (refused.label, refused.provenance.recorded_outcome) == ("unlabelled", outcome)
    assert "before:disturbed" not in refused.tags


def test_what_it_met_may_be_in_the_result_of_the_next_edit() -> None:
    refused, made = samples(
        Read("a.py", TEXT), QUIET, edit(outcome="stale"), met(TEXT + "y\n", outcome="applied", key="2")
    )
    if made.provenance.recorded_outcome == "stale":
        refused, made = made, refused
    assert (refused.label, refused.label_source) == ("apply", "retry")
    assert (refused.before, refused.seen) == (of(TEXT + "y\n"), of(TEXT))


def test_what_it_met_is_not_known_if_something_ran_before_it_was_shown() -> None:
    for between in (Disturbed(""), Wrote("a.py", "z\n")):
        found, counts = run(Read("a.py", TEXT), QUIET, edit(outcome="stale"), between, Read("a.py", LATER))
        assert found == []
        assert counts["left out: stale"] == 1
    found, counts = run(Read("a.py", TEXT), QUIET, edit(outcome="no_match"))
    assert (found, counts["left out: the text contradicts the recorded failure"]) == ([], 1)


def test_an_edit_that_failed_after_something_ran_met_what_the_next_read_shows() -> None:
    [refused] = samples(Read("a.py", TEXT), QUIET, edit("q", outcome="no_match"), Read("a.py", LATER))
    assert (refused.before, refused.seen) == (of(LATER), of(TEXT))
    [refused] = samples(Read("a.py", TEXT), QUIET, edit("q", outcome="no_match"), Read("a.py", TEXT))
    assert (refused.before, refused.seen, "seen:same" in refused.tags) == (of(TEXT), None, True)
    [refused] = samples(Read("a.py", TEXT), QUIET, edit("q", outcome="no_match"), Disturbed(""), Read("a.py", LATER))
    assert (refused.before, refused.seen, "before:disturbed" in refused.tags) == (of(TEXT), None, True)


def test_an_edit_that_failed_after_something_ran_is_explained_by_its_retry() -> None:
    failed = edit("x=1", outcome="no_match", key="1")
    for retried in (edit(), edit(diffs=diff(TEXT, DONE)), met(TEXT, outcome="applied")):
        found = samples(Read("a.py", TEXT), QUIET, failed, retried)
        assert {one.label_source for one in found} >= {"retry"}


def test_a_failure_that_contradicts_what_nothing_changed_is_left_out_at_once() -> None:
    found, counts = run(Read("a.py", TEXT), edit(outcome="no_match"), Read("a.py", LATER))
    assert (found, counts["left out: the text contradicts the recorded failure"]) == ([], 1)


def test_a_change_that_the_file_has_already_had_to_be_refused() -> None:
    [refused] = samples(Read("a.py", TEXT), QUIET, edit("    x = 1\n", "    x = 2\n", "no_match"), Read("a.py", DONE))
    assert (refused.label, refused.label_source, refused.seen) == ("refuse", "already_applied", of(TEXT))


def test_a_patch_of_several_files_that_was_refused_as_stale_is_left_out() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** Update File: b.py\n@@\n-c\n+d\n*** End Patch"
    found, counts = run(
        Read("a.py", "a\n"), Read("b.py", "c\n"), Attempt("k", "begin_patch", patch=patch, outcome="stale"),
        Read("a.py", "a\n"), Read("b.py", "c\n"),
    )  # fmt: skip
    assert (found, counts["left out: stale"]) == ([], 1)


def test_a_refused_edit_with_the_text_it_met_is_kept() -> None:
    [refused] = samples(Read("a.py", TEXT), QUIET, met(LATER, outcome="stale"))
    assert (refused.before, refused.seen, refused.edits) == (of(LATER), of(TEXT), (Edit("x = 1", "x = 2"),))


# Labels of edits of changed files.


def stale_edit(now: str, **fields: object) -> Sample:
    """An applied edit of `now`, whose agent had seen TEXT."""
    return last(Read("a.py", TEXT), QUIET, met(now, outcome="applied", **fields))  # type: ignore[arg-type]


def test_the_only_place_of_a_search_text_is_right_if_a_merge_with_the_change_says_the_same() -> None:
    sample = stale_edit("import os\n\n\n" + TEXT)
    assert (sample.label, sample.label_source) == ("apply", "exact")
    assert sample.target == of("import os\n\n\n" + DONE)
    crlf = stale_edit(("import os\n\n\n" + TEXT).replace("\n", "\r\n"))
    assert (crlf.label, crlf.label_source) == ("apply", "exact")


def test_a_changed_line_beside_it_is_no_doubt() -> None:
    assert stale_edit(TEXT.replace("def f():", "def f(a):")).label_source == "exact"


def test_a_copy_of_the_search_text_is_no_proof() -> None:
    moved = "x = 1\n" + TEXT.replace("x = 1", "x = 0")
    assert (stale_edit(moved).label, stale_edit(moved).target) == ("unlabelled", None)


def test_a_tool_that_took_another_place_says_so() -> None:
    copied = "x = 1\n\n" + TEXT
    for taken, differs in (("x = 2\n\n" + TEXT, True), ("x = 1\n\n" + DONE, False)):
        sample = last(Read("a.py", TEXT), QUIET, edit(before=of(copied), after=of(taken)))
        assert (sample.label, sample.label_source) == ("apply", "tool_result")
        assert ("tool:differs_from_merge" in sample.tags) == differs


@pytest.mark.parametrize("seed", range(30))
def test_in_drawn_sessions_what_was_seen_is_what_the_agent_knows(seed: int) -> None:
    """The agent reads the file, in whole or in part, and edits lines that it knows; somebody else edits any line."""
    draw = Random(seed)
    live = [f"line {n} of it" for n in range(40)]
    view, known = list(live), set(live)
    events: list[Event] = [Read("a.py", "\n".join(live) + "\n")]
    expected: list[tuple[list[str], list[str]]] = []
    for number in range(60):
        kind = draw.choice(("read", "part", "change", "change", "edit", "edit"))
        if kind == "read":
            view, known = list(live), set(live)
            events.append(Read("a.py", "\n".join(live) + "\n"))
        elif kind == "part" and view == live:
            first = draw.randrange(30)
            events.append(Read("a.py", "\n".join(live[first : first + 10]) + "\n", first + 1, whole=False))
        elif kind == "change":
            live[draw.randrange(len(live))] = f"change {number} by another"
            events.append(Disturbed("quiet"))
        elif kind == "edit" and (both := sorted(set(live) & known)):
            line, new = draw.choice(both), f"own edit {number}"
            before = "\n".join(live) + "\n"
            expected.append((list(view), list(live)))
            for lines in (live, view):
                lines[lines.index(line)] = new
            known = set(view)
            after = "\n".join(live) + "\n"
            events.append(edit(line + "\n", new + "\n", key=str(number), before=of(before), after=of(after)))
    found = samples(*events)
    assert len(found) == len(expected)
    for sample, (seen, met_) in zip(found, expected, strict=True):
        assert sample.before == of("\n".join(met_) + "\n")
        assert sample.seen == (None if seen == met_ else of("\n".join(seen) + "\n"))
        assert ("seen:same" in sample.tags) == (seen == met_)
