"""Commands about parts of cascades: `sweep`, `calibrate` and `bench`; and the runs that they and `orderings` score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from corpora.load import DEFAULT
from editcore.agents import AGENTS, named_agent
from editcore.errors import UsageError, did_you_mean
from editcore.replacers import REPLACERS
from editcore.tiers import THRESHOLDS, TIERS
from editcore.variants import PARAMETERS, named_replacer, named_tier, variant_name
from harness.bench.tables import print_bench
from harness.commands.options import JOBS, JSON, QUIET, RUN_FOLDER, Number, Option, group, seed, selection
from harness.progress import show_progress
from harness.run.plan import Request, Selection
from harness.run.runner import run
from harness.strategies.registry import strategy
from harness.strategies.rung_strategies import SPEC
from harness.strategies.strategy import Strategy
from harness.terminal import print_json, tell, warn
from reports.orderings.decisions import Decisions, decisions
from reports.orderings.study import Aim, curve
from reports.orderings.tables import print_curve
from reports.runs.manifest import MANIFEST, read_manifest
from reports.runs.parts import outcomes, samples_used
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import calibration

# The run that `orderings`, `sweep` and `calibrate` score, and its table of decisions

REPLACER, TIER, AGENT, CASCADE = "replacer/", "tier/", "agent/", "cascade/"
"""Families of strategies whose members are run by themselves."""
COST = click.option(
    "--wrong-cost", type=Number(min=0), default=5.0, show_default=True, metavar="W",
    help="Cost of a wrong edit, in correct edits.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Where outcomes come from: a run folder, or corpora and how to run them."""

    places: Sequence[str]
    selection: Selection
    jobs: int | None
    out: Path | None
    quiet: bool


def source(purpose: str = "Seed of the samples drawn by -n.") -> Option:
    """Options that name a run or corpora and how to run them, as one `source`."""
    places = click.argument("places", nargs=-1, type=str, metavar="[RUN|CORPUS]...")
    return group("source", Source, places, selection(purpose), JOBS, RUN_FOLDER, QUIET)


@contextmanager
def drawing() -> Iterator[None]:
    """Turn a failure to write a plot into a warning: the numbers are printed anyway."""
    try:
        yield
    except OSError as error:
        warn(f"no plot: {error.filename} cannot be written: {error.strerror}")


def run_of(source: Source, replacers: Sequence[str], *, family: str = REPLACER) -> Path:
    """The named run folder, or a new run of `replacers` (members of `family`, or specs of rungs) on the corpora.

    If the run folder lacks some of the members, all of them are run, on the samples of that run.
    """
    from harness.fuzz.engine.known import safety

    places, selected = source.places, source.selection
    specs = [name if name.startswith(SPEC) else f"{family}{name}" for name in dict.fromkeys(replacers)]
    chosen = [strategy(spec) for spec in specs]
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
        tell(f"{folders[0]} lacks outcomes of {lacking[0]}{others}: run now, on its samples")
    request = Request(
        places or [DEFAULT], chosen, source.out, selection=selected, n_workers=source.jobs, known_breaks=safety
    )
    with show_progress(quiet=source.quiet) as report:
        return run(request, report=report, warn=warn)


def _check_not_run(source: Source, folder: Path) -> None:
    """Raise UsageError for options of a run where all outcomes are there, and nothing is run."""
    given = {"-n": source.selection.limit, "-k": source.selection.matching, "-o": source.out}
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise UsageError(
            f"{folder} has all outcomes, and nothing is run: {' and '.join(names)} would do nothing",
            "Leave that out, or name corpora in place of the run.",
        )


def _ids(folder: Path, chosen: Sequence[Strategy]) -> frozenset[str]:
    """Ids of a run's samples in formats that these strategies take. Raises UsageError where there are none."""
    formats = frozenset().union(*(one.formats for one in chosen))
    found = RunFolder(folder).table("samples", "sample_id", "format").to_pylist()
    ids = frozenset(row["sample_id"] for row in found if row["format"] in formats)
    if not ids:
        raise UsageError(
            f"{folder} has no samples that {chosen[0].name} takes: {', '.join(sorted(formats))}",
            "Name a run or a corpus that has some.",
        )
    return ids


def table_of(folder: Path, replacers: Sequence[str], *, family: str = REPLACER) -> Decisions:
    """The decisions of these replacers, or of members of another family, in a run."""
    table = decisions(RunFolder(folder), family=family)
    return table.only(table.places(replacers))


# Parameters and values of a sweep

_NAMED: Mapping[str, Callable[[str], object]] = {REPLACER: named_replacer, TIER: named_tier, AGENT: named_agent}
"""Family -> check of a variant's name."""
Settings = dict[str, list[tuple[float, str]]]
"""Parameter -> its values in ascending order, each with the name of the variant."""


def settings(member: str, asked: Sequence[str], *, family: str = REPLACER) -> Settings:
    """Parse settings such as `NAME` and `NAME=V,V,...`; every parameter of the member if `asked` is empty.

    The member is a replacer, a tier or an agent, as `family` says. Raises UsageError for an unknown parameter, and
    for a value out of its range.
    """
    if family == REPLACER:
        taken = {name: one.values for name, one in PARAMETERS.items() if member in one.replacers}
    else:
        thresholds = THRESHOLDS[member] if family == TIER else AGENTS[member].thresholds
        taken = {threshold.name: threshold.values for threshold in thresholds}
    found = _settings(member, taken, asked)
    for pairs in found.values():
        for _, variant in pairs:
            _NAMED[family](variant)
    return found


