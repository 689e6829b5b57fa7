"""Clean edits x mutators -> samples."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from corpora.generation.mutate import MutationSettings, mutate_edits
from corpora.mutators import MUTATORS, select_mutators
from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged
from corpora.mutators.mutator import DEGREES, Mutator
from corpora.sample import Provenance, Sample
from editcore.types import Edit, File
from tests.corpora.mutators.documents import clean_edits
from tests.corpora.mutators.small_edit import CLEAN, edit

_OF_TEXT = [name for name, mutator in MUTATORS.items() if mutator.format == "str_replace"]
"""Patches are of several clean edits of files side by side."""


def plan(
    *patterns: str, degrees: tuple[int, ...] = DEGREES, per_sample: int | None = None, seed: int = 0
) -> MutationSettings:
    return MutationSettings(select_mutators(patterns), degrees, seed, per_sample)


def ids(samples: list[Sample]) -> list[str]:
    return [sample.id for sample in samples]


def test_a_sample_says_where_it_comes_from_and_what_it_is() -> None:
    (found,) = mutate_edits(
        [CLEAN], plan("trailing_blanks", degrees=(3,)), provenance=Provenance(repo="a/b", parent_id="p")
    ).samples
    assert found.id.startswith("trailing_blanks-3-")
    assert (found.format, found.label, found.label_source) == ("str_replace", "apply", "constructed")
    assert found.tags == ("language:python", "degree:3", "truth:apply", "absorber:line_trimmed")
    assert found.provenance == Provenance(repo="a/b", parent_id="p", mutator="trailing_blanks", seed=0)
    assert found.target == (File("store.py", CLEAN.target),)


def test_a_refusal_follows_its_twin_and_names_it() -> None:
    twin, found = mutate_edits([CLEAN], plan("target_deleted")).samples
    assert (found.label, found.target, twin.label, twin.provenance.mutator) == ("refuse", None, "apply", "twin")
    assert found.tags[2:] == ("truth:refuse", "refuse:line_gone", f"twin:{twin.id}")
    assert twin.tags == ("language:python", "degree:0", "truth:apply", "role:twin")
    assert (twin.edits, twin.before) == (found.edits, (File("store.py", CLEAN.content),))


def test_refusals_of_the_same_edit_share_one_twin() -> None:
    found = mutate_edits([CLEAN], plan("target_deleted", "commented_out", "stale_block", degrees=(1,))).samples
    assert Counter(one.provenance.mutator for one in found) == {
        "twin": 1, "target_deleted": 1, "commented_out": 1, "stale_block": 1,
    }  # fmt: skip


def test_degrees_that_a_mutator_has_not_are_left_out_but_its_only_one_stays() -> None:
    found = mutate_edits([CLEAN], plan("trailing_blanks", "gutter_pipe", degrees=(2, 4))).samples
    assert [one.id.rpartition("-")[0] for one in found] == ["gutter_pipe-1", "trailing_blanks-2", "trailing_blanks-4"]


def test_so_many_samples_are_made_of_one_clean_edit_each_by_another_mutator() -> None:
    found = [one for one in mutate_edits([CLEAN], plan(per_sample=9)).samples if one.provenance.mutator != "twin"]
    assert len({one.provenance.mutator for one in found}) == len(found) <= 9
    everything = ids(mutate_edits([CLEAN], plan()).samples)
    assert {one.id for one in found} < {*everything}


def test_samples_depend_neither_on_other_clean_edits_nor_on_their_order() -> None:
    cleans, some = clean_edits(), plan(*_OF_TEXT, per_sample=4)
    together = mutate_edits(cleans, some).samples
    reversed_order = mutate_edits(cleans[::-1], some).samples
    alone = [one for clean in cleans for one in mutate_edits([clean], some).samples]
    by_id = {one.id: one for one in together}
    assert by_id == {one.id: one for one in reversed_order} == {one.id: one for one in alone}


def test_another_seed_makes_other_samples() -> None:
    one, other = (mutate_edits([CLEAN], plan("wrong_identifier", seed=seed)).samples for seed in (0, 1))
    assert not {*ids(one)} & {*ids(other)}
    assert [sample.edits for sample in one] != [sample.edits for sample in other]


def test_an_uncertain_clean_edit_is_dropped_and_counted() -> None:
    made = mutate_edits([edit("«pass»\nif x:\n    pass\n", "y")], plan("exact"))
    assert (made.samples, made.n_clean, made.dropped) == ([], 1, {"clean edit: twice": 1})


def _lying(clean: CleanEdit, _degree: int, _random: Random) -> Damaged:
    """The search text is right, the target is not."""
    return Damaged((File(clean.path, clean.content),), (File(clean.path, clean.target + "x"),), (Edit(clean.old, "y"),))


def _still_there(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """A refusal for a file that still has the lines."""
    return clean.stale(clean.content + "\n# the end\n", reason="line_gone")


@pytest.mark.parametrize(
    ("damage", "why"),
    [(_lying, "an exact replacement gives another text"), (_still_there, "the search text occurs in the file once")],
)
def test_a_label_that_the_referee_does_not_share_is_dropped_with_its_twin_and_counted(damage: object, why: str) -> None:
    mutator: Mutator[CleanEdit] = Mutator("liar", "Lies.", "str_replace", damage, degrees=(1,))  # type: ignore[arg-type]
    made = mutate_edits([CLEAN], MutationSettings((mutator,), DEGREES))
    assert (made.samples, made.dropped) == ([], {f"liar: {why}": 1})


def test_a_patch_is_of_one_clean_edit_or_more_that_lie_apart_in_one_or_two_files() -> None:
    seen: list[CleanPatch] = []

    def damage(clean: CleanPatch, _degree: int, _random: Random) -> Damaged:
        seen.append(clean)
        return Damaged(clean.before, clean.target, patch=clean.unified())

    cleans = clean_edits(6)
    mutator: Mutator[CleanPatch] = Mutator("plain", "Plain.", "unified_diff", damage, degrees=(1,))
    made = mutate_edits(cleans, MutationSettings((mutator,), DEGREES))
    assert {one.format for one in made.samples} == {"unified_diff"}
    assert not [why for why in made.dropped if why.startswith("plain")]
    assert {len(patch.before) for patch in seen} == {1, 2}
    assert all(
        [file.path for file in patch.before] == [file.path for file in patch.target]
        and all(old != new for old, new in zip(patch.before, patch.target, strict=True))
        for patch in seen
    )
