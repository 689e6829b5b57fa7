"""The edition of the suite by which programs are compared: the corpora `house` and `defects`, each with a number.

A result names its edition: `house@2 defects@1`. A corpus gets its next number when a sample is added or changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from corpora.defects import defects
from corpora.load import load
from corpora.sample import Sample, combined_fingerprint, fingerprint

NUMBERS = {"house": 2, "defects": 1}
"""Corpus -> number of its edition."""
FINGERPRINTS = {"house": "c153d9d37eb7a1f48006b2c325a77724", "defects": "6ef323e53131e00b9f9b80f85c5d9d4d"}
"""Corpus -> its fingerprint in that edition, which `python -m corpora.edition` prints."""
EDITION = " ".join(f"{name}@{number}" for name, number in NUMBERS.items())


def samples(corpus: str) -> Iterator[Sample]:
    """The samples of a corpus of the suite."""
    return iter([one.sample for one in defects().values()]) if corpus == "defects" else load(corpus)


def fingerprint_of(corpus: str) -> str:
    """The fingerprint of a corpus as it is installed."""
    return f"{combined_fingerprint(map(fingerprint, samples(corpus))):032x}"


@cache
def sample_ids() -> tuple[str, ...]:
    """The ids of all samples of the suite, in the order in which a result lists its outcomes."""
    return tuple(one for corpus in NUMBERS for one in sorted(sample.id for sample in samples(corpus)))


if __name__ == "__main__":
    print({name: fingerprint_of(name) for name in NUMBERS})
