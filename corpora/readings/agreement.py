"""How far two readers agree: the share of samples with the same answer, and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpora.readings.labelled import same_answer
from corpora.readings.reading import Reading


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two readers on the samples that both answered."""

    n: int
    """Samples that both answered, of the same files and edit."""
    n_same_label: int
    """Both say apply, or both say refuse."""
    n_same: int
    """Both say refuse, or both give the same result."""
    kappa: float | None
    """Cohen's kappa of apply and refuse: 1 is full agreement, 0 what chance gives; None where both only ever gave one
    and the same label, so that chance gives full agreement too."""
    disagreements: tuple[tuple[Reading, Reading], ...]
    """By sample id."""
    n_only_first: int
    """Samples that only the first reader answered."""
    n_only_second: int
    n_other: int
    """Samples of which they read different versions; they do not count."""


def agreement(first: Mapping[str, Reading], second: Mapping[str, Reading]) -> Agreement:
    """The agreement of two readers, each given as sample id -> reading without skipped samples."""
    shared = [(first[name], second[name]) for name in sorted(first.keys() & second.keys())]
    pairs = [(one, other) for one, other in shared if one.fingerprint == other.fingerprint]
    same = [same_answer(one, other) for one, other in pairs]
    return Agreement(
        len(pairs),
        sum(one.answer == other.answer for one, other in pairs),
        sum(same),
        cohens_kappa([(one.answer, other.answer) for one, other in pairs]),
        tuple(pair for pair, agree in zip(pairs, same, strict=True) if not agree),
        len(first.keys() - second.keys()),
        len(second.keys() - first.keys()),
        len(shared) - len(pairs),
    )


def cohens_kappa(pairs: list[tuple[str, str]]) -> float | None:
    """(observed - expected agreement) / (1 - expected); None without pairs, and where 1 is expected."""
    n = len(pairs)
    words = {word for pair in pairs for word in pair}
    # As integers: n^2 times the agreement that chance gives.
    expected = sum(sum(one == word for one, _ in pairs) * sum(other == word for _, other in pairs) for word in words)
    if not n or expected == n * n:
        return None
    observed = sum(one == other for one, other in pairs)
    return (observed * n - expected) / (n * n - expected)
