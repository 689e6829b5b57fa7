"""Calls of oh-my-pi 13: its later fields, marks of a view in new lines, and edits at the ends of texts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editcore import Applied, Reason
from editcore.anchors import apply_anchored, show
from editcore.types import EditResult

TEXT = "def f():\n    a()\n    b()\n\n"


def anchor(n: int) -> str:
    return show(TEXT, "hashline_h2_oh_my_pi").split("\n")[n - 1].partition(":")[0]


def h2(*edits: Any, rule: str = "h2_oh_my_pi", text: str = TEXT, **more: Any) -> EditResult:
    return apply_anchored({"a": text}, json.dumps({"edits": edits} | more), "hashline_h2", rule=rule)


def outcome(result: EditResult) -> Any:
    if not isinstance(result, Applied):
        return result.reason
    return result.content if result.files is None else result.files


OPS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"loc": "append", "content": ["x"]}, {"op": "append", "lines": ["x"]}),
    ({"loc": "prepend", "content": ["x"]}, {"op": "prepend", "lines": ["x"]}),
    ({"loc": {"append": anchor(2)}, "content": "x\n"}, {"op": "append", "pos": anchor(2), "lines": "x\n"}),
    ({"loc": {"prepend": anchor(2)}, "content": ["x"]}, {"op": "prepend", "end": anchor(2), "lines": ["x"]}),
    ({"loc": {"line": anchor(2)}, "content": None}, {"op": "replace", "end": anchor(2), "lines": None}),
    ({"loc": {"range": {"pos": anchor(2), "end": anchor(3)}}, "content": ["x"]},
     {"op": "replace", "pos": anchor(2), "end": anchor(3), "lines": ["x"]}),
    ({"loc": {"block": {"pos": anchor(2), "end": anchor(3)}}, "content": ["x"]},
     {"op": "replace", "pos": anchor(2), "end": anchor(3), "lines": ["x"]}),
]  # fmt: skip


@pytest.mark.parametrize("rule", ["h2_oh_my_pi", "h2_oh_my_openagent", "strict", "recommended"])
@pytest.mark.parametrize(("later", "earlier"), OPS)
def test_later_fields_say_what_the_earlier_ones_do(rule: str, later: dict[str, Any], earlier: dict[str, Any]) -> None:
    found = outcome(h2(later, rule=rule))
    assert found == outcome(h2(earlier, rule=rule))
    assert isinstance(found, str)


@pytest.mark.parametrize(
    "edit",
    [{"loc": "middle", "content": []}, {"loc": {}, "content": []}, {"loc": {"range": {"pos": "1#ZZ"}}, "content": []},
     {"loc": "append", "content": [], "op": "append"}, {"loc": "append"}, {"op": "replace", "lines": []},
     {"op": "swap", "lines": []}, {"op": "append", "pos": "line 3", "lines": ["x"]}, {"op": "append", "lines": [1]},
     {"op": "append", "lines": 1}],
)  # fmt: skip
def test_what_is_no_edit_of_oh_my_pi_is_malformed(edit: dict[str, Any]) -> None:
    assert outcome(h2(edit)) is Reason.MALFORMED


def test_a_call_may_delete_or_rename_the_file_and_one_without_edits_is_none() -> None:
    assert outcome(h2(delete=True)) == {}
    assert outcome(h2(move="b")) == {"b": TEXT}
    assert outcome(h2()) is Reason.MALFORMED


NEW: list[tuple[list[str], list[str]]] = [
    ([f"{anchor(2)}:x", "", "3#ZZ:y"], ["x", "", "y"]),
    (["+#ZZ:x", "y"], ["x", "y"]),
    (["+x", "++y", "+z"], ["x", "++y", "z"]),
    (["", ""], ["", ""]),
    (["1#ZZ:x", "y"], ["1#ZZ:x", "y"]),
    (["\\tx", "\\t\\ty\\t"], ["\tx", "\t\ty\\t"]),
    (["\\tx", "\ty"], ["\\tx", "\ty"]),
]


@pytest.mark.parametrize(("lines", "new"), NEW)
def test_marks_of_a_view_or_of_a_diff_are_stripped_and_escaped_tabs_are_tabs(lines: list[str], new: list[str]) -> None:
    edit = {"op": "replace", "pos": anchor(2), "lines": lines}
    assert outcome(h2(edit)) == "\n".join(["def f():", *new, "    b()", "", ""])


def test_edits_are_made_bottom_up_and_the_same_one_once() -> None:
    twice = {"op": "append", "pos": anchor(1), "lines": ["x"]}
    same = {"op": "replace", "pos": anchor(3), "lines": ["    b()"]}
    assert outcome(h2(twice, twice, same)) == TEXT.replace("def f():\n", "def f():\nx\n")
    assert outcome(h2(same)) is Reason.IDENTICAL
    assert outcome(h2({"op": "append", "pos": anchor(1), "lines": []})) == TEXT.replace("f():\n", "f():\n\n")
    assert outcome(h2({"op": "append", "lines": ["x"]}, text="")) == "x"
    assert outcome(h2({"op": "replace", "pos": "9#ZZ", "lines": []})) is Reason.NOT_FOUND
