"""An import labels no edit `apply` that changes nothing, and adds no byte to a file.

Each program is imitated with what its log keeps: a file is viewed, an edit is refused, another is made, one is empty.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.importers import IMPORTERS
from corpora.importers.importer import Surroundings
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.sample import Sample
from editcore.text.diff import unified_diff
from editcore.text.endings import line_feeds
from tests.corpora.importers.log_cases import database
from tests.corpora.importers.logs import git, write_lines

PATH = "/home/user/demo/a.py"
MISSING, NEW = "missing", "new = 1"
Write = Callable[[Path, str, str, str], None]
"""Writes a log, given the first line of a file and the texts of the file before and after it becomes NEW."""


def lines_of(text: str) -> list[str]:
    return line_feeds(text).removesuffix("\n").split("\n")


def _database(folder: Path, name: str, first: str, before: str, after: str, **told: str) -> None:
    def call(key: str, tool: str, **asked: str) -> object:
        return {
            "type": "tool_call",
            "data": {"id": key, "name": tool, "input": json.dumps({"file_path": PATH} | asked)},
        }

    def result(key: str, said: str = "", /, *, failed: bool = False, **metadata: str) -> object:
        data = {"tool_call_id": key, "content": said, "is_error": failed, "metadata": json.dumps(metadata)}
        return {"type": "tool_result", "data": data}

    def view(key: str, text: str) -> object:
        listing = "".join(f"     {n}|{line}\n" for n, line in enumerate(lines_of(text), 1))
        return result(key, f"<file>\n{listing}</file>\n", file_path=PATH, content="\n".join(lines_of(text)))

    def edit(key: str, old: str, new: str) -> object:
        return call(key, "edit", old_string=old, new_string=new)

    calls = [call("v", "view"), edit("c1", MISSING, NEW), edit("c2", first, NEW)]
    calls += [call("w", "view"), edit("c3", MISSING, NEW), edit("c4", NEW, NEW)]
    missed, same = "old_string not found in file.", "new content is the same as old content. No changes made."
    answers = [view("v", before), result("c1", missed, failed=True), result("c2", **told), view("w", after)]
    answers += [result("c3", missed, failed=True), result("c4", same, failed=True)]
    known = {"session_id": "s", "created_at": 0, "updated_at": 0}
    stored = [line_feeds(before) if name == "crush" else before, after]
    rows = [
        {"table": "messages", "id": str(n), "role": "assistant", "parts": parts} | known
        for n, parts in enumerate((calls, answers))
    ]
    rows += [
        {"table": "files", "id": str(n), "path": PATH, "content": text, "version": n} | known
        for n, text in enumerate(stored)
    ]
    database(folder / f"{name}.db", rows)


def crush(folder: Path, first: str, before: str, after: str) -> None:
    _database(folder, "crush", first, before, after, old_content=line_feeds(before), new_content=after)


def opencode_go(folder: Path, first: str, before: str, after: str) -> None:
    _database(folder, "opencode", first, before, after, diff=unified_diff(before, after, path="a.py"))


def opencode(folder: Path, first: str, before: str, after: str) -> None:
    def part(tool: str, key: str, asked: dict[str, str], **state: object) -> object:
        done = {"status": "completed", "input": {"filePath": PATH} | asked} | state
        return {"type": "tool", "tool": tool, "callID": key, "state": done}

    def view(key: str, text: str) -> object:
        listing = "\n".join(f"{n}: {line}" for n, line in enumerate(lines_of(text), 1))
        shown = f"<path>{PATH}</path>\n<type>file</type>\n<content>\n{listing}\n\n(End of file - total\n</content>"
        return part("read", key, {}, output=shown)

    def edit(key: str, old: str, **state: object) -> object:
        return part("edit", key, {"oldString": old, "newString": NEW}, **state)

    missed = {"status": "error", "error": "Could not find oldString in the file."}
    diff = unified_diff(before, after, path="a.py", context=4)
    parts = [view("v", before), edit("c1", MISSING, **missed), edit("c2", first, metadata={"diff": diff})]
    parts += [view("w", after), edit("c3", MISSING, **missed), edit("c4", NEW)]
    messages = [{"info": {"role": "assistant", "modelID": "m"}, "parts": parts}]
    info = {"id": "ses_1", "version": "1.14.30", "directory": "/home/user/demo"}
    write_lines(folder / "s.json", {"info": info, "messages": messages})


def swe_agent(folder: Path, first: str, before: str, after: str) -> None:
    def step(action: str, text: str, said: str = "\nFile updated.") -> dict[str, str]:
        shown = [f"{n}:{line}" for n, line in enumerate(lines_of(text), 1)]
        head = f"[File: {PATH} ({len(shown)} lines total)]"
        return {"action": action, "observation": "\n".join([head, *shown]) + said, "state": "{}"}

    ended = after if after.endswith("\n") else after + "\n"
    steps = [
        step("open a.py", before, ""),
        step(f"edit 1:1\n{NEW}\nend_of_edit", after),
        step(f"edit 1:1\n{NEW}\nend_of_edit", ended),
        step(f"edit 1:1\n{first}\nend_of_edit", before),
    ]
    write_lines(folder / "demo-1.traj", {"trajectory": steps})


def cline(folder: Path, first: str, before: str, _after: str) -> None:
    def said(role: str, *texts: str) -> object:
        return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}

    def edit(old: str, new: str) -> object:
        block = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
        asked = f"<replace_in_file>\n<path>a.py</path>\n<diff>\n{block}\n</diff>\n</replace_in_file>"
        return said("assistant", asked)

    listing = "\n".join(f"{n} | {line}" for n, line in enumerate(lines_of(before), 1))
    missed = "<error>\nThe SEARCH block:\nx\n...does not match anything in the file.\n</error>"
    log = [
        said("assistant", "<read_file>\n<path>a.py</path>\n</read_file>"),
        said("user", "[read_file for 'a.py'] Result:", listing),
        *(edit(MISSING, NEW), said("user", "[replace_in_file for 'a.py'] Result:", missed)),
        *(edit(first, first), said("user", "[replace_in_file for 'a.py'] Result:", "The content was saved.")),
    ]
    write_lines(folder / "17" / "api_conversation_history.json", log)


def aider(folder: Path, first: str, before: str, _after: str) -> None:
    (folder / "a.py").write_text(before, newline="")
    for arguments in (["init", "-q"], ["add", "a.py"], ["commit", "-q", "-m", "start"]):
        git(folder, *arguments)
    head = git(folder, "rev-parse", "HEAD")
    log = f"""
