"""The sentence about a run, and the strategy that it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from reports.runs.manifest import Manifest
from reports.runs.rows import Outcome
from reports.statistics.summary import headline, sentence, summaries

TableOf = Callable[[Sequence[Outcome]], pa.Table]


def _rows(strategy: str, **n_by_verdict: int) -> list[Outcome]:
    return [
        Outcome("s", strategy, verdict, replacer="simple", reason="no_match" if verdict == "missed" else None)
        for verdict, n in n_by_verdict.items()
        for _ in range(n)
    ]


SENTENCES = {
    "nothing": ([], "Nothing was measured: the run holds no samples (seed 7)."),
    "one strategy": (
        _rows("replacer/simple", correct=3, wrong_edit=1),
        "replacer/simple: 3 correct, 1 wrong, 0 missed, 0 refused (seed 7, 4 labelled samples).",
    ),
    "one labelled sample": (
        _rows("replacer/simple", correct=1, crashed=2, timed_out=1),
        "replacer/simple: 1 correct, 0 wrong, 0 missed, 0 refused, 2 crashed, 1 timed out (seed 7, 1 labelled sample).",
    ),
    "crashes and unstable answers": (
        [
            *_rows("cmd/crashy", correct=1),
            *[Outcome("s", "cmd/crashy", "crashed", failed_label="apply")] * 39,
            *_rows("cmd/flip", correct=20),
            *[Outcome("s", "cmd/flip", "unstable", failed_label="apply")] * 20,
            *_rows("cmd/honest", correct=37, missed=3),
        ],
        "cmd/honest: 37 correct, 0 wrong, 3 missed, 0 refused (seed 7, 40 labelled samples).",
    ),
    "no labels": (
        _rows("replacer/simple", unlabelled=3),
        "replacer/simple: 3 of 3 applied, with no known right answers (seed 7, 0 labelled samples).",
    ),
    "nothing returned": (
        _rows("replacer/simple", crashed=1),
        "replacer/simple: no sample returned a result, 1 crashed (seed 7, 0 labelled samples).",
    ),
    "the recommended comes first": (
        [
            *_rows("cascade/exact", correct=9, missed=1),
            *_rows("cascade/recommended", correct=8, wrong_edit=1, missed=1),
        ],
        "cascade/recommended: 8 correct, 1 wrong, 1 missed, 0 refused (seed 7, 10 labelled samples).",
    ),
    "the best at the usual cost comes first": (
        [
            *_rows("cascade/reference", correct=90, wrong_edit=10),
            *_rows("cmd/mine", correct=60, missed=40),
        ],
        "cmd/mine: 60 correct, 0 wrong, 40 missed, 0 refused (seed 7, 100 labelled samples).",
    ),
    "one is best at both": (
        [*_rows("replacer/a", correct=9, missed=1), *_rows("replacer/b", correct=8, wrong_edit=2)],
        "replacer/a: 9 correct, 0 wrong, 1 missed, 0 refused (seed 7, 10 labelled samples).",
    ),
    "one never applies": (
        [*_rows("x/able", correct=8, wrong_edit=1, missed=1), *_rows("x/never", missed=10)],
        "x/able: 8 correct, 1 wrong, 1 missed, 0 refused (seed 7, 10 labelled samples).",
    ),
    "one of three never applies": (
        [
            *_rows("x/able", correct=8, wrong_edit=1, missed=1),
            *_rows("x/careful", correct=7, missed=3),
            *_rows("x/never", missed=10),
        ],
        "x/careful: 7 correct, 0 wrong, 3 missed, 0 refused (seed 7, 10 labelled samples).",
    ),
    "all are equal": (
        [row for name in "abc" for row in _rows(f"replacer/{name}", correct=1)],
        "replacer/a: 1 correct, 0 wrong, 0 missed, 0 refused (seed 7, 1 labelled sample).",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_sentence_says(case: str, table_of: TableOf, manifest: Manifest) -> None:
    rows, expected = SENTENCES[case]
    assert sentence(summaries(table_of(rows)), manifest) == expected


def test_the_headline_is_of_the_samples_that_most_strategies_ran_on(table_of: TableOf) -> None:
    rows = [
        *_rows("begin_patch/lenient", correct=2),
        *_rows("replacer/simple", correct=4, missed=6),
        *_rows("agent/a", correct=5, missed=3, crashed=2),
        *_rows("agent/b", correct=9, wrong_edit=1),
    ]
    found = headline(summaries(table_of(rows)))
    assert found
    assert found.strategy == "agent/a"
    assert headline([]) is None
