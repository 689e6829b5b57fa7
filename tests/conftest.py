"""Hypothesis profiles: `fast`, unless HYPOTHESIS_PROFILE names `more` or `thorough`. Garbage collection.

The user's cache is one of the session.
"""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The same inputs each time: a test judges a change. Chance is for the nights of fuzzing, and for `thorough`.
settings.register_profile(
    "fast",
    max_examples=10,
    deadline=None,
    derandomize=True,
    print_blob=True,
    # How long an example takes to draw says more about the machine than about the generators.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("more", settings.get_profile("fast"), max_examples=100)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=5_000, derandomize=False)
# Loaded by name, because Hypothesis goes over to a profile of its own where CI is set.
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# Until the tests begin. Nearly all that is imported and collected stays: looking through it again and again is in vain.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the expectations of cases of importers and tools anew."""
    parser.addoption("--update-expected", action="store_true", help="write the expectations of text cases anew")


@pytest.fixture(scope="session", autouse=True)
def _users_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests judge out of the user's cache, and them from what is kept there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_collection_finish() -> None:
    """Leave all that was imported and collected out of garbage collection.

    Each run in a test forks workers, which collect garbage before they begin: going through everything would copy
    hundreds of megabytes into each of them, which takes longer than the run.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


# What was left out ends in the usual order. pytest looks for garbage five times before.
atexit.register(gc.unfreeze)
