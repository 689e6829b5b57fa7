from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.sample import Sample
from editcore.agents import AGENTS
from editcore.anchors import ANCHOR_RULES
from editcore.cascade import CASCADES, Cascade
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.replacers import REPLACERS
from editcore.stale import STALE_RULES
from editcore.text.document import Document
from editcore.tiers import TIERS
from editcore.types import Applied, Edit, Match, Reason, Rejected
from harness.commands.strategies.ls import KINDS
from harness.strategies import rule_strategies
from harness.strategies.peers import peer_strategies
from harness.strategies.registry import select, strategies, strategy
from harness.strategies.rule_strategies import FAMILIES, apply_pairs, cascade_of, patch_strategies
from harness.strategies.shell_strategies import shell_strategies
from harness.strategies.tool_strategies import tool_strategies
from tests.harness.program import Program, install_in
from tests.samples import sample

BUILT_IN = [
    *(f"replacer/{name}" for name in REPLACERS), *(f"tier/{name}" for name in TIERS),
    *(f"cascade/{name}" for name in CASCADES), *(f"agent/{name}" for name in AGENTS),
    *(strategy.name for strategy in patch_strategies()), *(f"stale/{name}" for name in STALE_RULES),
    *(f"anchors/{name}" for name in ANCHOR_RULES),
    *(strategy.name for strategy in (*shell_strategies(), *tool_strategies(), *peer_strategies())),
]  # fmt: skip


def names(*patterns: str) -> list[str]:
    return [strategy.name for strategy in select(patterns)]


# The table


def test_each_replacer_and_tier_alone_comes_first_then_each_cascade_then_agents() -> None:
    assert list(strategies())[: len(BUILT_IN)] == BUILT_IN


def test_a_cascade_of_the_table_is_listed_with_its_own_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken, silent = Cascade("spoken", ("simple",), summary="As it says."), Cascade("silent", ("simple",))
    table = {**CASCADES, "spoken": spoken, "silent": silent}
    monkeypatch.setattr(rule_strategies, "CASCADES", table)
    monkeypatch.setitem(FAMILIES, "cascade", (table, FAMILIES["cascade"][1]))
    strategies.cache_clear()
    try:
        listed = {one.name: one.summary for one in KINDS["strategies"]()}
    finally:
        strategies.cache_clear()
        strategy.cache_clear()
    assert listed["cascade/spoken"] == "As it says."
    assert listed["cascade/silent"] == "In this order: simple; no guards."


def test_every_strategy_says_in_one_line_what_it_is() -> None:
    for one in strategies().values():
        assert one.summary
        assert "\n" not in one.summary


def order(name: str) -> tuple[str, ...]:
    """The names of the replacers or tiers of a strategy's cascade."""
    cascade = cascade_of(name)
    assert cascade
    return cascade.order


def test_a_cascade_knows_its_order() -> None:
    assert order("cascade/reference") == tuple(REPLACERS)
    assert order("replacer/simple") == ("simple",)
    assert cascade_of("tool/edit") is cascade_of("replacer/none") is cascade_of("cascade/none") is None


def test_strategies_are_chosen_by_name_and_glob_in_the_order_of_the_table() -> None:
    assert names() == list(strategies())
    assert names("cascade/exact", "replacer/simple") == ["replacer/simple", "cascade/exact"]
    assert names("cascade/*") == [f"cascade/{name}" for name in CASCADES]
    assert names("c*/exact", "cascade/*") == names("cascade/*")
    assert names("replacer/[st]*") == ["replacer/simple", "replacer/trimmed_boundary"]


@pytest.mark.parametrize("pattern", ["simple", "cascade", "replacer/sim", "Cascade/Exact", "", "x*"])
def test_an_unknown_strategy_is_the_users_mistake(pattern: str) -> None:
    with pytest.raises(UsageError, match="There is no strategy") as caught:
        select(["cascade/exact", pattern])
    assert "editgauge ls strategies" in caught.value.tip


@pytest.mark.parametrize("pattern", ["cmd/mine", "node edit.js"])
def test_a_program_without_its_name_is_told_how_it_is_named(pattern: str) -> None:
    with pytest.raises(UsageError, match="There is no strategy") as caught:
        select([pattern])
    assert "'cmd:mine=node edit.js'" in caught.value.tip


# Strategies that are made, since their names say how

