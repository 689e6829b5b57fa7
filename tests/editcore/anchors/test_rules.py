"""Rules for anchored edits: files, registers, what was shown, corrections that can be left out, and any call."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore import Applied, Reason, Rejected
from editcore.anchors import ANCHOR_RULES, READINGS, apply_anchored
from editcore.anchors.calls import Change
from editcore.anchors.corrections import lines_repeated_above, lines_repeated_below
from editcore.anchors.views import h2_hash, h4_tag
from editcore.errors import UsageError

TEXT = "fn f() {\n    a();\n    b();\n}\n"


def h2(**edit: object) -> str:
    return json.dumps({"edits": [edit]})


def anchor(n: int, text: str = TEXT) -> str:
    return f"{n}#{h2_hash(text.split(chr(10))[n - 1], n)}"


def h4(*rows: str, text: str = TEXT, path: str = "a") -> str:
    return "\n".join([f"[{path}#{h4_tag(text)}]", *rows]) + "\n"


def reason(result: Applied | Rejected) -> Reason:
    assert isinstance(result, Rejected), result
    return result.reason


@pytest.mark.parametrize("rule", ANCHOR_RULES)
def test_each_correction_can_be_left_out(rule: str) -> None:
    found = ANCHOR_RULES[rule]
    format = next(iter(found.readings))
    for name in found.corrections:
        apply_anchored({"a": TEXT}, "", format, rule=rule, without=[name])
    with pytest.raises(UsageError, match="no correction"):
        apply_anchored({"a": TEXT}, "", format, rule=rule, without=["nothing"])


def test_without_a_correction_the_text_is_written_as_it_is() -> None:
    call = h2(op="replace", pos=anchor(2), end=anchor(3), lines=["c();", "d();", "}"])
    rule = "h2_oh_my_openagent"
    corrected = apply_anchored({"a": TEXT}, call, "hashline_h2", rule=rule)
    assert corrected.content == "fn f() {\n    c();\n    d();\n}\n"  # type: ignore[union-attr]
    plain = apply_anchored({"a": TEXT}, call, "hashline_h2", rule=rule, without=ANCHOR_RULES[rule].corrections)
    assert plain.content == "fn f() {\nc();\nd();\n}\n}\n"  # type: ignore[union-attr]


def test_an_anchor_that_has_the_hash_of_a_line_and_no_number_is_told_which() -> None:
    call = h2(op="replace", pos=f"b()#{anchor(3)[-2:]}", lines=[])
    result = apply_anchored({"a": TEXT}, call, "hashline_h2", rule="h2_oh_my_openagent")
    assert isinstance(result, Rejected)
    assert result.message.endswith(f'Did you mean "{anchor(3)}"?')
    for other in ({"a": "x\n"}, {"a": TEXT, "b": TEXT}):
        result = apply_anchored(other, call, "hashline_h2", rule="h2_oh_my_openagent")
        assert isinstance(result, Rejected)
        assert "Did you mean" not in result.message
    assert "mean" not in str(apply_anchored({"a": TEXT}, call, "hashline_h2"))


@pytest.mark.parametrize("rule", ["h4_oh_my_pi", "recommended"])
def test_lines_that_were_not_shown_are_not_edited(rule: str) -> None:
    result = apply_anchored(
        {"a": TEXT}, h4("PUT 3.=3:", "+    c();"), "hashline_h4", rule=rule, seen={"a": TEXT}, shown={"a": ((1, 2),)}
    )
    assert reason(result) == Reason.UNREAD
    seen = apply_anchored(
        {"a": TEXT}, h4("PUT 3.=3:", "+    c();"), "hashline_h4", rule=rule, seen={"a": TEXT}, shown={"a": ((3, 4),)}
    )
    assert isinstance(seen, Applied)


def test_a_register_takes_lines_from_one_file_to_another_and_files_are_moved_and_deleted() -> None:
    files = {"a": TEXT, "b": "x\n", "c": "y\n"}
    call = h4("CUT 2.=2 @r", "MV d") + h4("PUT >1 @r", text="x\n", path="b") + h4("REM", text="y\n", path="c")
    result = apply_anchored(files, call, "hashline_h4")
    assert isinstance(result, Applied)
    assert result.files == {"d": "fn f() {\n    b();\n}\n", "b": "x\n    a();\n"}


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (h4("CUT 2.=2", path="missing"), Reason.NOT_FOUND),
        (h4("CUT 2.=2") + h4("CUT 3.=3"), Reason.MALFORMED),
        (h4("MV b"), Reason.NOT_ALLOWED),
        (h4("REM", text="old\n"), Reason.STALE_READ),
        (h4("PUT >1 @r"), Reason.MALFORMED),
        (h4("CUT 2.=2 @r", *["PUT >1 @r"] * 2), Reason.AMBIGUOUS),
        (h4("PUT 1.=999999999999:", "+x"), Reason.NOT_FOUND),
        (h4(*["PUT 1*:", "+x"] * 200), Reason.MALFORMED),
        (h4("PUT 9*:", "+x"), Reason.MALFORMED),
        (h4("CUT 1.=4 @r", *["PUT >1 @r"] * 9_000), Reason.AMBIGUOUS),
    ],
)  # fmt: skip
def test_what_is_refused_changes_nothing(call: str, why: Reason) -> None:
    assert reason(apply_anchored({"a": TEXT, "b": "x\n"}, call, "hashline_h4")) == why


def test_registers_do_not_multiply_a_text_without_end() -> None:
    text = "x\n" * 1_000
    call = h4("CUT 1.=1000 @r", *["PUT >1000 @r"] * 1_001, text=text)
    assert reason(apply_anchored({"a": text}, call, "hashline_h4")) == Reason.MALFORMED


def test_many_edits_of_a_large_text_that_has_changed_are_placed() -> None:
    seen = "".join(f"{n}\n" for n in range(9_000))
    call = h4(*[row for n in range(1, 900) for row in (f"PUT {9 * n}.={9 * n}:", f"+x {n}")], text=seen)
    placed = apply_anchored({"a": f"new\n{seen}"}, call, "hashline_h4", seen={"a": seen})
    made = apply_anchored({"a": seen}, call, "hashline_h4", seen={"a": seen})
    assert isinstance(placed, Applied)
    assert isinstance(made, Applied)
    assert placed.content == f"new\n{made.content}"


def test_a_mismatch_shows_the_lines_of_now() -> None:
    seen, live = "\n".join("abcdefghijk") + "\n", "\n".join("Abcdefghijkl") + "\n"
    call = h4("PUT 1.=1:", "+x", "PUT 9.=9:", "+y", text=seen)
    result = apply_anchored({"a": live}, call, "hashline_h4", rule="h4_oh_my_pi", seen={"a": seen})
    assert isinstance(result, Rejected)
    assert result.message.split("\n\n")[1] == "*1:A\n 2:b\n 3:c\n...\n 7:g\n 8:h\n*9:i\n 10:j\n 11:k"


def test_a_call_that_is_read_leniently_says_so() -> None:
    result = apply_anchored({"a": TEXT}, h4("PUT 3-3:", "+    c();"), "hashline_h4")
    assert isinstance(result, Applied)
    assert result.notes == ("read leniently: range_sign",)


def test_a_call_that_names_no_file_is_for_the_only_one() -> None:
    assert reason(apply_anchored({"a": TEXT, "b": TEXT}, h2(op="append", lines="x"), "hashline_h2")) == Reason.NOT_FOUND


def test_h2_creates_renames_and_deletes_files() -> None:
    created = apply_anchored(
        {}, json.dumps({"filePath": "n", "edits": [{"op": "append", "lines": "x"}]}), "hashline_h2"
    )
    assert created == Applied(files={"n": "x\n"})
    renamed = apply_anchored({"a": TEXT}, '{"filePath": "a", "edits": [], "rename": "b"}', "hashline_h2")
    assert isinstance(renamed, Applied)
    assert renamed.files == {"b": TEXT}
    deleted = apply_anchored({"a": TEXT}, '{"filePath": "a", "edits": [], "delete": true}', "hashline_h2")
    assert deleted == Applied(files={})


def test_a_rule_and_a_format_that_do_not_go_together_are_a_mistake() -> None:
    for format, rule in (("hashline_h2", "h4_gptme"), ("hashline_h9", "strict"), ("hashline_h2", "nothing")):
        with pytest.raises(UsageError):
            apply_anchored({"a": TEXT}, "", format, rule=rule)


LINES = st.lists(st.sampled_from(["a", "b", "", "  a", "}"]), max_size=6)


@given(LINES, LINES, st.data())
def test_repeated_lines_are_the_most_that_both_have(lines: list[str], new: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines) + 1))
    last = data.draw(st.integers(first, len(lines) + 1))
    change = Change("replace", first, last, tuple(new))
    above = [n for n in range(1, len(new) + 1) if new[:n] == lines[: first - 1][-n:] and any(new[:n])]
    below = [n for n in range(1, len(new) + 1) if new[-n:] == lines[last:][:n] and any(new[-n:])]
    assert lines_repeated_above(change, lines) == max(above, default=0)
    assert lines_repeated_below(change, lines) == max(below, default=0)


@given(LINES, LINES, st.data())
def test_no_line_outside_of_those_named_is_changed(lines: list[str], new: list[str], data: st.DataObject) -> None:
    text = "".join(f"{line}\n" for line in lines)
    first = data.draw(st.integers(1, len(lines) + 1))
    last = data.draw(st.integers(first, len(lines) + 1))
    rows = [f"PUT {first}.={last}:", *(f"+{line}" for line in new)] if new else [f"CUT {first}.={last}"]
    result = apply_anchored({"a": text}, h4(*rows, text=text), "hashline_h4", rule="strict")
    if last > len(lines):
        assert reason(result) == Reason.NOT_FOUND
    elif isinstance(result, Applied):
        assert result.content == "".join(f"{line}\n" for line in [*lines[: first - 1], *new, *lines[last:]])
    else:
        assert result.reason == Reason.IDENTICAL
        assert lines[first - 1 : last] == new


PIECES = (
    "PUT ", "CUT ", "1", ".=", "2", ":", "\n", "+a", "@r", ">", "<", "$", "*", "REM", "MV b",
    '{"edits": [', ']}', "}", ',',
    '{"op": "replace", "pos": "1#ZZ", "lines": ["x"]', '{"set_line": {"anchor": "1:ab", ',
    '"new_text": "x"}',
)  # fmt: skip


@given(
    st.text("ab\n\r \f}", max_size=12), st.text("ab\n\r \f}", max_size=12),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.sampled_from([*ANCHOR_RULES]), st.booleans(),
)  # fmt: skip
def test_any_call_is_applied_or_refused(live: str, seen: str, body: str, rule: str, is_stale: bool) -> None:
    for format in ANCHOR_RULES[rule].readings:
        call = h4(body, text=seen if is_stale else live) if format == "hashline_h4" else body
        result = apply_anchored({"a": live}, call, format, rule=rule, seen={"a": seen} if is_stale else None)
        assert isinstance(result, Applied | Rejected)
        if isinstance(result, Applied) and result.files is None:
            assert result.content != live or is_stale
    assert {*ANCHOR_RULES[rule].readings} <= {*READINGS}


def test_a_path_is_recovered_where_one_file_alone_has_its_name_and_tag() -> None:
    call = h4("PUT 2.=2:", "+    c();", path="lib/a")
    changed = TEXT.replace("    a();", "    c();")
    one = apply_anchored({"src/a": TEXT, "b": TEXT}, call, "hashline_h4", rule="h4_oh_my_pi")
    assert isinstance(one, Applied)
    assert one.files == {"src/a": changed, "b": TEXT}
    assert one.notes == ("there is no file lib/a; src/a has its name and tag",)
    two = apply_anchored({"src/a": TEXT, "test/a": TEXT}, call, "hashline_h4", rule="h4_oh_my_pi")
    without = apply_anchored({"src/a": TEXT}, call, "hashline_h4", rule="h4_oh_my_pi", without=["path_recovery"])
    ours = apply_anchored({"src/a": TEXT}, call, "hashline_h4")
    assert reason(two) is reason(without) is reason(ours) is Reason.NOT_FOUND
    assert isinstance(ours, Rejected)
    assert "Did you mean src/a, which was shown with that name and tag?" in ours.message
    assert isinstance(two, Rejected)
    assert "Did you mean" not in two.message


def test_lines_for_the_end_of_a_new_file_of_exhash_follow_those_that_the_call_put_there() -> None:
    call = json.dumps({"path": "n", "cmds": [["0|AA|", "a", "x"], ["$", "a", "y"]]})
    result = apply_anchored({"a": TEXT}, call, "exhash", rule="exhash")
    assert isinstance(result, Applied)
    assert result.files == {"a": TEXT, "n": "x\ny\n"}


def test_an_edit_that_leaves_its_lines_as_they_are_changes_nothing_where_they_are_gone() -> None:
    seen = "a\nb\r\nc\n"
    call = h2(op="replace", pos=anchor(2, seen), end=anchor(3, seen), lines=["b", "c"])
    now = apply_anchored({"a": seen}, call, "hashline_h2")
    assert isinstance(now, Applied)  # The lines end alike then.
    assert now.content == "a\nb\r\nc\r\n"
    assert reason(apply_anchored({"a": "x\n"}, call, "hashline_h2", seen={"a": seen})) is Reason.IDENTICAL
