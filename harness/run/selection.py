"""Which samples of a corpus are run: `-k EXPR` selects by id and tags, `-n LIMIT` draws at random, by a seed.

`--shard I/N` then selects one machine's share of those. The choice depends on the samples only.
"""

from __future__ import annotations

import ast
import heapq
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import xxhash

from corpora.duplicates import NO_REPEATS, Repeats
from corpora.segments import OnBad, Segment, ids_and_tags
from editcore.errors import UsageError
from reports.runs.manifest import MOST_SHARDS

_NODES = (ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not, ast.Name, ast.Load)
"""The nodes of a well-formed expression. `a (b)` is not one: Python parses it as a call."""
_TOKEN = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\))|(?P<word>[^\s()]+))")
_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")

Matches = Callable[[str, Sequence[str]], bool]
"""Sample id and tags -> whether the sample is selected."""


def expression(text: str) -> Matches:
    """The test that `-k EXPR` stands for: parts of ids and tags, joined by and, or, not and parentheses.

    Raises UsageError for a malformed expression.
    """
    pieces: list[str] = []
    source: list[str] = []
    for token in _TOKEN.finditer(text):
        word = token["word"]
        if word in ("and", "or", "not") or word is None:
            source.append(word or token[0].strip())
        else:
            source.append(f"_{len(pieces)}")
            pieces.append(word.lower())
    try:
        tree = ast.parse(" ".join(source), mode="eval")
        well_formed = all(isinstance(node, _NODES) for node in ast.walk(tree))
    except (SyntaxError, RecursionError, MemoryError):
        well_formed = False
    if not well_formed:
        raise UsageError(
            f"-k {text!r} cannot be read",
            "Join parts of ids and tags with and, or, not, parentheses: -k 'python and not stale'.",
        )
    return lambda sample_id, tags: _holds(tree.body, pieces, [sample_id.lower(), *(tag.lower() for tag in tags)])


def _holds(node: ast.expr, pieces: Sequence[str], names: Sequence[str]) -> bool:
    if isinstance(node, ast.BoolOp):
        results = (_holds(value, pieces, names) for value in node.values)
        return all(results) if isinstance(node.op, ast.And) else any(results)
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, pieces, names)
    assert isinstance(node, ast.Name)
    piece = pieces[int(node.id[1:])]
    return any(piece in name for name in names)


@dataclass(frozen=True, slots=True)
class Selection:
    """The options `-k`, `-n` and `--seed`."""

    matching: str | None = None
    """The expression of `-k`."""
    limit: int | None = None
    """The largest number of samples from each corpus. Which ones depends on the seed and their ids alone."""
    seed: int = 0

    def choose(
        self, segments: Iterable[Segment], *, repeated: Repeats = NO_REPEATS, on_bad: OnBad | None = None
    ) -> dict[str, frozenset[int]] | None:
        """Segment name -> numbers of its selected samples, for segments with any; None if every sample is selected.

        Of the repeated samples none is selected, if any choice is made.
        """
        if self.matching is None and self.limit is None:
            return None
        matches = expression(self.matching) if self.matching is not None else None
        found = (
            (self._rank(sample_id), segment.name, number)
            for segment in segments
            for number, sample_id, tags in ids_and_tags(segment, on_bad=on_bad)
            if (matches is None or matches(sample_id, tags)) and number not in repeated.get(segment.name, ())
        )
        drawn = found if self.limit is None else iter(heapq.nsmallest(self.limit, found))
        chosen: dict[str, set[int]] = {}
        for _, name, number in drawn:
            chosen.setdefault(name, set()).add(number)
        return {name: frozenset(numbers) for name, numbers in chosen.items()}

    def _rank(self, sample_id: str) -> int:
        return xxhash.xxh3_64_intdigest(f"{self.seed}/{sample_id}".encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Shard:
    """`--shard I/N`: the I-th of N consecutive shares of the selected samples. Sizes differ by one at most."""

    index: int
    """1-based."""
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that `I/N` stands for. Raises UsageError."""
        found = _SHARD.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]) <= MOST_SHARDS:
            raise UsageError(f"--shard {text} is not a shard", "Write I/N with I from 1 to N: --shard 2/8.")
        return cls(int(found[1]), int(found[2]))

    def positions(self, n_samples: int) -> range:
        """The 0-based positions of the shard's samples among `n_samples` selected ones."""
        return range(n_samples * (self.index - 1) // self.n, n_samples * self.index // self.n)
