"""`ls`: list everything of one kind that has a name; `kit`: write the conformance kit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON, Output
from harness.terminal import print_json

if TYPE_CHECKING:
    from editcore.agents.rule import AgentRule, Source


class Row(NamedTuple):
    """One listed thing: a line of text, and a JSON document if it has more fields than name and summary."""

    name: str
    summary: str
    document: Mapping[str, Any] | None = None


# Each kind imports its table when it is listed: importing all of them takes a second.


def _strategies() -> Iterator[Row]:
    from harness.strategies.registry import strategies

    for name, one in strategies().items():
        summary = one.summary if one.origin == "editgauge" else f"{one.summary} [{one.origin}]"
        source = f" [{one.agent.source}]" if one.agent and one.agent.source else ""
        more = _sources(one.agent) if one.agent else {}
        yield Row(name, summary + source, {"name": name, "summary": summary, **more})


def _sources(agent: AgentRule) -> dict[str, Any]:
    """Where a rule was read, how it fails, and what the program does with bytes. Unknown parts are left out."""

    def known(source: Source) -> dict[str, str]:
        return {name: value for name, value in source._asdict().items() if value}

    said: dict[str, Any] = {"evidence": agent.evidence, "known_failures": list(agent.failures)}
    if agent.source:
        said["source"] = known(agent.source)
    if agent.on_bytes:
        said["on_bytes"] = {"habit": agent.on_bytes.habit.name, "source": known(agent.on_bytes.source)}
    return said


def _agents() -> Iterator[Row]:
    from editcore.agents import AGENTS

    for name, one in AGENTS.items():
        date = one.source.date if one.source and one.source.date else "undated"
        document = {"name": name, "program": one.program, "date": date, "basis": one.basis, **_sources(one)}
        yield Row(name, f"{one.program} ({date}; {one.evidence}): {one.basis}", document)


def _corpora() -> Iterator[Row]:
    from corpora.load import BUNDLED, DEFAULT, GENERATED, RECORDED, segments

    def n_samples(corpus: str) -> int:
        return sum(segment.n_samples for segment in segments(corpus))

    for name in BUNDLED:
        yield Row(name, f"{n_samples(name):,} samples{' (the default)' if name == DEFAULT else ''}")
    yield Row(GENERATED, "damaged edits of the sources installed here; made when first asked for")
    try:
        yield Row(RECORDED, f"{n_samples(RECORDED):,} samples, your own")
    except UsageError as error:
        yield Row(RECORDED, f"none yet: {error.message}")


def _cascades() -> Iterator[Row]:
    from editcore.cascade import CASCADES

    for name, cascade in CASCADES.items():
        yield Row(name, f"{f'version {cascade.version}: ' if cascade.version else ''}{' -> '.join(cascade.order)}")


def _importers() -> Iterator[Row]:
    from corpora.importers import importers

    return (Row(name, importer.summary) for name, importer in importers().items())


def _mutators() -> Iterator[Row]:
    from corpora.mutators import mutators

    for name, one in mutators().items():
        yield Row(name, f"{one.truth}{f' ({one.absorber})' if one.absorber else ''}: {one.summary}")


def _tools() -> Iterator[Row]:
    from editcore.host.tools import TOOLS

    # The document is the tool as model APIs take it.
    return (Row(tool.id, tool.description, tool.declaration) for tool in TOOLS.values())


def _targets() -> Iterator[Row]:
    from harness.fuzz.drills import DRILLS
    from harness.fuzz.targets import targets

    yield from (Row(one.name, one.summary) for one in targets().values())
    yield from (Row(one.name, one.summary) for one in DRILLS.values())


def _docs() -> Iterator[Row]:
    for name, path in pages().items():
        summary = f"{path.read_text('utf-8').partition(chr(10))[0].removeprefix('# ')}: {path}"
        yield Row(name, summary, {"name": name, "summary": summary, "path": str(path)})


def pages() -> dict[str, Path]:
    """Name -> file of each page of the documentation: beside the packages in a checkout, inside harness in a wheel."""
    package = Path(__file__).parents[2]
    folder = next(one for one in (package / "docs", package.parent / "docs") if one.is_dir())
    return {path.stem: path for path in sorted(folder.glob("*.md"))}


KINDS: Mapping[str, Callable[[], Iterator[Row]]] = MappingProxyType(
    {
        "strategies": _strategies,
        "agents": _agents,
        "corpora": _corpora,
        "cascades": _cascades,
        "importers": _importers,
        "mutators": _mutators,
        "tools": _tools,
        "targets": _targets,
        "docs": _docs,
    }
)
"""Kind of thing -> its rows, in the order in which they are tried or shipped."""


@click.command("ls", help=f"List everything of one kind, a line each.\n\nKIND is one of: {', '.join(KINDS)}.")
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@JSON
def ls(kind: str, as_json: bool) -> None:
    print_listing(kind, as_json=as_json)


def print_listing(kind: str, *, as_json: bool) -> None:
    """Print everything of one kind of `KINDS`, a line each or as one JSON document."""
    rows = list(KINDS[kind]())
    if as_json:
        documents = [one.document or {"name": one.name, "summary": one.summary} for one in rows]
        print_json({"schema_version": 1, kind: documents})
        return
    width = max(len(one.name) for one in rows)
    for one in rows:
        click.echo(f"{one.name:<{width}}  {printable(one.summary)}")


@click.command()
@click.option(
    "-o", "--out", type=Output(file_okay=False), required=True, metavar="DIR", help="Folder to write; empty or new."
)
@click.option(
    "--layout", type=click.Choice(["json", "scenarios"]), default="json", show_default=True,
    help="scenarios: the cases of patches as folders with input, patch.txt and expected, for any test runner.",
)  # fmt: skip
def kit(out: Path, layout: str) -> None:
    """Write the cases that a rewrite of our rules has to pass.

    JSON files, one for each rule and, of `cascade/recommended`, for each tier: the input, the right result or the
    reason of a refusal, and what lies between. `editgauge protocol conform` sends them to a program. docs/kit.md says
    more.
    """
    from harness.conform.kit import cases, write_kit, write_scenarios

    if layout == "scenarios":
        click.echo(f"{len(write_scenarios(out)):,} scenarios")
        return
    names = write_kit(out)
    click.echo(f"{len(cases()):,} cases in {len(names)} files")
