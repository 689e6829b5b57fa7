"""The registry of defects: each row is a valid sample, and its id, its sentences and its mechanism are in order."""

from __future__ import annotations

import re

from corpora.check import check
from corpora.defects import MECHANISMS, defects


def test_ids_are_numbered_and_texts_are_sentences() -> None:
    table = defects()
    assert list(table) == [f"EG-{n:04}" for n in range(1, len(table) + 1)]
    assert len(table) >= 60
    for one in table.values():
        assert re.fullmatch(r"\S[^\n]*[.]", one.title), one.id
        assert re.fullmatch(r"\S[^\n]*[.]", one.why), one.id
        assert one.report is None or re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one.report), one.id
    assert {one.mechanism for one in table.values()} == set(MECHANISMS)


def test_the_samples_are_a_corpus_without_a_mistake() -> None:
    report = check("defects")
    assert report.n_samples == len(defects())
    assert not report.problems
