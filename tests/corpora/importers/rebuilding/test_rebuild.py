"""Edits that were applied: the texts before and after, and the labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.importer import Surroundings
from corpora.importers.rebuilding import rebuild as rebuilding
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.importers.session import Attempt, Disturbed, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import git
from tests.corpora.importers.rebuilding.attempts import CWD, DONE, IMPORTER, TEXT, diff, edit, run, samples, told

# Where texts come from.


def test_a_sample_says_all_that_is_known() -> None:
    opened = Opened(CWD, "1.5", "abc", "some/demo")
    made = samples(opened, Read("a.py", TEXT), edit("x = 3", outcome="no_match", model="m", error="not found"))[0]
    assert made.before == (File("a.py", TEXT),)
    assert made.tags == ("language:python", "before:replayed", "drift:absent", "seen:same")
    told = made.provenance
    assert (told.agent, told.model, told.repo, told.commit) == ("tester", "m", "some/demo", "abc")
    assert (told.recorded_outcome, told.recorded_error) == ("no_match", "not found")


def test_edits_follow_each_other_from_a_read_or_a_write() -> None:
    for seen in (Read("a.py", TEXT), Wrote("a.py", TEXT), Read(f"{CWD}/a.py", TEXT), Wrote("./b/../a.py", TEXT)):
        one, other = samples(seen, edit(key="1"), edit("x = 2", "x = 3", key="2", path=f"{CWD}/a.py"))
        assert told(one) == ("apply", "exact", DONE)
        assert other.before == one.target == (File("a.py", DONE),)


def test_a_file_that_was_never_seen_has_no_sample() -> None:
    found, counts = run(Read("a.py", TEXT[:9], whole=False), edit(), edit(key="2", outcome="no_match"))
    assert found == []
    assert counts["left out: the file's text is not known"] == 2


def test_the_text_that_an_edit_without_a_known_text_left_is_known() -> None:
    found = samples(edit(after=(File("a.py", TEXT),)), edit(key="2"))
    assert [one.before for one in found] == [(File("a.py", TEXT),)]


def test_what_may_have_changed_unseen_says_so_until_it_is_seen_again() -> None:
    read = Read("a.py", TEXT)
    quiet, shaken, seen = samples(
        read, edit("q", outcome="no_match", key="1"), Disturbed(), edit("q", outcome="no_match", key="2"), Disturbed(),
        read, edit("q", outcome="no_match", key="3"),
    )  # fmt: skip
    assert ["before:disturbed" in one.tags for one in (quiet, shaken, seen)] == [False, True, False]


def test_a_stretch_that_differs_from_the_text_gives_the_text_up() -> None:
    found, counts = run(Read("a.py", TEXT), Read("a.py", "    x = 9\n", 2, whole=False), edit())
    assert found == []
    assert counts["file changed unseen"] == 1
    assert len(samples(Read("a.py", TEXT), Read("a.py", "    x = 1\n", 2, whole=False), edit())) == 1


def test_an_edit_whose_end_is_unknown_or_whose_file_was_stale_gives_the_text_up() -> None:
    for outcome in ("unknown", "stale"):
        assert samples(Read("a.py", TEXT), edit(outcome=outcome), edit(key="2")) == []


def test_what_was_not_tried_changes_nothing() -> None:
    for outcome in ("declined", "cancelled"):
        assert len(samples(Read("a.py", TEXT), edit(outcome=outcome), edit(key="2"))) == 1


def test_an_edit_of_an_unread_file_is_not_labelled() -> None:
    assert told(samples(Wrote("a.py", TEXT), edit(outcome="unread"))[0]) == ("unlabelled", None, None)


def test_another_session_knows_nothing_of_the_files_of_the_first() -> None:
    fresh = Opened(CWD, afresh=True)
    assert samples(Read("a.py", TEXT), fresh, edit()) == []
    waiting, left = samples(
        Read("a.py", TEXT), edit("x=1", outcome="no_match", key="1"), fresh, Read("a.py", TEXT), edit()
    )
    assert (waiting.label, left.label) == ("unlabelled", "apply")


def test_the_files_longest_untouched_are_forgotten_for_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "_MAX_CHARACTERS", 100)
    events = [Wrote(f"{n}.py", TEXT) for n in range(9)]
    found, counts = run(*events, *(edit(path=f"{n}.py", key=str(n)) for n in range(9)))
    assert [one.before[0].path for one in found] == ["6.py", "7.py", "8.py"]
    assert counts["file forgotten to save memory"] == 6


def test_windows_paths_are_one_file_however_they_are_written() -> None:
    opened = Opened("c:\\Users\\user\\demo")
    for path in ("src\\a.py", "src/a.py", "C:\\Users\\user\\demo\\src\\a.py", "c:/Users/user/demo/src/a.py"):
        (made,) = samples(opened, Read("C:/Users/user/demo/src/a.py", TEXT), edit(path=path))
        assert made.before[0].path == "src/a.py"


def test_a_session_without_a_folder_has_its_paths_as_they_are() -> None:
    surroundings = Surroundings()
    events = [Read("some/long/way/to/a.py", TEXT), edit(path="some/long/way/to/a.py")]
    (made,) = rebuilt_samples(events, IMPORTER, surroundings)
    assert made.before[0].path == "some/long/way/to/a.py"


def test_samples_of_an_importer_that_makes_them_are_passed_on() -> None:
    (made,) = samples(Read("a.py", TEXT), edit())
    assert list(rebuilt_samples([made], IMPORTER, Surroundings())) == [made]


@pytest.mark.parametrize(("version", "new"), [("1.1.9", 1), ("1.2", 0), ("1.5.3-beta", 0), ("1.9", 0), ("2.0", 1)])
def test_versions_not_seen_before_are_counted(version: str, new: int) -> None:
    assert run(Opened(version=version))[1].get("version outside of the known range, read anyway", 0) == new


def test_what_is_said_of_a_version_not_seen_before_names_those_that_were() -> None:
    surroundings = Surroundings()
    list(rebuilt_samples([Opened(version="2.0")], IMPORTER, surroundings))
    first, last = IMPORTER.versions or ("", "")
    (named,) = surroundings.tally.named.values()
    assert named == [f"{IMPORTER.name} 2.0 (known: {first} to {last})"]


# The project's repository.


def project(folder: Path) -> str:
    """A repository of a.py and sub/a.py; the id of its commit."""
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text(TEXT)
    (folder / "sub" / "a.py").write_text("sub = 1\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        git(folder, *arguments)
    return git(folder, "rev-parse", "HEAD")


def test_a_file_not_seen_yet_is_taken_from_the_commit_of_the_session(tmp_path: Path) -> None:
    commit = project(tmp_path)
    (made,) = samples(Opened(str(tmp_path), commit=commit), edit())
    assert (told(made), made.tags[1]) == (("apply", "exact", DONE), "before:git")
    (made,) = samples(Opened(str(tmp_path / "sub"), commit=commit), edit("sub = 1", "sub = 2"))
    assert made.before == (File("a.py", "sub = 1\n"),)
    ((made,), _) = run(Opened("/gone", commit=commit), edit(), repo=tmp_path)
    assert made.before == (File("a.py", TEXT),)


@pytest.mark.parametrize(("word", "encoding"), [("読み込む設定ファイル", "shift_jis"), ("José, déjà", "latin-1")])
def test_a_committed_file_that_is_not_utf_8_keeps_its_bytes(tmp_path: Path, word: str, encoding: str) -> None:
    project(tmp_path)
    text = f"# {word}\n{TEXT}"
    (tmp_path / "a.py").write_bytes(text.encode(encoding))
    git(tmp_path, "commit", "-q", "-a", "-m", "in another encoding")
    opened = Opened(str(tmp_path), commit=git(tmp_path, "rev-parse", "HEAD"))
    shown = text.encode(encoding).decode("utf-8", "replace")
    for event in (Read("a.py", shown), Read("a.py", text), Read("a.py", TEXT[:9], first_line=2, whole=False)):
        (made,) = samples(opened, event, edit())
        (before,), (target,) = made.before, made.target or ()
        assert (before.raw, before.encoding, made.label) == (text.encode(encoding), encoding, "apply")
        assert target.raw == text.replace("x = 1", "x = 2").encode(encoding)
        assert made.seen is None
    # The encoding lacks it: what the agent wrote is not known. A file that it wrote whole is UTF-8 to us.
    (lacking,) = samples(opened, edit(new="x = '\u0416\U0001f600'"))
    assert (lacking.label, lacking.target) == ("unlabelled", None)
    (other,) = samples(opened, Wrote("a.py", text), edit())
    assert other.before == (File("a.py", text),)


def test_the_commit_is_not_asked_for_what_lies_elsewhere_or_was_changed(tmp_path: Path) -> None:
    opened = Opened(str(tmp_path), commit=project(tmp_path))
    assert samples(opened, edit(path="/other/demo/a.py")) == []
    assert samples(opened, edit(outcome="unknown"), edit(key="2")) == []
    assert samples(opened, edit("q", key="1"), edit(key="2"))[0].label == "unlabelled"
    assert len(samples(opened, edit("q", key="1"), edit(key="2"))) == 1
    (made,) = samples(opened, Disturbed(), edit())
    assert "before:disturbed" in made.tags


def test_a_failed_edit_of_a_committed_text_is_doubtful_until_a_recorded_result_shows_the_text(tmp_path: Path) -> None:
    opened = Opened(str(tmp_path), commit=project(tmp_path))
    failed = edit("x=1", outcome="no_match", key="1")
    assert [("doubtful" in one.tags, one.label) for one in samples(opened, failed)] == [(True, "unlabelled")]
    retried = samples(opened, failed, edit(key="2"))
    assert [("doubtful" in one.tags, one.label_source) for one in retried] == [(True, "retry"), (False, "exact")]
    recorded = samples(opened, failed, edit(key="2", diffs=diff(TEXT, DONE)))
    assert [("doubtful" in one.tags, one.label_source) for one in recorded] == [
        (False, "retry"),
        (False, "tool_result"),
    ]
    assert not any("doubtful" in one.tags for one in samples(Read("a.py", TEXT), failed))


def test_a_log_of_another_machine_is_read_beside_the_repository_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for minute, text in enumerate(("x = 0\n", TEXT, DONE)):
        (tmp_path / "sub" / "a.py").write_text(text)
        if not minute:
            git(tmp_path, "init", "-q")
        git(tmp_path, "add", "sub/a.py", minute=minute)
        git(tmp_path, "commit", "-q", "-m", "m", minute=minute)
    path, first = "/Users/me/project/sub/a.py", 1_704_067_200.0
    second = first + 60
    ((made,), _) = run(Opened("/here"), edit(path=path, time=second), repo=tmp_path)
    assert (told(made), made.before[0].path) == (("apply", "exact", DONE), "sub/a.py")
    for asked in (edit(path=path), edit(path=path, time=first - 1), edit(path="/Users/me/b.py", time=second)):
        assert run(Opened("/here"), asked, repo=tmp_path)[0] == []
    assert run(Opened("/here"), edit(path=path, time=second))[0] == []
    lines = Read(path, TEXT.removesuffix("\n"), ends_shown=False)
    ((made,), _) = run(Opened("/here"), lines, Disturbed(), edit(path=path, time=second), repo=tmp_path)
    assert made.before[0].content == TEXT


# Edits that were applied.


@pytest.mark.parametrize(
    ("edits", "text", "after"),
    [
        ((Edit("x = 1", "x = 2"),), TEXT, DONE),
        ((Edit("x", "y", True),), TEXT, TEXT.replace("x", "y")),
        ((Edit("aa", "b", True),), "aaa\n", "ba\n"),
        ((Edit("x = 1", "y = 1"), Edit("y = 1", "z = 1")), TEXT, TEXT.replace("x = 1", "z = 1")),
        ((Edit("x", "y"),), TEXT, None),
        ((Edit("aa", "b"),), "aaa\n", None),
        ((Edit("q", "y"),), TEXT, None),
        ((Edit("q", "y", True),), TEXT, None),
        ((Edit("", "y"),), TEXT, None),
        ((Edit("x = 1", "x = 2"), Edit("x = 1", "x = 3")), TEXT, None),
        ((Edit("x", "y", False, 2),), TEXT, None),
    ],
)
def test_without_evidence_only_an_edit_with_one_exact_place_is_labelled(
    edits: tuple[Edit, ...], text: str, after: str | None
) -> None:
    made = samples(Read("a.py", text), edit(edits=edits))[0]
    assert told(made) == (("apply", "exact", after) if after is not None else ("unlabelled", None, None))


def test_edits_against_the_original_do_not_see_each_other() -> None:
    text = "a\nb\n"
    both = (Edit("a", "b"), Edit("b", "c"))
    made = samples(Read("a.py", text), edit(edits=both, against_original=True))[0]
    assert told(made) == ("apply", "exact", "b\nc\n")
    assert "edits:against_original" in made.tags
    overlapping = (Edit("a\nb", "c"), Edit("b", "d"))
    assert told(samples(Read("a.py", text), edit(edits=overlapping, against_original=True))[0])[0] == "unlabelled"


def test_an_unlabelled_edit_leaves_a_text_that_nobody_knows() -> None:
    assert len(samples(Read("a.py", TEXT), edit("x", key="1"), edit(key="2"))) == 1


@pytest.mark.parametrize(
    ("quirk", "edits", "text", "known"),
    [
        ("takes_line_feed", (Edit("    x = 1", ""),), TEXT, False),
        ("takes_line_feed", (Edit("    x = 1\n", ""),), TEXT, True),
        ("takes_line_feed", (Edit("x = 1", "x = 2"),), TEXT, True),
        ("ends_in_line_feed", (Edit("x = 1", "x = 2"),), "x = 1", False),
        ("ends_in_line_feed", (Edit("x = 1", "x = 2"),), TEXT, True),
        ("expands_tabs", (Edit("x = 1", "x = 2"),), "\tx = 1\n", False),
        ("expands_tabs", (Edit("x = 1", "x = 2"),), TEXT, True),
        ("sees_window", (Edit("x", "y", True),), TEXT, False),
        ("sees_window", (Edit("x = 1", "x = 2"),), TEXT, True),
    ],
)
def test_where_the_tool_does_other_than_replace_the_exact_result_is_no_evidence(
    quirk: Any, edits: tuple[Edit, ...], text: str, known: bool
) -> None:
    made = samples(Read("a.py", text), edit(edits=edits, quirks=(quirk,)))[0]
    assert made.label_source == ("exact" if known else None)


def test_what_a_tool_does_beside_replacing_is_told_by_its_diff() -> None:
    after = TEXT.replace("    x = 1\n", "")
    seen = diff(TEXT, after, tabs_shown_as="  ")
    made = samples(Read("a.py", TEXT), edit("    x = 1", "", diffs=seen, quirks=("takes_line_feed",)))[0]
    assert told(made) == ("apply", "tool_result", after)
    assert "tool:differs_from_exact" in made.tags


def test_the_tools_own_texts_count_whatever_the_edit_says() -> None:
    made = samples(edit("x=1", before=(File("a.py", TEXT),), after=(File("a.py", DONE),)))[0]
    assert told(made) == ("apply", "tool_result", DONE)
    assert made.tags[1:] == ("before:tool_result", "drift:whitespace")


def test_a_tool_that_did_other_than_the_exact_edit_says_so() -> None:
    texts = {"before": (File("a.py", TEXT),), "after": (File("a.py", TEXT.replace("1", "3")),)}
    assert "tool:differs_from_exact" in samples(edit(**texts))[0].tags
    assert "tool:differs_from_exact" not in samples(edit("x", "y", **texts))[0].tags


def test_a_diff_tells_where_a_tolerant_tool_put_the_edit() -> None:
    made = samples(Read("a.py", TEXT), edit("x=1", diffs=diff(TEXT, DONE)))[0]
    assert told(made) == ("apply", "tool_result", DONE)


def test_a_diff_without_its_indentation_tells_it_too() -> None:
    shown = RecordedDiff("a.py", "@@ -2,2 +2,3 @@\n-x = 1\n+x = 2\n+y = 3\n return x\n", dedented=True)
    made = samples(Read("a.py", TEXT), edit("x=1", "x = 2\ny = 3", diffs=(shown,)))[0]
    assert told(made) == ("apply", "tool_result", TEXT.replace("x = 1", "x = 2\n    y = 3"))


def test_a_diff_that_contradicts_the_text_gives_the_text_up() -> None:
    found, counts = run(Read("a.py", TEXT + "q\n"), edit(diffs=diff("\n" + TEXT, "\n" + DONE)), edit(key="2"))
    assert found == []
    assert counts["left out: the recorded diff does not fit the text"] == 1


def test_texts_of_different_moments_make_no_label_if_more_changed_than_the_edit_says() -> None:
    block = Attempt(
        "k",
        "search_replace",
        "a.py",
        patch="<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
        outcome="applied",
    )
    made = samples(Read("a.py", TEXT), replace(block, after=(File("a.py", DONE),)))[0]
    assert told(made) == ("apply", "tool_result", DONE)
    other = (File("a.py", DONE.replace("f()", "g()")),)
    found, counts = run(Read("a.py", TEXT), replace(block, after=other), edit("g()", "h()", key="2"))
    assert counts["left out: more changed than the edit says"] == 1
    assert found[0].before == other
    shown = replace(block, before=(File("a.py", TEXT),), after=other, evidence="git")
    assert samples(shown) == []


def test_what_the_user_altered_is_no_sample_but_the_text_goes_on() -> None:
    found = samples(
        Read("a.py", TEXT), edit(changed_by_user=True, after=(File("a.py", DONE),)), edit("x = 2", "x = 3", key="2")
    )
    assert [one.before for one in found] == [(File("a.py", DONE),)]


def patch(*lines: str) -> Attempt:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    return Attempt("p", "begin_patch", patch=text, outcome="applied")


def test_a_patch_may_make_remove_and_move_files() -> None:
    sections = patch(
        "*** Update File: a.py", "@@", "-    x = 1", "+    x = 2", "*** Add File: n.py", "+n",
        f"*** Delete File: {CWD}/d.py", "*** Update File: m.py", "*** Move to: o.py", "@@", "-m", "+o",
    )  # fmt: skip
    diffs = (
        *diff(TEXT, DONE),
        *diff("", "n\n", "n.py"),
        *diff("d\n", "", "d.py"),
        *diff("m\n", "o\n", "m.py", moved_to="o.py"),
    )
    seen = [Read("a.py", TEXT), Read("d.py", "d\n"), Read("m.py", "m\n")]
    (made,) = samples(*seen, replace(sections, diffs=diffs))
    assert [file.path for file in made.before] == ["a.py", "d.py", "m.py"]
    assert made.target == (File("a.py", DONE), File("n.py", "n\n"), File("o.py", "o\n"))
    assert made.patch == (sections.patch or "").replace(f"{CWD}/", "")
    assert samples(*seen, replace(sections, diffs=diffs), edit(path="m.py", key="2"))[1:] == []


def test_a_patch_with_a_file_that_no_diff_tells_of_is_not_labelled() -> None:
    sections = patch("*** Update File: a.py", "-    x = 1", "+    x = 2", "*** Delete File: d.py")
    (made,) = samples(Read("a.py", TEXT), Read("d.py", "d\n"), replace(sections, diffs=diff(TEXT, DONE)))
    assert told(made) == ("unlabelled", None, None)


def test_a_diff_that_fits_by_chance_is_not_believed() -> None:
    sections = patch("*** Update File: a.py", " def g():", "-    x = 1", "+    x = 2")
    assert samples(Read("a.py", TEXT), replace(sections, diffs=diff(TEXT, DONE))) == []


# Ids.


def test_an_id_is_that_of_the_call_wherever_it_is_stored() -> None:
    (one,) = samples(Read("a.py", TEXT), edit())
    (other,) = samples(Opened("/elsewhere"), Read("a.py", DONE), edit(outcome="no_match"))
    assert one.id == other.id == "tester-" + one.id[-16:]
    assert samples(Read("a.py", TEXT), edit(key="2"))[0].id != one.id
