"""Unified diffs: what GNU patch and git make of them, and how they look."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore.patches.unified_diff import apply_unified_diff
from editcore.text.diff import changed_lines, unified_diff
from editcore.types import Applied

PROGRAMS = {
    "patch": ["patch", "-p1", "--binary", "--batch", "--no-backup-if-mismatch", "-i", "change.diff"],
    "git": ["git", "apply", "--whitespace=nowarn", "change.diff"],
}
PAIRS = {
    "a_line_changed": ("a\nb\nc\n", "a\nB\nc\n"),
    "the_only_line_changed": ("a", "b"),
    "a_file_created": ("", "a\nb\n"),
    "a_file_created_without_a_last_line_feed": ("", "a"),
    "a_file_of_one_blank_line_created": ("", "\n"),
    "a_file_emptied": ("a\nb\n", ""),
    "a_file_without_a_last_line_feed_emptied": ("a", ""),
    "the_last_line_feed_added": ("a\nb", "a\nb\n"),
    "the_last_line_feed_taken_away": ("a\nb\n", "a\nb"),
    "the_last_line_changed_without_a_line_feed": ("a\nb", "a\nc"),
    "a_line_added_after_the_last_one_without_a_line_feed": ("a\nb", "a\nb\nc"),
    "an_unchanged_last_line_without_a_line_feed": ("a\nb\nc", "A\nb\nc"),
    "lines_put_before_all": ("a\n", "x\ny\na\n"),
    "carriage_returns_changed": ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\n"),
    "carriage_returns_alone": ("a\rb\n", "a\rc\n"),
    "lines_that_look_like_a_header": ("-- a\n++ b\n@@ c\n", "-- x\n++ y\n@@ z\n"),
    "blank_lines_changed": ("\n\n\n\n", "\n\n"),
    "lines_between_two_that_stay_changed": ("x\ny\nx\na\n", "x\nb\nc\na\n"),
    "places_far_apart_changed": ("".join(f"{n}\n" for n in range(40)), "".join(f"{n % 37}\n" for n in range(39))),
    # The difference could be matched with its own context; without context, git looks for the hunk at the file's end.
    "a_line_among_repeated_ones_added": ("a\n" * 20, "a\n" * 9 + "b\n" + "a\n" * 12),
}


def _applied(program: str, folder: Path, before: str, diff: str, *, path: str = "src/file.txt") -> str | None:
    """The file after the program has applied the diff; None where it is gone."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if before:
        file.write_bytes(before.encode())
    (folder / "change.diff").write_bytes(diff.encode())
    # Neither the user's settings nor a repository above the folder are to matter.
    settings_off = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": str(folder)}
    done = subprocess.run(
        PROGRAMS[program], cwd=folder, env={**os.environ, **settings_off}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{diff}"
    return file.read_bytes().decode() if file.exists() else None


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", PAIRS)
def test_a_program_makes_the_after_of_the_before(program: str, name: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    before, after = PAIRS[name]
    diff = unified_diff(before, after, path="src/file.txt")
    assert _applied(program, tmp_path, before, diff) == (after or None)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("before", ["a\n", ""])
def test_a_path_may_have_blanks(program: str, before: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    diff = unified_diff(before, "b\n", path="the src/a file.txt")
    assert _applied(program, tmp_path, before, diff, path="the src/a file.txt") == "b\n"


LINES = ["a", "a", "b", "c", "", "\r", "a\r", "-- a", "++ b", "@@ -1 +1 @@", "\\ No newline", "\x85\u2028", "é"]


@st.composite
def befores_and_afters(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts, mostly one and what a few edits make of it; lines are often the same, so that matching is a choice."""
    line = st.sampled_from(draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=4)))
    before = draw(st.lists(line, max_size=24))
    after = list(before) if draw(st.integers(0, 3)) else draw(st.lists(line, max_size=24))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(st.lists(line | st.just("new"), max_size=2))
    ends = st.sampled_from([[], [""]])
    return "\n".join(before + draw(ends)), "\n".join(after + draw(ends))


def _patched(before: str, diff: str) -> str:
    """A plain reading of the format: each hunk's old lines must stand where it says; its new ones take their place."""
    old = re.findall(r"[^\n]*\n|[^\n]+", before)
    new: list[str] = []
    done = 0
    for hunk in re.split(r"^(?=@@ -\d)", diff, flags=re.MULTILINE)[1:]:
        head, *lines = re.findall(r"[^\n]*\n", hunk)
        start, n_old, n_new = (
            int(number or 1) for number in re.findall(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", head)[0]
        )
        for at in range(len(lines) - 1, 0, -1):
            if lines[at].startswith("\\"):
                del lines[at]
                lines[at - 1] = lines[at - 1][:-1]
        at = start - 1 if n_old else start
        new += old[done:at]
        assert [line[1:] for line in lines if line[0] in " -"] == old[at : at + n_old]
        assert len([line for line in lines if line[0] in " +"]) == n_new
        new += [line[1:] for line in lines if line[0] in " +"]
        done = at + n_old
    return "".join(new + old[done:])


def _edges(hunk: str) -> tuple[int, int]:
    """How many lines of context a hunk has before its first change and after its last."""
    kinds = [line[0] for line in hunk.split("\n")[1:-1] if not line.startswith("\\")]
    changed = [n for n, kind in enumerate(kinds) if kind != " "]
    return changed[0], len(kinds) - 1 - changed[-1]


@given(befores_and_afters(), st.integers(0, 4))
def test_only_at_the_edges_of_a_file_does_a_hunk_lack_context(texts: tuple[str, str], context: int) -> None:
    before, after = texts
    n_lines = len(re.findall(r"[^\n]*\n|[^\n]+", before))
    for hunk in re.split(r"^(?=@@ -\d)", unified_diff(before, after, path="f", context=context), flags=re.MULTILINE)[
        1:
    ]:
        start, length = (int(number or 1) for number in re.findall(r"@@ -(\d+)(?:,(\d+))?", hunk)[0])
        above, below = _edges(hunk)
        assert above == context or (above < context and start <= 1)
        assert below == context or (below < context and start + max(length - 1, 0) == n_lines)


@given(befores_and_afters(), st.integers(0, 4))
def test_the_hunks_make_the_after_of_the_before(texts: tuple[str, str], context: int) -> None:
    before, after = texts
    diff = unified_diff(before, after, path="f", context=context)
    assert (diff == "") is (before == after)
    assert _patched(before, diff) == after


@pytest.mark.parametrize("program", PROGRAMS)
# Fewer of them: each starts a program.
@settings(max_examples=settings().max_examples // 8)
@given(texts=befores_and_afters())
def test_a_program_makes_any_after_of_any_before(
    program: str, texts: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    before, after = texts
    diff = unified_diff(before, after, path="src/file.txt")
    if before == after:
        assert diff == ""
        return
    folder = tmp_path_factory.mktemp(program)
    assert _applied(program, folder, before, diff) == (after or None)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\r\n"])
def test_equal_texts_have_no_diff(text: str) -> None:
    assert unified_diff(text, text, path="f") == ""


def test_a_diff_has_a_header_hunks_and_three_lines_of_context() -> None:
    before = "".join(f"{n}\n" for n in range(1, 21))
    diff = unified_diff(before, before.replace("5\n", "five\n", 1), path="a/b.txt")
    assert diff == ("--- a/a/b.txt\n+++ b/a/b.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n")


def test_a_new_and_a_deleted_file_have_no_other_side() -> None:
    assert unified_diff("", "a", path="f") == (
        "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
    )
    assert unified_diff("a\nb\n", "", path="f") == "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"


def test_the_context_may_be_another() -> None:
    assert unified_diff("a\nb\nc\n", "a\nB\nc\n", path="f", context=0) == "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+B\n"


def test_what_is_too_large_to_be_compared_line_by_line_is_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.text.diff._TOO_LARGE", 3)
    before, after = "top\na\na\na\nmiddle\nb\nend\n", "top\na\nc\na\na\nmiddle\nB\nend\n"
    diff = unified_diff(before, after, path="f.txt")
    assert diff.count("-a") == 2
    result = apply_unified_diff({"f.txt": before}, diff, strictness="strict")
    assert isinstance(result, Applied)
    assert result.files == {"f.txt": after}


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("a\nb\n", "a\nb\n", (0, 0)),
        ("a\nb\n", "a\nB\nc\n", (2, 1)),
        ("", "a\nb", (2, 0)),
        ("a\nb\n", "", (0, 2)),
        ("a", "a\n", (1, 1)),
        ("x\n++ a\ny\n", "x\n-- b\ny\n", (1, 1)),
    ],
)
def test_additions_and_deletions_are_counted_from_hunks(before: str, after: str, counts: tuple[int, int]) -> None:
    assert changed_lines(before, after) == counts
    rendered = unified_diff(before, after, path="f.txt").split("\n")[2:]
    assert counts == tuple(sum(line.startswith(mark) for line in rendered) for mark in "+-")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a b", "--- a/a b\t", "+++ b/a b\t"),
        ("caf\u00e9", "--- a/caf\u00e9", "+++ b/caf\u00e9"),
        ('say "\u00e9"', '--- "a/say \\042\\303\\251\\042"', '+++ "b/say \\042\\303\\251\\042"'),
        ("tab\tnew\n", '--- "a/tab\\011new\\012"', '+++ "b/tab\\011new\\012"'),
    ],
)
def test_a_name_that_would_not_be_read_back_is_quoted(path: str, old: str, new: str) -> None:
    patch = unified_diff("1\n", "2\n", path=path)
    assert patch.split("\n")[:2] == [old, new]
    result = apply_unified_diff({path: "1\n"}, patch)
    assert isinstance(result, Applied)
    assert result.files == {path: "2\n"}


def test_lists_that_repeat_themselves_are_matched_line_by_line_too() -> None:
    before = "x\ny\n" * 200
    after = before.replace("x\ny\n", "x\nz\n", 1) + "x\n" * 3
    after = "y\n" + after
    patch = unified_diff(before, after, path="f", context=0)
    changed = [line for line in patch.split("\n")[2:] if line[:1] in ("+", "-")]
    assert len(changed) <= 6
    result = apply_unified_diff({"f": before}, patch, strictness="strict")
    assert isinstance(result, Applied)
    assert result.files == {"f": after}
