"""Calls of `doc_edit`, as a model makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from editcore.host.documents.store import Documents
from editcore.host.host import Agent, Host
from editcore.host.tool import Context, Tool
from editcore.host.tools.doc_edit import DOC_EDIT
from editcore.host.workspace import Workspace

PATH = "/characters/hero.md"
Call = Callable[..., dict[str, Any]]


def tool_of(documents: Documents, directory: Path) -> Tool[Any]:
    tool = DOC_EDIT(Host(Workspace(directory), documents=documents), Agent())
    assert tool is not None
    return tool


def called(tool: Tool[Any], context: Context, params: object) -> dict[str, Any]:
    """The answer that the model reads. The rest of the result must agree with it."""
    result = tool.execute(context, params)
    answer = dict(json.loads(result.output))
    assert answer == {key: value for key, value in result.metadata.items() if key != "truncated"}
    assert result.is_error is not answer["success"]
    if not answer["success"]:
        assert set(answer) - {"reason"} == {"success", "error_code", "message"}
        assert len(answer["message"].splitlines()) == 1
    return answer


def fails(answer: Mapping[str, Any], code: str, words: str) -> None:
    assert answer["success"] is False, answer
    assert answer["error_code"] == code, answer
    assert words in answer["message"]
