"""Properties of every mutator in the table, whatever its format."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from corpora import mutators as table_of_mutators
from corpora.generation.mutate import MutatedSamples, MutationSettings, mutate_edits
from corpora.generation.referee import objection
from corpora.generation.sources import ambiguity
from corpora.mutators import ENTRY_POINTS, MUTATORS, mutators, patch, select_mutators, stale, text
from corpora.mutators.mutator import DEGREES, Mutator
from editcore.errors import UsageError
from tests.corpora.mutators.documents import clean_edits
from tests.corpora.mutators.small_edit import TABLES

_HARMLESS = ("exact",)
_CLEAN = tuple(clean for seed in range(3) for clean in clean_edits(12, seed) if not ambiguity(clean))


def _made(mutator: Mutator[Any], seed: int, *, at: int, n: int) -> MutatedSamples:
    return mutate_edits(
        [_CLEAN[(at + 7 * step) % len(_CLEAN)] for step in range(n)], MutationSettings((mutator,), DEGREES, seed)
    )


@pytest.mark.parametrize("mutator", MUTATORS.values(), ids=lambda mutator: mutator.name)
def test_every_sample_is_certain_and_made_again_from_its_seed(mutator: Mutator[Any]) -> None:
    drawn = Random(mutator.name)
    seed, at = drawn.randrange(100), drawn.randrange(len(_CLEAN))
    made = _made(mutator, seed, at=at, n=1)
    assert made == _made(mutator, seed, at=at, n=1)
    assert len({sample.id for sample in made.samples}) == len(made.samples)
    for sample in made.samples:
        assert objection(sample) is None
        assert sample.label == ("apply" if sample.target is not None else "refuse")
        assert sample.target != sample.before
        if sample.provenance.mutator == "twin":
            assert (sample.label, sample.id[:5]) == ("apply", "twin-")
            continue
        assert sample.id.startswith(f"{mutator.name}-")
        assert f"degree:{sample.id.removeprefix(mutator.name)[1]}" in sample.tags
        assert f"truth:{mutator.truth}" in sample.tags
        if sample.label == "refuse":
            assert mutator.truth in ("refuse", "drift", "hazard")
            twins = {tag[5:] for tag in sample.tags if tag.startswith("twin:")}
            assert twins <= {one.id for one in made.samples}


@pytest.mark.slow
@pytest.mark.parametrize("mutator", MUTATORS.values(), ids=lambda mutator: mutator.name)
def test_each_mutator_damages_some_edit_and_is_seldom_uncertain(mutator: Mutator[Any]) -> None:
    made = MutatedSamples()
    for at in range(0, len(_CLEAN), 2):
        some = _made(mutator, 0, at=at, n=2)
        made.samples += some.samples
        made.dropped += some.dropped
        if len(made.samples) >= 6:
            break
    damaged = [sample for sample in made.samples if sample.provenance.mutator == mutator.name]
    assert damaged
    assert made.dropped.total() <= len(damaged) / 2
    edits = {(clean.old, clean.new, clean.content) for clean in _CLEAN}
    for sample in damaged:
        if mutator.name not in _HARMLESS and len(sample.edits or ()) == 1 and sample.label == "apply":
            assert sample.edits
            (edit,) = sample.edits
            assert (edit.old_string, edit.new_string, sample.before[0].content) not in edits


def test_degrees_and_mutators_have_ids_of_their_own() -> None:
    some = tuple(MUTATORS.values())[::5]
    made = mutate_edits(_CLEAN[:1], MutationSettings(some, DEGREES))
    ids = [sample.id for sample in made.samples]
    assert len(set(ids)) == len(ids)
    other = mutate_edits(_CLEAN[:1], MutationSettings(some, DEGREES, seed=1))
    assert not {one for one in ids if not one.startswith("twin-")} & {sample.id for sample in other.samples}


def test_names_are_keys_and_name_every_mutator_once() -> None:
    assert [mutator.name for mutator in MUTATORS.values()] == list(MUTATORS)
    tables = [table for name, table in vars(table_of_mutators).items() if name.endswith("_MUTATORS")]
    assert sum(map(len, tables)) == len(MUTATORS)
    assert list(mutators())[: len(MUTATORS)] == list(MUTATORS)
    assert "twin" not in MUTATORS


@pytest.mark.parametrize("mutator", MUTATORS.values(), ids=lambda mutator: mutator.name)
def test_a_summary_is_a_sentence_and_says_what_degree_changes(mutator: Mutator[Any]) -> None:
    assert mutator.summary.endswith(".")
    assert ("degree" in mutator.summary) is (len(mutator.degrees) > 1)


def test_globs_select_in_the_order_of_the_table() -> None:
    assert select_mutators(["trunc*", "exact"]) == tuple(
        MUTATORS[name] for name in MUTATORS if name == "exact" or name.startswith("trunc")
    )
    assert len(select_mutators([])) == len(mutators())


def test_a_name_of_no_mutator_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="no mutator 'exakt'") as caught:
        select_mutators(["exact", "exakt"])
    assert caught.value.tip.startswith("Did you mean exact? See `editgauge ls mutators`")


def test_other_packages_add_mutators(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from corpora import plugins

    point = EntryPoint("mine", "corpora.mutators.text.marks:MUTATORS", ENTRY_POINTS)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == ENTRY_POINTS else [])
    mutators.cache_clear()
    try:
        assert list(mutators()) == list(MUTATORS)
    finally:
        mutators.cache_clear()


def test_every_module_of_mutators_has_a_table() -> None:
    # Edits by line number are tested in `test_line_numbers.py`; `since` has no mutators.
    for family in (text, patch, stale):
        name = family.__name__.rpartition(".")[2]
        modules = {path.stem for path in Path(str(family.__file__)).parent.glob("[!_]*.py")} - {"line_numbers", "since"}
        assert {path.stem.removeprefix(f"{name}_") for path in TABLES.glob(f"{name}_*.txt")} == modules
