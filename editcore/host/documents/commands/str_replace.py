"""`str_replace`: replaces a text that occurs once in the session's version of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import in_words_of
from editcore.errors import DocumentError, ErrorCode
from editcore.host.documents.commands.command import Command, Turn, record_edit, required
from editcore.host.documents.commands.parameters import Parameters
from editcore.host.documents.paths import check_text, document_path, invalid
from editcore.host.documents.suggestions import Suggestion
from editcore.text.document import Document
from editcore.types import Edit, Reason, Rejected

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

_NAMES = {"old_string": "old_str", "new_string": "new_str", "read the file there": "view it"}


def _validate(params: Parameters) -> None:
    document_path(params.path)
    old_str, new_str = (
        required("old_str", params.old_str, params.command),
        required("new_str", params.new_str, params.command),
    )
    if old_str == new_str:
        same = "new_str: it is the same as old_str: nothing would change. Give the text you want instead."
        raise invalid(same, reason=Reason.IDENTICAL)
    check_text("old_str", old_str)
    check_text("new_str", new_str)


def _execute(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(params.command, document_path(params.path), params.old_str, params.new_str)

    def apply(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
        after = _apply_to_version(version, suggestion, cascade)
        shown = turn.seen.older(suggestion.path, version)
        if shown is not None:
            _check_place(shown, version, after, suggestion, cascade)
        return after

    return record_edit(documents, turn, suggestion, apply)


def _check_place(shown: str, version: str, after: str, suggestion: Suggestion, cascade: Cascade) -> None:
    """Raise DocumentError where the text that the model was shown says that the edit belongs elsewhere, or nowhere.

    An edit is kept as its call, and made again of whatever version it has then, so it cannot be moved for one of them.
    """
    edit = Edit(suggestion.old_str or "", suggestion.new_str or "")
    result = apply_edit(version, edit, cascade, path=suggestion.path, seen=shown)
    if isinstance(result, Rejected) or result.content != after:
        raise DocumentError(
            "the document has changed since you viewed it, and old_str may stand in it now where it was not meant: "
            "view it again, and send old_str with lines around it.",
            code=ErrorCode.CONFLICT,
            reason=Reason.STALE_READ,
        )


def _apply_to_version(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
    result = apply_edit(
        version, Edit(suggestion.old_str or "", suggestion.new_str or ""), cascade, path=suggestion.path
    )
    if isinstance(result, Rejected):
        if not suggestion.old_str:
            nothing = "old_str: it is empty: give the text to replace, or add text with insert or append."
            raise invalid(nothing, reason=Reason.EMPTY)
        raise _refusal(Document(version), result)
    return result.content or ""


def _refusal(document: Document, rejected: Rejected) -> DocumentError:
    """The cascade's refusal in the terms of this tool, which has documents and no `replace_all`."""
    places, reason = rejected.candidates, rejected.reason
    lines = [document.line_of(place.start) for place in places]
    message, code = in_words_of(rejected, _NAMES).message, ErrorCode.NO_MATCH
    if reason is Reason.AMBIGUOUS:
        code = ErrorCode.AMBIGUOUS_MATCH
        if places:
            listed = ", ".join(map(str, lines))
            message = f"old_str has multiple matches (lines {listed}): add surrounding lines until it occurs once."
    elif reason is Reason.NO_MATCH and not places:
        message = "old_str is not in the document as it is now: view it and copy the text exactly."
    return DocumentError(message, code=code, reason=reason)


STR_REPLACE = Command("str_replace", _validate, _execute, _apply_to_version)
