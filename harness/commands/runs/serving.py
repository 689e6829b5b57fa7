"""A web server for one run: on this machine's own address, for who has the token."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from editcore.errors import UsageError
from reports.page.served import ServedRun

HOST = "127.0.0.1"
_LONGEST_QUERY = 20_000


def serve_run(run: ServedRun, token: str, *, port: int, announce: Callable[[str], object]) -> None:
    """Serve the page of a run until the process is interrupted; `announce` is called with its address."""
    try:
        server = RunServer(run, token, port)
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be used: {error.strerror or error}", "Name another one, or 0 for any that is free."
        ) from None
    announce(f"http://{HOST}:{server.server_port}/?token={token}")
    with server:
        server.serve_forever()


class RunServer(ThreadingHTTPServer):
    """Serves one run to requests that name this machine as their host and show the token."""

    daemon_threads = True

    def __init__(self, run: ServedRun, token: str, port: int) -> None:
        self.run, self.token = run, token
        super().__init__((HOST, port), _Handler)
        self.names = (f"{HOST}:{self.server_port}", f"localhost:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    """Answers GET: the page, and what its script asks for."""

    server: RunServer
    server_version, sys_version = "editgauge", ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if self.headers.get_all("Host", []) not in [[name] for name in self.server.names]:
            self._answer(HTTPStatus.MISDIRECTED_REQUEST, b"Ask for 127.0.0.1.\n")
            return
        if len(asked.query) > _LONGEST_QUERY:
            self._answer(HTTPStatus.REQUEST_URI_TOO_LONG, b"The address is too long.\n")
            return
        try:
            query = {key: values[-1] for key, values in parse_qs(asked.query, max_num_fields=20).items()}
        except ValueError:
            query = {}
        if not hmac.compare_digest(query.get("token", "").encode(), self.server.token.encode()):
            self._answer(HTTPStatus.FORBIDDEN, b"The token is missing or wrong: use the address that was printed.\n")
            return
        if asked.path == "/":
            self._answer(HTTPStatus.OK, self.server.run.html, kind="text/html; charset=utf-8")
            return
        self._answer_json(asked.path, query)

    def _answer_json(self, path: str, query: dict[str, str]) -> None:
        try:
            found = _found(self.server.run, path, query)
        except (UsageError, ValueError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"{error}\n".encode("utf-8", "backslashreplace"))
            return
        if found is None and path != "/sample":
            self._answer(HTTPStatus.NOT_FOUND, b"There is no such thing.\n")
            return
        self._answer(HTTPStatus.OK, msgspec.json.encode(found), kind="application/json")

    def _answer(self, status: HTTPStatus, body: bytes, *, kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: an address holds the token."""


def _found(run: ServedRun, path: str, query: dict[str, str]) -> Any:
    """What the page's script asks for; None where there is no such thing."""
    if path == "/count":
        return run.count(query.get("filter", ""))._asdict()
    if path == "/rows":
        return {"rows": run.rows(query.get("filter", ""), int(query.get("from", "0")), int(query.get("to", "0")))}
    if path == "/texts":
        return run.texts(query.get("id", ""))
    if path == "/sample":
        return run.sample(query.get("id", ""))
    return None