def _settings(member: str, taken: Mapping[str, Sequence[float]], asked: Sequence[str]) -> Settings:
    tried: dict[str, set[float]] = defaultdict(set)
    for text in asked or taken:
        name, _, written = text.partition("=")
        if name not in taken:
            near = did_you_mean(name, taken)
            raise UsageError(f"{member} has no parameter {name!r}", f"{near}It has: {', '.join(taken) or 'none'}.")
        try:
            values = [float(value) for value in written.split(",")] if written else taken[name]
        except ValueError:
            raise UsageError(f"-p {text} cannot be read", f"Write -p {name}=0,0.5,1.") from None
        tried[name].update(values)
    return {
        name: [(value, variant_name(member, {name: value})) for value in sorted(values)]
        for name, values in tried.items()
    }


@click.command()
@click.option(
    "-p", "--parameter", "parameters", multiple=True, metavar="NAME[=V,V,...]",
    help="Parameter to vary, and the values to try; repeatable. Default: all of the replacer's, over their range.",
)  # fmt: skip
@click.option(
    "--replacer", type=click.Choice(list(REPLACERS)), default="block_anchor", show_default=True,
    help="The replacer whose parameters are varied.",
)  # fmt: skip
@click.option(
    "--tier", type=click.Choice(list(THRESHOLDS)),
    help="The tier whose thresholds are varied, instead of a replacer's, at its place in `recommended`.",
)  # fmt: skip
@click.option(
    "--agent", type=click.Choice([name for name, agent in AGENTS.items() if agent.thresholds]),
    help="The agent whose thresholds are varied, instead of a replacer's; its variants are scored alone.",
)  # fmt: skip
@COST
@source()
@JSON
def sweep(
    source: Source, parameters: Sequence[str], replacer: str, tier: str | None, agent: str | None, wrong_cost: float,
    as_json: bool,
) -> None:  # fmt: skip
    """Vary the thresholds of a replacer, a tier or an agent's rule.

    Each value makes a variant (block_anchor@similarity=0.5). The variant is run alone, and scored in the replacer's
    place in the reference order, or in the tier's place in `recommended`. Prints a curve for each parameter, and the
    best value with its interval; draws the curves into the run folder.
    """
    from reports.orderings.curves import draw_curve

    if tier and agent:
        raise UsageError("--tier and --agent are given", "Vary the thresholds of one at a time.")
    varied, family, order = replacer, REPLACER, list(REPLACERS)
    if tier:
        varied, family, order = tier, TIER, list(TIERS)
    elif agent:
        varied, family, order = agent, AGENT, [agent]
    asked = settings(varied, parameters, family=family)
    members = list(dict.fromkeys([*order, *(variant for pairs in asked.values() for _, variant in pairs)]))
    folder = run_of(source, members, family=family)
    table = table_of(folder, members, family=family)
    aim = Aim(wrong_cost)
    curves = [
        curve(table, order, replacer=varied, parameter=name, variants=pairs, aim=aim) for name, pairs in asked.items()
    ]
    if as_json:
        print_json({"schema_version": 1, "curves": [asdict(one) for one in curves]})
    else:
        for one in curves:
            print_curve(one)
    with drawing():
        for one in curves:
            for path in draw_curve(folder, one):
                tell(f"plot: {path}")
    tell(f"run: {folder}")


@click.command()
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="K", help="Folds.")
@source()
@JSON
def calibrate(source: Source, folds: int, as_json: bool) -> None:
    """Count how often each tier is right, and check confidence.

    Takes the outcomes of cascade/recommended from a RUN, or runs it on a CORPUS. Confidence is fitted on all
    repositories except those of one fold, and compared with the share of right edits in that fold.
    editcore/tiers/confidence.py holds these counts.
    """
    name = "cascade/recommended"
    folder = run_of(source, ["recommended"], family=CASCADE)
    found = calibration(samples_used(folder), (one for one in outcomes(folder) if one.strategy == name), n_folds=folds)
    if not found.reliability:
        raise UsageError(
            f"In {folder}, no tier of {name} made an edit whose right answer is known",
            "Name a run, or a corpus, with more labelled edits.",
        )
    if found.n_folds < 2:
        raise UsageError(
            f"In {folder}, all edits of known answers are in one fold of repositories, so none are held out",
            "Name a run, or a corpus, of more repositories, or raise --folds.",
        )
    if as_json:
        print_json({"schema_version": 1, **asdict(found)})
        return
    click.echo(f"{'tier':<14}{'edits':>7}{'stated':>9}{'right':>9}")
    for one in found.reliability:
        click.echo(f"{one.tier:<14}{one.n:>7}{one.stated:>9.2%}{one.right:>9.2%}")
    click.echo(f"expected calibration error on {found.n_folds} held-out folds of repositories: {found.error:.2%}")


@click.command()
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
    help="Number of search texts.",
)  # fmt: skip
@seed("Seed of the search texts.")
@JSON
def bench(limit: int, seed: int, as_json: bool) -> None:
    """Measure the CPU time of replacers, patches and outputs.

    The replacers are compared with a literal port on the standard library's sources, and run on the worst cases known;
    `recommended` is timed on edits of these sources that no exact place takes.
    """
    print_bench(limit, seed, as_json=as_json)
