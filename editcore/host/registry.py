"""The tools of each agent: built-in ones and a host's own, made when they are first needed; and several calls at
once.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from threading import RLock
from typing import Any

from editcore.errors import ToolError, UsageError, check_installed, did_you_mean, similar_names
from editcore.host.host import Agent, Host, undressed
from editcore.host.parameters import read
from editcore.host.tool import Context, Declared, Parameters, Result, Tool
from editcore.text.keys import normal_form

Factory = Callable[[Host, Agent], Tool[Any] | None]
"""Makes a tool for an agent; None if the host lacks something that the tool needs. May raise."""


@dataclass(frozen=True, slots=True)
class BuiltIn(Declared[Parameters]):
    """A factory for tools whose declaration is known before a tool is made."""

    run: Callable[[Host, Context, Parameters], Result]
    is_offered: Callable[[Host], bool] = lambda _: True
    """True if the host has everything that the tool needs."""
    packages: tuple[str, ...] = ()
    """Modules of the extra `tools` that the tool imports when it runs."""
    parameters_for: Callable[[Host], type[Parameters]] | None = None
    """Makes the parameters, if they depend on the host."""
    description_for: Callable[[Host], str] | None = None
    """Makes the description, if it depends on the host."""

    def parameters_of(self, host: Host) -> type[Parameters]:
        return self.parameters_for(host) if self.parameters_for else self.parameters

    def __call__(self, host: Host, _: Agent) -> Tool[Parameters] | None:
        """The tool, or None if the host lacks something that it needs. Raises UsageError if a package is missing."""
        if not self.is_offered(host):
            return None
        check_installed(*self.packages, extra="tools", needed_by=self.id)
        return Tool(
            self.id,
            self.description_for(host) if self.description_for else self.description,
            self.parameters_of(host),
            partial(self.run, host),
            keep=self.keep,
            refused=self.refused,
            files=self.files,
            effect=self.effect,
            entry=self.entry,
        )


_EDITS = frozenset({"write", "edit", "multi_edit", "edit_file", "patch_file", "insert_at"})
_PATCHES = frozenset({"edit_patch"})


@dataclass(frozen=True, slots=True)
class Choice:
    """A pattern of agents and models, and the tools that they have. The first `Choice` that fits an agent decides."""

    agent: str = "*"
    model: str = "*"
    """A glob of `provider/model`; only `*` matches an agent whose model is not known."""
    only: frozenset[str] | None = None
    """The ids of its tools; None for all."""
    without: frozenset[str] = frozenset()
    """Ids of tools that it does not have."""

    def fits(self, agent: Agent) -> bool:
        return fnmatchcase(agent.name, self.agent) and fnmatchcase(agent.model, self.model)

    def offers(self, id: str) -> bool:
        return (self.only is None or id in self.only) and id not in self.without


BY_MODEL: tuple[Choice, ...] = (
    *(Choice(model=model, without=_EDITS) for model in ("*gpt-4.1*", "*gpt-5*", "*codex*")),
    Choice(without=_PATCHES),
)
"""`edit_patch` for models that were trained on its format, and the other editing tools for all others.

