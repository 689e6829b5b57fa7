"""Which samples of a corpus are run: `-k EXPR` on ids and tags, `-n LIMIT` at random, the same everywhere.

Of those, `--shard I/N` leaves one machine its share.
"""

from __future__ import annotations

import ast
import heapq
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import xxhash

from corpora.segments import OnBad, Segment, ids_and_tags
from editcore.errors import UsageError

_NODES = (ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not, ast.Name, ast.Load)
"""All that a well-formed expression is made of; `a (b)`, a call to Python, is none."""
_TOKEN = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\))|(?P<word>[^\s()]+))")
_DIVISION = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")

Matches = Callable[[str, Sequence[str]], bool]
"""Sample id and tags -> whether the sample is chosen."""


def expression(text: str) -> Matches:
    """The test that `-k` stands for: pieces of ids and tags, joined by and, or, not and parentheses.

    Raises UsageError where the expression cannot be read.
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
            f"-k {text!r} cannot be read", "Join pieces of ids and tags with and, or, not: -k 'python and not stale'."
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
    """What is asked for."""

    matching: str | None = None
    """The expression of `-k`."""
    limit: int | None = None
    """The most samples; which ones is drawn with the seed, from ids alone."""
    seed: int = 0

    def choose(self, shards: Iterable[Segment], *, on_bad: OnBad | None = None) -> dict[str, frozenset[int]] | None:
        """For each shard with chosen samples their numbers; None where every sample is chosen."""
        if self.matching is None and self.limit is None:
            return None
        matches = expression(self.matching) if self.matching is not None else None
        found = (
            (self._rank(sample_id), shard.name, number)
            for shard in shards
            for number, sample_id, tags in ids_and_tags(shard, on_bad=on_bad)
            if matches is None or matches(sample_id, tags)
        )
        drawn = found if self.limit is None else iter(heapq.nsmallest(self.limit, found))
        chosen: dict[str, set[int]] = {}
        for _, shard, number in drawn:
            chosen.setdefault(shard, set()).add(number)
        return {shard: frozenset(numbers) for shard, numbers in chosen.items()}

    def _rank(self, sample_id: str) -> int:
        return xxhash.xxh3_64_intdigest(f"{self.seed}/{sample_id}".encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Division:
    """`--shard I/N`: the I-th of N stretches of the chosen samples in their order, alike in size to within one."""

    index: int
    """1-based."""
    n: int

    @classmethod
    def parsed(cls, text: str) -> Division:
        """What the option says. Raises UsageError."""
        found = _DIVISION.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageError(f"--shard {text} is no shard", "Give I/N, from 1/N to N/N: --shard 2/8.")
        return cls(int(found[1]), int(found[2]))

    def stretch(self, n_samples: int) -> range:
        """The places, from 0, of the samples of the stretch, of so many."""
        return range(n_samples * (self.index - 1) // self.n, n_samples * self.index // self.n)
