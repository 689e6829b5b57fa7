"""The commands that make corpora and look after them: import, mutate, corpus."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from harness.terminal import printable

_OUT = click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="A .jsonl or .parquet file."
)
_REPLACE = click.option("--replace", is_flag=True, help="Write over FILE if it is there.")
_QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")


@click.command("import")
@click.argument("form", metavar="FORMAT")
@click.argument("places", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@_OUT
@click.option(
    "--repo",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The project's git repository, for texts that the log lacks. Default: the session's own folder.",
)
@click.option("-y", "--yes", is_flag=True, help="With auto: do not ask.")
@_REPLACE
@_JSON
@_QUIET
def import_(
    form: str,
    places: Sequence[Path],
    out: Path,
    repo: Path | None,
    yes: bool,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a corpus of agents' session logs.

    FORMAT is one of `editgauge ls importers`, or auto: the logs of the agents installed for this user. Every edit
    call becomes a sample: the files as they were, the edit as written, what is known of its right result. Secrets,
    e-mail addresses, home paths and host names are taken out; prompts and chat are never stored.
    """
    from corpora.importers.collect import collect
    from harness.importing import document, installed, lines_about, sources
    from harness.progress import shown

    if form == "auto":
        if places:
            raise UsageError("auto looks for the logs itself", "Leave the paths out, or name a format.")
        found = installed(Path.home())
        for importer, folder, n_logs in found:
            click.echo(
                f"{importer.name}: {n_logs:,} log{'' if n_logs == 1 else 's'} in {printable(str(folder))}", err=True
            )
        if not yes and not click.confirm(f"Import them to {out}?", err=True):
            click.echo("nothing imported", err=True)
            sys.exit(1)
        wanted = [(importer, folder) for importer, folder, _ in found]
    else:
        wanted = sources(form, places)
    with shown("logs", quiet=quiet) as report:
        done = collect(wanted, out, repo=repo, replace=replace, report=report)
    if as_json:
        click.echo(json.dumps(document(done, out), indent=2))
    else:
        for line in lines_about(done):
            click.echo(printable(line))
    click.echo(f"corpus: {printable(str(out))}", err=True)


@click.command()
@click.argument("places", nargs=-1, metavar="CORPUS | PATH...")
@click.option("--from-files", is_flag=True, help="The arguments are source files, or folders of them.")
@_OUT
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
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Other seeds do other damage.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes. Default: one a core.")
@_REPLACE
@_JSON
@_QUIET
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
    from corpora.mutators.mutator import SEVERITIES
    from corpora.mutators.produce import Order, produce, units_of_corpus, units_of_files
    from corpora.write import SampleWriter
    from harness.progress import shown

    if not places or (len(places) > 1 and not from_files):
        raise UsageError("Name one corpus, or --from-files and where the sources are", "See `editgauge mutate --help`.")
    units = units_of_files(list(map(Path, places)), seed) if from_files else units_of_corpus(places[0])
    order = Order(tuple(patterns), tuple(severities) or SEVERITIES, seed, per_sample, limit)
    with SampleWriter(out, replace=replace) as writer, shown("samples" if limit else "units", quiet=quiet) as report:
        done = produce(units, order, writer, jobs=jobs or os.cpu_count() or 1, report=report)
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


@click.group()
def corpus() -> None:
    """Look at corpora, check, split and merge them."""


@corpus.command("ls")
@_JSON
def corpus_ls(as_json: bool) -> None:
    """List the corpora that have a name, a line each."""
    from harness.listing import print_listing

    print_listing("corpora", as_json=as_json)


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw it too, as PNG or SVG.")
@_JSON
def stats(name: str, plot: Path | None, as_json: bool) -> None:
    """Count a corpus by agent, model, format, language, label, drift, ..."""
    from corpora.load import load
    from reports.census import census, shortened

    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise UsageError(f"{plot} is neither .png nor .svg", "Name the picture so.")
    found = census(load(name))
    n_samples = next(iter(found.values())).total()
    if as_json:
        numbers = {key: dict(counts.most_common()) for key, counts in found.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": n_samples, "counts": numbers}
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo(f"{n_samples:,} samples")
        for key, counts in found.items():
            _print_bars(key, shortened(counts), n_samples)
    if plot is not None:
        from reports.plots import bars, save

        save(bars({key: shortened(counts) for key, counts in found.items()}), plot)
        click.echo(f"picture: {printable(str(plot))}", err=True)


def _print_bars(key: str, values: Sequence[tuple[str, int]], n_samples: int) -> None:
    click.echo(f"\n{key}")
    width = min(max(len(value) for value, _ in values), 48)
    most = max(n for _, n in values)
    for value, n in values:
        bar = "#" * max(round(30 * n / most), 1)
        click.echo(f"  {printable(value)[:48]:<{width}}  {n:>8,}  {100 * n / n_samples:5.1f} %  {bar}")


@corpus.command()
@click.argument("name", metavar="CORPUS")
@_JSON
def check(name: str, as_json: bool) -> None:
    """Check a corpus: ids, labels, targets, twins, secrets; and show its balance.

    Labels of generated samples are judged again, by a referee of their own. Exit code 1 where something is wrong.
    """
    from corpora.check import check as checked

    done = checked(name)
    if as_json:
        problems = {what: {"n": n, "samples": done.named[what]} for what, n in sorted(done.problems.items())}
        balance = {key: dict(counts.most_common()) for key, counts in done.balance.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": done.n_samples, "problems": problems}
        click.echo(json.dumps(document | {"balance": balance}, indent=2))
    else:
        for key, counts in done.balance.items():
            _print_bars(key, counts.most_common(), done.n_samples)
        click.echo("")
        for what, n in sorted(done.problems.items()):
            click.echo(
                printable(f"{n:,}  {what}: {', '.join(done.named[what])}{', ...' if n > len(done.named[what]) else ''}")
            )
        n_problems = done.problems.total()
        click.echo(f"{done.n_samples:,} samples, {n_problems:,} problem{'' if n_problems == 1 else 's'}")
    sys.exit(1 if done.problems else 0)


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.4,
    show_default=True,
    metavar="S",
    help="About this share of the samples goes to test.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Other seeds draw other repositories."
)
@_REPLACE
def split(name: str, folder: Path, share: float, seed: int, replace: bool) -> None:
    """Cut a corpus in two, DIR/dev and DIR/test, no repository on both sides."""
    from corpora.split import split as cut

    n_dev, n_test = cut(name, folder, share=share, seed=seed, replace=replace)
    click.echo(f"dev {n_dev:,}, test {n_test:,} samples")
    click.echo(f"corpora: {printable(str(folder))}", err=True)


@corpus.command()
@click.argument("names", nargs=-1, required=True, metavar="CORPUS...")
@_OUT
@_REPLACE
def merge(names: Sequence[str], out: Path, replace: bool) -> None:
    """Put several corpora into one file; also turns .jsonl into .parquet, and back."""
    from corpora.merge import merge as joined

    n_written, n_same = joined(names, out, replace=replace)
    click.echo(f"{n_written:,} samples{f', {n_same:,} stood there already' if n_same else ''}")
    click.echo(f"corpus: {printable(str(out))}", err=True)
