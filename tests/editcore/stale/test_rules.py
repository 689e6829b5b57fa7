"""Stale edits on drawn texts: both changes are made, nobody's lines are lost, and `merge3` does as git does."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editcore import (
    Applied,
    Edit,
    EditResult,
    Reason,
    Rejected,
    UsageError,
    apply_begin_patch,
    apply_edit,
    apply_search_replace,
    apply_unified_diff,
    replace,
)
from editcore.patches.line_edits import insert_lines
from editcore.stale import STALE_RULES, stale_rule
from editcore.stale.rule import placed_in_files

LETTERS = st.lists(st.sampled_from("abcdef"), max_size=12)
WORDS = st.lists(st.sampled_from([f"word{n}" for n in range(40)]), min_size=8, max_size=20, unique=True)


def text(lines: list[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def deciding(edit: Edit) -> Callable[[str], EditResult]:
    return lambda one: apply_edit(one, edit, "exact")


@given(WORDS, st.data())
def test_changes_that_are_apart_are_both_made(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(lines) - 4))
    theirs = data.draw(st.integers(0, len(lines) - 1))
    assume(not first - 1 <= theirs <= first + 2)
    new = data.draw(st.lists(st.sampled_from(["new1", "new2", "\ufeffnew3"]), max_size=3))
    other = data.draw(st.lists(st.sampled_from(["other1", "\ufeffother2"]), max_size=2))
    edit = Edit(text(lines[first : first + 2]), text(new))
    live, both = list(lines), list(lines)
    live[theirs : theirs + 1] = other
    for at, n, put in sorted([(first, 2, new), (theirs, 1, other)], reverse=True):
        both[at : at + n] = put
    # At the start of a text it is its mark, which an edit of a text that was seen neither adds nor takes.
    assume(not any(one.startswith("\ufeff") for one in (text(both), text(live), text(new if first == 0 else []))))
    for rule in ("recommended", "merge3", "patch0"):
        result = STALE_RULES[rule](text(lines), text(live), deciding(edit))
        if rule == "patch0" and isinstance(result, Rejected):
            continue  # The context of a hunk was changed.
        assert isinstance(result, Applied), rule
        assert result.content == text(both), rule


@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_no_line_is_lost_that_the_edit_does_not_remove(
    seen: list[str], live: list[str], old: list[str], new: list[str]
) -> None:
    edit = Edit(text(old), text(new))
    mine = deciding(edit)(text(seen))
    for name in ("recommended", "remap", "merge3", "patch0"):
        result = STALE_RULES[name](text(seen), text(live), deciding(edit))
        if isinstance(result, Rejected) or isinstance(mine, Rejected):
            continue
        removed = Counter(live) - Counter((result.content or "").split("\n"))
        assert removed <= Counter(seen) - Counter((mine.content or "").split("\n")), name


SAID = [f"{'  ' * depth}{said}" for depth, said in product(range(4), ("else:", "}", "start(one)"))]
DEPTHS = st.lists(st.sampled_from([*SAID, ""]), min_size=3, max_size=7)


@given(DEPTHS, st.data())
def test_lines_that_went_are_not_taken_for_others_that_say_the_same(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, min(first + 3, len(lines))))
    old, new = lines[first:last], data.draw(st.sampled_from([[], ["wait()"], lines[first + 1 : last]]))
    left = data.draw(st.sampled_from([[], new]))
    went = [line for line in old if line.strip() and line not in [*lines[:first], *left, *lines[last:]]]
    # What is left may else be what another removal leaves.
    assume(went and old[:1] != lines[last : last + 1] and old[-1:] != lines[first - 1 : first])
    live = [*lines[:first], *left, *lines[last:]]
    result = replace(text(live), text(old), text(new), seen=text(lines))
    assert isinstance(result, Rejected), result


@given(st.lists(st.sampled_from(["start(one_thing)", "stay(one_thing)", "", "}"]), min_size=4, max_size=9), st.data())
def test_moved_lines_are_edited_where_they_are_now_or_not_at_all(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines) - 1))
    last = data.draw(st.integers(first + 1, min(first + 2, len(lines))))
    to = data.draw(st.integers(0, first - 1))
    old, rest = lines[first:last], [*lines[:first], *lines[last:]]
    assume(sum(lines[n : n + len(old)] == old for n in range(len(lines))) == 1 and any(old))
    # Another move may else have left the same.
    assume(old[:1] not in (lines[last : last + 1], lines[to : to + 1]))
    assume(old[-1:] not in (lines[first - 1 : first], lines[to - 1 : to] if to else None))
    live, both = ([*rest[:to], *some, *rest[to:]] for some in (old, ["wait()"]))
    result = replace(text(live), text(old), "wait()\n", seen=text(lines))
    assert isinstance(result, Rejected) or said(result.content or "") == said(text(both))


def said(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.split("\n") if line]


@given(WORDS, st.integers(2, 4), st.data())
def test_of_equal_blocks_of_which_one_was_moved_to_the_other_the_right_one_is_edited_or_none(
    lines: list[str], n_alike: int, data: st.DataObject
) -> None:
    head, block, below = lines[:1], lines[1 : 1 + n_alike], lines[1 + n_alike : -1]
    edited = data.draw(st.integers(1, n_alike - 1))
    n_moved = data.draw(st.integers(n_alike - edited, n_alike))
    moved = block[-n_moved:]
    new = [*block[:edited], "new", *block[edited:]]
    seen = [*head, *block, *below, *moved, *lines[-1:]]
    live, wanted = ([*head, *block[:-n_moved], *moved, *one, *below, *lines[-1:]] for one in (block, new))
    for way in (1, -1):
        decide = deciding(Edit(text([*block, *below][::way]), text([*new, *below][::way])))
        result = STALE_RULES["recommended"](text(seen[::way]), text(live[::way]), decide)
        assert isinstance(result, Rejected) or result.content == text(wanted[::way])


@given(WORDS, st.lists(st.sampled_from(["}", "]", ""]), min_size=1, max_size=3), st.sampled_from((1, -1)))
def test_a_quotation_beyond_brackets_is_not_taken_for_lines_that_were_changed(
    lines: list[str], brackets: list[str], way: int
) -> None:
    assume(any(brackets))
    head, block, below = ["}", lines[0]], lines[1:3], [*lines[4:], "}"]
    seen = [*head, *brackets, *block, *below][::way]
    live = [*head, *block, *brackets, lines[1], "changed", *below][::way]
    decide = deciding(Edit(text(block[::way]), text([lines[1], "new"][::way])))
    result = STALE_RULES["recommended"](text(seen), text(live), decide)
    assert isinstance(result, Rejected), result.content


@given(LETTERS, LETTERS, LETTERS)
def test_an_unchanged_text_is_edited_as_ever(seen: list[str], old: list[str], new: list[str]) -> None:
    decide = deciding(Edit(text(old), text(new)))
    for name, rule in STALE_RULES.items():
        if name in ("recommended", "gate", "match_live"):
            assert rule(text(seen), text(seen), decide) == decide(text(seen)), name


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@given(data=st.data())
def test_merge3_is_git_merge_file(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    # Distinct lines: of equal ones, git's diff may take another for the one that stayed.
    base = data.draw(WORDS)
    mine, theirs = (data.draw(_changed(base, names)) for names in ("mine", "theirs"))
    folder = tmp_path_factory.getbasetemp()
    paths: list[Path] = []
    for name, lines in (("ours", mine), ("base", base), ("theirs", theirs)):
        paths.append(folder / name)
        paths[-1].write_text(text(lines))
    command = ["git", "merge-file", "-p", *map(str, paths)]
    merged = subprocess.run(command, capture_output=True, text=True, check=False)
    result = STALE_RULES["merge3"](text(base), text(theirs), lambda _: Applied(text(mine)))
    if mine == theirs:
        assert isinstance(result, Rejected)
        assert result.reason is Reason.IDENTICAL
    elif merged.returncode == 0:
        assert isinstance(result, Applied)
        assert result.content == merged.stdout
    else:
        assert isinstance(result, Rejected)


@st.composite
def _changed(draw: st.DrawFn, base: list[str], name: str) -> list[str]:
    lines = list(base)
    for n in range(draw(st.integers(1, 2))):
        first = draw(st.integers(0, len(lines)))
        lines[first : first + draw(st.integers(0, 2))] = [f"{name}{n}"][: draw(st.integers(0, 1))]
    return lines


def test_replace_takes_what_was_seen() -> None:
    result = replace("b = 1\na = 1\n", "a = 1", "a = 2", seen="a = 1\n")
    assert isinstance(result, Applied)
    assert result.content == "b = 1\na = 2\n"
    assert [(one.start, one.end) for one in result.matches] == [(6, 12)]
    assert any("changed since" in note for note in result.notes)


@pytest.mark.parametrize("rule", [rule for rule in STALE_RULES if rule not in ("gate", "mtime")])
def test_a_new_first_line_is_below_the_byte_order_mark_of_now_if_there_is_one(rule: str) -> None:
    seen, live = "one\ntwo\nthree\nfour\n", "one\ntwo\nthree\nfour\nfive\n"
    for first in ("zero\none\n", "\ufeffzero\none\n"):
        result = apply_edit(f"\ufeff{live}", Edit("one\n", first), seen=f"\ufeff{seen}", stale=rule)
        assert isinstance(result, Applied)
        assert result.content == f"\ufeffzero\n{live}"
    result = stale_rule(rule)(f"\ufeff{seen}", f"\ufeff{live}", lambda one: insert_lines(one, 0, "zero"))
    assert isinstance(result, Applied)
    assert result.content == f"\ufeffzero\n{live}"


def test_lines_are_put_into_a_file_that_was_empty_when_it_was_read_or_refused() -> None:
    for live in ("x\n", "\n", "a\nb\n"):
        result = stale_rule("recommended")("", live, lambda one: insert_lines(one, 0, "new"))
        assert isinstance(result, Rejected) or "new" in (result.content or "")


def test_a_refusal_shows_both_versions_and_no_more_than_forty_lines() -> None:
    seen = text([f"line {n}" for n in range(100)])
    live = text([f"other {n}" for n in range(100)])
    result = replace(live, seen, "new", seen=seen)
    assert isinstance(result, Rejected)
    assert result.reason is Reason.STALE_READ
    assert "lines 1 to 100 as you read it" in result.message
    assert "now in the file:\n|other 0\n" in result.message
    assert "your edit:\n|new" in result.message
    assert len(result.message.split("\n")) <= 42


def test_an_unknown_rule_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no rule 'merge'") as found:
        stale_rule("merge")
    assert "merge3" in str(found.value.tip)


def test_files_are_edited_together_or_not_at_all() -> None:
    seen, live = {"a": "a\n", "b": "b\n"}, {"a": "x\na\n", "b": "b\n", "c": "c\n"}

    def decide(files: Mapping[str, str]) -> EditResult:
        changed = {path: content.replace("a\n", "A\n").replace("b\n", "B\n") for path, content in files.items()}
        return Applied(files=changed)

    rule = STALE_RULES["recommended"]
    result = placed_in_files(seen, live, decide, rule)
    assert isinstance(result, Applied)
    assert result.files == {"a": "x\nA\n", "b": "B\n", "c": "c\n"}
    result = placed_in_files(seen, {**live, "b": "other\n"}, decide, rule)
    assert isinstance(result, Rejected)
    assert result.message.startswith("b: ")


def test_a_file_that_was_changed_since_is_not_deleted() -> None:
    result = placed_in_files({"a": "a\n"}, {"a": "other\n"}, lambda _: Applied(files={}), STALE_RULES["recommended"])
    assert isinstance(result, Rejected)
    assert result.reason is Reason.STALE_READ
    result = placed_in_files({"a": "a\n"}, {"a": "a\n"}, lambda _: Applied(files={}), STALE_RULES["recommended"])
    assert isinstance(result, Applied)
    assert result.files == {}


@pytest.mark.parametrize(
    ("apply", "patch"),
    [
        (apply_begin_patch, "*** Begin Patch\n*** Update File: a.py\n@@\n-b = 2\n+b = 3\n*** End Patch\n"),
        (apply_unified_diff, "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-b = 2\n+b = 3\n"),
        (apply_search_replace, "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"),
    ],
)
def test_patches_take_what_was_seen(apply: Callable[..., EditResult], patch: str) -> None:
    seen = {"a.py": "a = 1\nb = 2\nc = 3\n"}
    # The copy at the top is another hand's.
    result = apply({"a.py": "b = 2\nz = 0\na = 1\nb = 2\nc = 3\n"}, patch, seen=seen)
    assert isinstance(result, Applied)
    assert result.files == {"a.py": "b = 2\nz = 0\na = 1\nb = 3\nc = 3\n"}
    result = apply({"a.py": "a = 1\nb = 20\nc = 3\n"}, patch, seen=seen)
    assert isinstance(result, Rejected)
    assert result.reason is Reason.STALE_READ
