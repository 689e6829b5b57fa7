"""A tool: what it answers when something is wrong, and to whom it talks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import ToolError, WorkspaceError
from editcore.host.tool import Context, PermissionRequest, Result, Tool
from editcore.host.truncation import Outputs
from editcore.types import Reason


@dataclass(frozen=True, slots=True)
class Parameters:
    text: str


def tool(run: Any, tmp_path: Path) -> Tool[Parameters]:
    return Tool("t", "Does it.", Parameters, run, Outputs(tmp_path / "outputs"))


def test_nothing_runs_before_the_parameters_are_right(tmp_path: Path) -> None:
    ran: list[str] = []
    one = tool(lambda _, params: ran.append(params.text) or Result("", ""), tmp_path)
    result = one.execute(Context(), {"txt": "x"})
    assert result.is_error
    assert result.output.startswith("t: parameter txt: there is no such parameter, did you mean text.")
    assert result.metadata == {"reason": "malformed", "tool": "t", "field": "txt"}
    assert ran == []
    one.execute(Context(), {"text": "x"})
    assert ran == ["x"]


@pytest.mark.parametrize(
    ("error", "metadata"),
    [
        (ToolError("no", reason=Reason.UNREAD, metadata={"n": 1}), {"reason": "unread", "n": 1}),
        (WorkspaceError("no", reason=Reason.TOO_LARGE), {"reason": "too_large"}),
        (WorkspaceError("no"), {}),
    ],
)
def test_what_went_wrong_is_the_result(error: Exception, metadata: dict[str, Any], tmp_path: Path) -> None:
    def fail(*_: object) -> Result:
        raise error

    assert tool(fail, tmp_path).execute(Context(), {"text": ""}) == Result("t", "no", metadata, is_error=True)


def test_an_error_of_a_callback_goes_through(tmp_path: Path) -> None:
    def fail(*_: object) -> Result:
        raise KeyError("of the host")

    with pytest.raises(KeyError):
        tool(fail, tmp_path).execute(Context(), {"text": ""})


def test_a_long_output_is_cut_and_kept_in_whole(tmp_path: Path) -> None:
    whole = "line\n" * 5_000
    result = tool(lambda *_: Result("", whole, {"a": 1}), tmp_path).execute(Context(), {"text": ""})
    assert result.metadata["truncated"] is True
    assert result.metadata["a"] == 1
    assert len(result.output) < 12_000
    assert Path(result.metadata["output_path"]).read_text() == whole
    short = tool(lambda *_: Result("", "line"), tmp_path).execute(Context(), {"text": ""})
    assert (short.output, short.metadata) == ("line", {"truncated": False})


def test_without_anybody_to_ask_what_can_leave_the_project_is_refused() -> None:
    context = Context()
    context.ask(PermissionRequest("edit", ("a",)))
    context.on_metadata("nobody", {})
    for permission in ("bash", "external_directory"):
        with pytest.raises(ToolError, match=f"The permission {permission} was refused for rm -rf /: nothing was done"):
            context.ask(PermissionRequest(permission, ("rm -rf /",)))
