"""The tools over the protocol, through the official client in this process, in both eras of the protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, types

from corpora.check import check
from corpora.load import load
from corpora.sample import Sample
from editcore.anchors import apply_anchored
from editcore.host.tools import TOOLS, BuiltIn, Context, Host, Result
from editcore.host.tools.read import Parameters
from editcore.types import Applied
from tests.editcore.host.tools.test_turns import LONGEST_S, MOST_TRIES, RUNS, N, calls
from tests.harness.mcp.connected import TEXT, User, call, cancelled, connected, ended_at_once, started

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


def run(session: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    anyio.run(partial(session, *arguments))


def test_the_tools_are_listed_with_valid_schemas_and_what_a_call_can_do(shop: Path) -> None:
    async def session() -> None:
        async with connected(shop) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"read", "write", "edit", "multi_edit", "edit_file", "edit_patch", "bash", "grep"} <= set(listed)
        assert not {"invalid", "task", "doc_edit"} & set(listed)
        for name, tool in listed.items():
            Draft202012Validator.check_schema(tool.input_schema)
            assert tool.input_schema == TOOLS[name].declaration["input_schema"]
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint == (name in ("read", "glob", "grep"))
            assert tool.annotations.destructive_hint != tool.annotations.read_only_hint
            assert tool.annotations.open_world_hint == (name == "bash")
        Draft202012Validator.check_schema(listed["edit"].output_schema or {})
        assert listed["read"].output_schema is None

    run(session)


@MODES
def test_a_session_reads_edits_and_gets_structured_results(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode) as client:
            edit = {"filePath": "shop.py", "oldString": "price = 0", "newString": "price = 1"}
            unread = await client.call_tool("edit", edit)
            assert unread.is_error
            assert unread.structured_content["reason"] == "unread"
            assert not (await call(client, "read", filePath="shop.py"))[0]
            done = await client.call_tool("edit", edit)
            assert not done.is_error
            assert done.structured_content["files"] == [{"path": "shop.py", "additions": 1, "deletions": 1}]
            assert done.structured_content["output"] == done.content[0].text
            Draft202012Validator((await client.list_tools()).tools[4].output_schema).validate(done.structured_content)

            twice = {"filePath": "shop.py", "oldString": "    total += item\n", "newString": "    total -= item\n"}
            ambiguous = await client.call_tool("edit", twice)
            assert ambiguous.is_error
            assert ambiguous.structured_content["reason"] == "ambiguous"
            assert "\n" not in ambiguous.content[0].text
        assert (shop / "shop.py").read_text() == TEXT.replace("price = 0", "price = 1")

    run(session)


@MODES
def test_each_connection_is_a_session(shop: Path, mode: str) -> None:
    async def session() -> None:
        edit = {"filePath": "shop.py", "oldString": "price = 0", "newString": "price = 1"}
        async with connected(shop, mode=mode) as one, connected(shop, mode=mode) as other:
            await call(one, "read", filePath="shop.py")
            assert (await call(other, "edit", **edit))[0]
            assert not (await call(one, "edit", **edit))[0]

    run(session)


@MODES
def test_a_command_is_run_if_the_user_allows_it(shop: Path, mode: str) -> None:
    async def session() -> None:
        user = User("no", "decline", "session", "once")
        async with connected(shop, mode=mode, user=user) as client:
            for _ in range(2):
                is_error, text = await call(client, "bash", command="echo a")
                assert is_error
                assert text.startswith("The permission bash was refused for echo a")
            assert await call(client, "bash", command="echo a") == (False, "a\n")
            assert await call(client, "bash", command="echo b; echo c") == (False, "b\nc\n")
            assert user.asked[0].splitlines()[0] == "Allow bash: echo a?"
            assert len(user.asked) == 3
            assert not (await call(client, "write", filePath="new.py", content="x = 1\n"))[0]
            assert await call(client, "bash", command="wc -l < new.py") == (False, "1\n")
            assert len(user.asked) == 4

    run(session)


@MODES
def test_several_questions_of_one_call_are_answered_one_after_the_other(shop: Path, mode: str) -> None:
    (shop.parent / "note.txt").write_text("a note\n")

    async def session() -> None:
        user = User("once", "once", "once", "no")
        async with connected(shop, mode=mode, user=user) as client:
            for expected in (False, True):
                assert (await call(client, "bash", command="cat ../note.txt"))[0] == expected
            asked = [message.split()[1] for message in user.asked]
            assert asked == ["external_directory:", "bash:"] * 2

    run(session)


@MODES
def test_every_change_is_asked_for_with_its_diff(shop: Path, mode: str) -> None:
    async def session() -> None:
        user = User("no", "session")
        async with connected(shop, mode=mode, user=user, level="edits") as client:
            await call(client, "read", filePath="shop.py")
            for number, expected in enumerate((True, False, False)):
                edit = {"oldString": f"price = {max(number - 1, 0)}", "newString": f"price = {max(number, 1)}"}
                assert (await call(client, "edit", filePath="shop.py", **edit))[0] == expected
            assert len(user.asked) == 2
            assert "-price = 0\n+price = 1" in user.asked[0]

    run(session)


@MODES
def test_where_the_client_cannot_ask_the_answer_is_no(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode) as client:
            assert (await call(client, "bash", command="echo a"))[0]
            is_error, text = await call(client, "read", filePath="/etc/hostname")
            assert is_error
            assert text.startswith("The permission external_directory was refused")
        async with connected(shop, mode=mode, level="nothing") as client:
            assert await call(client, "bash", command="echo a") == (False, "a\n")
        async with connected(shop, mode=mode, level="everything") as client:
            assert (await call(client, "read", filePath="shop.py"))[0]

    run(session)


@MODES
def test_a_cancelled_command_is_ended_within_a_fifth_of_a_second(shop: Path, mode: str) -> None:
    async def session() -> None:
        pid = shop / "pid"
        async with connected(shop, mode=mode, level="nothing") as client:
            command = {"command": "sleep 30 & echo $! > pid.new; mv pid.new pid; wait"}
            await cancelled(client, "bash", command, when=pid.exists)
            await ended_at_once(int(pid.read_text()))
            assert not (await call(client, "read", filePath="shop.py"))[0]

    run(session)


@MODES
def test_calls_for_the_same_file_are_made_in_the_order_in_which_they_come(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode, level="nothing") as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "bash", {"command": "sleep 0.2"})  # Not waited for.
            group.start_soon(client.call_tool, "read", {"filePath": "shop.py"})
            for n in range(20):
                edit = {"filePath": "./shop.py", "oldString": f"price = {n}", "newString": f"price = {n + 1}"}
                group.start_soon(client.call_tool, "edit", edit)
        assert (shop / "shop.py").read_text() == TEXT.replace("price = 0", "price = 20")

    run(session)


@MODES
def test_overlapping_edits_of_two_sessions_are_a_choice(shop: Path, mode: str) -> None:
    async def session() -> None:
        user = User("skip", "force")
        async with connected(shop, mode=mode, level="edits", user=user) as client:
            user.answers.insert(0, "session")
            await call(client, "read", filePath="shop.py")
            await call(client, "edit", filePath="shop.py", oldString="total = 0", newString="total = 5")
            mine = {"filePath": "shop.py", "oldString": "price = 0", "newString": "price = 1"}
            for expected in (True, False):
                (shop / "shop.py").write_text(TEXT.replace("price = 0", "price = 7"))
                assert (await call(client, "edit", **mine))[0] == expected
            assert [message.split()[0] for message in user.asked] == ["Allow", "Choose", "Choose"]
            assert "price = 7" in user.asked[1]
            assert "price = 1" in user.asked[1]
        assert "price = 1" in (shop / "shop.py").read_text()

    run(session)


@MODES
def test_backups_are_rolled_back_by_a_tool(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode, backups=True) as client:
            await call(client, "read", filePath="shop.py")
            await call(client, "edit", filePath="shop.py", oldString="price = 0", newString="price = 1")
            assert not (await call(client, "rollback"))[0]
        assert {one.name for one in shop.iterdir()} == {"shop.py"}
        assert (shop / "shop.py").read_text() == TEXT

    run(session)


@MODES
def test_backups_are_removed_when_the_connection_ends(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode, backups=True) as client:
            await call(client, "read", filePath="shop.py")
            await call(client, "edit", filePath="shop.py", oldString="price = 0", newString="price = 1")
            assert (shop / "shop.py.bak").read_text() == TEXT
        assert {one.name for one in shop.iterdir()} == {"shop.py"}
        assert "price = 1" in (shop / "shop.py").read_text()

    run(session)


@MODES
def test_progress_shows_the_last_line_of_the_output(shop: Path, mode: str) -> None:
    async def session() -> None:
        seen: list[tuple[float, str | None]] = []

        async def progressed(progress: float, _: float | None, message: str | None) -> None:
            seen.append((progress, message))

        async with connected(shop, mode=mode, level="nothing") as client:
            command = {"command": "echo one; sleep 0.15; echo two; sleep 0.15"}
            await client.call_tool("bash", command, progress_callback=progressed)
        assert {"one", "two"} <= {message for _, message in seen}
        assert [number for number, _ in seen] == sorted({number for number, _ in seen})

    run(session)


@MODES
def test_calls_that_are_not_possible_get_one_line(shop: Path, mode: str) -> None:
    async def session() -> None:
        async with connected(shop, mode=mode) as client:
            for tool, arguments in (
                ("nonsense", {}),
                ("n" * 100_000, {}),
                ("read", {"filePath": 5}),
                ("read", {"filePath": "a" * 100_000}),
                ("read", {"filePath": "../../etc/passwd"}),
                ("read", {"filePath": "a\0b"}),
                ("edit", {"filePath": "shop.py", "oldString": ["total"], "newString": {}}),
                ("edit_patch", {"patch": "*** Begin Patch\n*** Add File: ../x\n+a\n*** End Patch"}),
                ("grep", {"pattern": "("}),
            ):
                is_error, text = await call(client, tool, **arguments)
                assert is_error, tool
                assert "\n" not in text
                assert len(text) < 1_000, text
            assert not (shop.parent / "x").exists()

    run(session)


def test_a_tool_that_fails_inside_is_an_answer(shop: Path) -> None:
    def broken(_: Host, __: Context, ___: Parameters) -> Result:
        raise ZeroDivisionError("by zero")

    async def session() -> None:
        factories = {"broken": BuiltIn("broken", "Fails.", Parameters, broken)}
        async with connected(shop, factories=factories) as client:
            is_error, text = await call(client, "broken", filePath="a")
            assert is_error
            assert text == "broken: it failed inside (ZeroDivisionError: by zero). Try something else."

    run(session)


def test_an_image_is_an_attachment(shop: Path) -> None:
    (shop / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))

    async def session() -> None:
        async with connected(shop) as client:
            result = await client.call_tool("read", {"filePath": "dot.png"})
            assert [content.type for content in result.content] == ["text", "image"]
            assert isinstance(result.content[1], types.ImageContent)
            assert result.content[1].mime_type == "image/png"

    run(session)


def test_an_answer_to_another_question_answers_nothing(shop: Path) -> None:
    async def session() -> None:
        async with connected(shop, user=User()) as client:
            first = await _raw(client, "echo a")
            [key] = first.input_requests or {}
            allowed = types.ElicitResult(action="accept", content={"answer": "once"})
            other = await _raw(client, "touch made", {key: allowed}, first.request_state)
            assert key not in (other.input_requests or {})
            assert not (shop / "made").exists()
            done = await _raw(client, "echo a", {key: allowed}, "no such state")
            assert done.content[0].text == "a\n"

    run(session)


async def _raw(client: Client, command: str, responses: Any = None, state: str | None = None) -> Any:
    return await client.session.call_tool(
        "bash", {"command": command}, input_responses=responses, request_state=state, allow_input_required=True
    )


def test_an_edit_after_a_formatter_is_merged_and_one_in_changed_lines_is_refused_with_both(shop: Path) -> None:
    file = shop / "shop.py"

    async def session() -> None:
        async with connected(shop) as client:
            await call(client, "read", filePath="shop.py")
            file.write_text('"""The shop."""\n\n' + TEXT.replace("    ", "\t"))
            edit = {"filePath": "shop.py", "oldString": "price = 0\nfor item in basket:\n    total += item\n"}
            edit["newString"] = "price = 0\nfor item in basket:\n    price += item.price\n    total += item\n"
            is_error, text = await call(client, "edit", **edit)
            assert not is_error, text
            assert "Note: others changed shop.py since you last saw it" in text
            is_error, text = await call(client, "insert_at", path="shop.py", line=1, content="count = 0")
            assert not is_error, text
            file.write_text(file.read_text().replace("total = 0", "total = 10"))
            patch = "*** Begin Patch\n*** Update File: shop.py\n@@\n-total = 0\n+total = 1\n*** End Patch\n"
            is_error, text = await call(client, "edit_patch", patch=patch)
            assert is_error
            assert "total = 10" in text
            assert "total = 1\\n" in text

    anyio.run(session)
    merged = "count = 0\n\ntotal = 10\nprice = 0\nfor item in basket:\n\tprice += item.price\n"  # Line 1 was told anew.
    assert file.read_text() == f'"""The shop."""\n{merged}' + "\ttotal += item\n" * 2


# No call keeps the server from hearing the next message: the loop of events gets its turn, whatever a model sent.
#
# Measured is the CPU time of the process between two turns, the shortest of several tries. The client is in this
# process, and pays its share.


async def _always(_: Any, __: types.ElicitRequestFormParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"answer": "once"})


async def longest_turn(work: Callable[[], Awaitable[object]]) -> float:
    """Most CPU time of the process between two turns of the event loop, in seconds."""
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


# Edits by anchors over the protocol: shown, made, recorded with what was seen, and scored as they were made.

LATER = "import os\n\n"


def recorded(path: Path) -> list[Sample]:
    assert not check(str(path)).problems
    return list(load(str(path)))


@pytest.mark.slow
def test_the_program_serves_and_records_edits_of_h4(shop: Path) -> None:
    corpus = shop.parent / "edits.jsonl"

    async def session() -> None:
        arguments = (shop, "--anchors", "hashline_h4", "--record", corpus, "--tools", "read,edit_lines")
        async with started(*arguments) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["read", "edit_lines"]
            _, text = await call(client, "read", filePath="shop.py", limit=2)
            header = text.split("\n")[1]
            assert header.startswith("[shop.py#")
            (shop / "shop.py").write_text(LATER + TEXT)
            # Of a line that was not shown, of one that was changed above since, and of what it was told then.
            loop = f"{header}\nPUT 3.=3:\n+for item in sorted(basket):\n"
            is_error, text = await call(client, "edit_lines", patch=loop)
            assert (is_error, text.split("\n")[1:]) == (True, [header, "3:for item in basket:"])
            assert not (await call(client, "edit_lines", patch=loop))[0]
            is_error, text = await call(client, "edit_lines", patch=f"{header}\nPUT 2.=2:\n+price = 1\n")
            assert not is_error
            fresh = next(line for line in text.split("\n") if line.startswith("[shop.py#"))
            assert not (await call(client, "edit_lines", patch=f"{fresh}\nCUT 7\n"))[0]

    anyio.run(session)
    after = LATER + TEXT.replace("price = 0", "price = 1").replace("in basket", "in sorted(basket)")
    assert (shop / "shop.py").read_text() == after.removesuffix("    total += item\n")
    found = recorded(corpus)
    assert {one.format for one in found} == {"hashline_h4"}
    outcomes = [one.provenance.recorded_outcome for one in found]
    assert sorted(map(str, outcomes)) == ["applied", "applied", "applied", "unread"]
    [fresh] = [one for one in found if "seen:same" in one.tags]
    assert (fresh.label, fresh.label_source) == ("apply", "exact")
    assert fresh.target is not None
    assert fresh.target[0].content == (shop / "shop.py").read_text()
    for one in found:
        if one is not fresh:
            assert one.seen is not None
            assert one.seen[0].content == TEXT
            live = {file.path: file.content for file in one.before}
            assert isinstance(apply_anchored(live, one.patch or "", one.format, seen={"shop.py": TEXT}), Applied)


def test_calls_of_h2_are_samples_of_h2(shop: Path) -> None:
    corpus = shop.parent / "edits.jsonl"

    async def session() -> None:
        async with connected(shop, anchors="hashline_h2", record=corpus) as client:
            _, text = await call(client, "read", filePath=str(shop / "shop.py"))
            anchors = [line.partition("|")[0] for line in text.split("\n")[1:-2]]
            edit = {"op": "replace", "pos": anchors[1], "lines": ["price = 1"]}
            path = str(shop / "shop.py")
            assert not (await call(client, "edit_lines", filePath=path, edits=[edit]))[0]
            (shop / "shop.py").write_text((shop / "shop.py").read_text().replace("total = 0", "total = 9"))
            edit = {"op": "replace", "pos": anchors[2], "end": anchors[3], "lines": None}
            assert not (await call(client, "edit_lines", filePath=path, edits=[edit]))[0]

    anyio.run(session)
    exact, stale = recorded(corpus)
    assert json.loads(exact.patch or "")["filePath"] == "shop.py"
    assert (exact.format, exact.label, exact.label_source) == ("hashline_h2", "apply", "exact")
    assert "seen:same" in exact.tags
    assert exact.target is not None
    assert exact.target[0].content == TEXT.replace("price = 0", "price = 1")
    assert stale.provenance.recorded_outcome == "applied"
    assert stale.seen is not None
    assert stale.seen[0].content == TEXT.replace("price = 0", "price = 1")
