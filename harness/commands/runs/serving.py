"""A web server for a run or the nights of a history. It answers on this machine only, to requests with its token."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from editcore.errors import UsageError
from reports.page.served import ServedRun
from reports.runs.manifest import NIGHT

HOST = "127.0.0.1"
_LONGEST_QUERY = 20_000
_NIGHTS = f"/nights/{NIGHT}"
_KEPT = 2
"""Number of nights that are held in memory."""


class Site(Protocol):
    """A set of pages to serve, each in a folder whose name ends in `/`."""

    def page(self, folder: str) -> bytes | None:
        """HTML of the page in a folder; None where there is none."""

    def run(self, folder: str) -> ServedRun | None:
        """The run whose samples the folder's page asks for; None where there is none."""


class OneRun:
    """A site with the page of one run."""

    def __init__(self, run: ServedRun) -> None:
        self._run = run

    def page(self, folder: str) -> bytes | None:
        return self._run.html if folder == "/" else None

    def run(self, folder: str) -> ServedRun | None:
        return self._run if folder == "/" else None


class Nights:
    """A site with the index of a history, and below it the page of each night, which is read when it is asked for."""

    def __init__(
        self, index: Callable[[], bytes], nights: Callable[[], Collection[str]], read: Callable[[str], ServedRun]
    ) -> None:
        """`index` makes the current index, `nights` lists the current nights, and `read` reads one of them."""
        self._index, self._nights, self._read = index, nights, read
        self._runs: OrderedDict[str, ServedRun] = OrderedDict()
        self._lock = Lock()

    def page(self, folder: str) -> bytes | None:
        if folder == "/":
            return self._index()
        run = self.run(folder)
        return None if run is None else run.html

    def run(self, folder: str) -> ServedRun | None:
        path = unquote(folder)
        name = path.removeprefix(_NIGHTS).removesuffix("/")
        if not path.startswith(_NIGHTS) or name not in self._nights():
            return None
        with self._lock:
            run = self._runs.pop(name, None) or self._read(name)
            self._runs[name] = run
            if len(self._runs) > _KEPT:
                self._runs.popitem(last=False)
            return run


def serve_site(site: Site, token: str, *, port: int, announce: Callable[[str], object]) -> None:
    """Serve a site until the process is interrupted. `announce` is called with its address."""
    try:
        server = RunServer(site, token, port)
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be used: {error.strerror or error}", "Name another one, or 0 for any that is free."
        ) from None
    announce(f"http://{HOST}:{server.server_port}/?token={token}")
    with server:
        server.serve_forever()


class RunServer(ThreadingHTTPServer):
    """A server that answers requests with this machine as their host and with the token."""

    daemon_threads = True

    def __init__(self, site: Site, token: str, port: int) -> None:
        self.site, self.token = site, token
        super().__init__((HOST, port), _Handler)
        self.names = (f"{HOST}:{self.server_port}", f"localhost:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    """Answers GET requests for a page and for the data that its script fetches."""

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
        folder, _, what = asked.path.rpartition("/")
        try:
            self._answer_for(f"{folder}/", what, query)
        except (UsageError, ValueError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"{error}\n".encode("utf-8", "backslashreplace"))

    def _answer_for(self, folder: str, what: str, query: dict[str, str]) -> None:
        """Answer with a folder's page, or with data for its script. Raises UsageError and ValueError."""
        if not what:
            page = self.server.site.page(folder)
            if page is not None:
                self._answer(HTTPStatus.OK, page, kind="text/html; charset=utf-8")
                return
        run = self.server.site.run(folder) if what in _ASKED else None
        found = None if run is None else _ASKED[what](run, query)
        if run is None or (found is None and what != "sample"):
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
        """Log nothing: an address holds the token."""


def _count(run: ServedRun, query: dict[str, str]) -> Any:
    return run.count(query.get("filter", ""))._asdict()


def _rows(run: ServedRun, query: dict[str, str]) -> Any:
    return {"rows": run.rows(query.get("filter", ""), int(query.get("from", "0")), int(query.get("to", "0")))}


_ASKED: Mapping[str, Callable[[ServedRun, dict[str, str]], Any]] = {
    "count": _count,
    "rows": _rows,
    "texts": lambda run, query: run.texts(query.get("id", "")),
    "sample": lambda run, query: run.sample(query.get("id", "")),
}
"""Last part of an address -> the data for a page's script; None where there is none."""
