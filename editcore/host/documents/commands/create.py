"""`create`: makes a new document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editcore.cascade import Cascade
from editcore.host.documents.commands.command import Command, Turn, answer, required
from editcore.host.documents.commands.parameters import Parameters
from editcore.host.documents.paths import check_text, document_path
from editcore.host.documents.suggestions import Suggestion

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents


def _validate(params: Parameters) -> None:
    document_path(params.path)
    check_text("file_text", required("file_text", params.file_text, params.command))


def _execute(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(params.command, document_path(params.path), new_str=params.file_text)
    edit = documents.create(suggestion, chat_id=turn.chat_id, turn_id=turn.turn_id)
    turn.seen.show(suggestion.path, params.file_text or "")
    return answer(edit, "The document is suggested to the user; view shows it.")


def _apply_to_version(_: str, suggestion: Suggestion, __: Cascade) -> str:
    return suggestion.new_str or ""


CREATE = Command("create", _validate, _execute, _apply_to_version)
