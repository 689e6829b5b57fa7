"""Sessions: the state of one connection, from its first call to its end, with the permissions that its user gave."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from hashlib import blake2b
from threading import Lock
from types import MappingProxyType
from typing import Any

import anyio

from editcore.host.registry import Step
from editcore.host.tool import CONFLICT, EXTERNAL_DIRECTORY, PermissionRequest
from editcore.host.tools import Host
from editcore.quoting import printable
from harness.mcp.recording import Recording, SessionRecording

# Permissions over the protocol: when the user is asked, the text of the question, and the scope of its answer.

_OUTSIDE = frozenset({EXTERNAL_DIRECTORY, "bash"})
LEVELS: Mapping[str, frozenset[str] | None] = MappingProxyType(
    {"nothing": frozenset(), "outside": _OUTSIDE, "edits": _OUTSIDE | {"edit", CONFLICT}, "everything": None}
)
"""Level -> permissions that the user is asked for, None for all. The other permissions are given without a question."""

_NO = "no"
_LONGEST_DETAIL = 4_000
"""Most characters of a diff or command that a question shows."""
_DETAILS = ("diff", "command", "with_markers", "filepath", "path")
"""Metadata that a question can show; the first one that a request has is shown."""
_MOST_PATTERNS = 10
_MOST_ALLOWED = 1_000


class Permissions:
    """The answers of one session that hold until its end."""

    def __init__(self, level: str) -> None:
        self._asked_for = LEVELS[level]
        self._allowed: dict[tuple[str, str], None] = {}
        self._lock = Lock()

    def known(self, request: PermissionRequest) -> bool | None:
        """The answer by the level, or by an earlier answer for the session; None if the user has to be asked.

        A question with choices that is not asked counts as a no, because the user has made none of the choices.
        """
        if self._asked_for is not None and request.permission not in self._asked_for:
            return not request.choices
        with self._lock:
            allowed = [pattern for permission, pattern in self._allowed if permission == request.permission]
        # A pattern for a directory does not cover the directories below it.
        is_exact = request.permission == EXTERNAL_DIRECTORY
        is_covered = bool(request.patterns) and all(
            any(pattern == one or (not is_exact and fnmatchcase(one, pattern)) for pattern in allowed)
            for one in request.patterns
        )
        return True if is_covered else None

    def take(self, request: PermissionRequest, answer: str) -> bool | str:
        """Note an answer. Return whether the permission is given, or the choice that was made."""
        if request.choices:
            return answer if answer in request.choices else False
        if answer == "session":
            with self._lock:
                if len(self._allowed) < _MOST_ALLOWED:
                    self._allowed.update(((request.permission, one), None) for one in request.always)
        return answer != _NO


def question(request: PermissionRequest) -> str:
    """The question as text: the permission, and the diff or command that needs it."""
    patterns = [printable(one) for one in request.patterns[:_MOST_PATTERNS]]
    more = len(request.patterns) - len(patterns)
    what = ", ".join(patterns) + (f" and {more} more" if more else "")
    asked = f"Choose for {request.permission}" if request.choices else f"Allow {request.permission}"
    lines = [f"{asked}: {what}?"]
    if request.always:
        lines.append(f"For the session it would cover: {', '.join(map(printable, request.always[:_MOST_PATTERNS]))}")
    detail = next((found for name in _DETAILS if (found := request.metadata.get(name))), None)
    if isinstance(detail, str) and detail != what:
        cut = "" if len(detail) <= _LONGEST_DETAIL else f"\n... ({len(detail):,} characters)"
        lines.append("\n".join(printable(line) for line in detail[:_LONGEST_DETAIL].split("\n")) + cut)
    return "\n".join(lines)


def answer_schema(request: PermissionRequest) -> dict[str, Any]:
    answer = {"type": "string", "title": "Answer", "enum": _answers(request), "default": _NO}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


def answer_of(action: object, content: object, request: PermissionRequest) -> str:
    """The answer in a form that a client returned; `no` for anything that is no answer."""
    answer = content.get("answer") if action == "accept" and isinstance(content, Mapping) else None
    return answer if isinstance(answer, str) and answer in _answers(request) else _NO


def _answers(request: PermissionRequest) -> list[str]:
    return [*(request.choices or (("once", "session") if request.always else ("once",))), _NO]


def key_of(request: PermissionRequest) -> str:
    """Hash of everything that is asked for, so that an answer is used for no other question."""
    whole = json.dumps(
        [request.permission, request.patterns, request.always, request.choices, dict(request.metadata)], default=str
    )
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


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
