from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from editcore.errors import UsageError
from harness.cli import main
from reports.runs import remote
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes, parts_done
from reports.runs.remote import Remote, is_url, mirror
from tests.harness.same import assert_same


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


RUN = ("run", "smoke", "-n", 12, "-s", "cascade/*", "-q", "-j", 1)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in a folder."""
    folder = tmp_path_factory.mktemp("local") / "run"
    assert call(*RUN, "-o", folder).exit_code == 0
    return folder


def test_a_run_at_a_url_is_the_run_in_a_folder(local: Path, tmp_path: Path) -> None:
    url = (tmp_path / "a" / "run").as_uri()
    done = call(*RUN, "-o", url)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (0, f"run: {url}")
    assert "cascade/reference" in done.stdout
    assert_same(tmp_path / "a" / "run", local)


@pytest.mark.slow
def test_a_run_at_a_url_is_resumed_and_replaced(local: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert call(*RUN, "-o", folder.as_uri()).exit_code == 0
    assert "already holds a run" in call(*RUN, "-o", folder.as_uri()).stderr
    (part,) = (folder / "outcomes").iterdir()
    part.write_bytes(part.read_bytes()[:-9])
    assert call(*RUN, "-o", folder.as_uri(), "--resume").exit_code == 0
    assert_same(folder, local)
    (folder / "report.html").touch()
    assert call(*RUN, "-o", folder.as_uri(), "--replace").exit_code == 0
    assert_same(folder, local)


def test_a_run_at_a_url_is_fetched(local: Path, tmp_path: Path) -> None:
    done = call("merge", local.as_uri(), "-o", tmp_path / "run")
    assert done.exit_code == 0
    assert_same(tmp_path / "run", local)


@pytest.mark.slow
def test_shards_at_urls_are_merged(local: Path, tmp_path: Path) -> None:
    urls = [(tmp_path / str(index)).as_uri() for index in (1, 2)]
    for index, url in enumerate(urls, 1):
        assert call(*RUN, "--shard", f"{index}/2", "-o", url).exit_code == 0
    assert call("merge", *urls, "-o", tmp_path / "run").exit_code == 0
    assert_same(tmp_path / "run", local)


@pytest.mark.parametrize("command", [["report"], ["show", "x"], ["table", "--by", "label"]])
def test_other_commands_say_how_a_run_at_a_url_is_fetched(local: Path, command: list[str]) -> None:
    done = call(command[0], local.as_uri(), *command[1:])
    assert done.exit_code == 2
    assert "is a URL\n  Fetch it first, into a folder: editgauge merge URL -o DIR.\n" in done.stderr


def test_a_url_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    for option in ([], ["--resume"], ["--replace"]):
        done = call(*RUN, "-o", tmp_path.as_uri(), *option)
        assert done.exit_code == 2
        assert "neither empty nor a run folder" in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["all of it"]


def test_a_url_without_a_run_is_the_users_mistake(tmp_path: Path) -> None:
    done = call("merge", (tmp_path / "nowhere").as_uri(), "-o", tmp_path / "run")
    assert done.exit_code == 2
    assert "nowhere is not a run folder" in done.stderr


@pytest.mark.parametrize("url", ["nothing-like-it://x/y", "file:///proc/version/run"])
def test_a_url_that_cannot_be_used_is_the_users_mistake(url: str) -> None:
    done = call(*RUN, "-o", url)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {url} cannot be used: ")


def test_a_file_system_without_files_of_its_own_will_do(local: Path, tmp_path: Path) -> None:
    remote = Remote("memory://bucket/run")
    (part,) = parts_done(local)
    remote.put_part(local, part)
    remote.put_manifest(local)
    remote.pull(tmp_path / "run")
    assert_same(tmp_path / "run", local)
    remote.remove(read_manifest(local))
    remote.remove(read_manifest(local))
    remote.pull(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_what_is_there_is_not_copied_again(local: Path, tmp_path: Path) -> None:
    remote = Remote(local.as_uri())
    remote.pull(tmp_path, ["outcomes"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "outcomes"]
    assert list(outcomes(tmp_path)) == list(outcomes(local))
    (part,) = (tmp_path / "outcomes").iterdir()
    before = part.stat().st_mtime_ns
    remote.pull(tmp_path)
    assert part.stat().st_mtime_ns == before
    assert read_manifest(tmp_path) == read_manifest(local)


def test_a_folder_is_its_own_mirror_and_one_of_a_url_is_a_passing_one(tmp_path: Path) -> None:
    with mirror(str(tmp_path)) as (folder, remote):
        assert (folder, remote) == (tmp_path, None)
    with mirror(None) as (folder, remote):
        assert (folder, remote) == (None, None)
    with mirror("memory://bucket/run/") as (folder, remote):
        assert folder
        assert folder.is_dir()
        assert remote == Remote("memory://bucket/run")
    assert not folder.exists()


@pytest.mark.parametrize(("name", "answer"), [("s3://b/x", True), ("runs/x", False), ("C:\\x", False), ("a:b", False)])
def test_urls_are_told_from_folders(name: str, answer: bool) -> None:
    assert is_url(name) is answer


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "s3fs", None)
    with pytest.raises(UsageError, match="needs another package"):
        Remote("s3://bucket/run").pull(tmp_path)


def test_a_file_that_is_too_large_or_too_slow_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "run"
    (there / "outcomes").mkdir(parents=True)
    (there / "manifest.json").write_text("{}")
    (there / "outcomes" / "part-a.parquet").write_bytes(b"x" * (3 << 20))
    for name, value in (("_LARGEST_FILE", 2 << 20), ("_LARGEST_RUN", 2 << 20), ("_LONGEST_S", -1.0)):
        with monkeypatch.context() as limited:
            limited.setattr(remote, name, value)
            with pytest.raises(UsageError, match="too large or too slow"):
                Remote(there.as_uri()).pull(tmp_path / "here")
        assert {path.name for path in (tmp_path / "here").rglob("*")} <= {"manifest.json", "outcomes"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["manifest.json", "outcomes/part-a.parquet"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    there = tmp_path / "run"
    (there / "outcomes").mkdir(parents=True)
    if name != "manifest.json":
        (there / "manifest.json").write_text("{}")
    os.mkfifo(there / name)
    with pytest.raises(UsageError, match="is not a regular file"):
        Remote(there.as_uri()).pull(tmp_path / "here")
