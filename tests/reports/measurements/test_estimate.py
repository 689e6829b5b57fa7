from __future__ import annotations

import pytest

from reports.measurements.estimate import percent


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.0, "0.0 %"), (1.0, "100.0 %"), (0.0421, "4.2 %"), (0.0002, "0.02 %"), (0.9999, "99.99 %")],
)
def test_a_small_rate_is_not_written_as_none(rate: float, text: str) -> None:
    assert percent(rate) == text
