"""No call keeps the server from hearing the next message: the loop of events gets its turn, whatever a model sent.

Measured as for the tools themselves: the CPU time of the process between two turns, the shortest of several tries. The
client is in this process, and pays its share.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError, types

from tests.editcore.host.tools.test_turns import LONGEST_S, MOST_TRIES, RUNS, N, calls
from tests.harness.mcp.connected import connected


async def _always(_: Any, __: types.ElicitRequestFormParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"answer": "once"})


async def longest_turn(work: Callable[[], Awaitable[object]]) -> float:
    """The most CPU time that the process takes between two turns of the loop, in seconds."""
    turns = [0.0]

    async def wait() -> None:
        before = time.process_time()
        while True:
            await anyio.sleep(0.0005)
            now = time.process_time()
            turns.append(now - before)
            before = now

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await anyio.sleep(0.002)
        await work()
        await anyio.sleep(0.002)
        group.cancel_scope.cancel()
    return max(turns)


def named(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls with a long name of a file, of a parameter or of a tool."""
    yield "read", {"filePath": text}
    yield "edit", {"filePath": text, "oldString": "a", "newString": "b"}
    yield "edit_patch", {"patch": f"*** Begin Patch\n*** Delete File: {text}\n*** End Patch"}
    yield "rollback", {"path": text}
    yield "cleanup", {"path": text}
    yield "cleanup", {}
    yield "edit", {text: 1}
    yield "read", {"filePath": [text]}
    yield text, {}


async def _judge(root: Path, run: str, made: Callable[[str], Iterator[tuple[str, dict[str, Any]]]]) -> None:
    text = run * (N // len(run))
    async with connected(
        root, level="everything", user=_always, record=root.parent / "r.jsonl", backups=True
    ) as client:  # type: ignore[arg-type]
        for tool, params in made(text):

            async def once(tool: str = tool, params: dict[str, Any] = params) -> None:
                try:
                    await client.call_tool(tool, params)
                except MCPError:
                    return

            took = []
            while not took or (took[-1] >= LONGEST_S and len(took) < MOST_TRIES):
                (root / "f").write_text(f"{text}\nb\n{text}", newline="")
                await client.call_tool("read", {"filePath": "f"})
                took.append(await longest_turn(once))
            assert min(took) < LONGEST_S, (tool[:20], list(params))


@pytest.mark.parametrize("run", ["a", "\u0301\u0316"], ids=ascii)
def test_a_long_name_does_not_stop_the_server(shop: Path, run: str) -> None:
    anyio.run(_judge, shop, run, named)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=ascii)
def test_no_call_stops_the_server(shop: Path, run: str) -> None:
    anyio.run(_judge, shop, run, lambda text: iter([*named(text), *calls(text)]))
