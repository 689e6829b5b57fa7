"""Importing labels no edit `apply` that changes nothing, and invents no byte of a file.

Each program is imitated with what its log keeps: a file is viewed, an edit is refused, another is made, one is empty.
"""

from __future__ import annotations

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
from tests.corpora.importers import databases
from tests.corpora.importers.databases import call, result
from tests.corpora.importers.formats import test_aider, test_cline, test_opencode, test_swe_agent
from tests.corpora.importers.logs import write_lines

PATH = "/home/user/demo/a.py"
MISSING, NEW = "missing", "new = 1"
Write = Callable[[Path, str, str, str], None]
"""Writes a log, given the first line of a file and the texts of the file before and after it becomes NEW."""


def lines_of(text: str) -> list[str]:
    return line_feeds(text).removesuffix("\n").split("\n")


def _database(folder: Path, name: str, first: str, before: str, after: str, **told: str) -> None:
    def view(key: str, text: str) -> object:
        listing = "".join(f"     {n}|{line}\n" for n, line in enumerate(lines_of(text), 1))
        return result(key, f"<file>\n{listing}</file>\n", file_path=PATH, content="\n".join(lines_of(text)))

    def edit(key: str, old: str, new: str) -> object:
        return call(key, "edit", file_path=PATH, old_string=old, new_string=new)

    calls = [call("v", "view", file_path=PATH), edit("c1", MISSING, NEW), edit("c2", first, NEW)]
    calls += [call("w", "view", file_path=PATH), edit("c3", MISSING, NEW), edit("c4", NEW, NEW)]
    missed, same = "old_string not found in file.", "new content is the same as old content. No changes made."
    answers = [view("v", before), result("c1", missed, failed=True), result("c2", **told), view("w", after)]
    answers += [result("c3", missed, failed=True), result("c4", same, failed=True)]
    stored = [line_feeds(before) if name == "crush" else before, after]
    databases.make(folder / f"{name}.db", calls, answers, files=[(PATH, text) for text in stored])


def crush(folder: Path, first: str, before: str, after: str) -> None:
    _database(folder, "crush", first, before, after, old_content=line_feeds(before), new_content=after)


def opencode_go(folder: Path, first: str, before: str, after: str) -> None:
    _database(folder, "opencode", first, before, after, diff=unified_diff(before, after, path="a.py"))


def opencode(folder: Path, first: str, before: str, after: str) -> None:
    made = test_opencode

    def view(key: str, text: str) -> object:
        listing = "\n".join(f"{n}: {line}" for n, line in enumerate(lines_of(text), 1))
        return made.part("read", {"filePath": PATH}, key, output=made.NEW.format(f"{listing}\n\n(End of file - total"))

    missed = {"status": "error", "error": "Could not find oldString in the file."}
    diff = unified_diff(before, after, path="a.py", context=4)
    log = made.exported(
        *(view("v", before), made.edit("c1", MISSING, NEW, **missed)),
        *(made.edit("c2", first, NEW, metadata={"diff": diff}), view("w", after)),
        *(made.edit("c3", MISSING, NEW, **missed), made.edit("c4", NEW, NEW)),
    )
    write_lines(folder / "s.json", log)


def swe_agent(folder: Path, first: str, before: str, after: str) -> None:
    made = test_swe_agent
    ended = after if after.endswith("\n") else after + "\n"
    steps = [
        made.step("open a.py", made.window(*lines_of(before))),
        made.step(f"edit 1:1\n{NEW}\nend_of_edit", made.window(*lines_of(after)) + "\nFile updated."),
        made.step(f"edit 1:1\n{NEW}\nend_of_edit", made.window(*lines_of(ended)) + "\nFile updated."),
        made.step(f"edit 1:1\n{first}\nend_of_edit", made.window(*lines_of(before)) + "\nFile updated."),
    ]
    write_lines(folder / "demo-1.traj", {"trajectory": steps})


def cline(folder: Path, first: str, before: str, _after: str) -> None:
    made = test_cline
    block = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE"
    listing = "\n".join(f"{n} | {line}" for n, line in enumerate(lines_of(before), 1))
    missed = made.failure("The SEARCH block:\nx\n...does not match anything in the file.")
    log = [
        *(made.assistant("<read_file>\n<path>a.py</path>\n</read_file>"), made.result(listing, "read_file")),
        *(made.assistant(made.replacing(diff=block.format(MISSING, NEW))), made.result(missed)),
        *(made.assistant(made.replacing(diff=block.format(first, first))), made.result("The content was saved.")),
    ]
    write_lines(folder / "17" / "api_conversation_history.json", log)


def aider(folder: Path, first: str, before: str, _after: str) -> None:
    made = test_aider
    (folder / "a.py").write_text(before, newline="")
    made.git(folder, "init", "-q")
    made.git(folder, "add", "a.py")
    made.git(folder, "commit", "-q", "-m", "start")
    head = made.git(folder, "rev-parse", "HEAD")
    said = f"> Committing a.py before applying edits.  \n> Commit {head[:7]} start  \n> Applied edit to a.py  \n"
    log = made.START + made.HEAD + "#### do  \n\n" + made.block(f"{first}\n", f"{first}\n") + made.TOKENS + said
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
