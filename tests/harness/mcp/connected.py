"""A server of a folder, connected to the official client: in this process, or in one of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, types

from corpora.write import SampleAppender
from editcore.cascade import CASCADES
from editcore.host.tools import TOOLS, Agent, Host, Registry
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from harness.mcp.recording import Recording
from harness.mcp.server import tools_server
from harness.mcp.sessions import Sessions
from tests.harness.program import command, environment
from tests.processes import is_alive

TEXT = "total = 0\nprice = 0\nfor item in basket:\n    total += item\n    total += item\n"
"""Text of `shop.py`, with one duplicate line."""


class User:
    """Gives its answers in order, and keeps the questions."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, _: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        self.asked.append(params.message)
        answer = self.answers.pop(0)
        if answer in ("decline", "cancel"):
            return types.ElicitResult(action=answer)
        return types.ElicitResult(action="accept", content={"answer": answer})


@asynccontextmanager
async def connected(
    folder: Path, *, mode: str = "auto", level: str = "outside", user: User | None = None, record: Path | None = None,
    backups: bool = False, anchors: str | None = None, factories: Mapping[str, Any] = TOOLS,
) -> AsyncIterator[Client]:  # fmt: skip
    workspace = Workspace(folder, durable=False, lock_directory=folder.parent / "locks", backups=backups)
    outputs = Outputs(folder.parent / "outputs")
    host = Host(workspace, cascade=CASCADES["recommended"], outputs=outputs, anchors=anchors)
    registry = Registry(host, factories)
    with ExitStack() as stack:
        recording = None
        if record is not None:
            recording = Recording(host, stack.enter_context(SampleAppender(record)))
        sessions = Sessions(host, level, recording)
        stack.callback(sessions.end)
        server = tools_server(registry, Agent("mcp"), sessions)
        async with Client(server, mode=mode, elicitation_callback=user) as client:
            yield client


@asynccontextmanager
async def started(*arguments: object, mode: str = "auto", user: User | None = None) -> AsyncIterator[Client]:
    """Run `editgauge mcp` in a process of its own, over stdio."""
    program, *rest = command("mcp", *arguments)
    parameters = StdioServerParameters(command=program, args=rest, env=dict(environment()))
    async with Client(parameters, mode=mode, elicitation_callback=user) as client:
        yield client


async def call(client: Client, tool: str, /, **arguments: Any) -> tuple[bool, str]:
    """Call a tool. Returns True for an error, and the text of the result."""
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return result.is_error, content.text


async def cancelled(client: Client, tool: str, arguments: Mapping[str, Any], *, when: Callable[[], bool]) -> None:
    """Start a call, and cancel it as soon as `when` is true."""
    import anyio

    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, tool, dict(arguments))
        with anyio.fail_after(20):
            while not when():
                await anyio.sleep(0.01)
        group.cancel_scope.cancel()


async def ended_at_once(pid: int) -> None:
    """Assert that a process ends within a fifth of a second, counted in naps: on a busy machine each nap is longer."""
    import anyio

    for _ in range(40):
        if not is_alive(pid):
            return
        await anyio.sleep(0.005)
    raise AssertionError(f"process {pid} lives on")
