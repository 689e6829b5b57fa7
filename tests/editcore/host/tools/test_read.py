"""`read`: the answer for a file, a directory and an image, and the session's knowledge afterwards."""

from __future__ import annotations

import os
from base64 import b64encode
from typing import Any

import pytest

from editcore.host.tools.read import READ
from editcore.host.truncation import Outputs
from editcore.host.workspace import Limits, Workspace
from tests.editcore.host.conftest import Project


@pytest.fixture(autouse=True)
def _offered(project: Project) -> None:
    project.registry.add(READ.id, READ)


def offered(project: Project, **changes: Any) -> Project:
    """The same project with other settings of the host."""
    other = project.with_host(**changes)
    other.registry.add(READ.id, READ)
    return other


def content(*lines: str, end: str) -> str:
    return "\n".join(["<content>", *lines, "</content>", end])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\n", ["1: a", "2: b"]),
        ("a\r\nb\r\n", ["1: a", "2: b"]),
        ("a\nb", ["1: a", "2: b"]),
        ("", []),
        ("\n", ["1: "]),
        ("\ufeffa\n\nb", ["1: a", "2: ", "3: b"]),
        ("ä\x0c€\u2028😀\n", ["1: ä\x0c€\u2028😀"]),
    ],
)
def test_a_text_is_shown_with_its_lines_numbered(text: str, lines: list[str], project: Project) -> None:
    project.lay("d/a", text, known=False)
    result = project.done("read", filePath="d/a")
    assert (result.title, result.output) == ("d/a", content(*lines, end=f"(End of file - total {len(lines)} lines)"))
    assert result.metadata == {
        "preview": "\n".join(line[3:] for line in lines),
        "n_lines": len(lines),
        "first_line": 1,
        "last_line": len(lines),
        "truncated": False,
    }
    assert [(one.permission, one.patterns, one.always, one.metadata) for one in project.asked] == [
        ("read", ("d/a",), ("*",), {})
    ]


def test_an_offset_past_the_end_is_refused_with_the_count_of_lines(project: Project) -> None:
    project.lay("a", "x\n" * 7, known=False)
    told = project.refused("read", "not_found", filePath="a", offset=8)
    assert told == "offset 8 is past the end: a has 7 lines. Use a smaller offset."
    project.lay("empty", "")
    assert "has 0 lines" in project.refused("read", "not_found", filePath="empty", offset=2)
    assert not project.host.ledger.has_read("s", str(project.root / "a"))


def test_no_more_is_shown_than_goes_to_the_model_in_one_piece(project: Project) -> None:
    text = "".join(f"{n} is the number of this line\n" for n in range(5_000))
    project.lay("a", text)
    lines, offset = [], 1
    while True:
        result = project.done("read", filePath="a", offset=offset)
        assert not result.metadata["truncated"]
        lines += [line.split(": ", 1)[1] for line in result.output.split("\n")[1:-2]]
        if "End of file" in result.output:
            break
        offset = result.metadata["last_line"] + 1
    assert "".join(f"{line}\n" for line in lines) == text
    few = offered(project, outputs=Outputs(project.root.parent / "few", max_lines=10, max_bytes=1_000_000))
    assert few.done("read", filePath="a").metadata["last_line"] == 10
    least = offered(project, outputs=Outputs(project.root.parent / "least", max_lines=1, max_bytes=1))
    assert least.done("read", filePath="a").metadata["last_line"] == 1


@pytest.mark.parametrize("n_lines", [2_000, 2_001])
def test_a_read_shows_two_thousand_lines(n_lines: int, project: Project) -> None:
    project.lay("a", "x\n" * n_lines)
    result = project.done("read", filePath="a")
    assert result.metadata["last_line"] == 2_000
    end = "End of file - total 2000 lines" if n_lines == 2_000 else "Use offset=2001 to continue"
    assert end in result.output.split("\n")[-1]


def test_a_long_line_is_cut_and_said_to_be(project: Project) -> None:
    project.lay("a", "é" * 2_000 + "\n" + "x" * 1_000_000)
    output = project.done("read", filePath="a").output
    cut = f"2: {'x' * 2_000}... (cut: the line has 1,000,000 characters)"
    assert output == content(f"1: {'é' * 2_000}", cut, end="(End of file - total 2 lines)")


