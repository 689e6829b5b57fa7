"""Damage to edits in anchored formats: how it is written, and what our rules make of it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from corpora.generation.mutate import MutationSettings, mutate_edits
from corpora.mutators import ANCHOR_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, Damaged
from corpora.mutators.mutator import DEGREES, Mutator
from corpora.sample import Sample
from editcore.anchors import apply_anchored
from editcore.anchors.views import h4_tag, show
from editcore.types import Applied, Rejected
from harness.strategies.registry import strategy
from harness.strategies.strategy import by_path
from tests.corpora.mutators.documents import clean_edits

FILE = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\n"
EDIT = CleanEdit("a.py", FILE, 18, 29, "x = 7\ny = 8")
"""Lines 4 and 5."""
BY_NAME = {mutator.name: mutator for mutator in ANCHOR_MUTATORS}


def damage(name: str, clean: CleanEdit = EDIT, degree: int = 1, seed: int = 0) -> Damaged:
    damaged = BY_NAME[name].damaged(clean, degree, Random(seed))
    assert damaged is not None
    return damaged


@pytest.mark.parametrize(
    ("name", "body", "target"),
    [
        ("as_meant", "PUT 4.=5:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("reversed_ends", "PUT 5.=4:\n+x = 7\n+y = 8\n", None),
        ("count_for_end", "PUT 4.=2:\n+x = 7\n+y = 8\n", None),
        ("starts_early", "PUT 3.=5:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nx = 7\ny = 8\nf = 6\n"),
        ("starts_late", "PUT 5.=5:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nd = 4\nx = 7\ny = 8\nf = 6\n"),
        ("ends_late", "PUT 4.=6:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\n"),
        ("ends_early", "PUT 4.=4:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\ne = 5\nf = 6\n"),
        ("past_end", "PUT 4.=8:\n+x = 7\n+y = 8\n", None),
        ("phantom_end", "PUT 4.=7:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\n"),
        ("echo_above", "PUT 4.=5:\n+c = 3\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("echo_below", "PUT 4.=5:\n+x = 7\n+y = 8\n+f = 6\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("echo_both", "PUT 4.=5:\n+c = 3\n+x = 7\n+y = 8\n+f = 6\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("pasted_prefixes", "PUT 4.=5:\n+4:x = 7\n+5:y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("minus_rows", "PUT 4.=5:\n-d = 4\n-e = 5\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("bare_rows", "PUT 4.=5:\nx = 7\ny = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
        ("edited_twice", "PUT 4.=5:\n+x = 7\n+y = 8\nPUT 4.=5:\n+x = 7\n+y = 8\n+d = 4\n", None),
        ("crlf_file", "PUT 4.=5:\n+x = 7\n+y = 8\n", "a = 1\r\nb = 2\r\nc = 3\r\nx = 7\r\ny = 8\r\nf = 6\r\n"),
        ("mixed_endings", "PUT 4.=5:\n+x = 7\n+y = 8\n", "a = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\r\n"),
        ("marked_file", "PUT 4.=5:\n+x = 7\n+y = 8\n", "\ufeffa = 1\nb = 2\nc = 3\nx = 7\ny = 8\nf = 6\n"),
    ],
)
def test_the_damage_is_this(name: str, body: str, target: str | None) -> None:
    damaged = damage(f"h4_{name}")
    assert damaged.patch is not None
    header, _, rest = damaged.patch.partition("\n")
    assert header.startswith("[a.py#")
    assert rest == body
    assert (None if damaged.target is None else damaged.target[0].content) == target
    assert (damaged.twin is None) == (target is not None)


def test_stale_edits_say_what_was_seen() -> None:
    above = damage("h2_lines_added_above", degree=3)
    assert above.seen is not None
    assert above.seen[0].content == FILE
    assert above.before[0].content.endswith(FILE)
    assert above.before[0].content.count("\n") == 9
    unseen = damage("h4_lines_not_shown")
    assert (unseen.seen, unseen.target) == (unseen.before, None)
    assert unseen.seen_lines is not None
    assert [(one.first, one.last) for one in unseen.seen_lines] == [(1, 3)]


def test_a_text_that_was_changed_has_the_tag_that_it_had() -> None:
    collided = damage("h4_tag_collision")
    assert collided.seen is not None
    tag = h4_tag(FILE)
    assert collided.before[0].content != FILE == collided.seen[0].content
    assert h4_tag(collided.before[0].content) == tag
    assert (collided.patch or "").startswith(f"[a.py#{tag}]")


def test_a_call_that_repeats_a_line_is_not_tried_on_another_text_of_its_tag() -> None:
    collided = damage("h4_tag_collision")
    echo = (collided.patch or "").replace(":\n+x", ":\n+c = 3\n+x")
    seen = {one.path: one.content for one in collided.seen or ()}
    live = {one.path: one.content for one in collided.before}
    assert isinstance(apply_anchored(live, echo, "hashline_h4", seen=seen), Rejected)


def test_the_second_edit_counts_what_the_first_one_adds() -> None:
    named, counted = (
        damage("h2_dependent_edits"),
        damage("h4_dependent_numbers", CleanEdit("a.py", FILE, 12, 17, "x = 7")),
    )
    assert named.target is not None
    assert counted.target is not None
    first, second = json.loads(named.patch or "")["edits"]
    assert (first["op"], first["lines"]) == ("prepend", named.target[0].content.split("\n")[:1])
    after = "\n".join([*first["lines"], FILE])
    assert [second["pos"], second["end"]] == [row.split("|")[0] for row in show(after, "hashline_h2").split("\n")[4:6]]
    assert named.target[0].content == after.replace("d = 4\ne = 5", "x = 7\ny = 8")
    assert "PUT 4.=4:\n+x = 7\n" in (counted.patch or "")
    assert counted.target[0].content.split("\n")[1:] == FILE.replace("d = 4", "x = 7").split("\n")


def test_the_hash_is_that_from_before_the_own_edit() -> None:
    forgotten = damage("h2_own_edit_forgotten")
    assert forgotten.patch == damage("h2_as_meant").patch
    assert forgotten.before[0].content.split("\n")[3] != "d = 4"
    assert forgotten.seen is None


def test_a_slipped_number_keeps_its_hash() -> None:
    one_line = CleanEdit("a.py", FILE, 18, 23, "x = 7")
    meant, slipped = damage("h2_as_meant", one_line).patch, damage("h2_number_slipped", one_line).patch
    assert meant
    assert slipped
    assert slipped in {meant.replace('"4#', f'"{n}#') for n in (3, 5)}


def made(mutator: Mutator[Any]) -> list[Sample]:
    cleans = [*clean_edits(1, 0), EDIT, CleanEdit("a.py", FILE, 18, 23, "x = 7")]
    return mutate_edits(cleans, MutationSettings((mutator,), DEGREES)).samples


@pytest.mark.parametrize("mutator", ANCHOR_MUTATORS, ids=lambda mutator: mutator.name)
def test_recommended_writes_nothing_that_is_not_meant(mutator: Mutator[Any]) -> None:
    samples = made(mutator)
    assert {sample.provenance.mutator for sample in samples} - {"twin"} == {mutator.name}
    for sample in samples:
        result = strategy("anchors/recommended").apply(sample, None)
        if isinstance(result, Applied):
            assert sample.target is not None, (sample, result)
            assert {sample.before[0].path: result.content} == by_path(sample.target), sample
        else:
            assert mutator.truth != "apply", (sample, result)
            assert sample.provenance.mutator != "twin"
