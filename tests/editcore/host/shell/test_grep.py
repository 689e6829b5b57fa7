"""`grep`: the lines that match, how they are shown, and the files that are not searched."""

from __future__ import annotations

import os
from typing import Any

import pytest

from editcore.host.shell.search import GREP
from editcore.host.workspace import Limits, Workspace
from tests.editcore.host.conftest import Project


@pytest.fixture(autouse=True)
def _offered(project: Project) -> None:
    project.registry.add(GREP.id, GREP)


def found(project: Project, pattern: str, **params: Any) -> str:
    """The part of the output about the matching lines."""
    return project.done("grep", pattern=pattern, **params).output


def test_matches_are_told_by_file_the_newest_first(project: Project) -> None:
    for name, text, seconds in [("old", "x = 1\n", 1), ("d/new", "a\nx = 2\nb\nx = 3", 9), ("other", "y\n", 5)]:
        project.lay(name, text, known=False)
        os.utime(project.root / name, (seconds, seconds))
    result = project.done("grep", pattern=r"^x = \d$")
    assert result.output == "d/new:\n  Line 2: x = 2\n  Line 4: x = 3\nold:\n  Line 1: x = 1"
    assert result.metadata == {"n_matches": 3, "is_complete": True, "truncated": False}
    assert [(one.permission, one.patterns, one.always, one.metadata) for one in project.asked] == [
        ("grep", (r"^x = \d$",), ("*",), {"path": ".", "include": None})
    ]


def test_of_more_than_a_hundred_matches_a_hundred_are_shown(project: Project) -> None:
    project.lay("f", "x\n" * 100)
    result = project.done("grep", pattern="x")
    assert result.output.endswith("\n  Line 100: x")
    assert result.metadata["is_complete"]
    project.lay("f", "x\n" * 101)
    result = project.done("grep", pattern="x")
    last = "(The first 100 matches; there are more. Use a narrower pattern, path or include.)"
    assert result.output.endswith(f"\n  Line 100: x\n{last}")
    assert (result.metadata["n_matches"], result.metadata["is_complete"]) == (100, False)


def test_a_long_line_is_cut_and_said_to_be(project: Project) -> None:
    project.lay("f", "é" * 5_000)
    assert found(project, "é$") == f"f:\n  Line 1: {'é' * 2_000}... (cut: the line has 5,000 characters)"


def test_an_expression_that_would_take_others_for_ever_does_not(project: Project) -> None:
    project.lay("f", "a" * 1_000_000 + "b\n" + "aa\n")
    assert found(project, "(a+)+$") == "f:\n  Line 2: aa"


def test_only_files_that_include_names_are_searched(project: Project) -> None:
    for name in ("a.py", "src/b.ts", "src/c.tsx", "d"):
        project.lay(name, "x\n")
        os.utime(project.root / name, (1, 1))
    assert found(project, "x", include="*.{ts,tsx}") == "src/b.ts:\n  Line 1: x\nsrc/c.tsx:\n  Line 1: x"
    assert found(project, "x", include="src/*.ts") == "src/b.ts:\n  Line 1: x"
    assert found(project, "x", include="*.ts", path="src") == "src/b.ts:\n  Line 1: x"
    assert found(project, "x", include="").count("Line") == 4
    assert "is not a valid glob" in project.refused("grep", "malformed", pattern="x", include="{")


def test_what_is_ignored_binary_or_git_s_own_is_not_searched(project: Project) -> None:
    project.lay(".gitignore", "*.log\n!keep.log\n")
    for name in ("a.log", ".git/config", "d/.git/config"):
        project.lay(name, "x\n", known=False)
    project.lay("keep.log", "x\n")
    project.lay("binary", b"x\n\0", known=False)
    assert found(project, "x") == "keep.log:\n  Line 1: x"


def test_files_that_are_too_large_are_named(project: Project) -> None:
    for n in range(6):
        project.lay(f"large{n}", "x" * 11)
        os.utime(project.root / f"large{n}", (1, 1))
    project.lay("small", "x")
    locks = project.root.parent / "locks"
    other = project.with_host(workspace=Workspace(project.root, lock_directory=locks, limits=Limits(file_bytes=10)))
    other.registry.add(GREP.id, GREP)
    names = "large0, large1, large2, large3, large4"
    result = other.done("grep", pattern="x")
    assert result.output == f"small:\n  Line 1: x\n(Not searched because too large: {names}, ...)"
    assert not result.metadata["is_complete"]
    (project.root / "large5").unlink()
    assert found(other, "y") == f"No matches.\n(Not searched because too large: {names})"
    other.refused("grep", "too_large", pattern="x", path="large0")


def test_links_lead_nowhere(project: Project) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "key").write_text("secret\n")
    (project.root / "file").symlink_to(outside / "key")
    (project.root / "directory").symlink_to(outside)
    assert found(project, "secret") == "No matches."
    for path in ("file", "directory", "directory/key"):
        assert "symbolic link" in project.refused("grep", "outside_workspace", pattern="secret", path=path)


def test_a_file_swapped_for_a_link_after_the_listing_is_not_read(project: Project) -> None:
    class Swapping(Workspace):
        """A workspace in which a file becomes a link once it was listed."""

        def read_bytes(self, path: str) -> bytes:
            (project.root / path).unlink()
            (project.root / path).symlink_to(project.root.parent / "key")
            return super().read_bytes(path)

    (project.root.parent / "key").write_text("secret\n")
    project.lay("f", "secret\n")
    other = project.with_host(workspace=Swapping(project.root, lock_directory=project.root.parent / "locks"))
    other.registry.add(GREP.id, GREP)
    assert found(other, "secret") == "No matches."


def test_what_lies_outside_is_asked_for(project: Project) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text("x\n")
    for path in ("../outside", "../outside/a"):
        assert found(project, "x", path=path) == f"{outside}/a:\n  Line 1: x"
    assert [(one.permission, one.patterns) for one in project.asked if one.permission != "grep"] == [
        ("external_directory", (f"{outside}/*",)),
        ("external_directory", (f"{outside}/*",)),
    ]
    project.answer = lambda request: request.permission != "external_directory"
    project.refused("grep", "not_allowed", pattern="x", path="../outside")


def test_without_a_yes_nothing_is_searched(project: Project) -> None:
    project.lay("f", "x\n")
    project.answer = lambda _: False
    assert "permission grep" in project.refused("grep", "not_allowed", pattern="x")
