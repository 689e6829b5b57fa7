"""Readings of anchored calls: what each grammar has, what is forgiven, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.anchors.calls import FORGIVEN, Anchor, Call, LineEdit
from editcore.anchors.hunk_calls import read_gptme, read_h4
from editcore.anchors.json_calls import read_h2
from editcore.errors import PatchError

Read = Callable[[str], list[Call]]
READINGS: list[Read] = [read_h2, read_h4, read_gptme]


def only(read: Read, *edits: object) -> LineEdit:
    [call] = read(json.dumps({"edits": edits}))
    [edit] = call.edits
    return edit


def h4(*rows: str) -> Call:
    [call] = read_h4("\n".join(["[a.py#ab12]", *rows]))
    assert (call.path, call.tag) == ("a.py", "AB12")
    return call


def put(first: int, last: int | None, *new: str, **rest: bool | str) -> LineEdit:
    return LineEdit("replace", Anchor(first), None if last is None else Anchor(last), new, **rest)  # type: ignore[arg-type]


def test_h2_takes_lines_as_a_list_a_text_or_null_and_anchors_with_what_stands_around_them() -> None:
    replaced = LineEdit("replace", Anchor(2, "VK"), None, ("x", "y"))
    for lines in (["x", "y"], "x\ny", "x\r\ny"):
        assert only(read_h2, {"op": "replace", "pos": "2#VK", "lines": lines}) == replaced
    for pos in (">>> 2#VK|text", "+2 # VK", "2#VK:const x", "line 2#VK"):
        assert only(read_h2, {"op": "replace", "pos": pos, "lines": ["x", "y"]}) == replaced
    deleted = only(read_h2, {"op": "replace", "pos": "2#VK", "end": "3#XJ", "lines": None})
    assert deleted == LineEdit("replace", Anchor(2, "VK"), Anchor(3, "XJ"), ())
    assert only(read_h2, {"op": "append", "lines": "x"}) == LineEdit("after", None, None, ("x",))
    assert only(read_h2, {"op": "prepend", "end": "2#VK", "lines": ["x"]}).first == Anchor(2, "VK")
    assert read_h2('{"filePath": "p", "edits": [], "rename": "q"}') == [Call((), "p", moved_to="q")]
    assert read_h2('{"path": "p", "edits": [], "delete": true}') == [Call((), "p", is_deleted=True)]


def test_h4_has_ranges_blocks_gaps_and_registers() -> None:
    assert h4("PUT 2.=3:", "+a", "+ b").edits == (put(2, 3, "a", " b"),)
    assert h4("PUT 2*:", "+a").edits == (put(2, None, "a", block=True),)
    assert h4("CUT 2.=3 @r", "PUT >9 @r").edits == (
        put(2, 3, captured="r"), LineEdit("after", Anchor(9), None, (), pasted="r"),
    )  # fmt: skip
    assert h4("CUT 2*", "PUT <1").edits == (
        put(2, None, block=True, captured=""), LineEdit("before", Anchor(1), None, (), pasted=""),
    )  # fmt: skip
    assert h4("PUT >$:", "+a", "PUT >4*:", "+b").edits == (
        LineEdit("after", None, None, ("a",)), LineEdit("after", Anchor(4), None, ("b",), block=True),
    )  # fmt: skip
    assert h4("REM").is_deleted
    assert h4("CUT 1.=1", 'MV "b c.py"').moved_to == "b c.py"
    two = read_h4("*** Begin Patch\n[a#0001]\nCUT 1.=1\n\n[b#0002]\r\nCUT 2.=2\r\n*** End Patch\nanything\n")
    assert [(call.path, call.forgiven) for call in two] == [("a", ()), ("b", ())]


@pytest.mark.parametrize(
    ("rows", "edits", "forgiven"),
    [
        (["PUT 2-3:", "+a"], [put(2, 3, "a")], "range_sign"),
        (["PUT 2 … 3:", "+a"], [put(2, 3, "a")], "range_sign"),
        (["PUT 2:", "+a"], [put(2, None, "a")], "range_sign"),
        (["2.=3:", "+a"], [put(2, 3, "a")], "missing_put"),
        (["CUT 2.=3:"], [put(2, 3, captured="")], "cut_colon"),
        (["PUT 2.=3:", "    a"], [put(2, 3, "    a")], "bare_rows"),
        (["PUT 2.=3:", "+a", "", "+b", ""], [put(2, 3, "a", "", "b")], "blank_rows"),
        (["2:a", "3:b"], [put(2, None, "a"), put(3, None, "b")], "pasted_rows"),
        (["PUT 2.=3:", "-old", "+a"], [put(2, 3, "a")], "minus_rows"),
        (["PUT 2.=3:", "- a", "  - b"], [put(2, 3, "- a", "  - b")], "bullets"),
        (["PUT 2.=3:"], [put(2, 3)], "empty_put"),
    ],
)
def test_h4_is_read_leniently_and_says_so(rows: list[str], edits: list[LineEdit], forgiven: str) -> None:
    call = h4(*rows)
    assert call.edits == tuple(edits)
    assert call.forgiven[0] == forgiven
    assert {*call.forgiven} <= {*FORGIVEN}


def test_gptme_takes_its_subset_only() -> None:
    [call] = read_gptme("[a.py#0123abcd]\n# why\nPUT 2.=3:\n+a\n\nCUT 5.=5 @r\nPUT >9 @r\nPUT 7.=7: @r\nPUT 8*:\n+b")
    assert (call.path, call.tag) == ("a.py", "0123ABCD")
    assert call.edits == (
        put(2, 3, "a"), put(5, 5, captured="r"), LineEdit("after", Anchor(9), None, (), pasted="r"),
        put(7, 7, pasted="r"), put(8, None, "b", block=True),
    )  # fmt: skip
    for rows in ("PUT 2-3:\n+a", "PUT 2.=3:\na", "PUT >$:\n+a", "CUT 3.=2", "REM"):
        with pytest.raises(PatchError):
            read_gptme(f"[a.py#0123abcd]\n{rows}")


@pytest.mark.parametrize(
    ("read", "patch"),
    [
        *[(read, patch) for read in READINGS for patch in ("", "{}", "[]", '{"edits": 1}', '{"edits": [1]}')],
        *[(read, "[" * 100_000) for read in READINGS],
        (read_h2, '{"edits": [{"op": "replace", "lines": []}]}'),
        (read_h2, '{"edits": [{"op": "replace", "pos": "9999999999999#VK", "lines": []}]}'),
        (read_h2, '{"edits": [{"op": "replace", "pos": "2#VK"}]}'),
        (read_h2, '{"edits": [{"op": ["replace"], "pos": "2#VK", "lines": []}]}'),
        (read_h2, '{"edits": [{"op": "append", "pos": "2#VK", "lines": []}]}'),
        (read_h2, '{"edits": [{"op": "replace", "pos": "foo#VK", "lines": []}]}'),
        (read_h2, '{"edits": [{"op": "replace", "pos": "2#VK", "lines": []}], "delete": true}'),
        (read_h2, '{"edits": [{"op": "append", "lines": [1]}]}'),
        (read_h2, '{"edits": [{"op": "append", "lines": "x", "pos": 1}]}'),
        (read_h2, '{"edits": [], "delete": 1}'),
        (read_h2, '{"edits": [], "other": 1}'),
        (read_h2, json.dumps({"edits": [{"op": "append", "lines": "x"}] * 10_001})),
        (read_h2, json.dumps({"edits": [{"op": "append", "lines": "x" * (8 << 20)}]})),
        (read_h4, f"[a#0000]\nPUT 1.=1:\n+{'x' * (8 << 20)}"),
        (read_h4, "[a#0000]\n" + "CUT 1.=1\n" * 10_001),
        (read_gptme, f"[a#00000000]\nPUT 1.=1:\n+{'x' * (8 << 20)}"),
        *[
            (read_h4, f"[a#0000]\n{rows}")
            for rows in (
                "", "PUT 3.=2:\n+a", "PUT 244.=3:\n+a", "PUT >2:", "PUT 2.=3", "PUT 2.=3:\n-a", "CUT >2",
                "CUT 2.=3\n+a", "1:a\n1:b", "REM\nCUT 1.=1", "hello", "PUT 2.=3: a",
            )
        ],
        (read_h4, "CUT 1.=1\n[a#0000]"),
        (read_h4, "[a]\nCUT 1.=1"),
    ],
)  # fmt: skip
def test_what_is_half_understood_is_refused(read: Read, patch: str) -> None:
    with pytest.raises(PatchError):
        read(patch)


PIECES = ("PUT ", "CUT ", "2", ".=", "3", ":", "\n", "+a", "@r", ">", "<", "$", "*", "[a#0000]\n", "-", "REM", " ")


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join), st.sampled_from([read_h4, read_gptme]))
def test_any_text_is_read_or_refused(patch: str, read: Read) -> None:
    with suppress(PatchError):
        assert read(f"[a#0000]\n{patch}")
