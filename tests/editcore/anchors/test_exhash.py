"""exhash: hashes that the package gives, commands in order, and numbers taken back to the text before the call."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.anchors import apply_anchored, show
from editcore.anchors.calls import Change
from editcore.anchors.views import ended_lines, write_call
from editcore.types import Applied, Reason, Rejected

TEXT = "foo\nbar\nbaz\n"
SHOWN = show(TEXT, "exhash").split("\n")
FOO, BAR, BAZ = (row[: row.rindex("|") + 1] for row in SHOWN)


def applied(commands: list[list[str]], rule: str = "exhash", text: str = TEXT) -> str | Reason:
    call = json.dumps({"path": "f", "cmds": commands})
    result = apply_anchored({"f": text}, call, "exhash", rule=rule)
    return result.content or "" if isinstance(result, Applied) else result.reason


def test_the_view_is_that_of_the_package() -> None:
    assert SHOWN == ["1|Uh|foo", "2|yq|bar", "3|SY|baz"]
    assert show("\ufefffoo\n", "exhash") == "1|MO|\ufefffoo"
    assert show("1\n" * 10, "exhash", first=9).startswith(" 9|")


@pytest.mark.parametrize(
    ("commands", "after"),
    [
        ([[BAR, "c", "X\n"]], "foo\nX\n\nbaz\n"),
        ([[BAR, "d"], [BAZ, "d"]], Reason.NOT_FOUND),
        ([[BAZ, "d"], [BAR, "d"]], "foo\n"),
        ([[BAR, "c", "X"], [BAR, "c", "Y"]], "foo\nY\nbaz\n"),
        ([[BAR, "c", "X\nY"], [BAR, "c", "Z"]], Reason.STALE_READ),
        ([[f"{BAR},{BAZ}", "c", "X\nY"], [BAR, "c", "Z"]], "foo\nZ\nY\n"),
        ([[BAR, "c", "X"], [f"{BAR},{BAZ}", "d"]], Reason.STALE_READ),
        ([[BAR, "c", "X"], [BAR, "a", "new"], [BAR, "c", "Z"]], "foo\nZ\nnew\nbaz\n"),
        ([[BAR, "c", "X"], [BAR, "i", "new"], [BAR, "c", "Z"]], Reason.STALE_READ),
        ([[f"{BAZ},{FOO}", "c", "X"]], Reason.MALFORMED),
        ([["$", "a", "X"], ["0|AA|", "i", "Y"]], "Y\nfoo\nbar\nbaz\nX\n"),
        ([["%", "d"]], ""),
        ([["0|AA|", "d"]], Reason.MALFORMED),
        ([["2", "d"]], Reason.MALFORMED),
        ([["2|yQ|", "d"]], Reason.STALE_READ),
        ([[BAR, "c", "bar"]], Reason.IDENTICAL),
        ([[BAR, "s", "a", "b"]], Reason.MALFORMED),
    ],
)
def test_commands_are_made_in_order(commands: list[list[str]], after: str | Reason) -> None:
    assert applied(commands) == after


def test_all_line_endings_become_line_feeds() -> None:
    assert applied([["2|yq|", "c", "X"]], text="foo\r\nbar\rbaz") == "foo\nX\nbaz\n"
    assert applied([["2|yq|", "c", "X"]], "recommended", text="foo\r\nbar\r\nbaz") == "foo\r\nX\r\nbaz"


@pytest.mark.parametrize(
    ("commands", "after"),
    [
        ([["0|AA|", "a", "new"], ["3|yq|", "c", "X"]], "new\nfoo\nX\nbaz\n"),
        ([[FOO, "d"], ["2|SY|", "c", "X\nY"], ["1|yq|", "i", "Z"]], "Z\nbar\nX\nY\n"),
        ([[BAR, "c", "X"], [BAR, "c", "Y"]], Reason.MALFORMED),
        ([[BAR, "i", "new"], ["1|Uh|,3|yq|", "d"]], Reason.MALFORMED),
        ([["$", "d"]], Reason.MALFORMED),
        ([["%", "c", "X"]], Reason.MALFORMED),
        ([["$", "a", "new"]], "foo\nbar\nbaz\nnew\n"),
    ],
)
def test_our_rules_take_numbers_back_to_the_text_before_the_call(
    commands: list[list[str]], after: str | Reason
) -> None:
    assert applied(commands, "strict") == applied(commands, "recommended") == after


@given(st.lists(st.text("ab", max_size=2), min_size=1, max_size=8), st.data())
def test_commands_from_the_bottom_up_or_the_top_down_are_the_same_edit(lines: list[str], data: st.DataObject) -> None:
    text = "".join([f"{line}\n" for line in lines])
    chosen = sorted(data.draw(st.sets(st.integers(1, len(lines)), min_size=1)))
    new = [data.draw(st.lists(st.sampled_from("xyz"), max_size=3)) for _ in chosen]
    changes = [Change("replace", n, n, tuple(some), at) for at, (n, some) in enumerate(zip(chosen, new, strict=True))]
    up = json.loads(write_call("exhash", text, changes, path="f"))["cmds"]
    shift, down = 0, list[list[str]]()
    for [address, *rest], some in zip(reversed(up), new, strict=True):
        number, _, tail = address.partition("|")
        down.append([f"{int(number) + shift}|{tail}", *rest])
        shift += len(some) - 1
    wanted = "".join([
        f"{line}\n"
        for n, old in enumerate(ended_lines(text) or [""], 1)
        for line in (new[chosen.index(n)] if n in chosen else [old])
    ])  # fmt: skip
    found = {applied(commands, rule, text) for commands in (up, down) for rule in ("strict", "exhash")}
    assert found == {wanted if wanted != text else Reason.IDENTICAL}


@pytest.mark.parametrize(
    "call", ['{"cmds": []}', '{"cmds": [["a"]]}', '{"cmds": [["1|Uh|", "c"]]}', "[]", '{"cmds": 1}']
)
def test_what_is_no_call_is_refused(call: str) -> None:
    result = apply_anchored({"f": TEXT}, call, "exhash")
    assert isinstance(result, Rejected)
    assert result.reason is Reason.MALFORMED


def test_an_empty_path_is_refused_with_what_to_do() -> None:
    result = apply_anchored({"f": TEXT}, json.dumps({"path": "", "cmds": [["0|AA|", "a", "x"]]}), "exhash")
    assert isinstance(result, Rejected)
    assert "path is empty" in result.message