VARIANT = "replacer/block_anchor@similarity=0.5,size_window=0.25"
ORDER = "cascade/line_trimmed+simple+block_anchor@single_similarity=0.8"


def test_a_replacer_with_other_thresholds_is_a_strategy_by_its_name() -> None:
    made = strategy(VARIANT)
    assert (made.name, made.spec, order(VARIANT)) == (
        VARIANT,
        VARIANT,
        ("block_anchor@similarity=0.5,size_window=0.25",),
    )
    assert made.formats == set(EDIT_FORMATS)
    assert made.summary == f"{strategies()['replacer/block_anchor'].summary} ({order(VARIANT)[0]})"
    drifted = sample(before="in\n  abcdefghij\nout\n", old="in\n  zzzzzzzzzz\nout")
    assert isinstance(strategies()["replacer/block_anchor"].apply(drifted, None), Applied)
    assert isinstance(made.apply(drifted, None), Rejected)


def test_replacers_in_any_order_are_a_strategy_by_their_names() -> None:
    made = strategy(ORDER)
    assert order(ORDER) == ("line_trimmed", "simple", "block_anchor@single_similarity=0.8")
    one = sample(before="  x = 1\n", old="x = 1", new="y")
    result = made.apply(one, None)
    assert isinstance(result, Applied)
    # The reference would have asked `simple` first, and kept the indentation.
    assert (result.content, result.replacer) == ("y\n", "line_trimmed")
    assert order("cascade/simple") == ("simple",)
    assert order("cascade/block_anchor@similarity=1") == ("block_anchor@similarity=1",)


def test_a_name_of_the_table_is_that_of_the_table() -> None:
    assert strategy("cascade/reference") is strategies()["cascade/reference"]
    assert strategy("replacer/simple") is strategies()["replacer/simple"]


def test_made_strategies_come_after_those_of_the_table_and_stand_beside_globs() -> None:
    assert names(VARIANT) == [VARIANT]
    assert names(ORDER, "cascade/*", VARIANT) == [*(f"cascade/{name}" for name in CASCADES), ORDER, VARIANT]
    assert names(VARIANT, VARIANT) == [VARIANT]
    # A glob stands for names of the table only.
    assert names("replacer/block*", VARIANT) == ["replacer/block_anchor", VARIANT]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cascade/simple+line_trimmed+simple", "cascade/simple+line_trimmed+simple names a replacer twice"),
        ("cascade/simple+", "There is no replacer ''"),
        ("cascade/simple+simpel", "There is no replacer 'simpel'"),
        ("cascade/reference+simple", "There is no replacer 'reference'"),
        ("replacer/sample@similarity=1", "There is no replacer 'sample'"),
        ("replacer/simple@similarity=1", "simple takes no parameter 'similarity'"),
        (
            "replacer/block_anchor@similarity=2",
            "similarity of block_anchor must be a number from 0 to 1, not '2'",
        ),
        ("replacer/simple+line_trimmed", "There is no strategy 'replacer/simple+line_trimmed'"),
        ("tool/simple@similarity=1", "There is no strategy 'tool/simple@similarity=1'"),
        ("nothing", "There is no strategy 'nothing'"),
    ],
)
def test_a_name_of_which_no_strategy_can_be_made_is_the_users_mistake(spec: str, message: str) -> None:
    for find in (strategy, lambda name: select(["cascade/*", name])):
        with pytest.raises(UsageError) as caught:
            find(spec)
        assert caught.value.message == message
        assert caught.value.tip.endswith((".", "say."))


def test_a_strategy_takes_samples_with_edits_of_its_formats_only() -> None:
    strategy = strategies()["cascade/exact"]
    assert strategy.formats == set(EDIT_FORMATS)
    assert strategy.takes(sample())
    assert strategy.takes(replace(sample(), format="search_replace"))
    assert not strategy.takes(replace(sample(), format="search_replace", edits=None, patch="no block"))
    assert not strategy.takes(replace(sample(), format="unified_diff", edits=None, patch="@@"))


# Edits


def edited(before: str, *edits: tuple[str, str], cascade: Cascade = CASCADES["reference"]) -> Applied | Rejected:
    one = replace(sample(before=before), edits=tuple(Edit(*edit) for edit in edits))
    return apply_pairs(cascade, one, None)


def test_several_edits_are_applied_in_order_each_on_what_the_ones_before_left() -> None:
    result = edited("a b\n", ("a", "b2"), ("b2 b", "c"))
    assert isinstance(result, Applied)
    assert result.content == "c\n"
    assert result.matches == (Match(0, 4, "simple"), Match(0, 4, "simple"))


