"""The choice among many pairs of anchors: the literal port's answer where it is given, and bounded work."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest

from editcore.replacers.block_anchor import block_anchor
from editcore.text.document import Document
from harness.bench import literal_port

ALPHABETS = (
    ("A", "z", "B", "zz", "zy"),
    ("A", "", "  ", "B", "x = 1", "x = 12"),
    ("A", "A1", "B", "abcdefgh", "abcdefgx", "abcxefgx"),
)


def _lines(rng: Random, alphabet: tuple[str, ...], n: int) -> list[str]:
    """Lines in runs of equal ones, or each for itself."""
    longest = rng.choice((1, 6))
    lines: list[str] = []
    while len(lines) < n:
        lines += [rng.choice(alphabet)] * rng.randint(1, longest)
    return lines


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize(("several", "window"), [(0.3, None), (0.65, 0.25), (0.0, None)])
def test_the_answer_is_the_literal_ports(alphabet: tuple[str, ...], several: float, window: float | None) -> None:
    rng = Random(5)
    n_answers = 0
    for _ in range(100):
        content = "\n".join(_lines(rng, alphabet, rng.randint(30, 120)))
        find = "\n".join(["A", *_lines(rng, alphabet, rng.randint(2, 30)), rng.choice("AB")])
        found = list(block_anchor(Document(content), find, several_similarity=several, size_window=window))
        assert found == list(literal_port.block_anchor(content, find, several=several, window=window))
        n_answers += len(found)
    assert n_answers


def test_runs_of_equal_lines_cost_no_more_than_their_number() -> None:
    n = 3_000
    content, find = "A\n" * n + "z\n" * n + "B\n", "A\n" + "z\n" * n + "B"
    started = process_time()
    assert list(block_anchor(Document(content), find)) == ["A\n" + "z\n" * n + "B"]
    assert process_time() - started < 2


def test_more_work_than_the_bound_offers_nothing() -> None:
    n = 2_000
    middle = [f"value_{k % 7}{k % 11}" for k in range(n)]
    content = "A\n" * n + "\n".join(middle) + "\nB\n"
    find = "A\n" + "\n".join(reversed(middle)) + "\nB"
    started = process_time()
    assert list(block_anchor(Document(content), find)) == []
    assert process_time() - started < 2
