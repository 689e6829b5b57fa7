"""The interface of a command of `doc_edit`, and what several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from editcore.cascade import Cascade
from editcore.host.documents.commands.parameters import Parameters
from editcore.host.documents.commands.seen import Seen
from editcore.host.documents.paths import check_text, document_path, invalid
from editcore.host.documents.suggestions import RecordedEdit, Suggestion

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Turn:
    """The chat and the turn that a call comes from."""

    chat_id: str | None = None
    turn_id: str | None = None
    seen: Seen = field(default_factory=Seen)


@dataclass(frozen=True, slots=True)
class Command:
    """One command. Its functions refuse by raising DocumentError."""

    name: str
    validate: Callable[[Parameters], None]
    """Checks the parameters, without reading any document."""
    execute: Callable[[Documents, Turn, Parameters], dict[str, Any]]
    """Runs the command and returns the result for the model. Raises WorkspaceError where the database fails."""
    apply_to_version: Callable[[str, Suggestion, Cascade], str]
    """The next version of the document. Pure: a session's version is its base with this applied for each edit."""


def record_edit(
    documents: Documents,
    turn: Turn,
    suggestion: Suggestion,
    apply_to_version: Callable[[str, Suggestion, Cascade], str],
) -> dict[str, Any]:
    """Record an edit in the document's session, and return the result for the model."""

    def apply(version: str) -> str:
        after = apply_to_version(version, suggestion, documents.cascade)
        turn.seen.edit(suggestion.path, version, after)
        return after

    edit = documents.record(suggestion, apply, chat_id=turn.chat_id, turn_id=turn.turn_id)
    return answer(edit, "The edit is suggested to the user; view shows the document with it.")


def answer(edit: RecordedEdit, message: str) -> dict[str, Any]:
    """The result of an edit, for the model."""
    return {"session_id": edit.session_id, "edit_id": edit.id, "path": edit.suggestion.path, "message": message}


def required(name: str, value: _T | None, command: str) -> _T:
    """The value of a parameter that the command needs. Raises DocumentError where it is missing."""
    if value is None:
        raise invalid(f"{name}: it is required for {command}: send the call again with it.")
    return value


def check_new_text(params: Parameters) -> None:
    """Raise DocumentError unless `path` is valid and `new_str` has a text."""
    document_path(params.path)
    text = required("new_str", params.new_str, params.command)
    if not text:
        raise invalid("new_str: it is empty: give the lines to add; a line feed alone is a blank line.")
    check_text("new_str", text)
