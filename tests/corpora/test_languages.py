from __future__ import annotations

import pytest

from corpora.languages import language


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", "python"),
        ("a.TS", "typescript"),
        ("Makefile", "make"),
        ("src/Dockerfile", "docker"),
        ("a.zzz", "other"),
        ("LICENSE", "other"),
    ],
)
def test_a_language_is_told_by_the_name(path: str, expected: str) -> None:
    assert language(path) == expected
