"""What there is: strategies, corpora, cascades, importers, mutators, tools, targets, each with one line."""

from __future__ import annotations

import json

import click

from corpora.importers import importers
from corpora.load import BUNDLED, DEFAULT, GENERATED, RECORDED, segments
from corpora.mutators import mutators
from editcore.cascade import CASCADES
from editcore.errors import UsageError
from editcore.quoting import printable
from editcore.tools import TOOLS
from harness.strategies.registry import strategies


def listing(what: str) -> list[tuple[str, str]]:
    """Names and summaries of one kind of thing, in the order in which they are tried or shipped."""
    if what == "corpora":
        return [
            *((name, _about_corpus(name)) for name in BUNDLED),
            (GENERATED, "damaged edits of the sources installed here; made when first asked for"),
            (RECORDED, _about_recorded()),
        ]
    if what == "cascades":
        return [(name, " -> ".join(rung for rung, _ in cascade.rungs)) for name, cascade in CASCADES.items()]
    if what == "importers":
        return [(name, importer.summary) for name, importer in importers().items()]
    if what == "mutators":
        return [
            (name, f"{mutator.truth}{f' ({mutator.absorber})' if mutator.absorber else ''}: {mutator.summary}")
            for name, mutator in mutators().items()
        ]
    if what == "tools":
        return [(tool.id, tool.description) for tool in TOOLS.values()]
    if what == "targets":
        from harness.fuzz.drills import DRILLS
        from harness.fuzz.targets import targets

        found = [(target.name, target.summary) for target in targets().values()]
        return found + [(drill.name, drill.summary) for drill in DRILLS.values()]
    return [
        (name, strategy.summary if strategy.origin == "editgauge" else f"{strategy.summary} [{strategy.origin}]")
        for name, strategy in strategies().items()
    ]


def print_listing(what: str, *, as_json: bool) -> None:
    """Print them, a line each, or as one document."""
    rows = listing(what)
    if as_json:
        found = [{"name": name, "summary": summary} for name, summary in rows]
        if what == "tools":  # As model APIs take them.
            found = [tool.declaration for tool in TOOLS.values()]
        click.echo(json.dumps({"schema_version": 1, what: found}, indent=2))
        return
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        click.echo(f"{name:<{width}}  {printable(summary)}")


def _about_corpus(name: str) -> str:
    return f"{_n_samples(name):,} samples{' (the default)' if name == DEFAULT else ''}"


def _about_recorded() -> str:
    try:
        return f"{_n_samples(RECORDED):,} samples, your own"
    except UsageError as error:
        return f"none yet: {error.message}"


def _n_samples(name: str) -> int:
    return sum(shard.n_samples for shard in segments(name))
