"""Every replacer offers what its literal port offers, on the text cases and on what a fixed seed makes of them.

Hypothesis looks for more of it in `tests/properties`; this is the same each time.
"""

from __future__ import annotations

import random
from importlib import import_module
from unittest.mock import patch

import pytest

from editcore import REPLACERS, Document
from editcore.replacers.search import Search
from harness.bench import literal_port as literal
from tests.editcore.replacers.test_cases import FILES, read_case

BLOCK_ANCHOR = import_module("editcore.replacers.block_anchor")
LINES = [
    "", "  ", "a", " a", "a ", "\ta\t", "b", "a  b", "a b c", "a a", "}", "x = 1", "x = 2", "\\", "a\\n", '\\"q\\"',
    '"q"',
]  # fmt: skip
FINDS = ["", " ", "\n", " \n", "\n\n", "a", " a ", "a b", "\\n", "\\\\", "a\\nb", "a\nb\\", '\\"q\\"', "\na\n", "a\n"]


def _drawn() -> list[tuple[str, str]]:
    draw = random.Random(0)
    texts = []
    for _ in range(250):
        lines = [draw.choice(LINES) for _ in range(draw.randrange(12))]
        content = "\n".join(lines) + draw.choice(["", "\n"])
        start = draw.randrange(len(lines) + 1)
        find = lines[start : start + draw.randrange(1, 6)]
        for n in range(len(find)):
            if not draw.randrange(3):
                find[n] = draw.choice([find[n].strip(), " " + find[n], draw.choice(LINES), find[n].replace(" ", "  ")])
        texts.append((content, draw.choice(["\n".join(find) + draw.choice(["", "\n"]), draw.choice(FINDS)])))
    return texts


CASES = [read_case(path.read_text("utf-8")) for path in FILES]
TEXTS = [(case.texts["content"], case.texts["old"]) for case in CASES] + _drawn()
# Twenty pairs of anchors of which the ninth is like the find, and those above are nearly.
MANY = ("".join(f"in\nvalue = {n}{'0' * abs(n - 8)}\nout\n" for n in range(20)), "in\nvalue = 8\nout")


@pytest.mark.parametrize("name", REPLACERS)
def test_a_replacer_offers_what_its_literal_port_offers(name: str) -> None:
    for content, find in [*TEXTS, MANY]:
        assert list(REPLACERS[name](Document(content), find)) == list(literal.LITERAL[name](content, find)), find


@pytest.mark.parametrize(("many", "very_many", "budget"), [(0, 512, 0), (0, 0, 0), (0, 0, 2)])
def test_tables_say_the_same(many: int, very_many: int, budget: int) -> None:
    with (
        patch.multiple(BLOCK_ANCHOR, _MANY=many, _VERY_MANY=very_many),
        patch.object(Search, "needle_budget", budget),
    ):
        for name in ("line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible", "context_aware"):
            test_a_replacer_offers_what_its_literal_port_offers(name)


@pytest.mark.parametrize(("single", "several", "window"), [(0.5, 0.5, None), (0.65, 0.65, 0.25), (1.0, 1.0, 0.5)])
def test_block_anchor_does_under_other_thresholds_too(single: float, several: float, window: float | None) -> None:
    for content, find in [*TEXTS, MANY]:
        found = BLOCK_ANCHOR.block_anchor(
            Document(content), find, single_similarity=single, several_similarity=several, size_window=window
        )
        assert list(found) == list(literal.block_anchor(content, find, single=single, several=several, window=window))
