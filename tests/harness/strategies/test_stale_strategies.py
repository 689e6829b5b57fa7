"""Rules for stale edits as strategies: which samples runs give them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editcore.stale import STALE_RULES
from editcore.types import Edit, File, Reason, Rejected
from harness.strategies.registry import strategies, strategy
from tests.samples import sample


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
