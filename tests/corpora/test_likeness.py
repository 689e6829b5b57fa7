"""Near-duplicates: what a copy may change, and what makes another sample."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.likeness import likeness
from corpora.sample import Provenance, Sample
from editcore.types import Edit, File
from tests.samples import sample

FAR = "".join(f"line {n}\n" for n in range(40))
TEXT = f"{FAR}def total(xs):\n    return sum(x)\n{FAR}"


def made(text: str = TEXT, old: str = "sum(x)", new: str = "sum(xs)", **fields: object) -> Sample:
    target = (File("a.py", text.replace(old.strip(), new.strip())),)
    return sample(before=text, old=old, new=new, **{"label": "apply", "target": target} | fields)


@pytest.mark.parametrize(
    "copy",
    [
        replace(made(), id="other", tags=(), provenance=Provenance(repo="some/where")),
        replace(made(), before=(File("b.py", TEXT),), target=(File("b.py", TEXT.replace("sum(x)", "sum(xs)")),)),
        made(TEXT.replace("line 3\n", "another line\n", 1)),
        made(TEXT.replace("    return", "\treturn")),
        made(new="  sum(xs)"),
    ],
    ids=["names", "path", "far away", "indentation", "whitespace of the edit"],
)
def test_a_copy_is_a_near_duplicate(copy: Sample) -> None:
    assert likeness(copy) == likeness(made())


@pytest.mark.parametrize(
    "other",
    [
        made(TEXT.replace("total", "mean")),
        made(new="sum(ys)"),
        replace(made(), edits=(Edit("sum(x)", "sum(xs)", replace_all=True),)),
    ],
    ids=["another function", "another new text", "all places"],
)
def test_another_edit_or_place_is_another_sample(other: Sample) -> None:
    assert likeness(other) != likeness(made())


def test_without_a_right_answer_the_place_is_that_of_the_search_text() -> None:
    refused = replace(made(), label="refuse", target=None)
    assert likeness(refused) == likeness(replace(refused, before=(File("a.py", TEXT + FAR),)))
    lost = replace(refused, edits=(Edit("nowhere", "x"),))
    assert likeness(lost) != likeness(replace(lost, before=(File("a.py", TEXT + FAR),)))


def test_a_file_that_is_made_or_deleted_has_a_likeness_too() -> None:
    empty = replace(made(), format="unified_diff", edits=None, patch="+++ b", before=())
    assert likeness(empty) != likeness(replace(empty, patch="+++ c"))
    assert likeness(replace(made(), target=())) >= 0
