"""What there is: strategies, corpora, cascades, each with one line."""

from __future__ import annotations

from corpora.load import BUNDLED, DEFAULT, shards
from editcore.cascade import CASCADES
from harness.strategies import strategies


def listing(what: str) -> list[tuple[str, str]]:
    """Names and summaries of one kind of thing, in the order in which they are tried or shipped."""
    if what == "corpora":
        return [(name, _about_corpus(name)) for name in BUNDLED]
    if what == "cascades":
        return [(name, " -> ".join(rung for rung, _ in cascade.rungs)) for name, cascade in CASCADES.items()]
    return [
        (name, strategy.summary if strategy.origin == "editgauge" else f"{strategy.summary} [{strategy.origin}]")
        for name, strategy in strategies().items()
    ]


def _about_corpus(name: str) -> str:
    n = sum(shard.n_samples for shard in shards(name))
    return f"{n:,} samples{' (the default)' if name == DEFAULT else ''}"
