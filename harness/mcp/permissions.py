"""Permissions over the protocol: which are asked for, how the question reads, and what its answer covers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from hashlib import blake2b
from threading import Lock
from types import MappingProxyType
from typing import Any, Literal

from editcore.quoting import printable
from editcore.tools.host.permissions import EXTERNAL_DIRECTORY, PermissionRequest

_OUTSIDE = frozenset({EXTERNAL_DIRECTORY, "bash"})
LEVELS: Mapping[str, frozenset[str] | None] = MappingProxyType(
    {"nothing": frozenset(), "outside": _OUTSIDE, "edits": _OUTSIDE | {"edit"}, "everything": None}
)
"""Level -> the permissions that are asked for, None for all; the others are given without a question."""

Answer = Literal["once", "session", "no"]
_LONGEST_DETAIL = 4_000
"""Characters of a diff or command that a question shows."""
_MOST_PATTERNS = 10
_MOST_ALLOWED = 1_000


class Permissions:
    """The answers of one session that hold until its end."""

    def __init__(self, level: str) -> None:
        self._asked_for = LEVELS[level]
        self._allowed: dict[tuple[str, str], None] = {}
        self._lock = Lock()

    def is_given(self, request: PermissionRequest) -> bool:
        """Whether a permission needs no question: by the level, or by an earlier answer for the session."""
        if self._asked_for is not None and request.permission not in self._asked_for:
            return True
        with self._lock:
            allowed = [pattern for permission, pattern in self._allowed if permission == request.permission]
        return bool(request.patterns) and all(
            any(_covers(request.permission, pattern, one) for pattern in allowed) for one in request.patterns
        )

    def take(self, request: PermissionRequest, answer: Answer) -> bool:
        """Take in an answer, and return whether the permission is given."""
        if answer == "session":
            with self._lock:
                if len(self._allowed) < _MOST_ALLOWED:
                    self._allowed.update(((request.permission, one), None) for one in request.always)
        return answer != "no"


def _covers(permission: str, allowed: str, pattern: str) -> bool:
    # A pattern for a directory covers that directory, not those below it.
    return allowed == pattern or (permission != EXTERNAL_DIRECTORY and fnmatchcase(pattern, allowed))


def question(request: PermissionRequest) -> str:
    """The question as text: what is asked for, and the diff or command that it is about."""
    patterns = [printable(one) for one in request.patterns[:_MOST_PATTERNS]]
    more = len(request.patterns) - len(patterns)
    what = ", ".join(patterns) + (f" and {more} more" if more else "")
    lines = [f"Allow {request.permission}: {what}?"]
    if request.always:
        lines.append(f"For the session it would cover: {', '.join(map(printable, request.always[:_MOST_PATTERNS]))}")
    detail = request.metadata.get("diff") or request.metadata.get("command") or request.metadata.get("path")
    if isinstance(detail, str) and detail != what:
        cut = "" if len(detail) <= _LONGEST_DETAIL else f"\n... ({len(detail):,} characters)"
        lines.append("\n".join(printable(line) for line in detail[:_LONGEST_DETAIL].split("\n")) + cut)
    return "\n".join(lines)


def answer_schema(request: PermissionRequest) -> dict[str, Any]:
    """The JSON Schema of the answer's form."""
    choices = ["once", "session", "no"] if request.always else ["once", "no"]
    answer = {"type": "string", "title": "Allow?", "enum": choices, "default": "no"}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


def answer_of(action: object, content: object, request: PermissionRequest) -> Answer:
    """The answer in a form as a client returned it; no, where it is anything else."""
    answer = content.get("answer") if action == "accept" and isinstance(content, Mapping) else None
    if answer == "session" and request.always:
        return "session"
    return "once" if answer == "once" else "no"


def key_of(request: PermissionRequest) -> str:
    """A hash of all that is asked for, so that no other question is answered by its answer."""
    whole = json.dumps([request.permission, request.patterns, request.always, dict(request.metadata)], default=str)
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
