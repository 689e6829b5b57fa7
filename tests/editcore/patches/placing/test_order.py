"""The order of all hunks leaves exactly the places that some placement of all of them in order has."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from editcore import apply_begin_patch
from editcore.patches.placing.candidates import in_order
from tests.results import applied, refused


@pytest.mark.parametrize(
    ("places", "lengths", "left"),
    [
        ([], [], []),
        ([[1, 9], [4], [2, 6, 8]], [1, 1, 1], [[1], [4], [6, 8]]),
        ([[0, 5], [0, 5]], [1, 1], [[0], [5]]),
        ([[0, 5, 9], [0, 5, 9]], [1, 1], [[0, 5], [5, 9]]),
        ([[3], [1]], [1, 1], None),
        ([[0], [1]], [2, 1], None),
        # A hunk that only adds lines goes between two others, or at the end of one.
        ([[0], [2], [2]], [2, 0, 1], [[0], [2], [2]]),
    ],
)
def test_the_places_that_the_order_leaves(
    places: list[list[int]], lengths: list[int], left: list[list[int]] | None
) -> None:
    assert in_order(places, lengths) == left


def test_the_same_as_trying_every_placement() -> None:
    random = Random(7)
    for _ in range(300):
        lengths = [random.randint(0, 3) for _ in range(random.randint(1, 4))]
        places = [sorted(random.sample(range(9), random.randint(1, 4))) for _ in lengths]
        fitting = [
            chosen
            for chosen in product(*places)
            if all(one + length <= other for (one, other), length in zip(pairwise(chosen), lengths, strict=False))
        ]
        left = [sorted(set(column)) for column in zip(*fitting, strict=True)] if fitting else None
        assert in_order(places, lengths) == left


def test_a_hunk_whose_at_line_contradicts_the_order_is_refused_with_both_lines() -> None:
    text = "def a():\n  x\ndef b():\n  z\ndef c():\n  x\n"
    hunks = "@@\n-  z\n+  Z\n@@ def a():\n-  x\n+  y\n"
    result = refused(apply_begin_patch({"f": text}, f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"))
    assert result.message == (
        "line 6 of the patch: the hunk fits f at line 2 by its @@ line, but at line 6 by the order of the hunks: "
        "put the hunks in the file's order."
    )
    # Taken literally, the advice helps.
    ordered = "@@ def a():\n-  x\n+  y\n@@\n-  z\n+  Z\n"
    result = applied(apply_begin_patch({"f": text}, f"*** Begin Patch\n*** Update File: f\n{ordered}*** End Patch\n"))
