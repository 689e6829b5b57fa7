"""The changes in a repository's history, and the other versions that each one meets."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.importers.git_history import changes
from corpora.importers.git_history.changes import Change, Version, remote_repository, versions
from corpora.importers.git_history.repository import Repository
from tests.corpora.importers.logs import git


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


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/acme/demo.git", "acme/demo"),
        ("https://user:secret@example.org/acme/demo", "acme/demo"),
        ("https://ghp_secret@example.org:8443/acme/demo/", "acme/demo"),
        ("ssh://git@example.org:22/group/acme/demo.git", "acme/demo"),
        ("git@github.com:acme/demo.git", "acme/demo"),
        ("https://secret@example.org", None),
        ("https://example.org/acme/demo?token=secret", None),
        ("/home/user/acme/demo", None),
        ("../acme/demo", None),
        ("file:///home/user/acme/demo", None),
        ("C:/user/acme/demo", None),
    ],
)
def test_the_repository_is_named_after_its_origin_never_with_credentials(
    tmp_path: Path, url: str, name: str | None
) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "remote.origin.url", url)
    repository = Repository.at(tmp_path)
    assert repository
    assert remote_repository(repository) == name
