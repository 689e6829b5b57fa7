"""Permissions: the questions of each level, the scope of an answer, and invalid answers."""

from __future__ import annotations

import pytest

from editcore.host.tool import outside_request
from editcore.host.tools import PermissionRequest
from harness.commands import tools as command
from harness.mcp.sessions import LEVELS, Permissions, answer_of, answer_schema, key_of, question

EDIT = PermissionRequest("edit", ("a.py",), ("*",), {"diff": "-a\n+b\n"})
STATUS = PermissionRequest("bash", ("git status -s",), ("git status *",), {"command": "git status -s"})


def test_the_command_offers_every_level() -> None:
    assert tuple(LEVELS) == command._LEVELS


@pytest.mark.parametrize(
    ("level", "asked"),
    [
        ("nothing", set()),
        ("outside", {"bash", "external_directory"}),
        ("edits", {"bash", "external_directory", "edit"}),
        ("everything", {"bash", "external_directory", "edit", "read", "grep"}),
    ],
)
def test_levels(level: str, asked: set[str]) -> None:
    permissions = Permissions(level)
    every = ("bash", "external_directory", "edit", "read", "grep")
    assert {one for one in every if permissions.known(PermissionRequest(one, ("x",))) is None} == asked


def test_an_answer_for_the_session_covers_what_it_named() -> None:
    permissions = Permissions("edits")
    assert permissions.take(STATUS, "session")
    assert permissions.known(PermissionRequest("bash", ("git status --long",)))
    assert permissions.known(PermissionRequest("bash", ("git status --long", "git push"))) is None
    assert permissions.known(PermissionRequest("bash", ("git push",))) is None
    assert permissions.known(PermissionRequest("edit", ("git status -s",))) is None
    assert permissions.known(PermissionRequest("bash", ())) is None


def test_a_directory_does_not_cover_those_below_it() -> None:
    permissions = Permissions("outside")
    permissions.take(outside_request("/etc/hostname", "/etc"), "session")
    assert permissions.known(outside_request("/etc/passwd", "/etc"))
    assert permissions.known(outside_request("/etc/ssl/key", "/etc/ssl")) is None


def test_once_is_once() -> None:
    permissions = Permissions("outside")
    assert permissions.take(STATUS, "once")
    assert not permissions.take(STATUS, "no")
    assert permissions.known(STATUS) is None


@pytest.mark.parametrize(
    ("action", "content", "answer"),
    [
        ("accept", {"answer": "once"}, "once"),
        ("accept", {"answer": "session"}, "session"),
        ("accept", {"answer": "no"}, "no"),
        ("accept", {"answer": True}, "no"),
        ("accept", {}, "no"),
        ("accept", None, "no"),
        ("decline", {"answer": "once"}, "no"),
        ("cancel", None, "no"),
    ],
)
def test_anything_but_a_clear_yes_is_a_no(action: str, content: object, answer: str) -> None:
    assert answer_of(action, content, STATUS) == answer


def test_a_choice_is_taken_as_it_is_and_never_for_the_session() -> None:
    request = PermissionRequest("conflict", ("a.py",), (), {"with_markers": "<<<<<<<"}, ("skip", "force", "manual"))
    assert answer_schema(request)["properties"]["answer"]["enum"] == ["skip", "force", "manual", "no"]
    assert question(request).splitlines() == ["Choose for conflict: a.py?", "<<<<<<<"]
    permissions = Permissions("edits")
    for given, taken in (("force", "force"), ("once", "no"), ("no", "no")):
        answer = answer_of("accept", {"answer": given}, request)
        assert answer == taken
        assert permissions.take(request, answer) == (taken if taken == "force" else False)
    assert permissions.known(request) is None
    assert Permissions("nothing").known(request) is False
    assert Permissions("outside").known(request) is False


def test_there_is_no_answer_for_the_session_where_nothing_would_be_covered() -> None:
    unknown = PermissionRequest("external_directory", ("*",))
    assert answer_schema(unknown)["properties"]["answer"]["enum"] == ["once", "no"]
    assert answer_of("accept", {"answer": "session"}, unknown) == "no"


def test_a_question_is_short_and_shows_what_a_terminal_would_obey() -> None:
    request = PermissionRequest("bash", tuple(f"c{n}\x1b[2J" for n in range(99)), (), {"command": "x\r\n" * 90_000})
    text = question(request)
    assert "\x1b" not in text
    assert "\r" not in text
    assert "and 89 more" in text.splitlines()[0]
    assert len(text) < 20_000


def test_the_key_of_a_question_depends_on_all_of_it() -> None:
    requests = [
        EDIT,
        STATUS,
        PermissionRequest("edit", ("a.py",), ("*",), {"diff": "-a\n+c\n"}),
        PermissionRequest("edit", ("b.py",), ("*",), EDIT.metadata),
        PermissionRequest("edit", ("a.py", "b.py"), ("*",), {"diff": "\ud800"}),
    ]
    assert len(set(map(key_of, requests))) == len(requests)
