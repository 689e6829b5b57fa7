"""`doc_edit`: views and edits documents; each edit is a suggestion to the user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from editcore.cascade import EXACT, RECOMMENDED, Cascade
from editcore.errors import DocumentError, ErrorCode, ToolError, UsageError, WorkspaceError
from editcore.host.documents.commands import COMMANDS, Command, Parameters, Seen, Turn, parameters_for
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.quoting import shown

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def _commands(host: Host) -> Mapping[str, Command]:
    """The built-in commands and the host's, by name. Raises UsageError for a name that is taken or malformed."""
    for name in host.commands:
        if name in COMMANDS or not _NAME.fullmatch(name):
            raise UsageError(
                f"{shown(name)} can't be the name of a further command of doc_edit",
                f"Use up to 64 lower-case letters, digits and _, and none of {', '.join(COMMANDS)}.",
            )
    return {**COMMANDS, **host.commands}


def _run(host: Host, context: Context, params: Parameters) -> Result:
    assert host.documents is not None, "The tool is offered only where there are documents."
    command = _commands(host)[params.command]
    chat_id, turn_id = (
        None if value is None else str(value) for value in map(context.extra.get, ("chat_id", "turn_id"))
    )
    turn = Turn(chat_id, turn_id, Seen(host.ledger, context.session_id, host.documents.project))
    try:
        command.validate(params)
        answer: dict[str, Any] = {
            "success": True,
            **command.execute(host.documents.cancellable(context.cancellation), turn, params),
        }
    except DocumentError as error:
        answer = {"success": False, "error_code": str(error.code), "message": error.message}
        if error.reason is not None:
            answer["reason"] = str(error.reason)
    return _result(f"{command.name} {shown(params.path.strip())}", answer)


def _refused(tool: str, error: ToolError | WorkspaceError) -> Result:
    code = {"error_code": str(ErrorCode.INVALID_INPUT)} if isinstance(error, ToolError) else {}
    return _result(tool, {"success": False, **code, "message": error.message})


def _result(title: str, answer: Mapping[str, Any]) -> Result:
    return Result(title, json.dumps(answer, ensure_ascii=False), answer, is_error=not answer["success"])


def _description(cascade: Cascade = RECOMMENDED) -> str:
    inexact = (
        "An old_str that does not occur exactly is not found. "
        if cascade == EXACT
        else f"An old_str that does not occur exactly is looked for by the rule {cascade.name}, which forgives "
        "differences such as other indentation; the answer then names what differed. "
    )
    return (
        "Views and edits the documents of the project: Markdown files in folders. Edits are suggestions, which the "
        "user accepts or rejects; view shows the document with the suggestions made so far. str_replace needs an "
        f"old_str that occurs only once in the document. {inexact}It is refused if the text may be at another place "
        "now than where you viewed it."
    )


DOC_EDIT = BuiltIn(
    "doc_edit",
    _description(),
    Parameters,
    _run,
    lambda host: host.documents is not None,
    refused=_refused,
    parameters_for=lambda host: parameters_for(_commands(host)) if host.commands else Parameters,
    description_for=lambda host: _description(host.documents.cascade if host.documents else RECOMMENDED),
    files=lambda params: (f"documents:{params.path}",),
)
