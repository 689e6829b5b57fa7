"""What is asked before a command runs in a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.host.tool import Context
from tests.editcore.host.conftest import Project


def test_a_workdir_outside_of_the_project_is_asked_for(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.root / "link").symlink_to(tmp_path / "elsewhere")
    for workdir in ("../elsewhere", str(tmp_path / "elsewhere"), "link"):
        project.asked.clear()
        assert project.done("bash", command="touch x; pwd", workdir=workdir).output == f"{tmp_path}/elsewhere\n"
        assert [(one.permission, one.patterns[0]) for one in project.asked] == [
            ("external_directory", f"{tmp_path}/elsewhere/*"),
            ("bash", "touch x"),
        ]


@pytest.mark.parametrize("refused", ["bash", "external_directory"])
def test_without_permission_nothing_runs(project: Project, tmp_path: Path, refused: str) -> None:
    project.answer = lambda request: request.permission != refused
    message = project.refused("bash", "not_allowed", command=f"touch ran; touch {tmp_path}/ran")
    assert message.startswith(f"The permission {refused} was refused for ")
    assert not (project.root / "ran").exists()
    assert not (tmp_path / "ran").exists()


def test_where_nobody_can_be_asked_nothing_runs(project: Project) -> None:
    result = project.registry.call(project.agent, "bash", Context(), {"command": "touch ran"})
    assert result.metadata["reason"] == "not_allowed"
    assert not (project.root / "ran").exists()


def test_the_question_shows_the_command_and_its_parts(project: Project) -> None:
    command = "git status | grep -c M; X=1 npm run test -- -v > log; (ls; ls)"
    project.answer = lambda _: False
    project.refused("bash", "not_allowed", command=command, description="Look")
    (asked,) = project.asked  # The first that is refused.
    assert (asked.permission, asked.patterns, asked.always) == ("edit", ("log",), ("log",))
    project.asked.clear()
    project.answer = lambda request: request.permission == "edit"
    project.refused("bash", "not_allowed", command=command, description="Look")
    asked = project.asked[-1]
    assert asked.patterns == ("git status", "grep -c M", "X=1 npm run test -- -v > log", "ls")
    assert asked.always == ("git status *", "grep *", "X=1 npm run test -- -v > log", "ls *")
    assert asked.metadata == {"command": command, "description": "Look"}


def test_what_a_redirection_writes_is_asked_for_as_an_edit_of_the_file_that_a_link_leads_to(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission != "bash"
    project.refused("bash", "not_allowed", command="ls > a 2>> link/b; ls >&2 >/dev/null")
    assert [(one.permission, one.patterns, one.always) for one in project.asked[:-1]] == [
        ("external_directory", (f"{tmp_path}/there/*",), (f"{tmp_path}/there/*",)),
        ("edit", ("a", f"{tmp_path}/there/b"), ("a", f"{tmp_path}/there/b")),
    ]


@pytest.mark.parametrize(
    "command",
    ["rm $X", "rm {a,../b}", "cat `ls`", "rm .*", "rm */*/*", "cat > $X", "rm 'a", "cd $X; rm a", "ls " + "a" * 10_000],
)
def test_paths_that_are_not_known_are_asked_for_and_never_for_always(project: Project, command: str) -> None:
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command=command)
    (asked,) = project.asked
    assert (asked.permission, asked.patterns, asked.always) == ("external_directory", ("*",), ())


def test_a_glob_is_asked_for_where_the_links_it_matches_lead(project: Project, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command="cat l*")
    assert project.asked[0].patterns == (f"{tmp_path}/there/*",)


def test_a_directory_with_wildcards_is_never_asked_for_always(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a*").mkdir()
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command="cat '../a*/x'; sed p ../a?/x")
    assert all(one.always == () or one.always == (f"{tmp_path}/*",) for one in project.asked)


def test_words_of_any_command_that_lead_outside_are_asked_for(project: Project, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    project.answer = lambda request: request.permission == "bash"
    for command in ("sed -i p ../x", "setsid rm ../x", "env rm ../x", "mv --target-directory=.. a", "git -C../ status"):
        project.asked.clear()
        project.refused("bash", "not_allowed", command=command)
        assert project.asked[0].patterns == (f"{tmp_path}/*",), command
    project.answer = lambda _: True
    project.asked.clear()
    project.done("bash", command="echo /x; sed -n /none/p /dev/null")
    assert [one.permission for one in project.asked] == ["bash"]


def test_directories_outside_of_the_project_are_asked_for_first_and_once_each(project: Project, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission != "bash"
    command = f"cd ..; rm ../a {tmp_path}/b inside; cp link/x ../none/y; cat {tmp_path}/there >/dev/null; echo > /x/y"
    project.refused("bash", "not_allowed", command=command)
    assert [(one.permission, one.patterns[0]) for one in project.asked[:-1]] == [
        ("external_directory", f"{tmp_path}/*"),
        ("external_directory", f"{tmp_path.parent}/*"),  # After `cd ..`, a path may start from either directory.
        ("external_directory", f"{tmp_path}/there/*"),
        ("external_directory", f"{tmp_path}/link/*"),
        ("external_directory", f"{tmp_path}/none/*"),
        ("external_directory", f"{tmp_path.parent}/none/*"),
        ("external_directory", "/x/*"),
        ("edit", "/x/y"),
    ]
    assert project.asked[-1].permission == "bash"


def test_the_question_for_a_directory_outside_names_the_file_that_the_command_names(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    project.answer = lambda request: request.permission != "bash"
    project.refused("bash", "not_allowed", command=f"cat {tmp_path}/there/a > {tmp_path}/there/b; ls ../there")
    assert [dict(one.metadata) for one in project.asked if one.permission == "external_directory"] == [
        {"filepath": f"{tmp_path}/there/a", "parentDir": f"{tmp_path}/there"}
    ]
    assert [one.metadata["filepath"] for one in project.asked if one.permission == "edit"] == [f"{tmp_path}/there/b"]
