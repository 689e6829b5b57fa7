"""`editgauge mcp --http`: the token, Host and Origin, sessions, and limits."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import pytest
from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from harness.mcp.http import guarded
from harness.mcp.stdio import LONGEST_MESSAGE
from tests.harness.mcp.connected import User, call, cancelled, ended_at_once
from tests.harness.program import command, environment

TOKEN = "0123456789abcdef0123456789abcdef"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}},
}


@contextmanager
def serving(*arguments: object, token: str | None = TOKEN) -> Iterator[tuple[int, str]]:
    """Run a server. Yields its port and token."""
    extra = {"EDITGAUGE_MCP_TOKEN": token} if token else None
    with subprocess.Popen(
        command("mcp", *arguments, "--http", 0),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(extra),
    ) as process:  # fmt: skip
        try:
            assert process.stderr
            assert process.stdout
            port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/mcp\n", process.stderr.readline())[1])  # type: ignore[index]
            shown = process.stderr.readline().removeprefix("token: ").strip()
            assert (shown == "as given") == (token is not None)
            yield port, token or shown
            process.terminate()
            assert process.wait(10) == 130
            assert not process.stdout.read()
        finally:
            process.kill()


@asynccontextmanager
async def client_of(port: int, token: str, *, mode: str = "auto", user: User | None = None) -> AsyncIterator[Client]:
    async with AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=user) as client:
            yield client


def post(port: int, body: bytes, headers: Mapping[str, str | None]) -> tuple[int, str]:
    """Status and text of a request. A header that is None is left out."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    given = {
        "Host": f"127.0.0.1:{port}", "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream", "Content-Length": str(len(body)), **headers,
    }  # fmt: skip
    connection.putrequest("POST", "/mcp", skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    text = response.read(100_000).decode()
    connection.close()
    return response.status, text


@pytest.mark.slow
def test_sessions_of_the_official_client(shop: Path, tmp_path: Path) -> None:
    async def session(port: int, token: str) -> None:
        user = User("session", "no")
        edit = {"filePath": "shop.py", "oldString": "price = 0", "newString": "price = 1"}
        async with client_of(port, token, user=user) as one, client_of(port, token, user=user) as other:
            assert one.protocol_version == "2025-11-25"
            assert not (await call(one, "read", filePath="shop.py"))[0]
            assert (await call(other, "edit", **edit))[0]
            assert not (await call(one, "edit", **edit))[0]
            assert await call(one, "bash", command="echo a") == (False, "a\n")
            assert (await call(other, "bash", command="echo a"))[0]
            assert len(user.asked) == 2
            pid = shop / "pid"
            user.answers.append("once")
            sleeping = {"command": "echo $$ > pid.new; mv pid.new pid; exec sleep 30"}
            await cancelled(one, "bash", sleeping, when=pid.exists)
            await ended_at_once(int(pid.read_text()))

    with serving(shop, "--record", tmp_path / "edits.jsonl", token=None) as (port, token):
        anyio.run(session, port, token)
    found = [json.loads(line) for line in (tmp_path / "edits.jsonl").read_text().splitlines()]
    assert sorted(one["provenance"]["recorded_outcome"] for one in found) == ["applied", "unread"]


@pytest.mark.slow
def test_only_a_client_of_this_machine_that_shows_the_token_is_served(shop: Path) -> None:
    hello = json.dumps(HELLO).encode()
    with serving(shop) as (port, _):
        assert post(port, hello, {})[0] == 200
        for headers, status in (
            ({"Authorization": None}, 401),
            ({"Authorization": "Bearer "}, 401),
            ({"Authorization": f"Bearer {TOKEN}x"}, 401),
            ({"Authorization": f"Basic {TOKEN}"}, 401),
            ({"Authorization": "Bearer \xff\xfe"}, 401),
            ({"Host": "evil.example"}, 421),
            ({"Host": f"evil.example:{port}"}, 421),
            ({"Host": f"127.0.0.1:{port + 1}"}, 421),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": f"http://127.0.0.1:{port}"}, 200),
            ({"Mcp-Session-Id": "not one"}, 404),
            ({"Content-Type": "text/plain"}, 400),
            ({"MCP-Protocol-Version": "2026-07-28"}, 400),
        ):
            found, text = post(port, hello, headers)
            assert found == status, (headers, text)
            assert "Traceback" not in text
        assert post(port, b"x" * (LONGEST_MESSAGE + 1), {})[0] == 413
        assert post(port, b"not json", {})[0] == 400
        assert post(port, b"[" * 100_000, {})[0] == 400


@pytest.mark.slow
def test_connections_that_say_nothing_take_no_place_of_the_owner(shop: Path) -> None:
    hello = json.dumps(HELLO).encode()
    with serving(shop) as (port, _), ExitStack() as stack:
        for number in range(300):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if number % 2:
                one.sendall(b"POST /mcp HTTP/1.1\r\nHost: x\r\n")
        assert post(port, hello, {})[0] == 200


@pytest.mark.slow
def test_there_are_only_so_many_sessions(shop: Path) -> None:
    hello = json.dumps(HELLO).encode()
    with serving(shop) as (port, _):
        statuses = [post(port, hello, {})[0] for _ in range(70)]
    assert statuses == [200] * 64 + [503] * 6


@pytest.mark.slow
def test_a_port_that_is_taken_is_two_lines(shop: Path) -> None:
    with serving(shop) as (port, _):
        done = subprocess.run(
            command("mcp", shop, "--http", port), capture_output=True, text=True, env=environment(), check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: Port {port} cannot be used: ")
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize(
    ("headers", "is_served"),
    [
        ([(b"authorization", b"Bearer secret")], True),
        ([(b"authorization", b"bearer secret")], True),
        ([(b"authorization", b"Bearer Secret")], False),
        ([(b"authorization", b"secret")], False),
        ([(b"authorization", b"Bearer secret"), (b"authorization", b"Bearer secret")], False),
        ([(b"cookie", b"Bearer secret")], False),
        ([], False),
    ],
)
def test_the_guard_wants_the_token_once(headers: list[tuple[bytes, bytes]], is_served: bool) -> None:
    served: list[Any] = []
    sent: list[Any] = []

    async def app(scope: Any, _: Any, __: Any) -> None:
        served.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {}

    anyio.run(guarded(app, "secret"), {"type": "http", "headers": headers}, receive, send)
    assert bool(served) == is_served
    assert (sent[0]["status"] == 401) if not is_served else not sent
