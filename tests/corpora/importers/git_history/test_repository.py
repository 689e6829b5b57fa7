"""Texts of a local repository at a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.importers.git_history import repository as module
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from tests.corpora.importers.logs import git


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "sub dir").mkdir()
    (folder / "sub dir" / "é.py").write_text("é\n")
    (folder / "a.py").write_bytes(b"a\r\nb")
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(b"a\0b")
    (folder / "latin").write_bytes(b"\xe9")
    (folder / "one line").write_bytes(b"a.py")
    (folder / "link").symlink_to("a.py")
    (folder / "large").write_bytes(b"x" * 5000)
    for arguments in (["init", "-q"], ["config", "core.autocrlf", "false"], ["add", "-A"], ["commit", "-qm", "start"]):
        git(folder, *arguments)
    return folder


def test_texts_are_those_of_the_commit(project: Path) -> None:
    with Repository(project) as repository:
        assert repository.text("HEAD", "a.py") == "a\r\nb"
        assert repository.text("HEAD", "sub dir/é.py") == "é\n"
        assert repository.text("HEAD", "empty") == ""
        assert repository.text("HEAD", "one line") == "a.py"
    with Repository(project / "sub dir") as repository:
        assert repository.text("HEAD", "one line") == "a.py"


@pytest.mark.parametrize(
    "path", ["gone", "gone away", "sub dir", "link", "binary", "latin", "a.py\n", "a\0", "\ud800", ""]
)
def test_what_is_no_text_is_none_and_the_next_one_is_read(project: Path, path: str) -> None:
    with Repository(project) as repository:
        assert repository.text("HEAD", path) is None
        assert repository.text("HEAD", "a.py") == "a\r\nb"


def test_what_is_too_large_is_passed_over(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_BLOB", 100)
    with Repository(project) as repository:
        assert repository.text("HEAD", "large") is None
        assert repository.text("HEAD", "a.py") == "a\r\nb"


def test_a_repository_whose_process_died_goes_on_with_another(project: Path) -> None:
    with Repository(project) as repository:
        repository.text("HEAD", "a.py")
        assert repository._batch
        repository._batch.kill()
        repository._batch.wait()
        repository.text("HEAD", "a.py")
        assert repository.text("HEAD", "a.py") == "a\r\nb"


def test_a_repository_is_found_from_a_folder_in_it(project: Path, tmp_path: Path) -> None:
    found = Repository.at(project / "sub dir")
    assert found
    assert found.prefix == "sub dir/"
    assert found.text("HEAD", found.prefix + "é.py") == "é\n"
    found.close()
    assert Repository.at(project / "gone") is None
    assert Repository.at(tmp_path) is None


def test_a_command_that_fails_has_no_output(project: Path) -> None:
    repository = Repository(project)
    assert list(repository.lines("log", "--format=%s")) == ["start"]
    assert list(repository.lines("log", "gone")) == []
    assert repository.output("rev-parse", "gone") is None


def test_only_so_many_processes_run_at_a_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.importers.importer._OPEN", 1)
    surroundings = Surroundings()
    one = surroundings.repository(project)
    assert one
    one.text("HEAD", "a.py")
    assert surroundings.repository(project) is one
    other = surroundings.repository(str(project / "sub dir"))
    assert other is not one
    assert one._batch is None
    assert surroundings.repository("relative") is None
    surroundings.close()
