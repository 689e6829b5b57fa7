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


def test_the_tool_is_offered_in_the_format_that_is_chosen(project: Project) -> None:
    assert "edit_lines" not in project.registry.tools(Agent())
    fields = [
        set(other.registry.tools(Agent())["edit_lines"].declaration["input_schema"]["properties"])
        for other in (in_h4(project), in_h2(project))
    ]
    assert fields == [{"patch"}, {"filePath", "edits", "delete", "rename"}]
    with pytest.raises(UsageError, match="no anchors 'hashline_h3'"):
        project.with_host(anchors="hashline_h3")


def test_an_earlier_tag_stands_for_its_text_whatever_was_edited_since(project: Project) -> None:
    file, other = project.lay("a", TEXT, known=False), in_h4(project)
    other.done("read", filePath="a")
    other.done("edit_lines", **patch(TEXT, "PUT <1:", "+new", "+newer"))
    other.done("edit_lines", **patch(TEXT, "PUT 9.=9:", "+nine"))
    assert file.read_text() == "new\nnewer\n" + TEXT.replace("line 9\n", "nine\n")
    again = other.done("edit_lines", **patch(TEXT, "PUT 9.=9:", "+nine"))
    assert again.output.splitlines()[0] == "Already done: the file has this change already: nothing is left to do."
    other.call("edit_lines", **patch(TEXT, "PUT 9.=9:", "+other"))
    assert "other" not in file.read_text()


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
