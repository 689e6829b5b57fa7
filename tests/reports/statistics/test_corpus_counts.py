"""What a corpus holds how much of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from corpora.sample import Provenance, Sample
from editcore.types import File
from reports.statistics.corpus_counts import count_properties, most_frequent, stale_shares
from tests.samples import sample


def test_samples_are_counted_by_each_property_that_one_of_them_has() -> None:
    told = Provenance(agent="codex", mutator="exact")
    found = count_properties(
        [sample(0), sample(1, provenance=told), replace(sample(2), label="unlabelled", tags=("language:go", "stale"))]
    )
    assert found == {
        "label": {"refuse": 2, "unlabelled": 1},
        "format": {"str_replace": 3},
        "agent": {"-": 2, "codex": 1},
        "language": {"python": 2, "go": 1},
        "mutator": {"-": 2, "exact": 1},
    }


def test_of_several_tags_of_one_key_the_first_counts() -> None:
    assert count_properties([sample(tags=("language:c", "language:go"))])["language"] == {"c": 1}


def test_the_most_frequent_values_are_shown_and_the_rest_are_one() -> None:
    counts = Counter({f"m{number}": 100 - number for number in range(23)})
    shown = most_frequent(counts)
    assert shown[0] == ("m0", 100)
    assert shown[-1] == ("3 others", 80 + 79 + 78)
    assert sum(n for _, n in shown) == counts.total()
    assert most_frequent(Counter({"b": 1, "a": 2})) == [("a", 2), ("b", 1)]


def test_the_share_of_stale_edits_is_of_those_for_which_it_is_known_what_was_seen() -> None:
    def by(agent: str | None, **fields: Any) -> Sample:
        return sample(provenance=Provenance(agent=agent), **fields)

    stale, same = {"seen": (File("a.py", "y"),)}, {"tags": ("seen:same",)}
    found = [by("a", **stale), by("a", **same), by("a"), by("b", **same), by("c"), by(None, **stale), by("a", **same)]
    assert stale_shares(found) == [("a", 1, 3, 4), ("-", 1, 1, 1), ("b", 0, 1, 1)]
    assert count_properties(found)["seen"] == {"other": 2, "same": 3, "-": 2}
