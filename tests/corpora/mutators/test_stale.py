"""The changes of another hand in one small file, and the right results of the edit: `damage/stale_*.txt`."""

from __future__ import annotations

import pytest

from corpora.mutators import STALE_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged
from editcore.types import File
from tests.corpora.mutators.small_edit import cases, compared, damage, damaged, named_in

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
CLEAN = CleanEdit("a.py", ABOVE + OLD + BELOW, len(ABOVE), len(ABOVE + OLD), NEW)


def described(found: Damaged | None) -> list[str]:
    """The lines that another hand added and removed, and the lines that the right answers add and remove."""
    if found is None or found.seen is None:
        return ["None"]
    (now,), (seen,) = found.before, found.seen
    lines = [*compared("now", seen.content, now.content)]
    if found.target is None:
        return [*lines, f"refused: {found.reason}"]
    lines += compared("right", now.content, found.target[0].content)
    for (other,) in found.alternatives or ():
        lines += compared("or", now.content, other.content)
    return lines


@pytest.mark.parametrize(("name", "degree", "lines"), cases("stale"))
def test_the_other_hand_did_this(name: str, degree: int, lines: list[str]) -> None:
    assert described(damage(name, degree, clean=CLEAN)) == lines


def test_every_family_is_in_a_table() -> None:
    # Patches are made of the same families.
    alone = [one for one in STALE_MUTATORS if one.format in ("str_replace", "insert")]
    assert named_in("stale") == {(one.name, degree) for one in alone for degree in one.degrees}


def test_summaries_say_what_happened() -> None:
    assert all(one.summary.startswith("Since the file was seen: ") for one in STALE_MUTATORS)


def test_a_patch_is_written_against_what_was_seen_and_a_refusal_has_it_as_its_twin() -> None:
    content, target = ABOVE + OLD + BELOW, ABOVE + NEW + BELOW
    clean = CleanPatch((File("a.py", content),), (File("a.py", target),))
    found = damaged("since_changed_within_diff", clean=clean)
    assert found.seen == (File("a.py", content),)
    assert found.patch == clean.unified()
    assert (found.target, found.twin) == (None, (clean.before, clean.target))
