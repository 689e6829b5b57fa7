"""What a command of `doc_edit` is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from editcore.cascade import Cascade
from editcore.documents.commands.parameters import Parameters
from editcore.documents.paths import check_text, document_path, invalid
from editcore.documents.suggestions import RecordedEdit, Suggestion

if TYPE_CHECKING:
    from editcore.documents.store import Documents

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Turn:
    """Where in which chat a call comes from."""

    chat_id: str | None = None
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that can be done to a document. Its functions refuse by raising DocumentError."""

    name: str
    validate: Callable[[Parameters], None]
    """Checks the parameters, without a look at any document."""
    execute: Callable[[Documents, Turn, Parameters], dict[str, Any]]
    """Does it; what the model gets. Raises WorkspaceError where the database fails."""
    apply_to_version: Callable[[str, Suggestion, Cascade], str]
    """The next version of the document. Pure: a session's version is what its edits make of its base, one by one."""


def recorded(
    documents: Documents,
    turn: Turn,
    suggestion: Suggestion,
    apply_to_version: Callable[[str, Suggestion, Cascade], str],
) -> dict[str, Any]:
    """What the model gets of an edit that is part of the document's session now."""
    edit = documents.record(
        suggestion,
        lambda version: apply_to_version(version, suggestion, documents.cascade),
        chat_id=turn.chat_id,
        turn_id=turn.turn_id,
    )
    return answer(edit, "The edit is suggested to the user; view shows the document with it.")


def answer(edit: RecordedEdit, message: str) -> dict[str, Any]:
    """What the model gets of an edit."""
    return {"session_id": edit.session_id, "edit_id": edit.id, "path": edit.suggestion.path, "message": message}


def given(name: str, value: _T | None, command: str) -> _T:
    """The value of a parameter that the command needs."""
    if value is None:
        raise invalid(f"{name}: it is missing, and {command} needs it: send the call again with it.")
    return value


def check_new_text(params: Parameters) -> None:
    """Raises DocumentError unless there is a path, and a text in new_str."""
    document_path(params.path)
    text = given("new_str", params.new_str, params.command)
    if not text:
        raise invalid("new_str: it is empty: give the lines to add; a line feed alone is a blank line.")
    check_text("new_str", text)
