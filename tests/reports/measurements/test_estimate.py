from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from reports.measurements.estimate import percent, wilson


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(n: int, share: float, confidence: float) -> None:
    successes = round(share * n)
    expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    low, high = wilson(successes, n, confidence=confidence)
    assert low == pytest.approx(expected.low, abs=1e-9)
    assert high == pytest.approx(expected.high, abs=1e-9)
    assert 0 <= low <= successes / n <= high <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_wilson_of_no_rate_is_an_error(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson(successes, n)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.0, "0.0 %"), (1.0, "100.0 %"), (0.0421, "4.2 %"), (0.0002, "0.02 %"), (0.9999, "99.99 %")],
)
def test_a_small_rate_is_not_written_as_none(rate: float, text: str) -> None:
    assert percent(rate) == text