# aider chat started at 2026-01-01 10:00:00

> Aider v0.84.0  
> Main model: vendor/m with diff edit format, infinite output  
#### do  

a.py
```python
<<<<<<< SEARCH
{first}
=======
{first}
>>>>>>> REPLACE
```

> Tokens: 1.2k sent, 300 received.  
> Committing a.py before applying edits.  
> Commit {head[:7]} start  
> Applied edit to a.py  
"""
    (folder / ".aider.chat.history.md").write_text(log)


PROGRAMS: dict[str, tuple[Write, tuple[str, ...], int]] = {
    "crush": (crush, ("\n", "\r\n"), 4),
    "opencode_go": (opencode_go, ("\n", "\r\n"), 4),
    "opencode": (opencode, ("\n",), 0),
    "swe_agent": (swe_agent, ("\n",), 2),
    "cline": (cline, ("\n",), 0),
    "aider": (aider, ("\n",), 0),
}
"""Program -> its log, the line endings that show in it, and how many samples there are of any file."""


def imported(agent: str, folder: Path) -> list[Sample]:
    importer = IMPORTERS[agent]
    with closing(Surroundings()) as surroundings:
        return [
            sample
            for log in importer.logs(folder)
            for sample in rebuilt_samples(importer.events(log, surroundings), importer, surroundings)
        ]


@pytest.mark.parametrize("agent", PROGRAMS)
@settings(max_examples=8)
@given(
    names=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9, unique=True),
    ending=st.integers(0, 1),
    is_ended=st.booleans(),
)
def test_no_byte_is_invented_and_nothing_is_applied_that_changes_nothing(
    agent: str, names: list[str], ending: int, is_ended: bool
) -> None:
    write, endings, n_least = PROGRAMS[agent]
    end = endings[ending % len(endings)]
    first, *others = [f"{name} = 1" for name in names]
    before, after = (end.join([one, *others]) + end * is_ended for one in (first, NEW))
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), first, before, after)
        found = imported(agent, Path(folder))
    assert len(found) >= n_least
    texts = {before, after} | ({text + "\n" for text in (before, after)} if agent == "swe_agent" else set())
    for sample in found:
        assert {file.content for file in (*sample.before, *(sample.target or ()), *(sample.seen or ()))} <= texts
        assert sample.label != "apply" or sample.target != sample.before
        if any(edit.old_string == edit.new_string for edit in sample.edits or ()):
            assert (sample.label, sample.label_source) == ("refuse", "identical")
