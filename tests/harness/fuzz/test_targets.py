"""Fuzz targets find the defects that they are for: what was not meant, doors that differ, tools that misread."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.generation.recipes import KINDS, Kind, Recipe, drawn, is_sensible, mutators_of, sample_of
from corpora.importers import importers
from corpora.load import load
from corpora.sample import Format, Sample
from editcore.apply import replace
from editcore.cascade import CASCADES, Cascade
from editcore.formats import ANCHORED_FORMATS
from editcore.shell import script
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, File
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import FORMS, bytes_of, fields_in
from harness.fuzz.properties.meant import is_accepted
from harness.fuzz.targets import select_targets, tools
from harness.fuzz.targets.intents import (
    FORMATS,
    asked_of,
    checking,
    drawing,
    drawn_as,
    files,
    format_of,
    made,
    recipe_of,
)
from harness.fuzz.targets.logs import LOGS, edits_come_back
from harness.fuzz.targets.tools import call, line_endings_hold, parameters_are_read, patterns_are_narrow
from harness.strategies.registry import strategies, strategy
from tests.harness.doors import differences, doors_differ

# Every door gives the same text for an edit, or refuses it for the same reason.

FILE = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"


@given(st.randoms(use_true_random=False))
def test_all_doors_agree_on_edits_that_are_drawn(rng) -> None:  # type: ignore[no-untyped-def]
    fields = GENERATORS["str_replace"](rng)
    assert doors_differ(fields) == [], fields


def test_all_doors_agree_on_the_smallest_corpus() -> None:
    samples = [one for one in load("smoke") if one.format == "str_replace" and len(one.edits or ()) == 1]
    assert len(samples) > 20
    assert [(one.id, *found) for one in samples for name in CASCADES for found in differences(one, name)] == []


@pytest.mark.parametrize("content", ["", "\ufeff", "\n", "a\n"])
@pytest.mark.parametrize("old", ["", "\ufeff", "\n"])
@pytest.mark.parametrize("new", ["x\n", "\n", ""])
def test_all_doors_agree_on_empty_texts(content: str, old: str, new: str) -> None:
    assert doors_differ((content, old, new)) == []


def test_an_elision_in_both_texts_is_merged_at_every_door() -> None:
    """The tools removed the lines that the comment stood for, and left the comment in the file."""
    comment = "    # ... existing code ...\n"
    old, new = f"def f():\n{comment}    return a\n", f"def f():\n{comment}    return b\n"
    result = replace(FILE, old, new)
    assert isinstance(result, Applied)
    assert result.content == FILE.replace("return a", "return b")
    assert doors_differ((FILE, old, new)) == []


def test_a_search_text_indented_otherwise_is_written_with_the_indentation_of_the_file_at_every_door() -> None:
    old, new = "def f():\n  a = 1\n  b = 2\n", "def f():\n  a = 1\n  b = 4\n"
    result = replace(FILE, old, new)
    assert isinstance(result, Applied)
    assert result.content == FILE.replace("b = 2", "b = 4")
    assert doors_differ((FILE, old, new)) == []


def test_a_door_that_pastes_is_found(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    sample = FORMS["str_replace"].sample((FILE, "def f():\n  a = 1\n", "def f():\n  a = 5\n"))
    assert sample is not None
    pasted = FILE.replace("def f():\n    a = 1\n", "def f():\n  a = 5\n")
    monkeypatch.setattr("editcore.host.tools.edit.apply_edit", lambda *_, **__: Applied(pasted, (), "x"))
    assert {door for door, *_ in differences(sample, "recommended")} == {
        "tool/edit@recommended",
        "tool/multi_edit@recommended",
    }


# What is written was meant: recipes, the reader who judges results, and strategies that are found wrong.

BEFORE = "def f(a):\n    total = a - 1\n\n    return total\n"


def sample(old: str, new: str, right: str, before: str = BEFORE) -> Sample:
    file = File("f.py", before)
    return Sample("s", "str_replace", (file,), "apply", edits=(Edit(old, new),), target=(File("f.py", right),))


@pytest.mark.parametrize(
    ("old", "new", "right", "given", "accepted"),
    [
        ("x", "y", "say('10\u00a0km', last)\n", "say('10 km', last)\n", True),
        ("x", "y", "a - b\n", "a \u2013 b\n", True),
        ("x", "y", "a\n\nb\n", "a\nb\n", False),
        ("x\n\n", "y\n", "a\n\nb\n", "a\nb\n", True),
        ("x", "y", "    a\n", "  a\n", False),
        ("x", "y", "a\n", "b\n", False),
        ("x", "y", "a\nb", "a\nb\n", True),
        ("x", "y", "ab\n", "a b\n", False),
        ("x", "y", "a\n", "a\nb\n", False),
    ],
)
def test_a_reader_minds_words_and_indentation(old: str, new: str, right: str, given: str, accepted: bool) -> None:
    one = sample(old, new, right, before="x = 1\n")
    assert is_accepted(one, Applied(given, (), "x")) is accepted


def test_a_reader_minds_line_endings_and_the_byte_order_mark() -> None:
    one = sample("x", "y", "y\r\nb\r\n", before="x\r\nb\r\n")
    assert not is_accepted(one, Applied("y\nb\r\n", (), "x"))
    one = sample("x", "y", "\ufeffy\n", before="\ufeffx\n")
    assert not is_accepted(one, Applied("y\n", (), "x"))


@given(st.randoms(use_true_random=False), st.sampled_from(KINDS), st.sampled_from(FORMATS))
def test_a_recipe_is_what_its_bytes_say(rng: Random, kind: Kind, format: Format) -> None:
    fields = drawing(kind, format)(rng)
    recipe = recipe_of(fields_in(bytes_of(fields)))
    assert recipe is not None
    assert tuple(map(str, recipe)) == fields
    assert recipe.mutator in {mutator.name for mutator in mutators_of(kind, drawn_as(format))}


@given(st.randoms(use_true_random=False), st.sampled_from(KINDS))
def test_what_a_sample_says_is_certain(rng: Random, kind: Kind) -> None:
    one = sample_of(drawn(rng, kind, "str_replace", files()), "str_replace")
    if one is not None:
        assert kind == "stale" or one.label == ("apply" if kind in ("intent", "slips") else "refuse")
        assert (one.seen is not None) is (kind == "stale")
        assert one.seen != one.before
        assert one.edits
        assert one.target is None or one.target != one.before


def test_a_recipe_whose_place_is_not_certain_makes_no_sample() -> None:
    recipe = Recipe("f.py", "go(first_one)\n", "go(first_one)", "\n", "stop(first_one)", "trailing_blanks", 1, 0)
    assert made(recipe, "str_replace") is None
    alone = recipe._replace(above="other = 2\n")
    assert made(alone, "str_replace") is not None
    assert made(alone._replace(new="go(first_one)"), "str_replace") is None
    assert made(alone._replace(mutator="no_such"), "str_replace") is None
    assert recipe_of(("f.py", "", "a", "", "b", "exact", "one", "0")) is None


def test_a_change_that_nobody_can_mean_is_passed_over_in_fuzzing_only() -> None:
    recipe = Recipe("f.py", "other = 2\n", "    go(first_one)", "\n", "  stop(first_one)", "trailing_blanks", 1, 0)
    assert made(recipe, "str_replace") is not None
    assert not is_sensible(recipe)
    assert is_sensible(recipe._replace(new="    stop(first_one)"))
    check = checking(strategy("cascade/reference"), "intent", "str_replace")
    assert check(tuple(map(str, recipe)), False) == ()


@given(
    st.randoms(use_true_random=False),
    st.sampled_from(["cascade/recommended", "stale/recommended", "anchors/recommended"]),
    st.data(),
)
def test_recommended_writes_nothing_that_was_not_meant(rng: Random, name: str, data: st.DataObject) -> None:
    recommended = strategy(name)
    kind, format = data.draw(st.sampled_from(asked_of(recommended)))
    one = made(drawn(rng, kind, drawn_as(format), files()), format)
    result = recommended.apply(one, None) if one else None
    assert one is None or not isinstance(result, Applied) or is_accepted(one, result), one
    fields = drawing(kind, format)(rng)
    assert checking(recommended, kind, format)(fields, False) == (), fields


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cascade/reference", "intent"),
        ("cascade/reference", "contradiction"),
        ("unified_diff/fuzz", "contradiction"),
        ("begin_patch/codex", "intent"),
        ("stale/match_live", "stale"),
        ("anchors/h2_oh_my_openagent", "contradiction"),
        ("anchors/h4_oh_my_pi", "intent"),
    ],
)
def test_a_strategy_that_guesses_is_found(name: str, kind: Kind) -> None:
    one = strategy(name)
    format = next(format for asked, format in asked_of(one) if asked == kind)
    draw, check = drawing(kind, format), checking(one, kind, format)
    assert any(check(draw(Random(seed)), False) for seed in range(400))


def test_every_cascade_tier_and_reading_is_a_target_of_each_kind() -> None:
    asked = [name for name, one in strategies().items() if format_of(one) and not name.startswith(("agent/", "cmd/"))]
    assert {"cascade/recommended", "tier/drift", "search_replace/exact", "begin_patch/lenient"} <= set(asked)
    names = [target.name for target in select_targets(["intent/*", "contradiction/*"])]
    meant = [f"{kind}/{name}" for kind in ("intent", "contradiction") for name in asked]
    stale = [f"intent/stale/recommended{of}" for of in ("", *(f":{format}" for format in (*FORMATS[1:], "insert")))]
    kinds = ("intent", "contradiction")
    anchored = [f"{kind}/anchors/recommended:{format}" for kind in kinds for format in ANCHORED_FORMATS]
    assert sorted(names) == sorted([*meant, *stale, *anchored])


def test_rules_for_stale_edits_are_asked_such_in_every_format_and_nothing_else() -> None:
    assert asked_of(strategy("stale/gate")) == tuple([("stale", format) for format in (*FORMATS, "insert")])
    kinds = ("intent", "slips", "contradiction")
    assert asked_of(strategy("cascade/exact")) == tuple([(kind, "str_replace") for kind in kinds])
    assert asked_of(strategy("tool/edit")) == ()


def test_stale_pairs_are_blocks_where_these_can_say_as_much() -> None:
    recipe = Recipe(
        "f.py",
        "one = 1\ntwo = 2\n" * 4,
        "go(first_one)",
        "\nsix = 6\nnine = 9\nten = 10\n",
        "stop(first_one)",
        "",
        1,
        0,
    )
    copied = made(recipe._replace(mutator="since_copied_below"), "search_replace")
    assert copied is not None
    assert copied.patch == "f.py\n<<<<<<< SEARCH\ngo(first_one)\n=======\nstop(first_one)\n>>>>>>> REPLACE\n"
    assert made(recipe._replace(mutator="since_occurrence"), "str_replace") is not None
    assert made(recipe._replace(mutator="since_occurrence"), "search_replace") is None


# The properties of the tools' fuzz targets find the defects that they are for.


def _as_it_is(text: str, edit: Edit, cascade: Cascade) -> EditResult:
    return cascade.apply(Document(text), edit)


@pytest.mark.parametrize(
    ("text", "old", "new", "path"),
    [
        ("x\r\ny\r\nq\r\nx\ny\n", "x\ny", "z", "ambiguous"),
        ("a\r\nfoo\r\nb\r\n", "\nfoo", "", "uniform"),
        ("a\r\nfoo\r\nb\r\n", "foo", "bar\nbaz", "uniform"),
        ("a\nfoo\n", "foo", "bar\r\nbaz", "uniform"),
    ],
)
def test_an_edit_that_sees_carriage_returns_is_found(
    monkeypatch: pytest.MonkeyPatch, text: str, old: str, new: str, path: str
) -> None:
    assert line_endings_hold(text, old, new) == []
    monkeypatch.setattr(tools, "apply_edit", _as_it_is)
    assert [one.path for one in line_endings_hold(text, old, new)] == [path]


def test_a_wrapper_that_widens_a_permission_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert patterns_are_narrow("ls a; git status") == ()
    monkeypatch.setattr(script, "QUIET", script.QUIET | {"setsid"})
    assert [one.property for one in patterns_are_narrow("rm a")] == ["patterns_are_narrow"]
    assert any(parameters_are_read(call(Random(seed)), False) for seed in range(2000))


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_a_drawn_session_gives_back_the_drawn_edits(name: str) -> None:
    (target,) = select_targets([f"log/{name}"])
    inputs = [target.generate(Random(seed)) for seed in range(150)]
    assert [found for fields in inputs for found in target.check(fields, False)] == []
    # An importer that takes an old text for the new one, and one for which failed calls are made.
    swapped = LOGS[name]._replace(edit=(*LOGS[name].edit[:2], LOGS[name].edit[3], LOGS[name].edit[2]))
    unfailed = LOGS[name]._replace(errors=("", ""))
    for agent in (swapped, unfailed):
        check = edits_come_back(importers()[name], agent)
        assert any(check(fields, False) for fields in inputs)
