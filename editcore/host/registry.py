"""The tools of each agent: built-in ones and a host's own, made when they are first needed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any

from editcore.errors import ToolError, UsageError, similar_names
from editcore.host.built_in import Factory
from editcore.host.choices import Choice, check_choices
from editcore.host.host import Agent, Host
from editcore.host.parallel import Step, canonical, run_steps
from editcore.host.parameters import read
from editcore.host.tool import Context, Result, Tool

_log = logging.getLogger(__name__)
_INVALID, _TASK = "invalid", "task"
_ELSEWHERE = {
    "read_file": "read", "view": "read", "cat": "read", "list_files": "read", "list_directory": "read", "ls": "read",
    "write_file": "write", "create_file": "write", "search_files": "grep", "search": "grep", "find_files": "glob",
    "str_replace": "edit", "apply_patch": "edit_patch", "shell": "bash", "run_command": "bash",
}  # fmt: skip
"""The names that other agents have for tools -> ours."""

Call = tuple[str, Context, object]
"""Id of a tool, context and parameters of a call."""


class Registry:
    """Factories by id, and the tools they made for each agent. Safe to share between threads.

    Where a factory raises, its tool is left out, which is logged once. Where it raises UsageError, as for a package
    that is not installed, a call of the tool is answered with that message. `add` the factory again for another try.
    `choices` says which agents and models have which tools; by default each has all, or those of `Agent.tools`.
    """

    def __init__(self, host: Host, factories: Mapping[str, Factory], *, choices: Sequence[Choice] = ()) -> None:
        check_choices(choices, factories)
        self.host = host
        self._choices = tuple(choices)
        self._factories = dict(factories)
        self._made: dict[Agent, dict[str, Tool[Any]]] = {}
        self._failed: set[str] = set()
        self._problems: dict[str, str] = {}
        """Id -> why a factory refused to make its tool."""
        self._lock = RLock()

    def add(self, id: str, factory: Factory) -> None:
        """Add a factory, or replace the one of that id. Agents have its tool from their next call on."""
        with self._lock:
            self._factories[id] = factory
            self._failed.discard(id)
            self._problems.pop(id, None)
            self._made.clear()

    def remove(self, id: str) -> None:
        """Remove a factory. Raises UsageError where there is none of that id."""
        with self._lock:
            if self._factories.pop(id, None) is None:
                raise UsageError(f"There is no tool {id!r}", f"There are: {', '.join(self._factories)}.")
            self._problems.pop(id, None)
            self._made.clear()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all factories, in the order in which they were added."""
        with self._lock:
            return tuple(self._factories)

    def tools(self, agent: Agent) -> Mapping[str, Tool[Any]]:
        """Id -> tool, for the tools that this agent has."""
        with self._lock:
            if agent not in self._made:
                self._made[agent] = self._make(agent)
            return self._made[agent]

    def call(self, agent: Agent, id: str, context: Context, params: object) -> Result:
        """Call a tool. `params` may be JSON, as models send it.

        A call of a tool that the agent does not have, or with parameters that are not JSON, is answered by `invalid`.
        """
        tools = self.tools(agent)
        tool = _named(tools, id)
        if tool is None:
            offered = ", ".join(name for name in tools if name != _INVALID) or "none"
            problem = self._problems.get(id) if id in dict(self._selected(agent)) else None
            near = next((f", did you mean {name}?" for name in _meant(id, tools)), ";")
            return self._invalid(tools, id, f"{problem or f'there is no tool {id!a:.80}'}{near} available: {offered}")
        if isinstance(params, str):
            try:
                params = json.loads(params)
            except (ValueError, RecursionError) as error:
                return self._invalid(tools, id, f"its parameters are not valid JSON ({error}); send all of them again")
        return tool.execute(context, params)

    def call_many(self, agent: Agent, calls: Sequence[Call], *, jobs: int = 8) -> list[Result]:
        """Make several calls, at most `jobs` at once. The results are in the order of the calls.

        Calls that touch the same file run one after the other, in order; so do a call that may touch any, as of `bash`
        and `task`, and all others. Only calls that read share a file. A call that fails does not keep others from
        running. Callbacks of the contexts are called from several threads; where one raises, no call is begun any more.
        """
        return run_steps([self.step(agent, *call) for call in calls], jobs=jobs)

    def step(self, agent: Agent, id: str, context: Context, params: object) -> Step:
        """A call that is not made yet, and the files that it touches, for whoever decides when it is made."""
        tool = _named(self.tools(agent), id)
        paths: Iterable[str] | None = ()
        if tool is not None:
            try:
                sent = read(tool.id, tool.parameters, json.loads(params) if isinstance(params, str) else params)
                paths = None if tool.files is None else tool.files(sent)
            except (ToolError, ValueError, RecursionError):
                pass  # The call will be refused.
        return Step(
            lambda: self.call(agent, id, context, params),
            None if paths is None else canonical(self.host.workspace.root, paths),
            tool is not None and tool.effect != "reads",
        )

    def _invalid(self, tools: Mapping[str, Tool[Any]], id: str, problem: str) -> Result:
        if _INVALID not in tools:
            return Result(_INVALID, f"Invalid call: {problem}.", is_error=True)
        return tools[_INVALID].execute(Context(), {"tool": str(id)[:200], "error": problem})

    def _make(self, agent: Agent) -> dict[str, Tool[Any]]:
        made = {}
        for id, factory in self._selected(agent):
            try:
                tool = factory(self.host, agent)
            except UsageError as error:
                if id not in self._problems:
                    self._problems[id] = f"{error.message} ({error.tip.rstrip('.')})"
                    _log.info("The tool %s is left out: %s", id, self._problems[id])
                continue
            except Exception as error:  # Whatever it is, the other tools work.
                if id not in self._failed:
                    self._failed.add(id)
                    _log.warning("The tool %s is left out: %s: %s", id, type(error).__name__, error)
                continue
            if tool is not None:
                made[id] = tool
        outputs, has_task = self.host.outputs, _TASK in made
        return {id: replace(tool, outputs=outputs, has_task=has_task) for id, tool in made.items()}

    def _selected(self, agent: Agent) -> Iterable[tuple[str, Factory]]:
        choice = next((one for one in self._choices if one.fits(agent)), None)
        for id, factory in self._factories.items():
            is_offered = (agent.tools is None or id in agent.tools) and (choice is None or choice.offers(id))
            if is_offered or id == _INVALID:
                yield id, factory


def _meant(id: str, tools: Mapping[str, Tool[Any]]) -> list[str]:
    """The tools that a call of another one may have meant, the likeliest first."""
    usual = _ELSEWHERE.get(id.lower())
    if usual is not None and usual in tools:
        return [usual]
    return similar_names(id, [name for name in tools if name != _INVALID], limit=1)


def _named(tools: Mapping[str, Tool[Any]], id: str) -> Tool[Any] | None:
    """The tool of that id, which may have a dot where model APIs take none."""
    return tools.get(id) or tools.get(id.replace(".", "_"))
