"""`edit_lines` and `read` with anchors: the shown lines, the ledger, and the edits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editcore.anchors import show
from editcore.anchors.views import h2_hash, h4_tag
from editcore.errors import UsageError
from editcore.host.tool import Result
from editcore.host.tools import Agent
from tests.editcore.host.conftest import Project

TEXT = "".join(f"line {n}\n" for n in range(1, 61))


def in_h4(project: Project, **changes: Any) -> Project:
    return project.with_host(anchors="hashline_h4", **changes)


def in_h2(project: Project, **changes: Any) -> Project:
    return project.with_host(anchors="hashline_h2", **changes)


def patch(text: str, *rows: str, path: str = "a") -> dict[str, str]:
    """A call of H4 that is written against a text."""
    return {"patch": "\n".join([f"[{path}#{h4_tag(text)}]", *rows])}


def anchor(text: str, n: int) -> str:
    return f"{n}#{h2_hash(text.split(chr(10))[n - 1], n)}"


def replacing(text: str, n: int, *lines: str) -> dict[str, Any]:
    """A call of H2 that is written against a text."""
    return {"filePath": "a", "edits": [{"op": "replace", "pos": anchor(text, n), "lines": list(lines)}]}


def rows(result: Result) -> list[str]:
    """The lines that an answer shows."""
    return [line for line in result.output.split("\n") if line[:1].isdigit()]


@pytest.mark.parametrize("format", ["hashline_h2", "hashline_h4"])
def test_read_shows_the_view_of_the_format(format: str, project: Project) -> None:
    project.lay("a", TEXT, known=False)
    other = project.with_host(anchors=format)
    view = show(TEXT, format, path="a", last=60)
    assert f"<content>\n{view}\n</content>\n" in other.done("read", filePath="a").output
    part = other.done("read", filePath="a", offset=7, limit=2).output.split("\n")
    assert part[-4:-2] == show(TEXT, format, first=7, last=8).split("\n")[-2:]
    tool = other.registry.tools(Agent())["read"]
    assert ("its anchor" if format == "hashline_h2" else "[PATH#TAG]") in tool.description
    assert "its number in front" in project.registry.tools(Agent())["read"].description


def test_the_tool_is_offered_in_the_format_that_is_chosen(project: Project) -> None:
    assert "edit_lines" not in project.registry.tools(Agent())
    fields = [
        set(other.registry.tools(Agent())["edit_lines"].declaration["input_schema"]["properties"])
        for other in (in_h4(project), in_h2(project))
    ]
    assert fields == [{"patch"}, {"filePath", "edits", "delete", "rename"}]
    with pytest.raises(UsageError, match="no anchors 'hashline_h3'"):
        project.with_host(anchors="hashline_h3")


def test_an_edit_is_made_by_the_tag_and_answered_with_the_next_one(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.done("read", filePath="a")
    result = other.done("edit_lines", **patch(TEXT, "PUT 4.=5:", "+four", "PUT >60:", "+end"))
    after = TEXT.replace("line 4\nline 5\n", "four\n") + "end\n"
    assert file.read_text() == after
    assert result.output.split("\n")[1:] == [
        f"[a#{h4_tag(after)}]", "2:line 2", "3:line 3", "4:four", "5:line 6", "6:line 7", "...", "58:line 59",
        "59:line 60", "60:end",
    ]  # fmt: skip
    other.done("edit_lines", **patch(after, "CUT 60"))
    assert file.read_text() == after.removesuffix("end\n")


def test_an_earlier_tag_stands_for_its_text_whatever_was_edited_since(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.done("read", filePath="a")
    other.done("edit_lines", **patch(TEXT, "PUT <1:", "+new", "+newer"))
    other.done("edit_lines", **patch(TEXT, "PUT 9.=9:", "+nine"))
    assert file.read_text() == "new\nnewer\n" + TEXT.replace("line 9\n", "nine\n")
    again = other.refused("edit_lines", "identical", **patch(TEXT, "PUT 9.=9:", "+nine"))
    assert again == "the file has this change already: nothing is left to do."
    other.call("edit_lines", **patch(TEXT, "PUT 9.=9:", "+other"))
    assert "other" not in file.read_text()


def test_a_tag_is_an_index_and_texts_are_compared(project: Project) -> None:
    tags: dict[str, str] = {}
    pair = ()
    for n in range(2_000):  # Sixteen bits: some two of them are equal.
        text = TEXT.replace("line 30\n", f"line 30 {n}\n")
        if (tag := h4_tag(text)) in tags:
            pair = (tags[tag], text)
            break
        tags[tag] = text
    seen, live = pair
    other = in_h4(project)
    file = other.lay("a", seen, known=False)
    other.done("read", filePath="a")
    file.write_text(live)
    other.call("edit_lines", **patch(seen, "PUT 30.=30:", "+mine"))
    assert file.read_text() == live
    result = other.done("edit_lines", **patch(seen, "PUT 3.=3:", "+three"))
    assert file.read_text() == live.replace("line 3\n", "three\n")
    assert any("merged" in note for note in result.metadata["notes"])


@pytest.mark.parametrize("format", ["hashline_h2", "hashline_h4"])
def test_lines_that_were_not_shown_are_shown_and_the_same_call_is_made_then(format: str, project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), project.with_host(anchors=format)
    other.done("read", filePath="a", limit=3)
    call = replacing(TEXT, 20, "new") if format == "hashline_h2" else patch(TEXT, "PUT 20.=20:", "+new")
    refused = other.call("edit_lines", **call)
    assert refused.metadata["reason"] == "unread"
    assert rows(refused)[1:] == show(TEXT, format, first=20, last=20).split("\n")[-1:]
    assert file.read_text() == TEXT
    other.done("edit_lines", **call)
    assert file.read_text() == TEXT.replace("line 20\n", "new\n")


def test_many_lines_that_were_not_shown_are_shown_bit_by_bit(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.done("read", filePath="a", limit=3)
    call = patch(TEXT, "CUT 2.=59")
    first, second = (other.call("edit_lines", **call) for _ in range(2))
    assert rows(first)[1:] == [f"{n}:line {n}" for n in range(4, 44)]
    assert first.output.endswith("... and 16 more: read the file from line 44")
    assert rows(second)[1:] == [f"{n}:line {n}" for n in range(44, 60)]
    other.done("edit_lines", **call)
    assert file.read_text() == "line 1\nline 60\n"


def test_lines_of_others_are_not_shown_by_an_edit_elsewhere(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.done("read", filePath="a")
    file.write_text(TEXT.replace("line 40\n", "theirs\n"))
    other.done("edit_lines", **patch(TEXT, "PUT 3.=3:", "+three"))
    after = file.read_text()
    assert other.call("edit_lines", **patch(after, "PUT 40.=40:", "+mine")).metadata["reason"] == "unread"
    other.done("edit_lines", **patch(after, "PUT 40.=40:", "+mine"))
    assert file.read_text() == TEXT.replace("line 40\n", "mine\n").replace("line 3\n", "three\n")


def test_anchors_of_h2_are_those_that_were_shown_last_or_before(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h2(project)
    other.done("read", filePath="a")
    first = other.done("edit_lines", **replacing(TEXT, 10, "ten", "ten and a half"))
    after = file.read_text()
    assert rows(first) == show(after, "hashline_h2", first=8, last=13).split("\n")
    # One that the answer showed, and one of the read, whose line is another one by now.
    other.done("edit_lines", **replacing(after, 11, "eleven"))
    other.done("edit_lines", **replacing(TEXT, 50, "fifty"))
    assert file.read_text() == TEXT.replace("line 10\n", "ten\neleven\n").replace("line 50\n", "fifty\n")


def test_a_file_is_made_moved_and_deleted(project: Project) -> None:
    other = in_h2(project)
    made = other.done("edit_lines", filePath="b", edits=[{"op": "append", "lines": "x\ny"}])
    assert made.output.split("\n") == ["Created the file.", *show("x\ny", "hashline_h2").split("\n")]
    other.done("edit_lines", filePath="b", edits=[], rename="c/d")
    assert (project.root / "c/d").read_text() == "x\ny\n"
    assert other.refused("edit_lines", "not_found", filePath="b", edits=[], delete=True).startswith(
        "There is no file b"
    )
    other.done("edit_lines", filePath="c/d", edits=[], delete=True)
    assert not (project.root / "c/d").exists()


def test_several_files_are_edited_together_or_not_at_all(project: Project) -> None:
    other = in_h4(project)
    one, two = (other.lay(name, text, known=False) for name, text in (("a", "1\n2\n"), ("b", "3\n4\n")))
    for name in ("a", "b"):
        other.done("read", filePath=name)
    both = f"[a#{h4_tag(one.read_text())}]\nPUT 1.=1:\n+one\n[b#{h4_tag(two.read_text())}]\nPUT 9.=9:\n+x\n"
    assert "b: " in other.refused("edit_lines", "not_found", patch=both)
    other.done("edit_lines", patch=both.replace("9", "2"))
    assert (one.read_text(), two.read_text()) == ("one\n2\n", "3\nx\n")
    twice = f"{both.replace('9', '2')}[./a#0000]\nCUT 1\n"
    assert (
        other.refused("edit_lines", "malformed", patch=twice)
        == "Two paths of the call are the same file: name it once."
    )


@pytest.mark.parametrize(
    ("call", "reason", "message"),
    [
        ({"patch": "PUT 1.=1:\n+x"}, "malformed", "begin with [PATH#TAG] as read shows it"),
        (patch(TEXT, "PUT 5.=4:", "+x"), "malformed", "ends at 4 before it starts at 5"),
        (patch(TEXT, "PUT 4.=4:", "+four", "+line 5"), "ambiguous", "repeat the line below"),
        (patch(TEXT, "PUT 4.=4:", "+line 4"), "identical", "No changes made"),
        (patch(TEXT, "PUT 99.=99:", "+x"), "not_found", "Line 99 does not exist"),
        (patch("x", "PUT 4.=4:", "+x"), "stale_read", "read it again"),
        (patch(TEXT, "CUT 4", path="none"), "not_found", "There is no file none"),
        (patch(TEXT, "CUT 4", path="b"), "unread", "read it first"),
        (patch(TEXT, "CUT 4", path="../a"), "not_allowed", "external_directory"),
    ],
)
def test_what_is_refused(call: dict[str, str], reason: str, message: str, project: Project) -> None:
    project.answer = lambda request: request.permission != "external_directory"
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.answer = project.answer
    project.lay("b", "1\n2\n3\n4\n", known=False)
    other.done("read", filePath="a")
    assert message in other.refused("edit_lines", reason, **call)
    assert file.read_text() == TEXT


def test_the_rule_for_stale_edits_is_that_of_the_host(project: Project) -> None:
    changed = TEXT.replace("line 1\n", "first\n")
    for stale, in_h4_and_h2 in {
        "gate": (True, True),
        "match_live": (True, False),
        "recommended": (False, False),
    }.items():
        for other, call, refused in (
            (in_h4(project, stale=stale), patch(TEXT, "PUT 3.=3:", "+three"), in_h4_and_h2[0]),
            (in_h2(project, stale=stale), replacing(TEXT, 3, "three"), in_h4_and_h2[1]),
        ):
            file = other.lay("a", TEXT, known=False)
            other.done("read", filePath="a")
            file.write_text(changed)
            assert other.call("edit_lines", **call).is_error == refused, stale
            assert file.read_text() == (changed if refused else changed.replace("line 3\n", "three\n"))


def test_an_overlap_with_another_session_is_a_conflict_as_for_other_tools(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    theirs = in_h4(project, ledger=other.host.ledger)
    theirs.session = "theirs"
    for one in (other, theirs):
        one.done("read", filePath="a")
    theirs.done("edit_lines", **patch(TEXT, "PUT 3.=3:", "+theirs"))
    refused = other.call("edit_lines", **patch(TEXT, "PUT 3.=3:", "+mine"))
    assert refused.metadata["reason"] == "stale_read"
    assert [one["theirs"] for one in refused.metadata["conflicts"]] == ["theirs\n"]
    assert json.dumps(refused.metadata)
    assert "theirs" in file.read_text()


def test_line_endings_and_a_byte_order_mark_stay(project: Project) -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    file, other = project.lay("a", text, known=False), in_h4(project)
    other.done("read", filePath="a")
    other.done("edit_lines", **patch(text, "PUT 2.=2:", "+two"))
    assert file.read_bytes() == text.replace("line 2\r\n", "two\r\n").encode()
