"""Concurrent changes from a repository's history: the seen text, somebody else's change, and the edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.generation.build import BuildSettings
from corpora.importers.git_history.concurrent import build_from_git
from corpora.load import load
from corpora.sample import Sample
from corpora.write import SampleWriter
from editcore.errors import UsageError
from tests.corpora.importers.logs import git

FIRST = "".join([f"line_{n} = {n} * width\n" for n in range(30)])


def changed(text: str, *numbers: int, to: str = "height") -> str:
    return "".join(
        [line.replace("width", to) if n in numbers else line for n, line in enumerate(text.splitlines(keepends=True))]
    )


def repository(folder: Path, *versions: str) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    for minute, text in enumerate(versions):
        (folder / "a.py").write_text(text, "utf-8")
        git(folder, "add", "a.py")
        git(folder, "commit", "-q", "-m", "a change", minute=minute)
    return folder


def made(folder: Path, **settings: int) -> list[Sample]:
    out = folder.parent / "made.jsonl"
    with SampleWriter(out, replace=True) as writer:
        built = build_from_git(folder, BuildSettings(**{"per_sample": 20, **settings}), writer)  # type: ignore[arg-type]
    found = list(load(out))
    assert built.n_samples == len(found)
    return found


def test_two_hunks_of_a_commit_are_an_edit_and_another_hands_change(tmp_path: Path) -> None:
    second = changed(FIRST, 3, 20)
    found = made(repository(tmp_path / "r", FIRST, second))
    assert {one.provenance.mutator for one in found} == {"concurrent_hunks"}
    assert len(found) == 2
    for one in found:
        assert one.seen is not None
        assert one.target is not None
        assert (one.seen[0].content, one.target[0].content) == (FIRST, second)
        assert one.before[0].content in (changed(FIRST, 3), changed(FIRST, 20))


def test_a_hunk_of_the_next_commit_is_an_edit_of_what_was_there_before_both(tmp_path: Path) -> None:
    second = changed("top = 1\n" + FIRST, 6)
    third = changed(second, 21, to="depth")
    found = made(repository(tmp_path / "r", FIRST, second, third))
    (one,) = (one for one in found if one.provenance.mutator == "concurrent_commits")
    assert one.seen is not None
    assert one.target is not None
    assert [files[0].content for files in (one.seen, one.before, one.target)] == [FIRST, second, third]
    assert one.label == "apply"


def test_a_hunk_that_replaces_what_the_other_one_replaced_is_to_be_refused(tmp_path: Path) -> None:
    second = changed(FIRST, 10)
    third = second.replace("line_10 = 10 * height", "line_10 = depth")
    found = made(repository(tmp_path / "r", FIRST, second, third))
    (one,) = (one for one in found if one.provenance.mutator == "concurrent_conflict")
    assert (one.label, one.target) == ("refuse", None)
    assert "refuse:changed_since" in one.tags
    assert one.seen is not None
    assert (one.seen[0].content, one.before[0].content) == (FIRST, second)


def test_changes_of_lines_next_to_each_other_make_no_sample(tmp_path: Path) -> None:
    second = changed(FIRST, 10)
    with pytest.raises(UsageError, match="No sample was made"):
        made(repository(tmp_path / "r", FIRST, second, changed(second, 11, to="depth")))


def test_where_the_lines_stand_twice_by_now_there_is_no_sample(tmp_path: Path) -> None:
    second = FIRST + "\n" + FIRST
    third = changed(second, 20, to="depth")
    with pytest.raises(UsageError, match="No sample was made"):
        made(repository(tmp_path / "r", FIRST, second, third))


def test_the_same_seed_makes_the_same_samples_and_a_total_ends_them(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", FIRST, changed(FIRST, 1, 8, 15, 22), changed(FIRST, 1, 4, 8, 15, 22))
    found = made(folder)
    assert made(folder) == found
    assert made(folder, total=2) == found[:2]
    assert len({one.id for one in found}) == len(found) > 3


def test_a_folder_without_a_repository_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No git repository"):
        made(tmp_path / "nowhere")
