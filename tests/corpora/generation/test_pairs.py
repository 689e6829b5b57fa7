"""Samples written anew in anchored formats."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from corpora.generation.pairs import anchored_format, pairs, written_as
from corpora.sample import Provenance, Sample
from editcore.errors import UsageError
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Edit, File

BEFORE, AFTER = "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 3\nc = 3\n"
SAMPLE = Sample(
    "one", "str_replace", (File("a.py", BEFORE),), "apply", edits=(Edit("b = 2", "b = 3"),),
    target=(File("a.py", AFTER),), tags=("language:python",),
    provenance=Provenance("agent", recorded_outcome="applied"),
)  # fmt: skip


def test_a_sample_keeps_its_right_answer_and_names_where_it_is_from() -> None:
    found = written_as(SAMPLE, "hashline_h4")
    assert isinstance(found, Sample)
    assert found.patch == "[a.py#7633]\nPUT 2.=2:\n+b = 3\n"
    assert (found.id, found.format, found.edits) == ("one:hashline_h4", "hashline_h4", None)
    assert (found.before, found.target, found.tags) == (SAMPLE.before, SAMPLE.target, SAMPLE.tags)
    assert found.provenance == Provenance("agent", parent_id="one", mutator="as_hashline_h4")


def test_every_format_and_several_files() -> None:
    assert [one.format for one in pairs([SAMPLE], ANCHORED_FORMATS, Counter())] == [*ANCHORED_FORMATS]
    two = replace(
        SAMPLE, format="begin_patch", edits=None, patch="p", before=(*SAMPLE.before, File("b.py", BEFORE)),
        target=(File("a.py", AFTER), File("b.py", AFTER)),
    )  # fmt: skip
    found = written_as(two, "hashline_h4")
    assert isinstance(found, Sample)
    assert found.patch
    assert found.patch.count("#7633]") == 2
    assert written_as(two, "hashline_h2") == "several files"


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (replace(SAMPLE, label="refuse", target=None), "no certain target"),
        (replace(SAMPLE, target=()), "files are made, moved or deleted"),
        (replace(SAMPLE, target=SAMPLE.before), "files are made, moved or deleted"),
        (replace(SAMPLE, id="x" * 200), "a long id"),
        (replace(SAMPLE, target=(File("a.py", BEFORE[:-1]),)), "not in whole lines"),
    ],
)
def test_what_cannot_be_written_is_left_out(sample: Sample, why: str) -> None:
    assert written_as(sample, "hashline_h2") == why
    dropped: Counter[str] = Counter()
    assert list(pairs([sample], ["hashline_h2"], dropped)) == []
    assert dropped == {why: 1}


def test_a_format_without_anchors_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no anchored format"):
        anchored_format("str_replace")
