"""`editgauge mcp` over stdio, in a process of its own: with the official client, and with hostile ones."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import anyio
import pytest

from editcore.host.documents.store import Documents
from harness.mcp.stdio import LONGEST_MESSAGE, own_streams
from tests.harness.mcp.connected import TEXT, User, call, cancelled, ended_at_once, started
from tests.harness.program import call_in, command, environment
from tests.processes import is_alive


def test_a_session_of_the_official_client_and_its_recording(shop: Path, tmp_path: Path) -> None:
    pid = shop / "pid"

    async def session() -> None:
        user = User("no", "once")
        async with started(shop, "--record", tmp_path / "edits.jsonl", user=user) as client:
            assert "edit" in {tool.name for tool in (await client.list_tools()).tools}
            assert "2: price = 0" in (await call(client, "read", filePath="shop.py"))[1]
            edit = {"filePath": "shop.py", "oldString": "price = 0", "newString": "price = 1"}
            assert await call(client, "edit", **edit) == (False, "Edit applied successfully: line 2.")
            ambiguous = {"filePath": "shop.py", "oldString": "    total += item\n", "newString": ""}
            assert (await call(client, "edit", **ambiguous))[0]
            assert (await call(client, "bash", command="rm shop.py"))[1].startswith("The permission bash was refused")
            sleeping = {"command": "echo $$ > pid.new; mv pid.new pid; exec sleep 30"}
            await cancelled(client, "bash", sleeping, when=pid.exists)
            await ended_at_once(int(pid.read_text()))

    anyio.run(session)
    assert (shop / "shop.py").read_text() == TEXT.replace("price = 0", "price = 1")
    done = call_in(tmp_path, "run", "edits.jsonl", "-q", "-j", 1, "-s", "cascade/exact", "-o", "run")
    assert done.returncode == 0, done.stderr
    table = call_in(tmp_path, "table", "run", "--by", "language", "--json")
    [group] = json.loads(table.stdout)["groups"]
    found = group["strategies"]["cascade/exact"]
    assert (group["n_samples"], found["n_correct"], found["n_refused"], found["n_wrong"]) == (2, 1, 1, 0)


def test_documents_are_edited_and_a_mode_holds(shop: Path, tmp_path: Path) -> None:
    database = tmp_path / "novel.db"

    async def session() -> None:
        async with started(shop, "--documents", database, "--mode", "modify") as client:
            path = {"path": "/hero.md"}
            made = await call(client, "doc_edit", command="create", file_text="Ann is tall.\n", **path)
            assert json.loads(made[1])["success"]
            is_error, text = await call(
                client, "doc_edit", command="str_replace", old_str="tall", new_str="wee", **path
            )
            assert (is_error, json.loads(text)["success"]) == (False, True)
            assert "mode modify" in (await call(client, "write", filePath="new.py", content="x\n"))[1].lower()

    anyio.run(session)
    with closing(Documents(url=f"sqlite:///{database}")) as documents:
        assert (documents.text("/hero.md"), documents.version("/hero.md")) == ("", "Ann is wee.\n")
        edited = documents.session("/hero.md")
        assert edited is not None
        assert re.fullmatch("[0-9a-f]{16}", edited.chat_id or ""), "the session of the connection"


@pytest.mark.slow
def test_files_in_other_encodings_are_edited_in_them_and_recorded(shop: Path, tmp_path: Path) -> None:
    shift_jis = "# 設定ファイルを読み込む\r\nx = 1\r\n# ユーザー名が空です\r\n".encode("shift_jis")
    odd = "# é\nx = 1\n".encode() + b"# \xff\n"

    async def session() -> None:
        async with started(shop, "--record", tmp_path / "edits.jsonl") as client:
            for name, data, encoding in (("jis.py", shift_jis, "shift_jis"), ("odd.py", odd, "1 byte that it cannot")):
                (shop / name).write_bytes(data)
                shown = (await call(client, "read", filePath=name))[1]
                assert encoding in shown
                assert ("設定ファイルを読み込む" in shown) == (name == "jis.py")
                edit = {"filePath": name, "oldString": "x = 1", "newString": "x = 10"}
                is_error, answer = await call(client, "edit", **edit)
                assert (is_error, encoding in answer) == (False, True)
                assert (shop / name).read_bytes() == data.replace(b"x = 1", b"x = 10")
            lacking = {"filePath": "jis.py", "oldString": "x = 10", "newString": "x = '€'"}
            assert "Line 2 of the new text has € (U+20AC)" in (await call(client, "edit", **lacking))[1]
            assert (shop / "jis.py").read_bytes() == shift_jis.replace(b"x = 1", b"x = 10")

    anyio.run(session)


def test_only_the_connection_has_the_standard_streams(capfd: pytest.CaptureFixture[str]) -> None:
    with own_streams() as (stdin, stdout):
        os.write(1, b"a stray line\n")
        os.write(stdout, b"a message\n")
        assert os.read(0, 1) == b""
        child = subprocess.run(["sh", "-c", "cat; echo another"], check=True)
        assert child.returncode == 0
        assert stdin > 2
    os.write(1, b"afterwards\n")
    found = capfd.readouterr()
    assert found.out == "a message\nafterwards\n"
    assert sorted(found.err.splitlines()) == ["a stray line", "another"]


class Raw:
    """A client that sends any bytes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, *messages: Any) -> None:
        assert self.process.stdin
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        found = json.loads(self.process.stdout.readline())
        assert isinstance(found, dict)
        return found

    def answers(self, n: int) -> dict[Any, dict[str, Any]]:
        """The next `n` answers, by their ids."""
        return {one["id"]: one for one in (self.receive() for _ in range(n))}


