"""Patch operations and tools as strategies: each takes its format, and works on a real disk where it says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.sample import Sample
from editcore.formats import EDIT_FORMATS
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.strategies.registry import strategies
from harness.strategies.rule_strategies import patch_strategies
from harness.strategies.tool_strategies import tool_strategies
from tests.samples import sample

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+TWO\n*** End Patch\n"
BLOCKS = "a.py\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n"
ON_PATCHES = [*patch_strategies(), *(tool for tool in tool_strategies() if tool.formats.isdisjoint(EDIT_FORMATS))]
PATCHES = {"unified_diff": DIFF, "begin_patch": ENVELOPE, "search_replace": BLOCKS}


def patched(format_: str, patch: str, **fields: object) -> Sample:
    before = (File("a.py", "one\ntwo\nthree\n"),)
    target = (File("a.py", "one\nTWO\nthree\n"),)
    return replace(
        sample(0), format=format_, patch=patch, edits=None, before=before, target=target, label="apply", **fields
    )


@pytest.mark.parametrize("name", [strategy.name for strategy in ON_PATCHES])
def test_each_makes_the_change_it_is_asked_for(name: str) -> None:
    strategy = strategies()[name]
    (format_,) = strategy.formats
    if format_ == "insert":
        one = patched("insert", "TWO" if name == "insert/split" else "TWO\n", line=2)
        after = {"a.py": "one\ntwo\nTWO\nthree\n"}
    elif format_ == "line_range":
        one = patched("line_range", "TWO\n", line=2, end_line=2)
        after = {"a.py": "one\nTWO\nthree\n"}
    else:
        one = patched(format_, PATCHES[format_])
        after = {"a.py": "one\nTWO\nthree\n"}
    assert strategy.takes(one)
    result = strategy.apply(one, None)
    assert isinstance(result, Applied)
    assert dict(result.files or {"a.py": result.content}) == after


@pytest.mark.parametrize("name", [strategy.name for strategy in ON_PATCHES])
def test_each_refuses_what_it_cannot_read(name: str) -> None:
    strategy = strategies()[name]
    (format_,) = strategy.formats
    nonsense = patched(format_, "@@ nonsense @@\n*** x\n") if format_ in PATCHES else patched(format_, "x", line=99)
    result = strategy.apply(nonsense, None)
    assert isinstance(result, Rejected)
    assert "\n" not in result.message


def test_a_strategy_of_a_patch_does_not_take_samples_of_edits() -> None:
    assert not strategies()["unified_diff/tolerant"].takes(sample(0))
    assert not strategies()["search_replace/exact"].takes(replace(sample(0), format="search_replace", patch=None))


def test_a_tool_makes_several_edits_on_the_disk_in_several_calls() -> None:
    tool = strategies()["tool/edit_file"]
    both = replace(sample(0), before=(File("a.py", "one\none\ntwo\n"),), edits=(Edit("one", "1"), Edit("two", "2")))
    result = tool.apply(both, None)
    assert isinstance(result, Applied)
    assert dict(result.files or {}) == {"a.py": "1\none\n2\n"}
    every = replace(both, edits=(Edit("one", "1", replace_all=True),))
    result = tool.apply(every, None)
    assert isinstance(result, Applied)
    assert dict(result.files or {}) == {"a.py": "1\n1\ntwo\n"}
    result = tool.apply(replace(both, edits=(Edit("one", "1"), Edit("three", "3"))), None)
    assert isinstance(result, Applied), "The first call was made, whatever became of the second."
    assert dict(result.files or {}) == {"a.py": "1\none\ntwo\n"}
    assert isinstance(tool.apply(replace(both, edits=(Edit("three", "3"), Edit("one", "1"))), None), Rejected)


def test_a_tool_never_leaves_the_folder() -> None:
    outside = replace(sample(0), before=(File(".git/config", "one\n"),), edits=(Edit("one", "1"),))
    result = strategies()["tool/edit_file"].apply(outside, None)
    assert isinstance(result, Rejected)
    assert result.reason in (Reason.OUTSIDE_WORKSPACE, Reason.NOT_ALLOWED)
