"""`insert`: adds lines after the line of a given number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editcore.cascade import Cascade
from editcore.documents.commands.command import Command, Turn, check_new_text, record_edit, required
from editcore.documents.commands.parameters import Parameters
from editcore.documents.paths import document_path, invalid
from editcore.documents.suggestions import Suggestion
from editcore.patches.line_edits import insert_lines
from editcore.types import Rejected

if TYPE_CHECKING:
    from editcore.documents.store import Documents


def _validate(params: Parameters) -> None:
    check_new_text(params)
    required("insert_line", params.insert_line, params.command)


def _execute(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(
        params.command, document_path(params.path), new_str=params.new_str, insert_line=params.insert_line
    )

    def apply(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
        if suggestion.insert_line not in (0, -1):
            turn.seen.check(suggestion.path, version)
        return _apply_to_version(version, suggestion, cascade)

    return record_edit(documents, turn, suggestion, apply)


def _apply_to_version(version: str, suggestion: Suggestion, _: Cascade) -> str:
    line = -1 if suggestion.insert_line is None else suggestion.insert_line
    result = insert_lines(version, line, suggestion.new_str or "")
    if isinstance(result, Rejected):
        raise invalid(f"insert_line: {result.message}")
    return result.content or ""


INSERT = Command("insert", _validate, _execute, _apply_to_version)
