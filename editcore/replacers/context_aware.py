"""First and last line equal, and half of the lines between them."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.replacers.search import search
from editcore.text.document import Document
from editcore.text.whitespace import trim


def context_aware(document: Document, find: str) -> Iterator[str]:
    """Every block as long as the search text that begins and ends like it, trimmed, and is at least half equal.

    Forgives half of the middle lines. Eighth in the order. For a search text of three lines or more. Each line equal
    to the first anchor is paired with the nearest last anchor two or more lines below; of the middle lines that
    are not blank in both, half must be equal once trimmed.

        find     |def f():         content  |def f():
                 |    x = 1                 |    x = 1
                 |    y = 2                 |    y = 3
                 |    return                |    return          <- all four lines

    Known false positive: lines that the search text has wrong are overwritten too.

        find     |open             content  |open
                 |keep = 1                  |keep = 1
                 |log(42)                   |drop_tables()       <- gone
                 |close                     |close
    """
    sought = search(document, find)
    text, wanted = document.text, sought.wanted
    for pair in sought.anchor_pairs():
        if pair.n_lines == len(wanted):
            block = text[pair.start : pair.end]
            if _half_equal(block.split("\n")[1:-1], wanted[1:-1]):
                yield block


def _half_equal(lines: list[str], wanted: list[str]) -> bool:
    n_equal = n_compared = 0
    for line, sought in zip(lines, wanted, strict=True):
        line = trim(line)
        if line or sought:
            n_compared += 1
            n_equal += line == sought
    return n_compared == 0 or n_equal / n_compared >= 0.5
