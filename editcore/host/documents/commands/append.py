"""`append`: adds lines at the end of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editcore.cascade import Cascade
from editcore.host.documents.commands.command import Command, Turn, check_new_text, record_edit
from editcore.host.documents.commands.parameters import Parameters
from editcore.host.documents.paths import document_path
from editcore.host.documents.suggestions import Suggestion
from editcore.text.endings import LineFeedView
from editcore.types import Match

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents


def _execute(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(params.command, document_path(params.path), new_str=params.new_str)
    return record_edit(documents, turn, suggestion, _apply_to_version)


def _apply_to_version(version: str, suggestion: Suggestion, _: Cascade) -> str:
    added, view = suggestion.new_str or "", LineFeedView(version)
    if view.text and not view.text.endswith("\n"):
        added = "\n" + added
    end = len(view.text)
    return view.replaced([Match(end, end, "append")], added)


APPEND = Command("append", check_new_text, _execute, _apply_to_version)
