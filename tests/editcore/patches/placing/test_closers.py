"""Where a definition is added below a closing line, and what is no such hunk or place."""

from __future__ import annotations

import pytest

from editcore.patches.placing.closers import place_below_closer
from editcore.types import Hunk

GO = ["func a() {", "\tx()", "}", "", "func b() {", "\ty()", "}", "", "func c() {", "}"]
CLASS = [
    "class A {",
    "  public a() {",
    "  }",
    "",
    "  private b(): void {",
    "    if (x) {",
    "    }",
    "  }",
    "}",
    "class B {",
    "  c() {",
    "  }",
    "}",
]


@pytest.mark.parametrize(
    ("lines", "hunk", "places", "floor", "line"),
    [
        (GO, (" }", "+", "+func d() {", "+}"), [2, 6], 1, 2),
        (GO, (" }", "+", "+// d.", "+type D struct {", "+}"), [6], 4, 6),
        (GO, (" }", "+func d() {", "+}", "+"), [2], 1, 2),
        (GO, (" }", "+", "+func d() {", "+}", " ", " func b() {"), [2], 1, 2),
        # Not a definition, not set off, not whole, not only added, not below a closing line.
        (GO, (" }", "+", "+d()"), [2, 6], 1, None),
        (GO, (" }", "+func d() {", "+}"), [2, 6], 1, None),
        (GO, (" }", "+", "+func d() {", "+\tx()"), [2, 6], 1, None),
        (GO, (" }", "-", "+func d() {", "+}"), [2, 6], 1, None),
        (GO, (" \tx()", "+", "+func d() {", "+}"), [1], 0, None),
        (GO, ("+", "+func d() {", "+}"), [2], 1, None),
        (GO, (" }", "+", "+func d() {", "+}", " x", "+y"), [2], 1, None),
        # Indented: a definition must end there, in the block of the hunk before.
        (CLASS, ("   }", "+", "+  private d(): void {", "+  }"), [2, 7], 1, 2),
        (CLASS, ("   }", "+", "+  private d(): void {", "+  }"), [7], 5, 7),
        (CLASS, ("     }", "+", "+    function d() {", "+    }"), [6], 5, None),
        (CLASS, ("   }", "+", "+  private d(): void {", "+  }"), [11], 5, None),
        (["`", "}", "` text", "}"], (" }", "+", "+func d() {", "+}"), [1, 3], 0, None),
    ],
)
def test_the_place_of_a_definition(
    lines: list[str], hunk: tuple[str, ...], places: list[int], floor: int, line: int | None
) -> None:
    assert place_below_closer(Hunk(hunk, 1), places, lines, floor) == line
