"""Edits that failed: the labels that are certain, and retries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.importers.rebuilding import rebuild as rebuilding
from corpora.importers.session import Attempt, Disturbed, Event, Read, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.rebuilding.attempts import DONE, TEXT, diff, edit, run, samples, told


def test_an_edit_of_nothing_is_to_be_refused() -> None:
    made = samples(Read("a.py", TEXT), edit("x = 1", "x = 1", "identical"))[0]
    assert told(made) == ("refuse", "identical", None)
    several = (Edit("x = 1", "x = 1"), Edit("q", "r"))
    assert told(samples(Read("a.py", TEXT), edit(edits=several, outcome="identical"))[0])[0] == "unlabelled"
    assert told(samples(Read("a.py", TEXT), edit("", "", "identical"))[0])[0] == "unlabelled"


def test_an_edit_with_several_places_is_to_be_refused() -> None:
    assert told(samples(Read("a.py", TEXT), edit("x", "y", "ambiguous"))[0]) == ("refuse", "exact_ambiguous", None)
    several = (Edit("x = 1", "x = 2"), Edit("x", "y"))
    made = samples(Read("a.py", TEXT), edit(edits=several, outcome="ambiguous"))[0]
    assert told(made) == ("refuse", "exact_ambiguous", None)
    several = (Edit("x = 1", "x = 2"), Edit("q", "y"), Edit("x", "y"))
    assert told(samples(Read("a.py", TEXT), edit(edits=several, outcome="ambiguous"))[0])[0] == "unlabelled"


@pytest.mark.parametrize(("find", "outcome"), [("x = 1", "no_match"), ("x", "no_match"), ("x = 1", "ambiguous")])
def test_a_failure_that_the_text_contradicts_gives_the_text_up(find: str, outcome: str) -> None:
    found, counts = run(Read("a.py", TEXT), edit(find, "y", outcome), edit(key="2"))
    assert found == []
    assert counts["left out: the text contradicts the recorded failure"] == 1


def test_blocks_stand_at_the_start_of_lines() -> None:
    text = "max\nx\n"
    block = Attempt("k", "search_replace", "a.py", patch="<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n")
    assert told(samples(Read("a.py", text), replace(block, outcome="applied"))[0]) == ("apply", "exact", "max\ny\n")
    made = samples(Read("a.py", "max\n"), replace(block, outcome="no_match"))[0]
    assert (made.label, made.edits) == ("unlabelled", (Edit("x\n", "y\n"),))


def test_a_failed_edit_has_the_label_of_the_retry_that_is_the_same_change() -> None:
    failed = edit("x=1", "x = 2", "no_match", "1")
    between = [
        Disturbed(),
        Read("a.py", TEXT),
        edit("q", outcome="no_match", key="2"),
        Read("a.py", "    x = 1\n", 2, whole=False),
    ]
    one, other, left = samples(Read("a.py", TEXT), failed, *between, edit(key="3"))
    assert (told(one), told(other)) == (("apply", "retry", DONE), ("apply", "exact", DONE))
    assert one.edits == (Edit("x=1", "x = 2"),)
    assert "confidence:certain" in one.tags
    assert left.label == "unlabelled"
    (repaired, _) = samples(Read("a.py", TEXT), edit("x=1", "x=2", "no_match", "1"), edit(key="3"))
    assert (repaired.label_source, repaired.tags[-1]) == ("retry_repaired", "confidence:lines")


@pytest.mark.parametrize(
    "between",
    [
        Wrote("a.py", TEXT + "\n"),
        Read("a.py", TEXT + "\n"),
        edit("return x", "return 1", key="2"),
        edit("return x", "return 1", "unknown", "2"),
    ],
    ids=["written", "changed unseen", "edited", "nobody knows"],
)
def test_a_file_that_changed_in_between_proves_nothing(between: Event) -> None:
    found = samples(
        Read("a.py", TEXT), edit("x=1", outcome="no_match", key="1"), between, Read("a.py", TEXT), edit(key="3")
    )
    assert [one.label for one in found if one.provenance.recorded_outcome == "no_match"] == ["unlabelled"]


def test_a_retry_that_landed_elsewhere_than_it_says_proves_nothing() -> None:
    after = TEXT.replace("return x", "return 3")
    failed = edit("x=1", outcome="no_match", key="1")
    done, left = samples(Read("a.py", TEXT), failed, edit(diffs=diff(TEXT, after), key="2"))
    assert (done.label_source, left.label) == ("tool_result", "unlabelled")
    assert "tool:differs_from_exact" in done.tags


def test_a_text_shown_by_a_failure_is_known_from_there_on() -> None:
    failed = edit("x=1", outcome="no_match", key="1", before=(File("a.py", TEXT),))
    one, other = samples(failed, edit(key="2", after=(File("a.py", DONE),)))
    assert (one.label_source, other.label_source) == ("retry", "tool_result")


def test_only_so_many_failed_edits_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "_MAX_WAITING", 2)
    failed = [edit("x=1", outcome="no_match", key=str(n)) for n in range(3)]
    found = samples(Read("a.py", TEXT), *failed, edit(key="9"))
    assert [one.label_source for one in found] == [None, "retry", "retry", "exact"]


def test_a_retry_with_the_same_new_text_corrects_the_search_text() -> None:
    one, _ = samples(Read("a.py", TEXT), edit("x = 7", outcome="no_match", key="1"), edit(key="2"))
    assert told(one) == ("apply", "retry_corrected", DONE)
    assert "confidence:certain" in one.tags


def test_an_edit_that_was_refused_unread_has_the_label_of_its_retry() -> None:
    one, _ = samples(Wrote("a.py", TEXT), edit(outcome="unread", key="1"), Read("a.py", TEXT), edit(key="2"))
    assert told(one) == ("apply", "retry", DONE)


def test_a_change_that_is_there_already_is_to_be_refused() -> None:
    made = samples(Read("a.py", DONE), edit("x = 1", "x = 2", "no_match"))[0]
    assert told(made) == ("refuse", "already_applied", None)


def lines(text: str) -> Read:
    """A view of a whole file that does not show how its lines end."""
    return Read("a.py", text.removesuffix("\n"), ends_shown=False)


def test_a_refused_edit_of_known_lines_waits_until_it_is_seen_how_they_end() -> None:
    refused = edit("x=1", outcome="no_match", key="1")
    found, counts = run(lines(TEXT), refused)
    assert (found, counts["left out: the file's line endings are not known"]) == ([], 1)
    crlf = TEXT.replace("\n", "\r\n")
    [found_later] = samples(lines(TEXT), refused, Disturbed(), Read("a.py", crlf))
    assert [file.content for file in found_later.before] == [crlf]
    assert samples(lines(TEXT), refused, Disturbed(), Read("a.py", TEXT + "z\n")) == []


def test_a_diff_that_reaches_the_last_line_shows_how_it_ends() -> None:
    for text in (TEXT, TEXT[:-1]):
        after = text.replace("1", "2")
        missed, made = samples(lines(text), edit("x=1", outcome="no_match", key="1"), edit(diffs=diff(text, after)))
        assert [one.before[0].content for one in (missed, made)] == [text, text]
    assert samples(lines("a\n" * 9 + TEXT), edit(diffs=diff(TEXT + "b\n" * 9, DONE + "b\n" * 9))) == []


def test_a_view_of_lines_does_not_make_a_known_text_uncertain() -> None:
    [made] = samples(Read("a.py", TEXT[:-1]), lines(TEXT), edit())
    assert made.before[0].content == TEXT[:-1]


def test_a_refused_edit_of_a_text_that_is_shown_later_is_not_lost() -> None:
    [found] = samples(edit("x=1", outcome="no_match"), Read("a.py", TEXT))
    assert found.before[0].content == TEXT
    assert samples(edit("x=1", outcome="no_match"), Disturbed(), Read("a.py", TEXT)) == []


@pytest.mark.parametrize("after", [(File("a.py", TEXT),), None])
def test_what_asks_for_no_change_is_to_be_refused(after: tuple[File, ...] | None) -> None:
    same = Attempt("1", "line_range", "a.py", patch="    x = 1\n", line=2, end_line=2, outcome="applied", after=after)
    assert told(samples(Read("a.py", TEXT), same)[0]) == ("refuse", "noop", None)
    assert told(samples(Read("a.py", TEXT), edit("x = 1", "x = 1", after=after))[0]) == ("refuse", "identical", None)


def test_a_result_that_is_not_that_of_the_edit_says_nothing_of_it_where_nothing_changed() -> None:
    assert told(samples(Read("a.py", TEXT), edit(diffs=diff(TEXT, TEXT)))[0])[0] == "unlabelled"


def test_a_range_past_the_end_of_its_file_has_a_tag() -> None:
    cut = Attempt(
        "1",
        "line_range",
        "a.py",
        patch="z\n",
        line=2,
        end_line=9,
        outcome="applied",
        after=(File("a.py", "def f():\nz\n"),),
    )
    found = samples(Read("a.py", TEXT), cut)[0]
    assert told(found) == ("apply", "tool_result", "def f():\nz\n")
    assert "range:past_end" in found.tags
