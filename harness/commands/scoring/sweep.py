"""`sweep`: vary the thresholds and guards of a replacer, a tier or an agent's rule, over their range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from editcore.agents import AGENTS
from editcore.errors import UsageError
from editcore.quoting import printable
from editcore.replacers import REPLACERS
from editcore.tiers import THRESHOLDS, TIERS
from harness.commands.options import JSON
from harness.commands.scoring.replacer_runs import (
    AGENT,
    COST,
    REPLACER,
    TIER,
    Source,
    drawing,
    run_of,
    source,
    table_of,
)
from harness.terminal import pipe_may_close, print_json


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

    Each value makes a variant (block_anchor@similarity=0.5), which is run alone and scored in the replacer's place
    in the reference order, or in the tier's place in that of `recommended`. Prints a curve for each parameter, and
    the best value with its interval; draws the curves into the run folder.
    """
    from harness.commands.scoring.sweep_values import settings
    from reports.orderings.choice import Aim
    from reports.orderings.curves import draw_curve
    from reports.orderings.study import curve
    from reports.orderings.tables import print_curve

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
        with pipe_may_close():
            for one in curves:
                print_curve(one)
    with drawing():
        for one in curves:
            for path in draw_curve(folder, one):
                click.echo(f"plot: {printable(str(path))}", err=True)
    click.echo(f"run: {printable(str(folder))}", err=True)
