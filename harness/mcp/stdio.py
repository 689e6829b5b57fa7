"""The protocol on standard input and output: one JSON message per line, in bounded memory.

While it runs, anything else that is printed goes to standard error, so that nothing gets between the messages, and
child processes read an empty standard input. The package's own transport reads lines of any length, takes any number
of requests, does not answer unreadable messages, and cannot end before its input does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import Any, TypeAlias

import anyio
from anyio import from_thread
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage

LONGEST_MESSAGE = 4 << 20
"""Most bytes of a message."""
_MOST_REQUESTS = 1_000
_MOST_BYTES = 64 << 20
"""Most requests without an answer, and most bytes of them together. Further requests are refused."""
_BUSY = -32_010
"""An error code in the range that the protocol leaves to implementations."""
_LAST_WRITE_S = 1.0
_PIECE = 1 << 16
_ENDS = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, anyio.RunFinishedError)

_Lines: TypeAlias = "MemoryObjectSendStream[bytes | None]"


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one connection until its input ends. Raises KeyboardInterrupt after a signal that asks to end."""
    with own_streams() as (stdin, stdout):
        connection = _Connection(stdin, stdout)
        async with anyio.create_task_group() as group:
            group.start_soon(connection.end_on_signal, group.cancel_scope)
            await connection.serve(server, group)
            group.cancel_scope.cancel()
    if connection.was_interrupted:
        raise KeyboardInterrupt


@contextmanager
def own_streams() -> Iterator[tuple[int, int]]:
    """Descriptors of the real standard input and output. In the block, all else reads nothing and writes to stderr."""
    sys.stdout.flush()
    stdin, stdout, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield stdin, stdout
    finally:
        # The duplicates stay open, because a thread may still wait in one of them.
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.dup2(stdin, 0)


class _Connection:
    """The two streams, and the requests without an answer."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self._stdin, self._stdout = stdin, stdout
        self.was_interrupted = False
        self._unanswered: dict[types.RequestId | None, int] = {}
        """Id of a request without an answer -> its length in bytes."""
        self._out, self._to_stdout = anyio.create_memory_object_stream[bytes](0)
        self._writer_ended = anyio.Event()

    async def serve(self, server: Server[Any], group: anyio.abc.TaskGroup) -> None:
        """Run the server until the input ends, and write its last messages."""
        to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        lines, line_stream = anyio.create_memory_object_stream[bytes | None](0)
        token = current_token()
        for work in (partial(_read, self._stdin, lines, token), partial(self._write_all, token)):
            # A daemon, not a thread of a pool: it may wait for a pipe forever, and the process must be able to end.
            Thread(target=work, daemon=True).start()
        group.start_soon(self._receive, line_stream, to_server)
        group.start_soon(self._send, from_server, group.cancel_scope)
        await server.run(received, outgoing, server.create_initialization_options())
        with anyio.move_on_after(_LAST_WRITE_S):
            await self._writer_ended.wait()

    async def end_on_signal(self, scope: anyio.CancelScope) -> None:
        """Cancel everything when the process is asked to end."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async for _ in signals:
                self.was_interrupted = True
                scope.cancel()
                return

    # Incoming.

    async def _receive(
        self,
        lines: MemoryObjectReceiveStream[bytes | None],
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        with suppress(*_ENDS):
            async with lines, to_server:
                async for line in lines:
                    found = self._message(line)
                    if isinstance(found, types.JSONRPCError):
                        await self._out.send(_encoded(found))
                    else:
                        await to_server.send(found)

    def _message(self, line: bytes | None) -> SessionMessage | types.JSONRPCError:
        """The message of a line, or the error that answers it."""
        if line is None:
            what = f"a message has over {LONGEST_MESSAGE:,} bytes: send a smaller one"
            return _error(None, types.INVALID_REQUEST, what)
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            return _not_a_message()
        # The package reads a request with an invalid id as a notification, and would never answer it.
        if isinstance(message, types.JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
            return _not_a_message()
        if not isinstance(message, types.JSONRPCRequest):
            return SessionMessage(message)
        id = message.id
        if id in self._unanswered:
            return _error(id, types.INVALID_REQUEST, "a request with this id is not answered yet: use another id")
        if len(self._unanswered) >= _MOST_REQUESTS or sum(self._unanswered.values()) + len(line) > _MOST_BYTES:
            what = f"busy: {len(self._unanswered):,} requests are not answered yet; wait for some of the answers"
            return _error(id, _BUSY, what)
        self._unanswered[id] = len(line)

        async def unanswered() -> None:
            self._unanswered.pop(id, None)

        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))

    # Outgoing.

    async def _send(self, from_server: MemoryObjectReceiveStream[SessionMessage], scope: anyio.CancelScope) -> None:
        try:
            async with from_server, self._out:
                async for one in from_server:
                    await self._out.send(_encoded(one.message))
                    if (
                        isinstance(one.message, types.JSONRPCResponse | types.JSONRPCError)
                        and one.message.id is not None
                    ):
                        self._unanswered.pop(one.message.id, None)
        except _ENDS:
            scope.cancel()  # The reader is gone.

    def _write_all(self, token: EventLoopToken) -> None:
        """Write each line. In a thread."""
        with suppress(*_ENDS):
            try:
                while True:
                    left = memoryview(from_thread.run(self._to_stdout.receive, token=token))
                    while left:
                        left = left[os.write(self._stdout, left) :]
            except OSError:
                from_thread.run_sync(self._to_stdout.close, token=token)
            finally:
                from_thread.run_sync(self._writer_ended.set, token=token)


def _read(descriptor: int, lines: _Lines, token: EventLoopToken) -> None:
    """Pass each line to `lines`; None stands for a line that is too long. In a thread."""
    with suppress(*_ENDS), os.fdopen(descriptor, "rb", closefd=False) as file:
        while line := file.readline(LONGEST_MESSAGE + 1):
            is_long = len(line) > LONGEST_MESSAGE
            while len(line) > _PIECE and not line.endswith(b"\n") and is_long:
                line = file.readline(_PIECE + 1) or b"\n"
            if is_long or line.strip():
                from_thread.run(lines.send, None if is_long else line, token=token)
        from_thread.run_sync(lines.close, token=token)


def _not_a_message() -> types.JSONRPCError:
    return _error(None, types.PARSE_ERROR, "a line is not a JSON-RPC message: send one JSON object per line")


def _error(id: types.RequestId | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))


def _encoded(message: types.JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