@pytest.mark.parametrize("edits", [[("a", "x"), ("nowhere", "y")], [("nowhere", "y"), ("a", "x")]])
def test_edits_are_applied_all_or_nothing(edits: list[tuple[str, str]]) -> None:
    result = edited("a b\n", *edits)
    assert isinstance(result, Rejected)
    assert result.reason == Reason.NO_MATCH


def test_the_replacer_of_several_edits_is_the_one_furthest_down() -> None:
    text = "    one = 1\n    two = 2\nthree = 3\nfour\n"
    indented = ("one = 1\ntwo = 2", "one = 1\ntwo = 3")
    exact = ("three = 3", "three = 4")
    for edits in ([indented, exact], [exact, indented]):
        result = edited(text, *edits)
        assert isinstance(result, Applied)
        assert result.replacer == "line_trimmed"


def test_a_document_that_is_given_is_used() -> None:
    document = Document("from elsewhere")
    one = replace(sample(), edits=(Edit("from", "to"),))
    result = apply_pairs(CASCADES["exact"], one, document)
    assert isinstance(result, Applied)
    assert result.content == "to elsewhere"


def test_the_same_find_in_any_order_of_strategies_is_the_same_result() -> None:
    one: Sample = sample(before="x = 1\nif a:\n    x = 1\n")
    document = Document(one.before[0].content)
    taking = [strategy for strategy in strategies().values() if strategy.takes(one)]
    there = [strategy.apply(one, document) for strategy in taking]
    back = [strategy.apply(one, document) for strategy in reversed(taking)]
    assert there == back[::-1]


# Strategies of other packages, from a package that is really installed

OTHERS = '''
from editcore.types import Applied, Reason, Rejected
from harness.strategies.strategy import Strategy

def first(sample):
    """Replace the first occurrence.

    And more to say.
    """
    before, edit = sample.before[0].content, sample.edits[0]
    if edit.old_string not in before:
        return Rejected(Reason.NO_MATCH, "no")
    return Applied(before.replace(edit.old_string, edit.new_string, 1))

def blank(sample):
    """   """

whole = Strategy("others/patch", frozenset(["unified_diff"]), lambda sample, document: None, "Patches.", "9")
taken = Strategy("cascade/exact", frozenset(), first, "An impostor.", "9")
number = 3
'''


def listed(answer: str) -> dict[str, str]:
    return {row["name"]: row["summary"] for row in json.loads(answer)["strategies"]}


def test_strategies_of_other_packages_come_after_the_built_in(editgauge: Program, tmp_path: Path) -> None:
    env = install_in(tmp_path / "site", OTHERS, first="others:first", blank="others:blank", patch="others:whole")
    done = editgauge("ls", "strategies", "--json", extra=env)
    assert done.stderr == ""
    assert list(listed(done.stdout)) == [*BUILT_IN, "others/first", "others/blank", "others/patch"]
    assert listed(done.stdout)["others/first"] == "Replace the first occurrence. [others]"
    assert listed(done.stdout)["others/blank"] == "others:blank [others]"


def test_broken_strategies_are_left_out_with_a_warning_each(editgauge: Program, tmp_path: Path) -> None:
    env = install_in(
        tmp_path / "site", OTHERS, first="others:first", gone="others:nowhere", module="nowhere:first",
        number="others:number", taken="others:taken",
    )  # fmt: skip
    done = editgauge("run", "smoke", "-q", "-j", 2, "-s", "cascade/exact", "-s", "others/*", "-o", "a", extra=env)
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert [line.split()[3] for line in warnings] == ["others/gone", "others/module", "others/number", "others/taken"]
    assert "the name cascade/exact is taken" in warnings[3]
    shown = [
        line.split()[0] for line in done.stdout.splitlines() if line.startswith(("cascade/exact ", "others/first "))
    ]
    assert shown == ["cascade/exact", "others/first"]


def test_plug_ins_can_be_turned_off(editgauge: Program, tmp_path: Path) -> None:
    env = install_in(tmp_path / "site", OTHERS, first="others:first", gone="others:nowhere") | {
        "EDITGAUGE_NO_PLUGINS": "1"
    }
    done = editgauge("ls", "strategies", "--json", extra=env)
    assert (list(listed(done.stdout)), done.stderr) == (BUILT_IN, "")
