"""What the table of single replacers predicts of every ordering, against the cascades run for real."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from corpora.load import load
from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.replacers import REPLACERS
from editcore.text.document import Document
from editcore.types import Edit, File, Rejected
from harness.run.multi_edit_steps import MOST_TEXTS, lone_rungs, steps_of
from harness.run.plan import Request
from harness.run.runner import run
from harness.run.scoring import Judge
from harness.strategies.registry import select, strategy
from harness.strategies.rule_strategies import apply_pairs
from reports.orderings.decisions import CORRECT, NOTHING, UNLABELLED, WRONG, Decisions, decisions
from reports.runs.parts import steps
from reports.runs.rows import Step, Verdict
from reports.runs.run_folder import RunFolder
from tests.samples import sample, write_jsonl

_MEANS = {Verdict.CORRECT: CORRECT, Verdict.WRONG_EDIT: WRONG, Verdict.UNLABELLED: UNLABELLED}
CALL = ("go( 1 ) ", "stop()")
"""line_trimmed replaces the whole line, trimmed_boundary leaves its indentation."""


def several(name: str, before: str, *edits: tuple[str, str] | Edit, target: str | None = None) -> Sample:
    """A sample with these edits; labelled refuse without a target."""
    made = tuple(edit if isinstance(edit, Edit) else Edit(*edit) for edit in edits)
    label = "refuse" if target is None else "apply"
    files = None if target is None else (File("a.py", target),)
    return replace(sample(before=before), id=name, edits=made, label=label, target=files)


def tangled(name: str, n_edits: int) -> Sample:
    """Each edit can be done in two ways, each of which leaves a text of its own."""
    text = "".join(f"    go{n}( 1 )\n" for n in range(n_edits))
    return several(name, text, *((f"go{n}( 1 ) ", f"stop{n}()") for n in range(n_edits)), target=text)


INTERACTION = several(
    "interaction", "top\n    go( 1 )\nx\nstop()\n", CALL, ("\nstop()\n", "\nend()\n"),
    target="top\n    stop()\nx\nend()\n",
)  # fmt: skip
MADE = [
    INTERACTION,
    replace(INTERACTION, id="interaction/unlabelled", label="unlabelled", target=None),
    replace(INTERACTION, id="interaction/refuse", label="refuse", target=None),
    several("everywhere", "a a\n  a\n", Edit("a", "b", True), ("  b", "c"), target="b b\nc\n"),
    several("everywhere/last", "  x = 1\n\tx = 1\n", ("x = 1\nx = 1", "y\ny"), Edit("y ", "z", True), target="z\nz\n"),
    several("ambiguous", "x = 1\n  x = 1\n", ("x = 1", "x = 2"), ("x = 2", "x = 3")),
    several("ambiguous/last", "x = 1\ny = 1\n", ("y = 1", "x = 1"), ("x = 1", "x = 3")),
    several("identical", "x = 1\ny = 1\n", ("x = 1", "x = 2"), ("y = 1", "y = 1")),
    several("dead end", "x = 1\ny = 1\n", ("x = 1 ", "x = 2"), ("nowhere", "y")),
    several("emptied", "x\n", ("x\n", ""), ("x", "y")),
    tangled("followed", 8),
    replace(sample(1, "a a\n a\n"), id="one/everywhere", edits=(Edit("a ", "b", True),)),
    replace(sample(1, "x\n  x\n"), id="one/ambiguous", edits=(Edit("x", "b"),)),
]
N_TANGLED = (MOST_TEXTS + 1).bit_length()
TANGLED = tangled("tangled", N_TANGLED)
"""Leads to 2 ** N_TANGLED - 1 texts before the last edit: too many."""


def samples_with_edits() -> list[Sample]:
    return [one for name in ("house", "smoke") for one in load(name) if one.edits] + MADE


@dataclass(frozen=True, slots=True)
class Tried:
    """A run of the nine replacers by themselves."""

    folder: Path
    table: Decisions


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Tried:
    folder = tmp_path_factory.mktemp("steps")
    made = write_jsonl(folder / "made.jsonl", [*MADE, TANGLED])
    run(Request(["house", "smoke", str(made)], select(["replacer/*"]), folder / "run", n_workers=1, timeout_s=60))
    return Tried(folder / "run", decisions(RunFolder(folder / "run")))


def real(one: Sample, cascade: Cascade, document: Document, judge: Judge) -> int:
    """What a cascade really makes of a sample."""
    result = apply_pairs(cascade, one, document)
    return NOTHING if isinstance(result, Rejected) else _MEANS[judge.score(result).verdict]


@pytest.mark.slow
def test_fifty_random_orderings_come_out_as_predicted_on_every_sample(tried: Tried) -> None:
    rng, names = random.Random(50), list(REPLACERS)
    orders = [rng.sample(names, rng.randint(1, len(names))) for _ in range(48)]
    orders += [names, names[::-1]]
    cascades = [Cascade("drawn", tuple(order), literal=True) for order in orders]
    predicted = [tried.table.under(tried.table.places(order)) for order in orders]
    place = {name: number for number, name in enumerate(tried.table.samples)}
    known = samples_with_edits()
    assert set(place) == {one.id for one in known}
    assert sum(len(one.edits or ()) > 1 for one in known) >= 40
    differing = []
    for one in known:
        document, judge = Document(one.before[0].content), Judge(one)
        for cascade, under in zip(cascades, predicted, strict=True):
            if real(one, cascade, document, judge) != under[place[one.id]]:
                differing.append((one.id, cascade.replacers))
    assert differing == []


@pytest.mark.slow
def test_what_an_edit_leaves_depends_on_who_was_first_and_so_does_the_next_edit(tried: Tried) -> None:
    at = tried.table.samples.index("interaction")
    ends = {
        order: int(tried.table.under(tried.table.places(order))[at])
        for order in [
            ("line_trimmed", "simple"),
            ("trimmed_boundary", "simple"),
            ("simple", "line_trimmed", "trimmed_boundary"),
            ("simple", "trimmed_boundary", "line_trimmed"),
            ("simple",),
        ]
    }
    assert ends[("simple",)] == NOTHING
    assert ends["trimmed_boundary", "simple"] == ends["simple", "trimmed_boundary", "line_trimmed"] == CORRECT
    # The whole line replaced leaves the second find there twice.
    assert ends["line_trimmed", "simple"] == ends["simple", "line_trimmed", "trimmed_boundary"] == NOTHING


def _steps(one: Sample, *names: str) -> list[Step]:
    return steps_of(one, lone_rungs([strategy(f"replacer/{name}") for name in names]))


def test_each_step_says_which_replacer_leads_from_which_text_to_which() -> None:
    assert _steps(INTERACTION, "simple", "line_trimmed", "trimmed_boundary") == [
        Step("interaction", 0, "line_trimmed", 1),
        Step("interaction", 0, "trimmed_boundary", 2),
        Step("interaction", 2, "simple", None, "correct"),
    ]


def test_the_same_text_after_the_same_edits_is_one() -> None:
    one = several("s", "a\nb\n", ("a", "x"), ("b", "y"), target="x\ny\n")
    assert _steps(one, "simple", "multi_occurrence") == [
        Step("s", 0, "simple", 1),
        Step("s", 0, "multi_occurrence", 1),
        Step("s", 1, "simple", None, "correct"),
        Step("s", 1, "multi_occurrence", None, "correct"),
    ]


def test_a_dead_end_has_no_step() -> None:
    one = several("s", "a\n", ("a", "x"), ("b", "y"))
    assert _steps(one, "simple", "line_trimmed") == [Step("s", 0, "simple", 1), Step("s", 0, "line_trimmed", 1)]
    assert _steps(several("s", "a\n", ("b", "x"), ("a", "y")), "simple") == []


def test_a_single_edit_needs_no_steps() -> None:
    assert _steps(replace(sample(), edits=(Edit("x", "y"),)), "simple", "line_trimmed") == []


def test_only_replacers_by_themselves_are_followed_and_only_several() -> None:
    chosen = [*select(["cascade/*", "replacer/simple"]), strategy("replacer/block_anchor@similarity=0.5")]
    assert [rung.name for rung in lone_rungs(chosen)] == ["simple", "block_anchor@similarity=0.5"]
    assert lone_rungs(select(["cascade/*", "replacer/simple"])) == []
    assert _steps(INTERACTION) == []


@pytest.mark.slow
def test_a_sample_that_leads_to_too_many_texts_is_not_followed(tried: Tried) -> None:
    assert _steps(TANGLED, "line_trimmed", "trimmed_boundary") == [Step("tangled", 0, None)]
    assert len(_steps(TANGLED, "line_trimmed")) == N_TANGLED
    assert {step.node for step in _steps(tangled("s", 8), "line_trimmed", "trimmed_boundary")} == set(range(255))
    assert MOST_TEXTS > 255
    assert [step for step in steps(tried.folder) if step.replacer is None] == [Step("tangled", 0, None)]
    assert "tangled" not in tried.table.samples
    assert tried.table.n_not_followed == 1
    assert tried.table.n_failed == 0


@pytest.mark.slow
def test_every_sample_with_several_edits_goes_by_its_steps(tried: Tried) -> None:
    followed = {tried.table.samples[number] for number in tried.table.several}
    manifold = {one.id for one in samples_with_edits() if len(one.edits or ()) > 1}
    assert followed <= manifold
    # Where no replacer finds the first edit, the single outcomes say all.
    for name in manifold - followed:
        assert not tried.table.decision[tried.table.samples.index(name)].any()
