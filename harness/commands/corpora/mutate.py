"""`mutate`: damage correct edits in known ways."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import CORPUS_FILE, JOBS, JSON, QUIET, REPLACE_FILE, seed
from harness.progress import show_progress


@click.command()
@click.argument("places", nargs=-1, metavar="CORPUS | PATH...")
@click.option("--from-files", is_flag=True, help="The arguments are source files, or folders of them.")
@CORPUS_FILE
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="TOTAL", help="Stop at so many samples.")
@click.option(
    "--per-sample",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    metavar="N",
    help="How many samples are made of one clean edit.",
)
@click.option(
    "-m",
    "--mutator",
    "patterns",
    multiple=True,
    metavar="NAME",
    help="A mutator, or a glob; again for more. Default: all.",
)
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.IntRange(1, 5),
    metavar="1..5",
    help="Again for more. Default: all.",
)
@seed("Seed of the damage.")
@JOBS
@REPLACE_FILE
@JSON
@QUIET
def mutate(
    places: Sequence[str],
    from_files: bool,
    out: Path,
    limit: int | None,
    per_sample: int,
    patterns: Sequence[str],
    severities: Sequence[int],
    seed: int,
    jobs: int | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Damage correct edits in known ways.

    The right answer stays certain. Takes the correct samples of a CORPUS, or with --from-files makes clean edits on
    source files. The result depends on the sources and the seed alone, not on -j.
    """
    from corpora.generation.build import BuildSettings, build_corpus, file_units
    from corpora.load import segments
    from corpora.mutators.mutator import SEVERITIES
    from corpora.write import SampleWriter

    if not places or (len(places) > 1 and not from_files):
        raise UsageError("Name one corpus, or --from-files and where the sources are", "See `editgauge mutate --help`.")
    units = file_units(list(map(Path, places)), seed) if from_files else list(segments(places[0]))
    settings = BuildSettings(tuple(patterns), tuple(severities) or SEVERITIES, seed, per_sample, limit)
    with (
        SampleWriter(out, replace=replace) as writer,
        show_progress("samples" if limit else "units", quiet=quiet) as report,
    ):
        done = build_corpus(units, settings, writer, jobs=jobs or os.cpu_count() or 1, on_progress=report)
    if as_json:
        click.echo(json.dumps(_produced_document(done, out), indent=2))
    else:
        labels = ", ".join(f"{label} {n:,}" for label, n in sorted(done.labels.items()))
        click.echo(
            f"{done.n_samples:,} samples of {done.n_clean:,} clean edits by {len(done.mutators)} mutators ({labels}); "
            f"{done.dropped.total():,} dropped as not certain ({100 * done.dropped_rate:.1f} %)"
        )
    if limit and done.n_samples < limit:
        click.echo("that is all these sources give: name more of them, or raise --per-sample", err=True)
    click.echo(f"corpus: {printable(str(out))}", err=True)


def _produced_document(done: Any, out: Path) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "corpus": str(out),
        "n_samples": done.n_samples,
        "n_clean_edits": done.n_clean,
        "labels": dict(sorted(done.labels.items())),
        "mutators": dict(sorted(done.mutators.items())),
        "dropped": dict(sorted(done.dropped.items())),
        "dropped_rate": done.dropped_rate,
    }
