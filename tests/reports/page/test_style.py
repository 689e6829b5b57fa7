from __future__ import annotations

import re

import pytest

from reports.page.packing import style_text

COLOURS = re.findall(r"::highlight\(\w+\) \{ color: var\(--(\w+)\)", style_text())
"""The colours of words of code."""


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("background", ["card", "del", "ins"])
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_of_code_can_be_read_on_every_background(colour: str, background: str, scheme: int) -> None:
    """The contrast is at least 4.5, as WCAG 2 asks for."""
    dark, light = sorted(
        luminance(re.findall(rf"--{name}: (#\w+)", style_text())[scheme]) for name in (colour, background)
    )
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2; `colour` is #rrggbb."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
