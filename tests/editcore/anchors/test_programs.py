"""What the programs behind anchored formats do with calls: oh-my-pi 13 and pi-hashline-edit, at the ends of texts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editcore import Applied, Reason
from editcore.anchors import apply_anchored, show
from editcore.anchors.hashes import h3_hash
from editcore.types import EditResult

TEXT = "def f():\n    a()\n    b()\n\n"


def anchor(n: int, text: str = TEXT, format: str = "hashline_h2") -> str:
    return (
        show(text, f"{format}_oh_my_pi" if format == "hashline_h2" else format)
        .split("\n")[n - 1]
        .partition(":")[0]
        .strip()
    )


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


def h3(*edits: Any, text: str = TEXT, seen: str | None = None) -> Any:
    given = None if seen is None else {"a": seen}
    return outcome(apply_anchored({"a": text}, json.dumps({"path": "a", "edits": edits}), "hashline_h3",
                                  rule="h3_pi_hashline", seen=given))  # fmt: skip


def at(n: int, text: str = TEXT) -> str:
    """The anchor of a line of H3, of the phantom line too."""
    return f"{n}#{h3_hash(text.split(chr(10)), n)}"


H3: list[tuple[list[dict[str, Any]], Any]] = [
    ([{"op": "replace", "pos": at(1), "lines": []}], TEXT.partition("\n")[2]),
    ([{"op": "replace", "pos": at(5), "lines": []}], TEXT[:-1]),
    ([{"op": "append", "pos": at(5), "lines": ["x"]}], TEXT + "x\n"),
    ([{"op": "append", "lines": ["x"]}], TEXT + "x\n"),
    ([{"op": "prepend", "lines": ["x"]}], "x\n" + TEXT),
    ([{"op": "append", "pos": at(1), "lines": ["x"]}, {"op": "prepend", "pos": at(2), "lines": ["y"]}],
     Reason.MALFORMED),
    ([{"op": "replace", "pos": at(4), "lines": ["x"]}, {"op": "replace", "pos": at(3), "end": at(5), "lines": ["y"]}],
     Reason.MALFORMED),
    ([{"op": "replace", "pos": at(4), "lines": ["x"]}, {"op": "append", "pos": at(3), "lines": ["y"]}],
     TEXT[:-1] + "y\nx\n"),
    ([{"op": "replace", "pos": at(1), "end": at(4), "lines": []}], ""),
    ([{"op": "replace", "pos": at(1), "end": at(5), "lines": []}], Reason.NOT_ALLOWED),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "expected"), H3)
def test_edits_of_h3_are_of_characters(edits: list[dict[str, Any]], expected: Any) -> None:
    assert h3(*edits) == (expected or Reason.NOT_ALLOWED)


def test_an_empty_file_of_h3_gets_lines_and_one_that_was_seen_empty_is_stale() -> None:
    both = [{"op": "append", "lines": ["x"]}, {"op": "prepend", "lines": ["y"]}]
    assert h3(both[0], text="") == "x"
    assert h3(*both, text="") == "y\nx"
    assert h3({"op": "append", "pos": at(1, ""), "lines": ["x"]}, seen="") is Reason.STALE_READ
    assert h3({"op": "append", "pos": at(1, ""), "lines": ["x"]}, text=TEXT, seen="q\n") is Reason.STALE_READ
