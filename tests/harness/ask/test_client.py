"""How long a provider asks to wait."""

from __future__ import annotations

import email.utils
import time

import pytest

from harness.ask.clients.client import LONGEST_WAIT_S, retry_after_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None), ({"retry-after": "2"}, 2.0), ({"retry-after": "1.5"}, 1.5), ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0.0), ({"retry-after": "1e9"}, LONGEST_WAIT_S), ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None), ({"retry-after": "soon"}, None), ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)  # fmt: skip
def test_what_a_header_says(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_a_date_is_a_wait_until_then() -> None:
    found = retry_after_s({"retry-after": email.utils.formatdate(time.time() + 100, usegmt=True)})
    assert found
    assert 95 < found <= 100
