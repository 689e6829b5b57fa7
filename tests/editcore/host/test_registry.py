"""The registry: made when asked for, for each agent, whatever a factory does."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import pytest

from editcore.errors import UsageError
from editcore.host.host import Agent, Host, Task
from editcore.host.registry import Registry
from editcore.host.tool import Context, Result, Tool
from tests.editcore.host.conftest import Project

BUILT_IN = [
    "invalid", "read", "write", "glob", "grep", "edit", "multi_edit", "edit_file", "patch_file", "insert_at",
    "edit_patch", "edit_lines", "rollback", "cleanup", "doc_edit", "bash", "task",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nothing:
    """No parameters."""


def saying(text: str) -> Tool[Nothing]:
    return Tool("say", "Says it.", Nothing, lambda context, _: Result("said", f"{text} {context.agent}"))


def test_there_are_the_built_in_tools_and_those_without_what_they_need_are_not_offered(project: Project) -> None:
    assert list(project.registry.ids) == BUILT_IN
    offered = list(project.registry.tools(project.agent))
    assert offered == [
        name for name in BUILT_IN if name not in ("edit_lines", "rollback", "cleanup", "doc_edit", "task")
    ]


def test_a_task_is_offered_where_the_host_can_do_it_and_asked_for(project: Project) -> None:
    asked: list[Task] = []

    def work(context: Context, task: Task) -> str:
        asked.append(task)
        return f"done for {context.session_id}"

    host = project.with_host(task=work)
    result = host.done("task", description="look round", prompt="look", agent="scout")
    assert (result.title, result.output, asked) == ("look round", "done for s", [Task("look round", "look", "scout")])
    assert [(one.permission, one.patterns) for one in host.asked] == [("task", ("scout",))]
    host.answer = lambda _: False
    assert "was refused for scout" in host.refused("task", "not_allowed", description="d", prompt="p", agent="scout")
    assert len(asked) == 1


def test_where_nothing_may_be_written_there_is_no_shell(project: Project) -> None:
    project.host.workspace.mode = "research"
    assert "bash" not in project.registry.tools(project.agent)
    assert "read" in project.registry.tools(project.agent)


def test_a_factory_is_called_once_for_each_agent_and_gets_it(project: Project) -> None:
    made: list[Agent] = []

    def factory(host: Host, agent: Agent) -> Tool[Any]:
        assert host is project.host
        made.append(agent)
        return saying(agent.name)

    project.registry.add("say", factory)
    assert made == []
    other = Agent("reviewer")
    for agent in (project.agent, other, project.agent, Agent("builder")):
        assert project.registry.call(agent, "say", Context(agent="x"), {}).output == f"{agent.name} x"
    assert made == [project.agent, other]


def test_an_agent_has_the_tools_that_were_selected_for_it(project: Project) -> None:
    reader = Agent("reader", tools=frozenset({"read", "grep", "never"}))
    assert list(project.registry.tools(reader)) == ["invalid", "read", "grep"]
    answer = project.registry.call(reader, "edit", project.context, {})
    assert answer.is_error
    assert answer.output == "Invalid call of edit: there is no tool 'edit'; available: read, grep."


def test_a_tool_whose_factory_fails_is_left_out_and_said_so_once(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> Tool[Any]:
        raise RuntimeError("no licence")

    project.registry.add("say", broken)
    with caplog.at_level(logging.WARNING):
        for agent in (project.agent, Agent("a"), Agent("b")):
            assert "edit" in project.registry.tools(agent)
            assert "say" not in project.registry.tools(agent)
    assert caplog.messages == ["The tool say is left out: RuntimeError: no licence"]
    project.registry.add("say", lambda _, agent: saying(agent.name))
    assert project.done("say").output == "builder builder"
    project.registry.remove("say")
    assert "say" not in project.registry.tools(project.agent)
    with pytest.raises(UsageError, match="There is no tool 'say'"):
        project.registry.remove("say")


def test_a_call_of_no_tool_is_answered_by_invalid_or_without_it(project: Project) -> None:
    result = project.call("str_replace\n")
    assert (result.title, result.is_error) == ("Invalid call", True)
    assert "there is no tool 'str_replace\\n'; available: read, " in result.output
    empty = Registry(project.host, {})
    assert empty.call(project.agent, "x", project.context, {}).output == (
        "Invalid call: there is no tool 'x'; available: none."
    )


def test_parameters_may_be_json_and_what_is_none_is_answered_by_invalid(project: Project) -> None:
    project.lay("a", "x\n")
    call = project.registry.call
    sent = '{"filePath": "a", "oldString": "x", "newString": "y"}'
    assert call(project.agent, "edit", project.context, sent).output == "Edit applied successfully: line 1."
    result = call(project.agent, "edit", project.context, sent[:-9])
    assert (result.title, result.is_error) == ("Invalid call", True)
    assert result.output.startswith("Invalid call of edit: its parameters are not valid JSON (")
    assert call(project.agent, "edit", project.context, "[" * 100_000).is_error


def test_many_threads_get_the_same_tools(project: Project) -> None:
    made: list[str] = []
    project.registry.add("say", lambda _, agent: made.append(agent.name) or saying(agent.name))  # type: ignore[func-returns-value]
    together = Barrier(8)

    def work(n: int) -> int:
        together.wait()
        if n % 4 == 3:
            project.registry.add(f"other{n}", lambda *_: saying("o"))
        return id(project.registry.tools(Agent(f"a{n % 2}"))["say"].run)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert {"say", "other3", "other7"} < set(project.registry.tools(Agent("a1")))
    assert len(made) <= 8
