"""Sides: each makes the calls of a round, all at once, on files of a folder.

tool/edit                  a tool of ours, in threads of this process
cmd:NAME=COMMAND           processes of a program that speaks docs/protocol.md, in a workspace of ours
mcp:NAME=COMMAND           a server that COMMAND starts, driven by the official client; {folder} is the folder
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

import msgspec

from corpora.regular_file import content
from corpora.sample import Sample
from editcore.errors import UsageError, WorkspaceError, did_you_mean
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry
from editcore.host.workspace import Workspace
from editcore.quoting import first_line
from editcore.types import Applied, Edit, EditResult, File, Rejected
from harness.fuzz.drills.parallel.workload import IN_FLIGHT, Answer, Call
from harness.fuzz.mcp_client import Connection, connected, filled
from harness.processes import nothing_left_behind
from harness.strategies.external import SPEC, Command, parse_command
from harness.strategies.protocol import CommandError
from harness.strategies.strategy import files_after

# How a server's tools are called: the tool for an edit and the one for a read, with their arguments.
#
#     {"edit": {"tool": "edit_file",
#               "arguments": {"path": "{path}", "edits": [{"oldText": "{old}", "newText": "{new}"}]}},
#      "read": {"tool": "read_text_file", "arguments": {"path": "{path}"}}}
#
# In the arguments' texts, {path} is the file's absolute path and {name} its path below the folder; {old} and {new} are
# the lines.

_LARGEST = 1 << 20


class ToolCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, and its arguments with words in braces."""

    tool: str
    arguments: dict[str, Any]


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The calls of a server."""

    edit: ToolCall
    read: ToolCall


class Asked(NamedTuple):
    """A call as it is sent."""

    tool: str
    arguments: dict[str, Any]


_READ = ToolCall("read", {"filePath": "{name}"})
_PAIR = {"oldString": "{old}", "newString": "{new}"}
_PATCH = "*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch"
OUR_CALLS: Mapping[str, Calls] = {
    "edit": Calls(ToolCall("edit", {"filePath": "{name}", **_PAIR}), _READ),
    "multi_edit": Calls(ToolCall("multi_edit", {"filePath": "{name}", "edits": [_PAIR]}), _READ),
    "edit_patch": Calls(ToolCall("edit_patch", {"patch": _PATCH}), _READ),
}
"""Tool of ours -> its calls. A server without a file is called as `edit` is."""


_EXAMPLE = json.dumps(msgspec.to_builtins(OUR_CALLS["edit"]))
_N_TOOLS = 30


def calls_tip(tools: Sequence[str]) -> str:
    """The remedy if a server's read does not show a file; `tools` are the server's tools."""
    more = ", ..." if len(tools) > _N_TOOLS else ""
    its = f" It has the tools {', '.join(tools[:_N_TOOLS])}{more}." if tools else ""
    return f"Write how it edits and reads to a file for --calls, like {_EXAMPLE}; or let it reach TMPDIR.{its}"


def read_calls(path: Path | None) -> Calls:
    """The calls in a JSON file. Raises UsageError for a file that does not describe them."""
    if path is None:
        return OUR_CALLS["edit"]
    try:
        return msgspec.json.decode(content(path, _LARGEST), type=Calls)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{path} does not say how tools are called: {first_line(error)}", f"Write {_EXAMPLE}"
        ) from None


def asked(calls: Calls, call: Call, folder: Path) -> Asked:
    """A call with its texts in place of the words."""
    tool = calls.edit if call.kind == "edit" else calls.read
    words = {"path": str(folder / call.path), "name": call.path, "old": call.old, "new": call.new}
    return Asked(tool.tool, filled(tool.arguments, words))


_SERVER = re.compile(r"mcp:(?P<name>[\w-]{1,100})=(?P<command>.+)", re.DOTALL)
_OURS = "tool/"
OURS = tuple(f"{_OURS}{name}" for name in OUR_CALLS)
_N_PROGRAMS = 4
"""Processes of a program. Each answers one call at a time."""
_END_S = 5.0


class Side(Protocol):
    folder: Path
    tools: Sequence[str]
    """The tools that a server names."""

    def make(self, calls: Sequence[Call]) -> list[Answer]: ...


@contextmanager
def opened(name: str, folder: Path, calls: Calls) -> Iterator[Side]:
    """The side of that name, on a folder below `folder`. Raises UsageError for an unknown name or a failing side."""
    files = folder / "files"
    files.mkdir()
    workspace = Workspace(files, durable=False, lock_directory=folder / "locks")
    if name in OURS:
        yield _Threads(files, partial(_by_tool, Registry(Host(workspace), TOOLS), name.removeprefix(_OURS), files))
    elif name.startswith(SPEC):
        with _programs(name) as programs:
            yield _Threads(files, partial(_by_program, workspace, programs))
    elif found := _SERVER.fullmatch(name):
        with nothing_left_behind(), connected(found["command"], files, needed_by="a server in the drill") as server:
            yield _Server(files, server, calls)
    else:
        near = did_you_mean(name, OURS)
        tip = f"{near}Name one of {', '.join(OURS)}, a program 'cmd:mine=COMMAND', or a server 'mcp:mine=COMMAND'."
        raise UsageError(f"The drill parallel knows no {name!r}", tip)


class _Threads:
    """Our tools, with a thread of this process for each call."""

    tools: Sequence[str] = ()

    def __init__(self, folder: Path, one: Any) -> None:
        self.folder, self._one = folder, one

    def make(self, calls: Sequence[Call]) -> list[Answer]:
        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            return list(pool.map(self._one, calls))


def _by_tool(registry: Registry, tool: str, folder: Path, call: Call) -> Answer:
    sent = asked(OUR_CALLS[tool], call, folder)
    result = registry.call(Agent(), sent.tool, Context(), sent.arguments)
    return Answer(not result.is_error, result.output)


@contextmanager
def _programs(spec: str) -> Iterator[SimpleQueue[Command]]:
    """Processes that start when they are first asked, and end with the block."""
    programs = [parse_command(spec)[0] for _ in range(_N_PROGRAMS)]
    free: SimpleQueue[Command] = SimpleQueue()
    for one in programs:
        free.put(one)
    try:
        yield free
    finally:
        for one in programs:
            one.finish(_END_S)


def _by_program(workspace: Workspace, free: SimpleQueue[Command], call: Call) -> Answer:
    if call.kind == "read":
        return Answer(True, workspace.read(call.path))
    program = free.get()

    def decide(files: Mapping[str, str]) -> EditResult:
        before = tuple([File(path, text) for path, text in files.items()])
        sample = Sample("call", "str_replace", before, "unlabelled", edits=(Edit(call.old, call.new),))
        result = program.apply(sample)
        return Applied(files=files_after(sample, result)) if isinstance(result, Applied) else result

    try:
        outcome = workspace.change("drill", {}, [call.path], decide)
        return Answer(outcome.is_written, outcome.result.message if isinstance(outcome.result, Rejected) else "")
    except (WorkspaceError, CommandError) as error:
        return Answer(False, str(error))
    finally:
        free.put(program)


class _Server:
    """A connected server: all calls of a round are in flight over the one connection."""

    def __init__(self, folder: Path, connection: Connection, calls: Calls) -> None:
        self.folder, self._connection, self._calls = folder, connection, calls
        self.tools: Sequence[str] = [tool.name for tool in connection.tools]

    def make(self, calls: Sequence[Call]) -> list[Answer]:
        answers: list[Answer] = self._connection.portal.call(self._all, calls)
        return answers

    async def _all(self, calls: Sequence[Call]) -> list[Answer]:
        import anyio

        answers = [Answer(False)] * len(calls)

        async def one(at: int, call: Call) -> None:
            answers[at] = Answer(*await self._connection.answer(*asked(self._calls, call, self.folder)))

        async with anyio.create_task_group() as group:
            for at, call in enumerate(calls):
                group.start_soon(one, at, call)
        return answers
