"""The changes in a repository's history, the edits that express them, and the other versions of a changed file."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.importers.git_history import changes
from corpora.importers.git_history.changes import (
    Change,
    Version,
    WrittenEdit,
    apply_changes,
    find_block,
    remote_repository,
    versions,
    written_edits,
)
from corpora.importers.git_history.repository import Repository
from editcore.text.lines import with_feeds
from editcore.types import Edit
from tests.corpora.importers.logs import git
from tests.rows import rows


def test_a_change_meets_a_newer_and_an_older_version_of_its_file() -> None:
    line = [Change(f"c{n}", "a", f"b{n}", f"b{n + 1}") for n in range(40, 0, -1)]
    found = list(versions(iter(line)))
    assert [change for change, version in found if version is None] == line
    apart = {change: [v for c, v in found if c == change and v] for change in line}
    for change, others in apart.items():
        number = int(change.commit[1:])
        for other in others:
            assert other.apart in (1, 2, 4, 8)
            if other.commit.endswith("^"):
                assert other == Version(f"c{number - other.apart}^", f"b{number - other.apart}", other.apart)
            else:
                assert other == Version(f"c{number + other.apart}", f"b{number + other.apart + 1}", other.apart)
    assert {len(others) for change, others in apart.items() if change in line[8:-8]} == {2}


def test_the_files_longest_untouched_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_MAX_FILES", 2)
    line = [Change(f"c{n}", path, f"b{n}", f"b{n + 1}") for n, path in zip(range(6, 0, -1), "abacba", strict=True)]
    assert [(c.commit, c.path) for c, version in versions(iter(line)) if version] == [("c4", "a")]


def test_files_are_told_apart_by_their_paths() -> None:
    line = [Change("c2", "a", "b2", "b3"), Change("c1", "b", "b1", "b2")]
    assert [version for _, version in versions(iter(line))] == [None, None]


@pytest.mark.parametrize(("url", "name"), rows("the_repository_is_named_after_its_origin_never_with_credentials"))
def test_the_repository_is_named_after_its_origin_never_with_credentials(
    tmp_path: Path, url: str, name: str | None
) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "remote.origin.url", url)
    repository = Repository.at(tmp_path)
    assert repository
    assert remote_repository(repository) == name


# A change to a file, written as edits.


def test_a_pair_is_widened_until_it_is_unique() -> None:
    before = "first\na\nb\nc\nlast one\na\nb\nc\n"
    _, why, pair = written_edits("a.py", before, "first\na\nb\nc\nlast one\na\nB\nc\n", 1)
    assert why == "begin_patch: the lines of a hunk occur more than once"
    assert isinstance(pair, WrittenEdit)
    assert pair.context == 2
    assert pair.edits == (Edit("last one\na\nb\nc", "last one\na\nB\nc"),)


def test_a_hunk_that_is_never_unique_is_left_out() -> None:
    before = "a\n" * 100
    found = list(written_edits("a.py", before, "a\n" * 50 + "b\n" + "a\n" * 50, 1))
    assert found[1:] == [
        "begin_patch: the lines of a hunk occur more than once",
        "str_replace: no context makes a hunk unique",
    ]


@pytest.mark.parametrize(("n", "why"), [(9, "str_replace: more than 8 hunks"), (41, "more than 40 hunks")])
def test_too_many_hunks_are_left_out(n: int, why: str) -> None:
    lines = [f"{number}\n" for number in range(300)]
    after = [f"x{line}" if number % 6 == 0 and number < 6 * n else line for number, line in enumerate(lines)]
    found = list(written_edits("a.py", "".join(lines), "".join(after), 1))
    assert found[-1] == why
    assert len(found) == (3 if n == 9 else 1)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n", "a\r\nb\fc\u2028d\n\n", "a\n\nb"])
def test_lines_make_up_their_text(text: str) -> None:
    assert "".join(with_feeds(text)) == text
    assert apply_changes(with_feeds(text), []) == text


@pytest.mark.parametrize(("text", "block", "lines"), rows("a_block_stands_at_whole_lines"))
def test_a_block_stands_at_whole_lines(text: str, block: str, lines: list[int]) -> None:
    assert find_block(text, block) == lines