def request(id: int | str, method: str, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def tool_call(id: int, name: str, /, **arguments: Any) -> dict[str, Any]:
    return request(id, "tools/call", name=name, arguments=arguments)


@contextmanager
def raw(*arguments: object) -> Iterator[Raw]:
    """Run the program, up to the end of its handshake."""
    with subprocess.Popen(
        command("mcp", *arguments),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    ) as process:  # fmt: skip
        try:
            client = Raw(process)
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
            client.send(request(0, "initialize", **hello), {"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert client.receive()["result"]["serverInfo"]["name"] == "editgauge"
            yield client
        finally:
            process.kill()


def memory(process: subprocess.Popen[bytes]) -> int:
    """Peak memory of a process, in bytes."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) << 10


@pytest.mark.slow
def test_what_is_no_message_is_answered_by_one_line(shop: Path) -> None:
    with raw(shop) as client:
        before = memory(client.process)
        for bad, words in (
            (b"hello", "a line is not a JSON-RPC message: send one JSON object per line"),
            (b"[]", "a line is not a JSON-RPC message"),
            (b"\xff\xfe\x00", "a line is not a JSON-RPC message"),
            (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', "a line is not a JSON-RPC message"),
            (b"[" * 100_000, "a line is not a JSON-RPC message"),
            (b"9" * 100_000, "a line is not a JSON-RPC message"),
            (b"x" * (200 << 20), f"a message has over {LONGEST_MESSAGE:,} bytes: send a smaller one"),
        ):
            client.send(bad)
            answer = client.receive()
            assert answer["id"] is None
            assert answer["error"]["message"].startswith(words)
        client.send(b"", b"  ", tool_call(1, "read", filePath="shop.py"))
        assert "total = 0" in client.receive()["result"]["content"][0]["text"]
        assert memory(client.process) - before < 64 << 20


@pytest.mark.slow
def test_a_message_of_the_greatest_length_is_read(shop: Path) -> None:
    with raw(shop) as client:
        empty = len(json.dumps(tool_call(1, "write", filePath="a.txt", content="")))
        for extra, is_read in ((0, True), (1, False)):
            content = "x" * (LONGEST_MESSAGE - 1 - empty + extra)
            client.send(tool_call(1, "write", filePath=f"{extra}.txt"[0:5], content=content))
            answer = client.receive()
            assert ("result" in answer) == is_read, answer
        assert (shop / "0.txt").stat().st_size == LONGEST_MESSAGE - 1 - empty


@pytest.mark.slow
def test_wrong_requests_are_answered_by_one_line(shop: Path) -> None:
    with raw(shop) as client:
        wrong = [
            request(1, "no/such/method"),
            request(2, "tools/call", name=5),
            request(3, "tools/call", name="read", arguments=[]),
            request(4, "tools/call", name="read", arguments={"filePath": {"a": 1}}),
            request(5, "tools/call", name="../read", arguments={}),
            request(6, "tools/call", name="read", arguments={"filePath": "/etc/shadow"}),
            request(7, "tools/call", name="write", arguments={"filePath": "../out.txt", "content": ""}),
            request(8, "tools/list", cursor="no such page"),
            request(9, "initialize"),
            {"jsonrpc": "2.0", "id": 10, "method": "tools/call"},
        ]
        client.send(*wrong)
        for answer in client.answers(len(wrong)).values():
            message = (
                answer["error"]["message"]
                if "error" in answer
                else answer["result"].get("content", [{}])[0].get("text", "")
            )
            assert "\n" not in message
            assert len(message) < 500
        assert not (shop.parent / "out.txt").exists()


@pytest.mark.slow
def test_thousands_of_calls_at_a_time_are_bounded_and_all_answered(shop: Path) -> None:
    with raw(shop, "--ask", "nothing") as client:
        before = memory(client.process)
        # As many as run at a time, so that all after them wait.
        calls = [tool_call(id, "bash", command="until [ -e go ]; do sleep 0.1; done") for id in range(1, 17)]
        calls += [tool_call(id, "read", filePath="shop.py") for id in range(17, 5_001)]
        sending = Thread(target=lambda: client.send(*calls))
        sending.start()
        first = client.receive()
        (shop / "go").touch()
        found = {first["id"]: first} | client.answers(len(calls) - 1)
        sending.join()
        served = [one for one in found.values() if "result" in one]
        refused = [one["error"]["message"] for one in found.values() if "error" in one]
        assert set(found) == set(range(1, 5_001))
        assert len(served) >= 1_000
        assert set(refused) == {"busy: 1,000 requests are not answered yet; wait for some of the answers"}
        client.send(tool_call(5_001, "read", filePath="shop.py"))
        assert "result" in client.receive()
        assert memory(client.process) - before < 200 << 20


@pytest.mark.slow
def test_a_client_that_reads_no_answers_is_waited_for_in_bounded_memory(shop: Path) -> None:
    (shop / "long.txt").write_text("0123456789\n" * 5_000)
    with raw(shop) as client:
        before = memory(client.process)
        os.set_blocking(client.process.stdin.fileno(), False)
        end = monotonic() + 5
        id = 0
        while monotonic() < end:
            id += 1
            line = json.dumps(tool_call(id, "read", filePath="long.txt")).encode() + b"\n"
            while line and monotonic() < end:
                try:
                    line = line[os.write(client.process.stdin.fileno(), line) :]
                except BlockingIOError:
                    sleep(0.01)
        assert memory(client.process) - before < 300 << 20


@pytest.mark.slow
def test_an_id_that_is_not_answered_yet_cannot_be_used_again(shop: Path) -> None:
    with raw(shop, "--ask", "nothing") as client:
        client.send(tool_call(1, "bash", command="sleep 0.5; echo first"), tool_call(1, "bash", command="echo second"))
        assert "is not answered yet" in client.receive()["error"]["message"]
        assert client.receive()["result"]["content"][0]["text"] == "first\n"
        client.send(tool_call(1, "bash", command="echo third"))
        assert client.receive()["result"]["content"][0]["text"] == "third\n"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "no reader"])
def test_the_end_of_a_connection_ends_what_it_runs(shop: Path, tmp_path: Path, how: str) -> None:
    pid = shop / "pid"
    with raw(shop, "--ask", "nothing", "--record", tmp_path / "edits.jsonl") as client:
        failing = {"filePath": "shop.py", "oldString": "nothing like it\nin here", "newString": "x"}
        client.send(tool_call(1, "read", filePath="shop.py"))
        client.receive()
        client.send(tool_call(2, "edit", **failing))
        assert client.receive()["result"]["isError"]
        assert not (tmp_path / "edits.jsonl").read_text()
        client.send(tool_call(3, "bash", command="echo $$ > pid.new; mv pid.new pid; exec sleep 30"))
        while not pid.exists():
            sleep(0.01)
        if how == "end of input":
            client.process.stdin.close()
        elif how == "SIGTERM":
            client.process.send_signal(signal.SIGTERM)
        else:
            client.process.stdout.close()
            client.send(*(tool_call(id, "read", filePath="shop.py") for id in range(10, 20)))
        assert client.process.wait(5) == (130 if how == "SIGTERM" else 0)
        assert not is_alive(int(pid.read_text()))
        assert b"recorded 1 samples" in client.process.stderr.read()
        [sample] = map(json.loads, (tmp_path / "edits.jsonl").read_text().splitlines())
        assert sample["provenance"]["agent"] == "raw"
        assert sample["provenance"]["recorded_outcome"] == "no_match"


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_every_settled_sample_whole(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "edits.jsonl"
    for round in range(3):
        with raw(shop, "--record", path) as client:
            client.send(tool_call(1, "read", filePath="shop.py"))
            client.receive()
            old, new = f"price = {round}", f"price = {round + 1}"
            client.send(tool_call(2, "edit", filePath="shop.py", oldString=old, newString=new))
            assert not client.receive()["result"]["isError"]
            client.process.kill()
            client.process.wait()
        with path.open("a") as file:
            file.write('{"id":"cut o')
    with raw(shop, "--record", path):
        assert len([json.loads(line) for line in path.read_text().splitlines()]) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tools", "edit,raed"], "There is no tool 'raed' here"),
        (["--tools", ","], "--tools names no tool"),
        (["--record", "edits.parquet"], "does not end in .jsonl"),
        (["--ask", "sometimes"], "sometimes"),
        (["--cascade", "exakt"], "exakt"),
        (["--token", "0123456789abcdef"], "--token is for --http"),
        (["--http", "0", "--token", "short"], "--token is for --http"),
    ],
)
def test_a_wrong_option_is_two_lines(shop: Path, arguments: list[str], message: str) -> None:
    done = call_in(shop, "mcp", ".", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not done.stdout