Source: OpenAI's GPT-4.1 prompting guide says that GPT-4.1 was trained on the format; Codex uses it with its models.
"""


def check_choices(choices: Iterable[Choice], ids: Iterable[str]) -> None:
    """Raise UsageError if a row names a tool whose id is not in `ids`."""
    known = list(ids)
    for choice in choices:
        for id in sorted((choice.only or frozenset()) | choice.without):
            if id not in known:
                raise UsageError(
                    f"There is no tool {id!r} for a row to name",
                    f"{did_you_mean(id, known)}There are: {', '.join(known)}.",
                )


@dataclass(frozen=True, slots=True)
class Step:
    """One of several calls that are made at once. Calls that touch the same file run one after the other.

    1 read a       2 edit a       3 read b       4 bash       5 read a
    2 waits for 1, 3 for none, 4 for all before it (it may touch any file), 5 for 2 and 4
    """

    run: Callable[[], Result]
    paths: frozenset[str] | None
    """Canonical paths of the files and directories that the call touches; None if they are not known beforehand."""
    writes: bool

    def waits_for(self, earlier: Step) -> bool:
        """True if this call must not run before `earlier` is done."""
        if not (self.writes or earlier.writes):
            return False
        if self.paths is None or earlier.paths is None:
            return True
        return any(_overlap(one, other) for one in self.paths for other in earlier.paths)


def canonical(root: str, paths: Iterable[str]) -> frozenset[str]:
    """`paths`, absolute or relative to `root`, with links resolved and case folded. Invalid paths are left out."""
    found = set()
    for path in paths:
        try:
            found.add(normal_form(os.path.realpath(os.path.join(root, undressed(root, path)))).casefold())
        except (OSError, ValueError, ToolError):
            continue  # The call will be refused.
    return frozenset(found)


def run_steps(steps: Sequence[Step], *, jobs: int) -> list[Result]:
    """The results in order. If a call raises, no further call is begun, and the first exception is raised."""
    needed = [{n for n in range(number) if step.waits_for(steps[n])} for number, step in enumerate(steps)]
    futures: dict[int, Future[Result]] = {}
    running: dict[Future[Result], int] = {}
    waiting, done = list(range(len(steps))), set[int]()
    with ThreadPoolExecutor(max(1, min(jobs, len(steps)))) as pool:
        while waiting or running:
            for number in [one for one in waiting if needed[one] <= done]:
                waiting.remove(number)
                futures[number] = pool.submit(steps[number].run)
                running[futures[number]] = number
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            done |= {running.pop(one) for one in finished}
            if any(one.exception() is not None for one in finished):
                break
    return [futures[number].result() for number in sorted(futures)]


def _overlap(one: str, other: str) -> bool:
    """True if two paths are equal, or one is below the other."""
    return one == other or one.startswith(other.rstrip("/") + "/") or other.startswith(one.rstrip("/") + "/")


_log = logging.getLogger(__name__)
_INVALID, _TASK = "invalid", "task"
_ELSEWHERE = {
    "read_file": "read", "view": "read", "cat": "read", "list_files": "read", "list_directory": "read", "ls": "read",
    "write_file": "write", "create_file": "write", "search_files": "grep", "search": "grep", "find_files": "glob",
    "str_replace": "edit", "apply_patch": "edit_patch", "shell": "bash", "run_command": "bash",
}  # fmt: skip
"""Names that other agents give to tools -> ours."""

Call = tuple[str, Context, object]
"""Id of a tool, context and parameters of a call."""


class Registry:
    """Factories by id, and the tools they made for each agent. Safe to share between threads.

    A factory that raises is logged once and its tool is left out. If it raises UsageError, as for a package that is
    not installed, a call of the tool is answered with that message. `add` the factory again for another try.
    `choices` maps agents and models to tools; by default each agent has all of them, or the tools in `Agent.tools`.
    """

    def __init__(self, host: Host, factories: Mapping[str, Factory], *, choices: Sequence[Choice] = ()) -> None:
        check_choices(choices, factories)
        self.host = host
        self._choices = tuple(choices)
        self._factories = dict(factories)
        self._made: dict[Agent, dict[str, Tool[Any]]] = {}
        self._problems: dict[str, str] = {}
        """Id -> message of the UsageError that its factory raised; empty if it raised anything else."""
        self._lock = RLock()

    def add(self, id: str, factory: Factory) -> None:
        with self._lock:
            self._factories[id] = factory
            self._problems.pop(id, None)
            self._made.clear()

    def remove(self, id: str) -> None:
        with self._lock:
            if self._factories.pop(id, None) is None:
                raise UsageError(f"There is no tool {id!r}", f"There are: {', '.join(self._factories)}.")
            self._problems.pop(id, None)
            self._made.clear()

    @property
    def ids(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._factories)

    def tools(self, agent: Agent) -> Mapping[str, Tool[Any]]:
        with self._lock:
            if agent not in self._made:
                self._made[agent] = self._make(agent)
            return self._made[agent]

    def id_of(self, agent: Agent, id: str) -> str:
        """The id of the tool that a call by this name means; the name itself if there is no such tool."""
        tool = _named(self.tools(agent), id)
        return id if tool is None else tool.id

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

        Calls that touch the same file run one after the other, in order. A call that may touch any file, as of `bash`
        and `task`, runs alone. Only calls that read share a file. A call that fails does not keep others from
        running. Callbacks of the contexts are called from several threads; if one raises, no further call is begun.
        """
        return run_steps([self.step(agent, *call) for call in calls], jobs=jobs)

    def step(self, agent: Agent, id: str, context: Context, params: object) -> Step:
        """A call that has not begun, with the files that it touches, for a caller that schedules it."""
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
            except Exception as error:  # Whatever it is, the other tools work.
                if id not in self._problems:
                    problem = f"{error.message} ({error.tip.rstrip('.')})" if isinstance(error, UsageError) else ""
                    self._problems[id] = problem
                    level = logging.INFO if problem else logging.WARNING
                    _log.log(level, "The tool %s is left out: %s", id, problem or f"{type(error).__name__}: {error}")
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
    """The tools that a call of an unknown tool may have meant, the likeliest first."""
    usual = _ELSEWHERE.get(id.lower())
    if usual is not None and usual in tools:
        return [usual]
    return similar_names(id, [name for name in tools if name != _INVALID], limit=1)


def _named(tools: Mapping[str, Tool[Any]], id: str) -> Tool[Any] | None:
    """The tool of that id. Models may write a dot for `_`."""
    return tools.get(id) or tools.get(id.replace(".", "_"))
