"""Rules of editcore as strategies: patches, stale edits and anchored edits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.sample import Sample, SeenLines
from editcore.anchors import ANCHOR_RULES
from editcore.errors import UsageError
from editcore.formats import ANCHORED_FORMATS, EDIT_FORMATS
from editcore.stale import STALE_RULES
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.strategies.registry import select, strategies, strategy
from harness.strategies.rule_strategies import patch_strategies
from harness.strategies.strategy import NEW, OLD, PATH, TEXT, example_sample
from harness.strategies.tool_strategies import tool_strategies
from tests.samples import sample

# Patch operations and tools as strategies: each takes its format, and works on a real disk where it says so.

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
    both = replace(
        sample(0), before=(File("a.py", "one\none\ntwo\n"),), edits=(Edit("one", "1", occurrence=1), Edit("two", "2"))
    )
    result = tool.apply(both, None)
    assert isinstance(result, Applied)
    assert dict(result.files or {}) == {"a.py": "1\none\n2\n"}
    every = replace(both, edits=(Edit("one", "1", replace_all=True),))
    result = tool.apply(every, None)
    assert isinstance(result, Applied)
    assert dict(result.files or {}) == {"a.py": "1\n1\ntwo\n"}
    result = tool.apply(replace(both, edits=(Edit("one", "1", occurrence=1), Edit("three", "3"))), None)
    assert isinstance(result, Applied), "The first call was made, whatever became of the second."
    assert dict(result.files or {}) == {"a.py": "1\none\ntwo\n"}
    assert isinstance(tool.apply(replace(both, edits=(Edit("three", "3"), Edit("one", "1"))), None), Rejected)


def test_a_tool_never_leaves_the_folder() -> None:
    outside = replace(sample(0), before=(File(".git/config", "one\n"),), edits=(Edit("one", "1"),))
    result = strategies()["tool/edit_file"].apply(outside, None)
    assert isinstance(result, Rejected)
    assert result.reason in (Reason.OUTSIDE_WORKSPACE, Reason.NOT_ALLOWED)


# Rules for stale edits as strategies: which samples runs give them.


@pytest.mark.parametrize("name", [*(f"stale/{rule}" for rule in STALE_RULES), "stale/merge3@exact"])
def test_a_rule_for_stale_edits_is_run_on_stale_edits_alone(name: str) -> None:
    fresh, rule = sample(), strategy(name)
    stale = replace(fresh, seen=(File(fresh.before[0].path, "another text"),))
    assert rule.takes(fresh)
    assert not rule.is_run_on(fresh)
    assert rule.is_run_on(stale)
    assert not rule.is_run_on(replace(stale, format="hashline_h2", edits=None, patch="{}"))


def test_any_other_strategy_is_run_on_what_it_takes() -> None:
    assert strategies()["cascade/exact"].is_run_on(sample())


def test_an_edit_whose_lines_were_changed_is_not_made_where_another_one_is() -> None:
    routes = '\t"routes": {\n\t\t"a": {\n\t\t\t"timeout": 3000,\n\t\t}\n\t}\n'
    seen = f'{{\n\t"defaults": {{\n\t\t"timeout": 3000,\n\t}},\n{routes}}}\n'
    live = seen.replace('\t\t\t"timeout": 3000,', '\t\t\t"patience": 10,').replace("\t},\n", "\t},\n\n", 1)
    stale = replace(
        sample(before=live),
        edits=(Edit('\t"defaults": {', '\t"common": {'), Edit('\t\t\t"timeout": 3000,', '\t\t\t"timeout": 1,')),
        seen=(File("a.py", seen),),
    )
    rejected = strategies()["stale/recommended"].apply(stale, None)
    assert isinstance(rejected, Rejected)
    assert rejected.reason is Reason.STALE_READ


def test_a_bracket_that_blocks_remove_is_not_another_one_below() -> None:
    old = "go(first_one);\n}\nstop(second_one);\n}\n"
    block = f"a.py\n<<<<<<< SEARCH\n{old}=======\n{old.removesuffix('}' + chr(10))}>>>>>>> REPLACE\n"
    seen = f"fn size() {{\n{old}}}\n8530 => token,\n"
    live = seen.replace(old, f"if (ready) {{\n{indented(old)}}}\n")
    stale = replace(sample(before=live), format="search_replace", edits=None, patch=block, seen=(File("a.py", seen),))
    assert isinstance(strategies()["stale/recommended"].apply(stale, None), Rejected)


def test_blocks_that_were_made_at_an_end_of_the_file_are_not_made_again_for_a_blank_line() -> None:
    block = "a.py\n<<<<<<< SEARCH\none\ntwo\n=======\none\ntwo\n\nthree\n>>>>>>> REPLACE\n"
    seen = (File("a.py", "zero\none\ntwo\n\n"),)
    made = replace(
        sample(before="zero\none\ntwo\n\nthree"), format="search_replace", edits=None, patch=block, seen=seen
    )
    rejected = strategies()["stale/recommended"].apply(made, None)
    assert isinstance(rejected, Rejected)
    assert rejected.reason is Reason.IDENTICAL


def indented(text: str) -> str:
    return "".join([f"    {line}\n" for line in text.splitlines()])


# Rules for anchored edits as strategies.


@pytest.mark.parametrize("rule", ANCHOR_RULES)
def test_every_rule_applies_the_example_of_each_of_its_formats(rule: str) -> None:
    one = strategy(f"anchors/{rule}")
    assert one.formats == {*ANCHOR_RULES[rule].readings}
    assert one.formats <= {*ANCHORED_FORMATS}
    for format in one.formats:
        result = one.apply(example_sample(format), None)  # type: ignore[arg-type]
        assert isinstance(result, Applied), result
        assert result.content == TEXT.replace(OLD, NEW)


def test_what_was_seen_and_shown_of_a_sample_is_given_to_the_rule() -> None:
    sample = example_sample("hashline_h4")
    stale = replace(sample, before=(File(PATH, f"import os\n{TEXT}"),), seen=sample.before)
    result = strategy("anchors/recommended").apply(stale, None)
    assert isinstance(result, Applied)
    assert result.content == f"import os\n{TEXT.replace(OLD, NEW)}"
    unseen = replace(stale, seen_lines=(SeenLines(PATH, 1, 1), SeenLines(PATH, 3, 9)))
    refused = strategy("anchors/recommended").apply(unseen, None)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reason.UNREAD


def test_corrections_are_left_out_by_name() -> None:
    names = ["anchors/h2_oh_my_openagent@without=reflow+range_echo", "anchors/h4_oh_my_pi@without=all"]
    assert [one.name for one in select(names)] == names
    for wrong in ("h2_oh_my_openagent@without=relocation", "h4_gptme@without=x", "h4_oh_my_pi@all"):
        with pytest.raises(UsageError, match="names no correction"):
            strategy(f"anchors/{wrong}")
    with pytest.raises(UsageError, match="no strategy"):
        strategy("anchors/nothing@without=all")
