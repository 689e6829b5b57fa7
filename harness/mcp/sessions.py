"""Sessions: the state of one connection, from its first call to its end."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from threading import Lock

import anyio

from editcore.host.registry import Step
from editcore.host.tools import Host
from harness.mcp.permissions import Permissions
from harness.mcp.recording import Recording, SessionRecording

_MOST_SESSIONS = 100
_MOST_UNFINISHED = 100
"""Most calls of a session that wait for answers to their questions."""


class Session:
    """One connection: the files it has read (by its id), the user's answers, the recording of its edits."""

    def __init__(self, level: str, client: str, recording: Recording | None) -> None:
        self.id = secrets.token_hex(8)
        self.client = client
        self.permissions = Permissions(level)
        self.recording = SessionRecording(recording, self.id, client) if recording else None
        self._turns: list[tuple[Step, anyio.Event]] = []
        """Unfinished calls, in the order of their arrival."""
        self._answers: OrderedDict[str, Mapping[str, str]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, step: Step) -> AsyncIterator[None]:
        """Wait for earlier calls that touch the same files. Commands may touch any file, and are not waited for."""
        known = [(other, done) for other, done in self._turns if other.paths is not None]
        earlier = [done for other, done in known if step.paths is not None and step.waits_for(other)]
        mine = (step, anyio.Event())
        self._turns.append(mine)
        try:
            for done in earlier:
                await done.wait()
            yield
        finally:
            self._turns.remove(mine)
            mine[1].set()

    def keep(self, answers: Mapping[str, str]) -> str:
        """Keep the answers of a call that is sent again with more of them. Return a token for them."""
        token = secrets.token_hex(16)
        self._answers[token] = answers
        while len(self._answers) > _MOST_UNFINISHED:
            self._answers.popitem(last=False)
        return token

    def kept(self, token: str | None) -> Mapping[str, str]:
        """The answers that a token names, once; empty for any other text."""
        return self._answers.pop(token, {}) if token else {}


class Sessions:
    """The sessions of a server, by the name of their connection. If there are too many, the least used ones end."""

    def __init__(self, host: Host, level: str, recording: Recording | None) -> None:
        self._host, self._level, self._recording = host, level, recording
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def of(self, connection: str, client: str) -> Session:
        """The session of a connection, which its first call starts."""
        with self._lock:
            if connection not in self._open:
                self._open[connection] = Session(self._level, client, self._recording)
            self._open.move_to_end(connection)
            ended = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - _MOST_SESSIONS)]
            session = self._open[connection]
        for one in ended:
            self._end(one)
        return session

    def end(self) -> None:
        """End all sessions, after their recordings are written."""
        while self._open:
            self._end(self._open.popitem()[1])

    def _end(self, session: Session) -> None:
        self._host.end(session.id)
        if session.recording:
            session.recording.end()
