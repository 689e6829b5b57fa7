"""What `orderings`, `sweep` and `calibrate` share: a run of what they score, and the table of decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JOBS, QUIET, RUN_FOLDER, Number, Option, group, selection
from harness.progress import show_progress
from harness.terminal import warn

if TYPE_CHECKING:
    from harness.run.selection import Selection
    from harness.strategies.strategy import Strategy
    from reports.orderings.decisions import Decisions


REPLACER, TIER, AGENT, CASCADE = "replacer/", "tier/", "agent/", "cascade/"
"""Families of strategies whose members are run by themselves."""
COST = click.option(
    "--wrong-cost", type=Number(min=0), default=5.0, show_default=True, metavar="W",
    help="Cost of a wrong edit, in correct edits.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Where outcomes come from: a run, or corpora that are run, and how."""

    places: Sequence[str]
    selection: Selection
    jobs: int | None
    out: Path | None
    quiet: bool


def source(purpose: str = "Seed of the samples drawn by -n.") -> Option:
    """The options that name a run or corpora, and how those are run, as one `source`."""
    places = click.argument("places", nargs=-1, type=str, metavar="[RUN|CORPUS]...")
    return group("source", Source, places, selection(purpose), JOBS, RUN_FOLDER, QUIET)


@contextmanager
def drawing() -> Iterator[None]:
    """Turn a failure to write a plot into a warning, since the numbers are printed anyway."""
    try:
        yield
    except OSError as error:
        click.echo(f"warning: no plot: {error.filename} cannot be written: {error.strerror}", err=True)


def run_of(source: Source, replacers: Sequence[str], *, family: str = REPLACER) -> Path:
    """The run folder that is named, or a new run of the replacers, or of another family, on the corpora that are.

    A run folder that lacks some of them names corpora too: its own, of which its samples are run.
    """
    from corpora.load import DEFAULT
    from harness.fuzz.engine.known import safety
    from harness.run.runner import Request, run
    from harness.strategies.registry import strategy
    from reports.runs.manifest import MANIFEST, read_manifest

    places, selected = source.places, source.selection
    chosen = [strategy(f"{family}{name}") for name in dict.fromkeys(replacers)]
    folders = [Path(place) for place in places if (Path(place) / MANIFEST).is_file()]
    if folders:
        if len(places) > 1:
            raise UsageError("Several places are given, and one is a run", "Name one run, or corpora only.")
        manifest = read_manifest(folders[0])
        lacking = [one.name for one in chosen if one.name not in {used.name for used in manifest.strategies}]
        if not lacking:
            _check_not_run(source, folders[0])
            return folders[0]
        places = [one.name for one in manifest.corpora]
        selected = replace(selected, ids=_ids(folders[0], chosen))
        others = f" and of {len(lacking) - 1} more" if len(lacking) > 1 else ""
        click.echo(
            f"{printable(str(folders[0]))} lacks outcomes of {lacking[0]}{others}: run now, on its samples", err=True
        )
    request = Request(
        places or [DEFAULT], chosen, source.out, selection=selected, n_workers=source.jobs, known_breaks=safety
    )
    with show_progress(quiet=source.quiet) as report:
        return run(request, report=report, warn=warn)


def _check_not_run(source: Source, folder: Path) -> None:
    """Raise UsageError for options of a run where none is made, since all outcomes are there."""
    given = {"-n": source.selection.limit, "-k": source.selection.matching, "-o": source.out}
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise UsageError(
            f"{folder} has all outcomes, and nothing is run: {' and '.join(names)} would do nothing",
            "Leave that out, or name corpora in place of the run.",
        )


def _ids(folder: Path, chosen: Sequence[Strategy]) -> frozenset[str]:
    """The samples of a run in formats that these strategies take. Raises UsageError where there are none."""
    from reports.runs.parts import run_table

    formats = frozenset().union(*(one.formats for one in chosen))
    found = run_table(folder, "samples", "sample_id", "format").to_pylist()
    ids = frozenset(row["sample_id"] for row in found if row["format"] in formats)
    if not ids:
        raise UsageError(
            f"{folder} has no samples that {chosen[0].name} takes: {', '.join(sorted(formats))}",
            "Name a run or a corpus that has some.",
        )
    return ids


def table_of(folder: Path, replacers: Sequence[str], *, family: str = REPLACER) -> Decisions:
    """The decisions of these replacers in a run, or of members of another family."""
    from reports.orderings.decisions import decisions

    table = decisions(folder, family=family)
    return table.only(table.places(replacers))
