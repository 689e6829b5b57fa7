from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from harness.commands.runs.serving import Nights, OneRun, RunServer, Site
from reports.history.index_page import index_html
from reports.history.nights import History
from reports.page.served import ServedRun
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

TOKEN = "the-token"


@contextmanager
def served(site: Site) -> Iterator[RunServer]:
    with RunServer(site, TOKEN, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunServer]:
    run = ServedRun(RunFolder(write_run(tmp_path_factory.mktemp("run"), {"x/a": "cwm"})), properties={}, token=TOKEN)
    with served(OneRun(run)) as server:
        yield server


def asked(server: RunServer, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request("GET", path, headers=dict(headers or {}))
    answer = connection.getresponse()
    body = answer.read()
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Cache-Control") == "no-store"
    connection.close()
    return answer.status, body


def test_the_page_and_its_samples_are_served_with_the_token(server: RunServer) -> None:
    status, body = asked(server, f"/?token={TOKEN}")
    assert status == 200
    assert b'"token":"the-token"' in body
    status, body = asked(server, f'/count?token={TOKEN}&filter={{"verdict":"missed"}}')
    assert (status, json.loads(body)) == (200, {"n": 1, "is_complete": True, "share": 1.0})
    status, body = asked(server, f"/rows?token={TOKEN}&filter={{}}&from=0&to=2")
    assert [row["id"] for row in json.loads(body)["rows"]] == ["s0001", "s0002"]
    assert asked(server, f"/sample?token={TOKEN}&id=nobody") == (200, b"null")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/?token=", {}, 403),
        ("/?token=the-toke", {}, 403),
        ("/count?filter={}", {}, 403),
        (f"/?token={TOKEN}", {"Host": "evil.example"}, 421),
        (f"/?token={TOKEN}", {"Host": "127.0.0.1"}, 421),
        (f"/?token={TOKEN}", {"Host": "127.0.0.1.evil.example:80"}, 421),
        (f"/etc/passwd?token={TOKEN}", {}, 404),
        (f"/../manifest.json?token={TOKEN}", {}, 404),
        (f"/count?token={TOKEN}&filter=[]", {}, 400),
        (f"/rows?token={TOKEN}&filter={{}}&from=x&to=2", {}, 400),
        (f"/?token={TOKEN}&x={'y' * 30_000}", {}, 414),
    ],
    ids=str,
)
def test_anything_else_is_refused(server: RunServer, path: str, headers: dict[str, str], status: int) -> None:
    assert asked(server, path, headers)[0] == status


def test_the_index_of_a_history_links_the_pages_of_its_nights(tmp_path: Path) -> None:
    history, asked_for = History(tmp_path / "nights"), list[str]()
    nights = [history.add(write_run(tmp_path / str(n), {"x/a": verdicts}, created=f"2026-11-0{n}T03:00:00+00:00"))
              for n, verdicts in enumerate(("cwm", "ccm", "ccc"), 1)]  # fmt: skip

    def read(name: str) -> ServedRun:
        asked_for.append(name)
        return ServedRun(RunFolder(history.night(name)), properties={}, token=TOKEN)

    site = Nights(lambda: index_html(history, token=TOKEN).encode(), history.nights, read)
    with served(site) as server:
        status, body = asked(server, f"/?token={TOKEN}")
        links = [unescape(link) for link in re.findall(r'href="([^"]*)"', body.decode())]
        folders = [link.partition("?")[0] for link in reversed(links)]
        assert (status, len(links), asked_for) == (200, 3, [])
        for link, folder, wrong in zip(reversed(links), folders, (1, 0, 0), strict=True):
            assert asked(server, f"/{link}")[1].startswith(b"<!doctype html>")
            status, body = asked(server, f'/{folder}count?token={TOKEN}&filter={{"verdict":"wrong_edit"}}')
            assert (status, json.loads(body)["n"]) == (200, wrong)
        assert asked_for == nights
        asked(server, f"/{folders[0]}?token={TOKEN}")
        assert asked_for == [*nights, nights[0]]  # Two are held.
        for path in ("nights/night=none/", "nights/night=..%2F..%2Fx/", "nights/", folders[0].removesuffix("/")):
            assert asked(server, f"/{path}?token={TOKEN}")[0] == 404, path
        assert asked(server, f"/{folders[0]}")[0] == 403


@pytest.mark.slow
def test_the_command_prints_an_address_and_ends_when_it_is_interrupted(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"x/a": "cwm"})
    line = [sys.executable, "-m", "harness", "serve", str(run)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = urlsplit(process.stdout.readline().strip())
        assert url.hostname == "127.0.0.1"
        assert len(parse_qs(url.query)["token"][0]) >= 32
        connection = http.client.HTTPConnection(url.netloc, timeout=10)
        connection.request("GET", f"/?{url.query}")
        answer = connection.getresponse()
        assert (answer.status, answer.read(15)) == (200, b"<!doctype html>")
        answer.close()
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