def test_the_session_knows_the_whole_text_when_a_part_was_shown(project: Project) -> None:
    file = project.lay("a", "\ufeffone\r\ntwo\r\n", known=False)
    project.refused("edit", "unread", filePath="a", oldString="two", newString="2")
    project.done("read", filePath="a", limit=1)
    project.done("edit", filePath="a", oldString="two", newString="2")
    assert file.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n"
    file.write_text("other\n")
    result = project.call("edit", filePath="a", oldString="one", newString="x")
    assert result.metadata["reason"] == "stale_read"


def test_a_directory_is_listed_by_name(project: Project) -> None:
    for name in ("b.txt", "a/x", "c/y", "Z", "new\nline"):
        project.lay(name, "")
    (project.root / "link").symlink_to("a")
    names = ["'new\\nline'", "Z", "a/", "b.txt", "c/", "link"]
    result = project.done("read", filePath=str(project.root))
    assert result.output == "\n".join(["<entries>", *names, "</entries>", "(6 entries)"])
    assert result.metadata == {"preview": "\n".join(names), "n_entries": 6, "truncated": False}
    assert project.asked[-1].patterns == (".",)
    assert project.done("read", filePath="a").output == "<entries>\nx\n</entries>\n(1 entry)"


def test_of_a_directory_the_first_thousand_names_are_listed(project: Project) -> None:
    (project.root / "d").mkdir()
    for n in range(1_001):
        (project.root / "d" / f"{n:04}").touch()
    output = project.done("read", filePath="d").output
    assert output.endswith("\n0999\n</entries>\n(The first 1,000 of 1,001 entries.)")


@pytest.mark.parametrize(
    ("data", "kind", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x01", "image", "image/png"),
        (b"\xff\xd8\xff\xe0\x00", "image", "image/jpeg"),
        (b"GIF89a\x01\x00", "image", "image/gif"),
        (b"GIF87a\x01\x00", "image", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image", "image/webp"),
        (b"%PDF-1.7\n\x00", "file", "application/pdf"),
    ],
)
def test_images_and_pdfs_are_attached_as_they_are(data: bytes, kind: str, mime: str, project: Project) -> None:
    project.lay("x", data, known=False)
    result = project.done("read", filePath="x")
    (attached,) = result.attachments
    assert (attached.type, attached.mime) == (kind, mime)
    assert attached.url == f"data:{mime};base64,{b64encode(data).decode()}"
    assert f"x ({mime}, {len(data)} bytes) is attached" in result.output
    project.lay("y", data, known=False)
    assert project.done("read", filePath="y").attachments == (attached,)
    project.lay("x", data + b"1", known=False)
    assert project.done("read", filePath="x").attachments[0].id != attached.id


def test_what_is_no_text_is_refused(project: Project) -> None:
    project.lay("a", b"RIFF\x10\x00\x00\x00WAVE", known=False)
    assert project.refused("read", "not_allowed", filePath="a").startswith("a is binary")
    assert not project.host.ledger.has_read("s", str(project.root / "a"))


def test_a_file_over_the_limit_is_refused(project: Project) -> None:
    limits = Limits(file_bytes=10)
    workspace = Workspace(project.root, lock_directory=project.root.parent / "locks", limits=limits)
    project.lay("a", "x" * 11, known=False)
    small = offered(project, workspace=workspace)
    assert "a is larger than 10 bytes" in small.refused("read", "too_large", filePath="a")
    small.lay("a", "x" * 10, known=False)
    small.done("read", filePath="a")


def test_without_a_yes_nothing_is_read(project: Project) -> None:
    project.lay("a", "x\n", known=False)
    project.answer = lambda request: request.permission != "read"
    project.refused("read", "not_allowed", filePath="a")
    assert not project.host.ledger.has_read("s", str(project.root / "a"))


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_what_nobody_may_read_is_refused(project: Project) -> None:
    project.lay("d/a", "x\n", known=False).chmod(0)
    project.refused("read", None, filePath="d/a")
    (project.root / "d").chmod(0o300)
    assert "permission denied" in project.refused("read", None, filePath="d/b")


def test_the_schema_gives_bounds_and_defaults() -> None:
    properties = READ.declaration["input_schema"]["properties"]
    assert (properties["offset"]["minimum"], properties["offset"]["default"]) == (1, 1)
    assert (properties["limit"]["minimum"], properties["limit"]["default"]) == (1, 2_000)
