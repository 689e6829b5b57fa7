"""`ls`: list everything of one kind that has a name; `kit`: write the conformance kit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from editcore.quoting import printable
from harness.commands.options import JSON, Output
from harness.terminal import print_json

if TYPE_CHECKING:
    from editcore.agents.rule import AgentRule, Source
    from harness.strategies.strategy import Strategy


# What `editgauge ls` lists: for each kind of thing, names with a line each.
#
# The tables are imported when they are listed, since importing all of them takes a second.

Rows = list[tuple[str, str]]
"""Names and summaries, in the order in which they are tried or shipped."""


def _strategies() -> Rows:
    from harness.strategies.registry import strategies

    return [
        (name, _summary(one) + (f" [{one.agent.source}]" if one.agent and one.agent.source else ""))
        for name, one in strategies().items()
    ]


def _summary(strategy: Strategy) -> str:
    return strategy.summary if strategy.origin == "editgauge" else f"{strategy.summary} [{strategy.origin}]"


def _strategy_documents() -> list[dict[str, Any]]:
    from harness.strategies.registry import strategies

    return [
        {"name": name, "summary": _summary(one), **(_sources(one.agent) if one.agent else {})}
        for name, one in strategies().items()
    ]


def _sources(agent: AgentRule) -> dict[str, Any]:
    """Where the rule was read, how it fails, and what the program does with bytes; what is not known is left out."""

    def known(source: Source) -> dict[str, str]:
        return {name: value for name, value in source._asdict().items() if value}

    said: dict[str, Any] = {"evidence": agent.evidence, "known_failures": list(agent.failures)}
    if agent.source:
        said["source"] = known(agent.source)
    if agent.on_bytes:
        said["on_bytes"] = {"habit": agent.on_bytes.habit.name, "source": known(agent.on_bytes.source)}
    return said


def _corpora() -> Rows:
    from corpora.load import BUNDLED, DEFAULT, GENERATED, RECORDED
    from editcore.errors import UsageError

    bundled = [(name, f"{_n_samples(name):,} samples{' (the default)' if name == DEFAULT else ''}") for name in BUNDLED]
    try:
        recorded = f"{_n_samples(RECORDED):,} samples, your own"
    except UsageError as error:
        recorded = f"none yet: {error.message}"
    generated = "damaged edits of the sources installed here; made when first asked for"
    return [*bundled, (GENERATED, generated), (RECORDED, recorded)]


def _n_samples(corpus: str) -> int:
    from corpora.load import segments

    return sum(segment.n_samples for segment in segments(corpus))


def _cascades() -> Rows:
    from editcore.cascade import CASCADES

    return [
        (name, f"{f'version {cascade.version}: ' if cascade.version else ''}{' -> '.join(cascade.order)}")
        for name, cascade in CASCADES.items()
    ]


def _importers() -> Rows:
    from corpora.importers import importers

    return [(name, importer.summary) for name, importer in importers().items()]


def _mutators() -> Rows:
    from corpora.mutators import mutators

    return [
        (name, f"{mutator.truth}{f' ({mutator.absorber})' if mutator.absorber else ''}: {mutator.summary}")
        for name, mutator in mutators().items()
    ]


def _tools() -> Rows:
    from editcore.host.tools import TOOLS

    return [(tool.id, tool.description) for tool in TOOLS.values()]


def _targets() -> Rows:
    from harness.fuzz.drills import DRILLS
    from harness.fuzz.targets import targets

    found = [(target.name, target.summary) for target in targets().values()]
    return found + [(drill.name, drill.summary) for drill in DRILLS.values()]


def pages() -> dict[str, Path]:
    """Name -> file of each page of the documentation: beside the packages in a checkout, inside harness in a wheel."""
    package = Path(__file__).parents[2]
    folder = next(one for one in (package / "docs", package.parent / "docs") if one.is_dir())
    return {path.stem: path for path in sorted(folder.glob("*.md"))}


def _docs() -> Rows:
    headings = {name: path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for name, path in pages().items()}
    return [(name, f"{headings[name]}: {path}") for name, path in pages().items()]


KINDS: Mapping[str, Callable[[], Rows]] = MappingProxyType(
    {
        "strategies": _strategies,
        "corpora": _corpora,
        "cascades": _cascades,
        "importers": _importers,
        "mutators": _mutators,
        "tools": _tools,
        "targets": _targets,
        "docs": _docs,
    }
)
"""Kind of thing -> its names and summaries."""


def document(kind: str) -> list[dict[str, Any]]:
    """What `editgauge ls --json` prints of a kind; tools as model APIs take them, pages with their paths."""
    if kind == "tools":
        from editcore.host.tools import TOOLS

        return [tool.declaration for tool in TOOLS.values()]
    if kind == "strategies":
        return _strategy_documents()
    rows = [{"name": name, "summary": summary} for name, summary in KINDS[kind]()]
    if kind == "docs":
        return [row | {"path": str(pages()[row["name"]])} for row in rows]
    return rows


@click.command("ls", help=f"List everything of one kind, a line each.\n\nKIND is one of: {', '.join(KINDS)}.")
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@JSON
def ls(kind: str, as_json: bool) -> None:
    print_listing(kind, as_json=as_json)


def print_listing(kind: str, *, as_json: bool) -> None:
    """Print everything of one kind of `KINDS`, a line each or as one JSON document."""
    if as_json:
        print_json({"schema_version": 1, kind: document(kind)})
        return
    rows = KINDS[kind]()
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        click.echo(f"{name:<{width}}  {printable(summary)}")


# `kit`: write the conformance kit.


@click.command()
@click.option(
    "-o", "--out", type=Output(file_okay=False), required=True, metavar="DIR", help="Folder to write; empty or new."
)
def kit(out: Path) -> None:
    """Write the cases that a rewrite of our rules has to pass.

    JSON files, one for each rule and, of `cascade/recommended`, for each tier: the input, the right result or the
    reason of a refusal, and what lies between. `editgauge protocol conform` sends them to a program. docs/kit.md says
    more.
    """
    from harness.conform.kit import cases, write_kit

    names = write_kit(out)
    click.echo(f"{len(cases()):,} cases in {len(names)} files")
