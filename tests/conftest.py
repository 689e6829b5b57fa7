"""Hypothesis profiles: `fast`, unless the environment asks for `thorough` or `gate` by HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "fast",
    max_examples=60,
    deadline=None,
    derandomize=False,
    print_blob=True,
    # How long an example takes to draw says more about the machine than about the generators.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=5_000)
# A gate judges a change, so it tries the same cases each time; what chance finds is for the nights of fuzzing.
settings.register_profile("gate", settings.get_profile("fast"), derandomize=True)
# Loaded by name, because Hypothesis goes over to a profile of its own where CI is set.
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Watch coverage where the floor is, in the tests of editcore: elsewhere it would only cost time."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] != "editcore":
            item.add_marker(pytest.mark.no_cover)
