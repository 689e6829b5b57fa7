"""A server on 127.0.0.1 that speaks both wire formats, and answers as a script says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import sleep
from typing import Any


@dataclass(frozen=True)
class Says:
    """A reply. Calls are pairs: the tool's name, and its arguments as JSON."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    stop: str = "end"
    tokens: tuple[int, int] = (100, 10)
    slow_s: float = 0.0
    cut: bool = False
    """True if the connection is cut within the reply."""


@dataclass(frozen=True)
class Fails:
    """An answer that is no reply."""

    status: int = 500
    retry_after: str | None = None
    body: str = '{"error": {"message": "no: sk-secret-0123456789"}}'


@dataclass(frozen=True)
class Asked:
    """A question as the server received it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Text of the user's first message."""
        return next(one["content"] for one in self.body["messages"] if one["role"] == "user")


Script = Callable[[Asked], Says | Fails]


@dataclass
class Server:
    url: str
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0


@contextmanager
def scripted_server(script: Script) -> Iterator[Server]:
    """Run a server that answers as a script says."""
    lock = Lock()
    at_once = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal at_once
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            with lock:
                server.asked.append(asked)
                at_once += 1
                server.most_at_once = max(server.most_at_once, at_once)
            try:
                said = script(asked)
            finally:
                with lock:
                    at_once -= 1
            if isinstance(said, Fails):
                self._send(said.status, said.body.encode(), retry_after=said.retry_after)
                return
            sleep(said.slow_s)
            whole, pieces = (_chat if self.path.endswith("/chat/completions") else _messages)(said)
            if body.get("stream"):
                data = "".join(pieces[: len(pieces) // 2 if said.cut else None]).encode()
                self._send(200, data, kind="text/event-stream", cut=said.cut)
            else:
                self._send(200, json.dumps(whole).encode(), cut=said.cut)

        def _send(
            self,
            status: int,
            data: bytes,
            *,
            kind: str = "application/json",
            retry_after: str | None = None,
            cut: bool = False,
        ) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data) + (10 if cut else 0)))
            if retry_after is not None:
                self.send_header("retry-after", retry_after)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut and kind == "application/json" else data)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{listening.server_port}")
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def _chat(said: Says) -> tuple[dict[str, Any], list[str]]:
    """An answer of `/chat/completions`, whole and in chunks."""
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(said.calls)
    ]
    reason = {"end": "tool_calls" if calls else "stop", "length": "length", "refused": "content_filter"}[said.stop]
    usage = {
        "prompt_tokens": said.tokens[0], "completion_tokens": said.tokens[1], "total_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    common = {"id": "x", "created": 0, "model": "scripted-1", "system_fingerprint": "fp_7"}
    message = {"role": "assistant", "content": said.text or None, "tool_calls": calls or None}
    choice = {"index": 0, "finish_reason": reason, "message": message}
    whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return f"data: {json.dumps({**common, 'object': 'chat.completion.chunk', 'choices': choices})}\n\n"

    pieces = [chunk({"role": "assistant", "content": piece}) for piece in _halves(said.text)]
    for n, call in enumerate(calls):
        function = call["function"]
        assert isinstance(function, dict)
        pieces.append(
            chunk({"tool_calls": [{**call, "index": n, "function": {"name": function["name"], "arguments": ""}}]})
        )
        pieces += [
            chunk({"tool_calls": [{"index": n, "function": {"arguments": piece}}]})
            for piece in _halves(function["arguments"])
        ]
    pieces.append(chunk({}, reason))
    last = {**common, "object": "chat.completion.chunk", "choices": [], "usage": usage}
    return whole, [*pieces, f"data: {json.dumps(last)}\n\n", "data: [DONE]\n\n"]


def _messages(said: Says) -> tuple[dict[str, Any], list[str]]:
    """An answer of `/v1/messages`, whole and in chunks."""
    reason = {"end": "tool_use" if said.calls else "end_turn", "length": "max_tokens", "refused": "refusal"}[said.stop]
    parts: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    parts += [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": json.loads(arguments)}
        for n, (name, arguments) in enumerate(said.calls)
    ]
    usage = {"input_tokens": said.tokens[0], "output_tokens": said.tokens[1]}
    whole = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": parts,
        "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip

    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    start = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    pieces = [event("message_start", message=start)]
    for n, part in enumerate(parts):
        is_text = part["type"] == "text"
        empty = {**part, "text": ""} if is_text else {**part, "input": {}}
        pieces.append(event("content_block_start", index=n, content_block=empty))
        text = part["text"] if is_text else json.dumps(part["input"])
        for piece in _halves(text):
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            pieces.append(event("content_block_delta", index=n, delta=delta))
        pieces.append(event("content_block_stop", index=n))
    end = {"stop_reason": reason, "stop_sequence": None}
    return whole, [
        *pieces,
        event("message_delta", delta=end, usage={"output_tokens": said.tokens[1]}),
        event("message_stop"),
    ]


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]] if text else []
