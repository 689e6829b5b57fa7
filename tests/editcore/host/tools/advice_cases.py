"""Calls that are refused, the advice in their refusals, and the calls that a model makes which follows it.

Each row: a tool and its parameters, a pattern of the advice, and the calls that it asks for. A refusal that advises
several things has a row for each. A step may be a function of the match, for what the refusal names, or of the project,
for what the user does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.editcore.host.conftest import Project, envelope

Step = tuple[str, dict[str, Any]]


class Case(NamedTuple):
    """A call, the advice in its refusal, and what follows it."""

    tool: str
    params: dict[str, Any]
    advice: str
    steps: tuple[Step | Callable[[re.Match[str]], Step], ...]
    user: Callable[[Project], None] = lambda _: None
    """Done by the user first."""


def case(
    call: Step,
    advice: str,
    *steps: Step | Callable[[re.Match[str]], Step],
    user: Callable[[Project], None] = lambda _: None,
) -> Case:
    return Case(*call, advice, steps, user)


def lay_files(project: Project) -> None:
    """The files that the calls are for."""
    root, outside = project.root, project.root.parent / "outside"
    outside.mkdir()
    (outside / "o").write_text("o\n")
    for name, text in {
        "a": "x\ny\nx\n",
        "real/b": "b\n",
        "sub/c": "c\n",
        "lines": "1\n2\n3\n4\n5\n6\n",
        "words": "word 1\nword 2\nword 3\n",
    }.items():
        project.lay(name, text)
    project.lay("unread", "u\n", known=False)
    project.lay("stale", "s\n").write_text("t\n")
    project.lay("empty", "")
    project.lay("latin", "café\n".encode("utf-16-le"), known=False)
    project.lay("image.gif", "GIF89a is how this text begins\n", known=False)
    (outside / "back").symlink_to(root / "real" / "b")
    for name, target in (("back", outside / "back"), ("out", outside / "o"), ("loop", "loop"), ("link", "real/b")):
        (root / name).symlink_to(target)


def edit(path: str, old: str, new: str, **others: Any) -> Step:
    return "edit", {"filePath": path, "oldString": old, "newString": new, **others}


def read(path: str, **others: Any) -> Step:
    return "read", {"filePath": path, **others}


def write(path: str, content: str) -> Step:
    return "write", {"filePath": path, "content": content}


def insert_at(path: str, line: int, content: str) -> Step:
    return "insert_at", {"path": path, "line": line, "content": content}


def edit_file(path: str, old: str, new: str, **others: Any) -> Step:
    return "edit_file", {"path": path, "old_content": old, "new_content": new, **others}


def step(tool: str, **params: Any) -> Step:
    return tool, params


def doc(command: str, path: str = "/d.md", **others: Any) -> Step:
    return "doc_edit", {"command": command, "path": path, **others}


def patched(*lines: str, **others: Any) -> Step:
    return "edit_patch", {"patch": envelope(*lines), **others}


def one_line(path: str, old: str, new: str) -> list[str]:
    return [f"*** Update File: {path}", "@@", f"-{old}", f"+{new}"]


def convert(project: Project) -> None:
    (project.root / "latin").write_text((project.root / "latin").read_text("utf-16-le"))


def allow(project: Project) -> None:
    project.answer = lambda _: True


def _diff(hunk: str) -> Step:
    return "patch_file", {"path": "lines", "patch": hunk}


HALF = "@@ -2,4 +2,4 @@\n 2\n-3\n+(th"
WHOLE = "@@ -2,4 +2,4 @@\n 2\n-3\n+(th)\n 4\n 5\n"
DELETIONS = [*one_line("a", "y", "z"), "*** Delete File: sub/c"]
ADVICE_ON_LINES = r"give 0 for before the first, -1 for the end, or up to (\d+)\."
DOCUMENT = r"exists already: change it with str_replace, insert or append, or use another path\."
TWO = [{"oldString": "y", "newString": "z"}, {"oldString": "y", "newString": "w"}]

CASES: tuple[Case, ...] = (
    # Files and sessions
    case(
        edit("unread", "u", "v"), r"read it first, then send the edit again\.", read("unread"), edit("unread", "u", "v")
    ),
    case(edit("image.gif", "89a", "90"), r"read it first, then", read("image.gif"), edit("image.gif", "89a", "90")),
    case(edit("stale", "s", "v"), r"read it again, then send", read("stale"), edit("stale", "t", "v")),
    case(write("unread", "v"), r"read it first", read("unread"), write("unread", "v")),
    case(insert_at("unread", 1, "v"), r"read it first", read("unread"), insert_at("unread", 1, "v")),
    case(edit("b", "b", "c"), r"give the path of one that exists\.", edit("real/b", "b", "c")),
    case(read("reel"), r"did you mean (\S+)\?", lambda m: read(m[1])),
    case(read("nowhere/at/all"), r"search for it with glob\.", step("glob", pattern="**/c"), read("sub/c")),
    case(read("a", offset=9), r"has (\d+) lines\. Use a smaller offset\.", lambda m: read("a", offset=int(m[1]))),
    case(edit("latin", "caf", "bar"), r"convert it first\.", read("latin"), edit("latin", "caf", "bar"), user=convert),
    case(edit("a", "y", "\0"), r"send it without\.", edit("a", "y", "z")),
    case(edit("a", "y", "\ud800"), r"send valid text\.", edit("a", "y", "z")),
    case(read("a\0"), r"Send it as valid text\.", read("a")),
    case(patched("*** Add File: /n", "+1"), r"give a relative one\.", patched("*** Add File: n", "+1")),
    case(edit("x" * 300, "", "n"), r"give a shorter one, in Unicode\.", edit("x" * 200, "", "n")),
    case(edit("a", "y", "z"), r"Continue without it, or ask the user\.", edit("a", "y", "z"), user=allow),
    # Links
    case(read("back"), r"stands for (\S+): give that path\.", lambda m: read(m[1])),
    case(edit("back", "b", "c"), r"stands for (\S+): give that path\.", lambda m: edit(m[1], "b", "c")),
    case(read("out"), r"stands for (\S+), outside of the workspace: give that path, if", lambda m: read(m[1])),
    case(read("loop"), r"give the path of a file\.", read("a")),
    case(
        patched("*** Delete File: link", allow_delete=True),
        r"stands for (\S+): give that path",
        lambda m: patched(f"*** Delete File: {m[1]}", allow_delete=True),
    ),
    case(
        patched(*one_line("link", "b", "c"), *one_line("real/b", "c", "d")),
        r"use (\S+) for both\.",
        lambda m: patched(*one_line(m[1], "b", "c"), *one_line(m[1], "c", "d")),
    ),
    # Parameters and tools
    case(
        step("edit", filePath="a", newString="z"),
        r"parameter oldString: it is required, but missing\. Correct it",
        edit("a", "y", "z"),
    ),
    case(
        step("edit", filePath="a", old_string="y", newString="z"),
        r"did you mean (\w+)",
        lambda m: ("edit", {"filePath": "a", m[1]: "y", "newString": "z"}),
    ),
    case(edit("a", 5, "z"), r"expected a string, got an integer\. Correct it", edit("a", "y", "z")),
    case(step("edit_patch", patch=""), r"length >= 1\. Correct it", patched(*one_line("a", "y", "z"))),
    case(step("str_replace"), r"available: .*\bedit\b", edit("a", "y", "z")),
    # Texts
    case(edit("a", "x", "z"), r"add surrounding lines that make it unique", edit("a", "x\ny", "z\ny")),
    case(edit("a", "x", "z"), r"or set replaceAll\.", edit("a", "x", "z", replaceAll=True)),
    case(edit("a", "absent", "z"), r"read the file again and copy the text exactly\.", read("a"), edit("a", "y", "z")),
    case(
        edit("lines", "1\n2\n3\n4\n5x", "z"),
        r"read the file there and copy the text exactly\.",
        read("lines"),
        edit("lines", "1\n2\n3\n4\n5", "z"),
    ),
    case(edit("a", "", "z"), r"give the text to replace", edit("a", "y", "z")),
    case(edit("a", "", "z"), r"or overwrite it with write\.", write("a", "z")),
    case(
        step("multi_edit", filePath="a", edits=TWO),
        r"No edit was made, because of edit 2 .*write it for that text\.",
        step("multi_edit", filePath="a", edits=TWO[:1]),
        edit("a", "z", "w"),
    ),
    case(
        edit_file("words", "word 2\nword 3x", "z"),
        r"Did you mean lines (\d)-(\d) .*Copy the text from the file\.",
        lambda m: edit_file("words", f"word {m[1]}\nword {m[2]}", "z"),
    ),
    case(edit_file("a", "absent", "z"), r"copy the text exactly\.", edit_file("a", "y", "z")),
    case(
        edit_file("a", "x", "z", occurrence=3),
        r"occurs (\d) times",
        lambda m: edit_file("a", "x", "z", occurrence=int(m[1])),
    ),
    case(edit_file("a", "", "z"), r"give the text to replace\.", edit_file("a", "y", "z")),
    case(edit_file("no", "y", "z"), r"give the path of one that exists\.", edit_file("a", "y", "z")),
    case(insert_at("no", 0, "z"), r"that exists\.", insert_at("a", 0, "z")),
    *(
        case(
            insert_at(path, 9, "z"),
            ADVICE_ON_LINES,
            lambda m, n=n, path=path: insert_at(path, int(m[1]) if n is None else n, "z"),
        )
        for n in (0, -1, None)
        for path in ("a", "empty")
    ),
    # Diffs
    case(_diff(HALF), r"send it again whole", _diff(WHOLE)),
    case(
        _diff(HALF),
        r"if it is whole, with the header '(@@ .* @@)'",
        lambda m: _diff(HALF.replace("@@ -2,4 +2,4 @@", m[1])),
    ),
    case(
        _diff("@@\n 2\n-3\n+(th"),
        r"if it is whole, with the header '(@@ .* @@)'",
        lambda m: _diff("@@\n 2\n-3\n+(th".replace("@@", m[1].replace("LINE", "2"))),
    ),
    case(
        _diff("@@ -2,2 +2,2 @@\n 2\n-3\n+z\n@"),
        r"send it again whole, or without this line\.",
        _diff("@@ -2,2 +2,2 @@\n 2\n-3\n+z\n"),
    ),
    case(_diff("@@ -2,3 +2,3 @@\n-9\n+z\n"), r"copy the lines exactly\.", _diff("@@ -2,3 +2,3 @@\n-2\n+z\n")),
    case(_diff("@@\n+z\n"), r"give a line of context above them\.", _diff("@@\n 2\n+z\n")),
    case(_diff("no diff"), r"'@@' begins one", _diff("@@\n-2\n+z\n 3\n")),
    case(
        step("patch_file", path="no", patch="@@\n-2\n+z\n 3\n"), r"patch one that exists\.", _diff("@@\n-2\n+z\n 3\n")
    ),
    case(
        _diff("--- a/lines\n+++ /dev/null\n@@ -1,6 +0,0 @@\n-1\n-2\n-3\n-4\n-5\n-6\n"),
        r"delete, move and add other files with edit_patch\.",
        patched("*** Delete File: lines", allow_delete=True),
    ),
    # Envelopes
    case(patched(*DELETIONS), r"send it with (allow_delete) true", lambda m: patched(*DELETIONS, **{m[1]: True})),
    case(patched(*DELETIONS), r"else leave these sections out\.", patched(*DELETIONS[:4])),
    case(
        patched("*** Update File: a", "*** Move to: n", allow_move=False),
        r"send it with (allow_move) true",
        lambda m: patched("*** Update File: a", "*** Move to: n", **{m[1]: True}),
    ),
    case(
        patched("*** Add File: n", "+1", "*** Add File: m", "+1", max_files=1),
        r"max_files is 1: raise it",
        patched("*** Add File: n", "+1", "*** Add File: m", "+1", max_files=2),
    ),
    case(
        patched("*** Add File: n", "+1", "*** Add File: m", "+1", max_files=1),
        r"or send the patch in parts\.",
        patched("*** Add File: n", "+1", max_files=1),
        patched("*** Add File: m", "+1", max_files=1),
    ),
    case(
        patched("*** Add File: n", "+1234", max_bytes=4),
        r"would have (\d+) bytes; max_bytes is 4: raise it\.",
        lambda m: patched("*** Add File: n", "+1234", max_bytes=int(m[1])),
    ),
    case(
        patched("*** Add File: n", "+1", workspace_root="none"),
        r"leave it out, and give paths relative to the root\.",
        patched("*** Add File: n", "+1"),
    ),
    case(patched("*** Add File: a", "+1"), r"update it instead of adding it\.", patched(*one_line("a", "y", "1"))),
    case(patched("*** Add File: n", "1"), r"put it before each line\.", patched("*** Add File: n", "+1")),
    case(patched("*** Update File: a"), r"send them, each begun by '@@'\.", patched(*one_line("a", "y", "z"))),
    case(
        patched("*** Update File: no", "@@", "-y", "+z"),
        r"give the path of one that exists\.",
        patched(*one_line("a", "y", "z")),
    ),
    case(
        patched(*one_line("a", "x", "z")),
        r"add context lines that make it unique\.",
        patched("*** Update File: a", "@@", "-x", "+z", " y"),
    ),
    case(
        step("edit_patch", patch="*** Begin Patch\n*** Update File: a\n@@\n-y\n+z"),
        r"send it again whole, with that as its last line\.",
        patched(*one_line("a", "y", "z")),
    ),
    case(
        step("edit_patch", patch="*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n*** End Patc"),
        r"did you mean '(.*?)'\?",
        lambda m: step("edit_patch", patch=f"*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n{m[1]}"),
    ),
    case(
        step("edit_patch", patch="prose"),
        r"'(\*\*\* Update File): PATH' begins a section\.",
        lambda m: step("edit_patch", patch=f"{m[1]}: a\n@@\n-y\n+z\n*** End Patch\n"),
    ),
    # Documents
    case(doc("create", file_text="n"), DOCUMENT, doc("str_replace", old_str="two", new_str="2")),
    case(doc("create", file_text="n"), DOCUMENT, doc("insert", insert_line=0, new_str="n"), doc("append", new_str="n")),
    case(doc("create", file_text="n"), DOCUMENT, doc("create", "/e.md", file_text="n")),
    case(
        doc("str_replace", old_str="one", new_str="n"),
        r"add surrounding lines until it occurs once\.",
        doc("str_replace", old_str="one\ntwo", new_str="n"),
    ),
    case(
        doc("str_replace", old_str="twos", new_str="n"),
        r"view it and copy the text exactly\.",
        doc("view"),
        doc("str_replace", old_str="two", new_str="n"),
    ),
    case(
        doc("str_replace", old_str="", new_str="n"), r"or add text with insert or append\.", doc("append", new_str="n")
    ),
    case(
        doc("str_replace", old_str="two"),
        r"new_str: it is required for str_replace: send the call again with it\.",
        doc("str_replace", old_str="two", new_str="n"),
    ),
    case(doc("append", new_str=""), r"a line feed alone is a blank line\.", doc("append", new_str="\n")),
    *(
        case(
            doc("insert", insert_line=9, new_str="n"),
            ADVICE_ON_LINES,
            lambda m, n=n: doc("insert", insert_line=int(m[1]) if n is None else n, new_str="n"),
        )
        for n in (0, -1, None)
    ),
    case(
        doc("view", view_range=[3, 9]),
        r"there are (\d+) lines.*-1 as the last means the end\.",
        lambda m: doc("view", view_range=[1, int(m[1])]),
        doc("view", view_range=[1, -1]),
    ),
    case(doc("append", "/d.md/", new_str="n"), r"remove the / at its end", doc("append", "/d.md", new_str="n")),
    case(doc("append", "\\d.md", new_str="n"), r"use / between folders\.", doc("append", "/d.md", new_str="n")),
    case(doc("append", "/x/../d.md", new_str="n"), r"give the whole path", doc("append", "/d.md", new_str="n")),
    # Searching and running
    case(
        step("grep", pattern="(?<=a)b"),
        r"RE2 has no look-around and no back-references: do without\.",
        step("grep", pattern="ab"),
    ),
    case(
        step("glob", pattern="[z-a]"),
        r"put a backslash before those that are meant literally\.",
        step("glob", pattern="\\[z-a\\]"),
    ),
    case(
        step("bash", command="true", workdir="none"),
        r"give a workdir that exists\.",
        step("bash", command="true", workdir="sub"),
    ),
)
