"""A tool: its errors, its permissions, and the parameters that it accepts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from editcore.errors import ToolError, WorkspaceError
from editcore.host.parameters import read, schema
from editcore.host.tool import Context, PermissionRequest, Result, Tool
from editcore.host.tools import TOOLS
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


# Parameters: the schema of every tool, that both validators agree, and what a wrong call is told.


@dataclass(frozen=True, slots=True)
class Inner:
    text: str
    n: Annotated[int, Meta(ge=0, le=9)] = 0


@dataclass(frozen=True, slots=True)
class Outer:
    """Not for the model."""

    path: Annotated[str, Meta(description="Where.", min_length=1)]
    inner: Annotated[list[Inner], Meta(description="What.", min_length=1)]
    kind: Literal["a", "b"] = "a"
    maybe: Inner | None = None
    ratio: float = 0.5
    on: bool = False
    pair: tuple[int, int] | None = None


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.floats(allow_nan=False, width=16)
    | st.sampled_from(["", "a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "n", "path", "inner", "kind", "maybe", "ratio", "on", "pair", "x"]), inner
        )
    ),
    max_leaves=8,
)
inners = st.fixed_dictionaries({"text": st.just("t") | anything}, optional={"n": st.integers(-2, 12) | anything})
outers = st.fixed_dictionaries(
    {"path": st.just("p") | anything, "inner": st.lists(inners, max_size=2) | anything},
    optional={
        "kind": st.sampled_from(["a", "b", "c"]),
        "maybe": inners | anything,
        "ratio": anything,
        "on": anything,
        "pair": st.lists(st.integers(), max_size=3) | anything,
        "x": anything,
    },
)


def refusal(sent: Any) -> ToolError | None:
    try:
        read("t", Outer, sent)
    except ToolError as error:
        return error
    return None


def accepts(sent: Any) -> bool:
    error = refusal(sent)
    assert error is None or (error.reason is Reason.MALFORMED and re.match(r"t: [^\n]+\Z", error.message))
    return error is None


@given(outers | anything)
def test_what_is_read_is_what_the_schema_allows(sent: Any) -> None:
    validator = jsonschema.Draft202012Validator(schema(Outer))
    assert accepts(sent) == validator.is_valid(sent), list(validator.iter_errors(sent))


@given(outers)
def test_what_is_read_is_what_was_sent(sent: Any) -> None:
    if accepts(sent):
        found = read("t", Outer, sent)
        assert found.path == sent["path"]
        assert [one.text for one in found.inner] == [one["text"] for one in sent["inner"]]
        assert read("t", Outer, found) is found


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "t: parameter path: it is required, but missing; also missing: inner."),
        ({"path": 1, "inner": []}, "t: parameter path: expected a string, got an integer."),
        ({"path": "p", "inner": []}, "t: parameter inner: expected a list of length >= 1."),
        ({"path": "p", "inner": [{}]}, "t: parameter inner[0].text: it is required, but missing."),
        ({"path": "p", "inner": [{"text": "a", "n": 10}]}, "t: parameter inner[0].n: expected an integer <= 9."),
        ({"path": "p", "inner": [{"text": "a", "m": 1}]}, "t: parameter inner[0].m: there is no such parameter, "),
        ({"path": "p", "inner": [{"text": "a"}], "kind": "c"}, "t: parameter kind: no 'c': give one of 'a', "),
        ({"path": "p", "inner": [{"text": "a"}], "kind": "c - at `$.n`"}, "t: parameter kind: no 'c - at `$.n`'"),
        ({"path": "p", "inner": [{"text": "a"}], "kind": 1}, "t: parameter kind: expected a string, got an integer: "),
        ({"paht": "p"}, "t: parameter paht: there is no such parameter, did you mean path; also missing: inner."),
        ({"zzz": "p"}, "t: parameter zzz: there is no such parameter, there are path, inner, kind, "),
        ([], "t: the parameters: expected an object, got a list."),
        (None, "t: the parameters: expected an object, got null."),
        ("\uda00", "t: the parameters: a lone surrogate where no string is allowed."),
        ({"path": "p", "inner": [{"text": "a"}], "on": 1}, "t: parameter on: expected true or false, got an integer"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_told_tool_field_and_what_was_expected(sent: Any, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        read("t", Outer, sent)
    assert caught.value.message.startswith(message)
    assert caught.value.message.endswith("Correct it and send the call again.")


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert read("t", Outer, {"path": "p", "inner": ({"text": "a", "n": 3.0},)}).inner == [Inner("a", 3)]


def test_a_nest_without_end_is_refused() -> None:
    nest: list[Any] = []
    for _ in range(5_000):
        nest = [nest]
    with pytest.raises(ToolError, match="nested too deeply"):
        read("t", Outer, {"path": nest})


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_a_schema_in_one_piece(name: str) -> None:
    made = TOOLS[name].declaration
    assert made["name"] == name
    assert made["description"]
    jsonschema.Draft202012Validator.check_schema(made["input_schema"])
    text = json.dumps(made)
    assert "$ref" not in text
    assert "title" not in made["input_schema"]
    assert made["input_schema"]["additionalProperties"] is False
    assert made["input_schema"]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    described = [prop for prop in made["input_schema"]["properties"].values() if "description" not in prop]
    assert described == [], "every parameter says what it is for"
