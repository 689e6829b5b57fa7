"""Hypothesis profiles: `fast`, unless HYPOTHESIS_PROFILE names `more` or `thorough`. Garbage collection in forks."""

from __future__ import annotations

import gc
import os

from hypothesis import HealthCheck, settings

# The same inputs each time: a test judges a change. Chance is for the nights of fuzzing, and for `thorough`.
settings.register_profile(
    "fast",
    max_examples=20,
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


def pytest_collection_finish() -> None:
    """Leave all that was imported and collected out of garbage collection.

    Each run in a test forks workers, which collect garbage before they begin: going through everything would copy
    hundreds of megabytes into each of them, which takes longer than the run.
    """
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let what was left out end in the usual order."""
    gc.unfreeze()
