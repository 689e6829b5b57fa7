"""What another hand did to one small file, and what the edit makes of it: the tables in `damage/`, one per module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from corpora.mutators import stale
from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.stale import STALE_MUTATORS
from editcore.types import File
from tests.corpora.mutators.search_text import cases, compared

ABOVE = """\
import os
first_of_all(10)
second_of_all(20)
third_of_all(30)
fourth_of_all(40)
fifth_of_all(50)
"""
OLD = """\
def load(path, limit):
    text = open_it(path)
    check(text)

    log("loaded", limit)
    trace(text)
    first = text[0]
    second = text[1]
    return parse(text, limit)"""
NEW = """\
def load(path, limit):
    text = open_it(path)
    check(text)

    log("loaded", limit)
    trace(text)
    third = text[3]
    return parse(text, limit, path)"""
BELOW = """
def save(path):
    write(path)
sixth_of_all(60)
seventh_of_all(70)
eighth_of_all(80)
ninth_of_all(90)
tenth_of_all(100)
eleventh_of_all(110)
"""
MODULES = sorted(
    path.stem for path in Path(stale.__file__).parent.glob("[!_]*.py") if path.stem not in ("since", "others")
)
TABLES = {
    path.stem: cases(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "damage").glob("*.txt"))
}


def made(name: str, degree: int) -> Damaged | None:
    clean = CleanEdit("a.py", ABOVE + OLD + BELOW, len(ABOVE), len(ABOVE + OLD), NEW)
    (mutator,) = (one for one in STALE_MUTATORS if one.name == name)
    damaged: Damaged | None = mutator.damage(clean, degree, Random(0))
    return damaged


def described(damaged: Damaged | None) -> list[str]:
    """The lines that another hand added and removed, and those of the right answers."""
    if damaged is None or damaged.seen is None:
        return ["None"]
    (now,), (seen,) = damaged.before, damaged.seen
    lines = [*compared("now", seen.content, now.content)]
    if damaged.target is None:
        return [*lines, f"refused: {damaged.reason}"]
    lines += compared("right", now.content, damaged.target[0].content)
    for (other,) in damaged.alternatives or ():
        lines += compared("or", now.content, other.content)
    return lines


@pytest.mark.parametrize(("name", "degree", "lines"), [case for table in TABLES.values() for case in table])
def test_the_other_hand_did_this(name: str, degree: int, lines: list[str]) -> None:
    assert described(made(name, degree)) == lines


def test_every_family_is_in_the_table_of_its_module() -> None:
    assert list(TABLES) == MODULES
    for module, table in TABLES.items():
        mutators = import_module(f"corpora.mutators.stale.{module}").MUTATORS
        named = {(one.name, degree) for one in mutators for degree in one.degrees if one.format in _ALONE}
        assert {(name, degree) for name, degree, _ in table} == named


_ALONE = ("str_replace", "insert")
"""Patches are made of the same families."""


@pytest.mark.parametrize("mutator", STALE_MUTATORS, ids=lambda one: one.name)
def test_a_summary_says_what_happened_and_what_degree_changes(mutator: Mutator[Any]) -> None:
    assert mutator.summary.startswith("Since the file was seen: ")
    assert mutator.summary.endswith(".")
    assert ("degree" in mutator.summary) is (len(mutator.degrees) > 1)


def test_a_patch_is_written_against_what_was_seen_and_a_refusal_has_it_as_its_twin() -> None:
    content, target = ABOVE + OLD + BELOW, ABOVE + NEW + BELOW
    clean = CleanPatch((File("a.py", content),), (File("a.py", target),))
    (mutator,) = (one for one in STALE_MUTATORS if one.name == "since_changed_within_diff")
    damaged = mutator.damage(clean, 1, Random(0))
    assert damaged is not None
    assert damaged.seen == (File("a.py", content),)
    assert damaged.patch == clean.unified()
    assert (damaged.target, damaged.twin) == (None, (clean.before, clean.target))
