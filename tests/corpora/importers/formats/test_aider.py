from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.aider import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Wrote
from editcore.types import File
from tests.corpora.importers.logs import git, read

QUIRKS = {"quirks": ("ends_in_line_feed",)}
START = "\n# aider chat started at 2026-01-01 10:00:00\n\n"
HEAD = "> Aider v0.84.0  \n> Main model: vendor/m with diff edit format, infinite output  \n> Weak model: w  \n"
TOKENS = "\n> Tokens: 1.2k sent, 300 received.  \n"
MISSED = (
    "> The LLM did not conform to the edit format.  \n> https://aider.chat/docs/troubleshooting/edit-errors.html  \n"
)
MUST = "The SEARCH section must exactly match an existing block of lines including all white space\n"


def commit(folder: Path, subject: str, **files: str) -> str:
    """The id of a new commit of these files, `a` being a.py."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    for name, content in files.items():
        (folder / f"{name}.py").write_text(content)
        git(folder, "add", f"{name}.py")
    git(folder, "commit", "-q", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def block(old: str = "x = 1\n", new: str = "x = 2\n", path: str = "a.py") -> str:
    return f"{path}\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def events(tmp_path: Path, *parts: str, head: str = HEAD) -> list[Event]:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(START + head + "\n#### make it two  \n\n" + "".join(parts))
    found, _ = read(IMPORTER, path)
    assert found[:3] == [Opened(cwd=str(tmp_path)), Disturbed(), Opened(version="0.84.0")]
    return found[3:]


def attempts(found: list[Event]) -> list[Attempt]:
    return [one for one in found if isinstance(one, Attempt)]


def attempt(tmp_path: Path, *, path: str = "a.py", at: int = 8, **fields: Any) -> Attempt:
    known = {"path": path, "patch": block(), "model": "vendor/m", "outcome": "applied"} | QUIRKS
    key = f"{tmp_path / '.aider.chat.history.md'}:{at}:{fields.pop('name', path)}"
    return Attempt(key, "search_replace", **(known | fields))


def test_an_applied_edit_has_the_texts_of_its_commit_and_its_parent(tmp_path: Path) -> None:
    commit(tmp_path, "start", a="x = 1\n")
    edited = commit(tmp_path, "feat: two", a="x = 2\n")
    said = f"> Applied edit to a.py  \n> Commit {edited[:7]} feat: two  \n"
    texts: dict[str, Any] = {
        "before": (File("a.py", "x = 1\n"),),
        "after": (File("a.py", "x = 2\n"),),
        "evidence": "git",
    }
    assert events(tmp_path, "Here you are:\n\n", block(), TOKENS, said) == [
        attempt(tmp_path, **texts),
        Opened(commit=edited),
    ]


def test_without_a_repository_an_applied_edit_has_no_texts(tmp_path: Path) -> None:
    said = "> Applied edit to a.py  \n> Commit c0ffee1 feat: two  \n"
    assert events(tmp_path, block(), TOKENS, said) == [attempt(tmp_path)]


def test_the_commit_of_uncommitted_work_is_not_that_of_the_edit(tmp_path: Path) -> None:
    start = commit(tmp_path, "start", a="x = 1\n")
    dirty = commit(tmp_path, "chore: work", a="x = 1\ny\n")
    edited = commit(tmp_path, "feat: two", a="x = 2\ny\n")
    said = f"> Committing a.py before applying edits.  \n> Commit {dirty[:7]} chore: work  \n"
    found = events(tmp_path, block(), TOKENS, said, f"> Applied edit to a.py  \n> Commit {edited[:7]} feat: two  \n")
    assert start != dirty
    assert found[0] == Opened(commit=dirty)
    assert attempts(found)[0].before == (File("a.py", "x = 1\ny\n"),)
    assert found[2:] == [Opened(commit=edited)]


def test_without_commits_of_its_own_the_commit_before_an_edit_has_the_text_that_it_met(tmp_path: Path) -> None:
    dirty = commit(tmp_path, "chore: work", a="x = 1\ny\n", b="y\n")
    said = f"> Committing a.py before applying edits.  \n> Commit {dirty[:7]} chore: work  \n"
    missed = (
        f"{said}{MISSED}> # 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: lines in a.py\n"
    )
    for told in (f"{said}> Applied edit to a.py  \n", f"{missed}{block()}{MUST}"):
        first, *_ = attempts(events(tmp_path, block(), block("y\n", "z\n", "b.py"), TOKENS, told))
        assert (first.path, first.before, first.after) == ("a.py", (File("a.py", "x = 1\ny\n"),), None)
        assert first.evidence == "git"


def test_the_message_about_tokens_may_be_broken(tmp_path: Path) -> None:
    broken = "\n> Tokens: 1,234 sent, 5,678 cache write, 300 received.\nCost: $0.01 message, $0.02 session.  \n"
    assert events(tmp_path, block(), broken, "> Applied edit to a.py  \n") == [attempt(tmp_path)]


def test_a_rebased_commit_is_found_by_its_subject_if_only_one_has_it(tmp_path: Path) -> None:
    commit(tmp_path, "start", a="x = 1\n")
    commit(tmp_path, "feat: two", a="x = 2\n")
    parts = (block(), TOKENS, "> Applied edit to a.py  \n> Commit 0123456 feat: two  \n")
    assert attempts(events(tmp_path, *parts))[0].after == (File("a.py", "x = 2\n"),)
    commit(tmp_path, "feat: two", a="x = 3\n")
    assert attempts(events(tmp_path, *parts))[0].after is None


def test_a_file_that_the_edit_makes_had_no_text(tmp_path: Path) -> None:
    commit(tmp_path, "start", a="x = 1\n")
    made = commit(tmp_path, "feat: b", b="y\n")
    said = f"> Applied edit to b.py  \n> Commit {made[:7]} feat: b  \n"
    (found,) = attempts(events(tmp_path, block("", "y\n", "b.py"), TOKENS, said))
    assert (found.before, found.after) == ((), (File("b.py", "y\n"),))


def test_the_blocks_of_one_file_are_one_attempt(tmp_path: Path) -> None:
    second = "Then\n\n```python\n<<<<<<< SEARCH\ny\n=======\nz\n>>>>>>> REPLACE\n```\n"
    parts = (block(), second, block(path="`sub\\b\\_c.py`"), TOKENS)
    found = events(tmp_path, *parts, "> Applied edit to a.py  \n> Applied edit to sub/b_c.py  \n")
    assert found == [
        attempt(tmp_path, patch=block() + second.removeprefix("Then\n\n")),
        attempt(tmp_path, path="sub/b_c.py", patch=block(path="`sub\\b\\_c.py`")),
    ]


def test_code_in_a_block_is_not_taken_for_what_aider_or_the_user_says(tmp_path: Path) -> None:
    old = "> Applied edit to b.py\n#### heading\n> Commit c0ffee1 x\n"
    found = events(tmp_path, block(old, "x\n"), TOKENS, "> Applied edit to a.py  \n")
    assert found == [attempt(tmp_path, patch=block(old, "x\n"))]


def test_a_block_that_is_not_closed_ends_where_aider_speaks(tmp_path: Path) -> None:
    reply = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n"
    said = MISSED + f"> {reply}^^^ Expected `=======`\n\n#### again  \n"
    error = "Expected `=======`"
    assert events(tmp_path, reply, TOKENS, said) == [attempt(tmp_path, patch=reply, outcome="malformed", error=error)]


@pytest.mark.parametrize("prefixed", [True, False])
def test_a_block_that_failed_stands_alone_and_the_others_were_applied(tmp_path: Path, prefixed: bool) -> None:
    commit(tmp_path, "start", a="x = 1\n", b="y\n")
    edited = commit(tmp_path, "feat: b", b="z\n")
    bad, good = block("  q\n", "r\n"), block("y\n", "z\n", "b.py")
    why = "SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py"
    report = (
        f"# 1 SEARCH/REPLACE block failed to match!\n\n## {why}\n<<<<<<< SEARCH\nq\n=======\nr\n>>>>>>> REPLACE\n\n"
    )
    report += f"{MUST}\n# The other 1 SEARCH/REPLACE block were applied successfully.\nDon't re-send them.\n"
    report += "Just reply with fixed versions of the block above that failed to match.\n"
    marked = "".join(f"> {line}".rstrip() + "  \n" for line in report.split("\n")[:-1])
    report = marked if prefixed else f"> {report}"
    fixed = block("x = 1\n", "r\n")
    found = events(
        tmp_path, bad, block(), good, TOKENS, MISSED + report, f"> Commit {edited[:7]} feat: b  \n\n", fixed, TOKENS,
        "> Applied edit to a.py  \n",
    )  # fmt: skip
    first, *rest = attempts(found)
    assert first == attempt(tmp_path, patch=bad, outcome="no_match", error=why, name="failed:0")
    assert [(one.path, one.outcome, one.patch) for one in rest[-1:]] == [("a.py", "applied", fixed)]
    assert [one.outcome for one in rest[:-1]] == ["unknown", "unknown"]


@pytest.mark.parametrize("prefixed", [True, False])
def test_the_others_of_a_reply_have_texts_only_in_files_without_a_failure(tmp_path: Path, prefixed: bool) -> None:
    commit(tmp_path, "start", a="x = 1\n", b="y\n")
    edited = commit(tmp_path, "feat: both", a="x = 2\n", b="z\n")
    report = "# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: lines in a.py\n"
    report += f"<<<<<<< SEARCH\nq\n=======\nr\n>>>>>>> REPLACE\n\n{MUST}\n"
    report += "# The other 2 SEARCH/REPLACE blocks were applied successfully.\nDon't re-send them.\n"
    mark = "> " if prefixed else ""
    said = "> " + "".join(f"{mark}{line}\n" for line in report.split("\n")[:-1]).removeprefix(mark)
    parts = (block(), block("q\n", "r\n"), block("y\n", "z\n", "b.py"), TOKENS, MISSED + said)
    found = attempts(events(tmp_path, *parts, f"> Commit {edited[:7]} feat: both  \n"))
    assert [(one.path, one.outcome, one.evidence) for one in found] == [
        ("a.py", "no_match", "tool_result"),
        ("a.py", "applied", "tool_result"),
        ("b.py", "applied", "git"),
    ]
    assert found[2].after == (File("b.py", "z\n"),)


def test_an_edit_that_nobody_spoke_of_is_unknown(tmp_path: Path) -> None:
    assert events(tmp_path, block(), TOKENS) == [attempt(tmp_path, outcome="unknown")]


def test_what_an_architect_shows_is_no_edit_but_the_editors_is(tmp_path: Path) -> None:
    head = "> Aider v0.84.0  \n> Model: big with architect edit format  \n"
    head += "> Editor model: small with editor-diff edit format  \n"
    asked = "> Edit the files? (Y)es/(N)o [Yes]: y  \n\n"
    found = attempts(
        events(tmp_path, block(), TOKENS, asked, block("y\n"), TOKENS, "> Applied edit to a.py  \n", head=head)
    )
    assert [(one.model, one.patch, one.outcome) for one in found] == [("small", block("y\n"), "applied")]


def test_unified_diffs_are_told_by_file(tmp_path: Path) -> None:
    head = "> Aider v0.84.0  \n> Model: m with udiff edit format  \n"
    one = "--- a.py\n+++ a.py\n@@ ... @@\n-x = 1\n+x = 2\n"
    two = "--- /dev/null\n+++ b.py\n@@ ... @@\n+y\n"
    reply = f"So:\n\n```diff\n{one}{two}```\n"
    found = attempts(events(tmp_path, reply, TOKENS, "> Applied edit to a.py  \n> Applied edit to b.py  \n", head=head))
    assert [(a.format, a.path, a.patch, a.outcome) for a in found] == [
        ("unified_diff", "a.py", one, "applied"),
        ("unified_diff", "b.py", two, "applied"),
    ]
    missed = MISSED + "> UnifiedDiffNoMatch: hunk failed to apply!\n\na.py does not contain lines that match\n"
    found = attempts(events(tmp_path, reply, TOKENS, missed, head=head))
    assert [(a.path, a.outcome) for a in found] == [("a.py", "no_match"), ("b.py", "unknown")]


def test_whole_files_are_written(tmp_path: Path) -> None:
    head = "> Aider v0.84.0  \n> Model: m with whole edit format  \n"
    reply = "a.py\n```python\nx = 2\n> Tokens\n```\n\nother.py\n```\ny\n```\n"
    assert events(tmp_path, reply, TOKENS, "> Applied edit to a.py  \n", head=head) == [
        Wrote("a.py", "x = 2\n> Tokens\n")
    ]


def test_commands_of_the_user_may_have_changed_anything(tmp_path: Path) -> None:
    assert events(tmp_path, "\n#### /run make\n#### !ls\n#### /add a.py\n") == [Disturbed(), Disturbed()]


def test_a_new_chat_begins_even_where_a_block_was_left_open(tmp_path: Path) -> None:
    found = events(tmp_path, "a.py\n```\n<<<<<<< SEARCH\nx\n", START, "> Aider v0.35.0  \n")
    assert found[-3:] == [Opened(cwd=str(tmp_path)), Disturbed(), Opened(version="0.35.0")]


def test_no_disorder_of_a_history_raises(tmp_path: Path) -> None:
    edited = commit(tmp_path, "start", a="x = 1\n")
    report = (
        f"> # 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: lines in a.py\n{block()}{MUST}"
    )
    whole = START + HEAD + "#### do\n" + block() + TOKENS + f"> Applied edit to a.py  \n> Commit {edited[:7]} start  \n"
    whole += (
        MISSED
        + report
        + "^^^ Expected\n> UnifiedDiffNotUnique: hunk failed to apply!\n```diff\n--- a\n+++ a\n@@\n```\n"
    )
    whole += "> Model: m with udiff edit format  \n> Model: m with whole edit format  \n"
    lines = whole.splitlines(keepends=True)
    path = tmp_path / ".aider.chat.history.md"
    chance = random.Random(0)
    for _ in range(150):
        path.write_text("".join(chance.sample(lines, chance.randrange(len(lines) + 1))))
        for event in read(IMPORTER, path)[0]:
            hash(event)
    path.write_bytes(whole.encode()[:-9] + b"\xff\x00\xe9")
    assert read(IMPORTER, path)[0]
