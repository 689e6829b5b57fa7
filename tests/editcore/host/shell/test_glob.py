"""`glob`: the paths that match, their order, and the paths that are left out."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from editcore.host.shell.search import GLOB
from editcore.host.workspace import Workspace
from tests.editcore.host.conftest import Project
from tests.rows import rows


@pytest.fixture(autouse=True)
def _offered(project: Project) -> None:
    project.registry.add(GLOB.id, GLOB)


def lay(project: Project, *paths: str) -> None:
    for path in paths:
        project.lay(path, "", known=False)


def found(project: Project, pattern: str, **params: Any) -> list[str]:
    """The paths that match, sorted."""
    output = project.done("glob", pattern=pattern, **params).output
    return [] if output == "No files found." else sorted(output.split("\n"))


TREE = ["a.py", "b.txt", "src/a.py", "src/deep/c.py", "src/deep/d.tsx", "src/e.ts", "src/[id].ts", "lib/é b.py"]


@pytest.mark.parametrize(("pattern", "paths"), rows("a_pattern_is_for_the_whole_path"))
def test_a_pattern_is_for_the_whole_path(pattern: str, paths: list[str], project: Project) -> None:
    lay(project, *TREE)
    assert found(project, pattern) == paths


@pytest.mark.parametrize("pattern", ["{a,b", "[z-a]", "a\ud800", "[a\ud800]"])
def test_what_is_no_glob_is_refused(pattern: str, project: Project) -> None:
    assert "is not a valid glob" in project.refused("glob", "malformed", pattern=pattern)
    assert not project.asked


def test_many_stars_do_not_take_for_ever(project: Project) -> None:
    lay(project, "a" * 200)
    assert found(project, "*a" * 100 + "b") == []
    assert found(project, "{a,aa}" * 60 + "b") == []


def test_the_newest_come_first_then_by_name(project: Project) -> None:
    for name, seconds in [("b", 5), ("a", 5), ("old", 1), ("d/new", 9)]:
        lay(project, name)
        os.utime(project.root / name, (seconds, seconds))
    result = project.done("glob", pattern="**")
    assert result.output == "d/new\na\nb\nold"
    assert result.metadata == {"n_files": 4, "n_shown": 4, "truncated": False}
    assert [(one.permission, one.patterns, one.always, one.metadata) for one in project.asked] == [
        ("glob", ("**",), ("*",), {"path": "."})
    ]


def test_of_many_files_a_hundred_are_shown_and_all_counted(project: Project) -> None:
    lay(project, *(f"f{n:03}" for n in range(101)))
    for n in range(101):
        os.utime(project.root / f"f{n:03}", (1, 1))
    result = project.done("glob", pattern="f*")
    lines = result.output.split("\n")
    assert lines[:100] == [f"f{n:03}" for n in range(100)]
    assert lines[100:] == ["(The 100 newest of 101 files. Use a narrower pattern or path for the others.)"]
    assert (result.metadata["n_files"], result.metadata["n_shown"]) == (101, 100)


def test_below_a_directory_paths_are_matched_from_there_and_told_from_the_root(project: Project) -> None:
    lay(project, "src/a/x.py", "src/x.py", "x.py")
    assert found(project, "a/*.py", path="src") == ["src/a/x.py"]
    assert found(project, "/*.py", path="src/") == ["src/x.py"]
    assert found(project, "*.py", path=str(project.root / "src")) == ["src/a/x.py", "src/x.py"]


def test_what_gitignore_says_is_left_out(project: Project) -> None:
    project.lay(".gitignore", "*.log\r\n!keep.log\nbuild/\n/only\n# *.py\n!\n[z-a]\nsecret", known=False)
    project.lay("sub/.gitignore", "\ufeff!*.log\n*.tmp\n", known=False)
    kept = [".gitignore", "a.py", "keep.log", "sub/.gitignore", "sub/b.log", "sub/only", "build.py", "x/build"]
    lay(project, *kept[1:3], *kept[4:], "a.log", "build/a.py", "x/y/build/b.py", "only", "sub/c.tmp", "x/secret")
    lay(project, ".git/config", "module/.git")
    assert found(project, "**") == sorted(kept)
    assert found(project, "*.log", path="sub") == ["sub/b.log"]
    assert found(project, "*.log", path="x") == []


def test_a_directory_that_is_ignored_is_listed_when_asked_for(project: Project) -> None:
    project.lay(".gitignore", "vendor/\n*.log\n", known=False)
    project.lay("vendor/a/.gitignore", "*.tmp\n", known=False)
    lay(project, "vendor/a/b/x.py", "vendor/a/b/x.log", "vendor/a/b/x.tmp")
    assert found(project, "x.*") == []
    assert found(project, "x.*", path="vendor/a/b") == ["vendor/a/b/x.log", "vendor/a/b/x.py"]


def test_the_rules_are_those_of_git(project: Project) -> None:
    rules = "*.log\n!keep/\n/a/*\n!/a/b\ndocs/**/*.tmp\n**/cache\n*.sw?\n\\!odd\nspace\\ \n"
    project.lay(".gitignore", rules, known=False)
    project.lay("a/b/.gitignore", "*\n!.gitignore\n!x*\n", known=False)
    names = ["x.log", "keep/x.log", "a/c/x", "a/b/x", "a/b/y", "docs/1/2/x.tmp", "docs/x", "q/cache/x", "x.swp", "!odd"]
    lay(project, *names, "space ", "odd", "keep/x", "a/b/x.log", "cache", "docs/x.tmp")
    git = ["git", "-C", str(project.root)]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run([*git, "ls-files", "-oz", "--exclude-per-directory=.gitignore"], check=True, stdout=-1)
    assert found(project, "**") == sorted(listed.stdout.decode().rstrip("\0").split("\0"))


def test_gitignore_that_cannot_be_read_says_nothing(project: Project) -> None:
    lay(project, "a.py")
    (project.root / ".gitignore").symlink_to("a.py")
    assert found(project, "*.py") == ["a.py"]


def test_links_are_not_followed(project: Project) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("")
    lay(project, "a.py")
    (project.root / "link.py").symlink_to(outside / "secret.py")
    (project.root / "directory").symlink_to(outside)
    (project.root / "loop").symlink_to(".")
    os.mkfifo(project.root / "pipe.py")
    assert found(project, "*.py") == ["a.py"]
    told = project.refused("glob", "outside_workspace", pattern="*.py", path="directory")
    assert "symbolic link" in told


def test_names_that_would_not_show_are_spelled_out_or_left_out(project: Project) -> None:
    lay(project, "new\nline")
    Path(os.fsdecode(os.fsencode(project.root) + b"/\xff")).touch()
    assert found(project, "**") == ["'new\\nline'"]


def test_a_place_that_is_no_directory_is_refused(project: Project) -> None:
    lay(project, "file")
    told = project.refused("glob", "not_found", pattern="*", path="nowhere")
    assert told == "There is no directory nowhere: give the path of one that exists."
    assert "not a directory" in project.refused("glob", "not_allowed", pattern="*", path="file")


def test_what_lies_outside_is_asked_for(project: Project) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text("")
    assert found(project, "*", path="../outside") == [str(outside / "a")]
    assert [one.permission for one in project.asked] == ["external_directory", "glob"]
    project.answer = lambda request: request.permission != "external_directory"
    project.refused("glob", "not_allowed", pattern="*", path="../outside")


def test_without_a_yes_nothing_is_listed(project: Project) -> None:
    project.answer = lambda _: False
    assert "permission glob" in project.refused("glob", "not_allowed", pattern="*")


def test_a_file_that_goes_meanwhile_is_left_out(project: Project) -> None:
    class Vanishing(Workspace):
        """A workspace whose files are deleted once a directory was listed."""

        def read_bytes(self, path: str) -> bytes:
            (project.root / "gone").unlink()
            return super().read_bytes(path)

    lay(project, ".gitignore", "gone", "here")
    other = project.with_host(workspace=Vanishing(project.root, lock_directory=project.root.parent / "locks"))
    other.registry.add(GLOB.id, GLOB)
    assert found(other, "**") == [".gitignore", "here"]


def test_what_is_too_deep_to_be_named_is_left_out(project: Project) -> None:
    lay(project, "d/" * 199 + "last")
    above = os.open(project.root / ("d/" * 199), os.O_RDONLY)
    try:
        os.mkdir("d", dir_fd=above)
        os.close(os.open("d/beyond", os.O_CREAT, dir_fd=above))
    finally:
        os.close(above)
    assert found(project, "**") == ["d/" * 199 + "last"]


@contextmanager
def few_descriptors(n: int) -> Iterator[None]:
    """Only so many more files can be open at once."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (400, before[1]))
    taken: list[int] = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(n):
            os.close(taken.pop())
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_tree_that_cannot_be_listed_in_whole_is_an_error(project: Project) -> None:
    lay(project, "d/" * 30 + "last")
    with few_descriptors(20):
        told = project.refused("glob", None, pattern="**")
    assert ". could not be listed (too many open files)" in told


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_a_directory_that_nobody_may_look_into_is_left_out(project: Project) -> None:
    lay(project, "a", "closed/b", "listed/c")
    (project.root / "closed").chmod(0)
    (project.root / "listed").chmod(0o400)
    try:
        assert found(project, "**") == ["a"]
    finally:
        (project.root / "closed").chmod(0o700)
        (project.root / "listed").chmod(0o700)
