"""`corpus`: look at corpora, check, split and merge them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import CORPUS_FILE, JSON, REPLACE_FILE, seed


@click.group()
def corpus() -> None:
    """Look at corpora, check, split and merge them."""


@corpus.command("ls")
@JSON
def corpus_ls(as_json: bool) -> None:
    """List the corpora that have a name, a line each."""
    from harness.commands.strategies.ls import print_listing

    print_listing("corpora", as_json=as_json)


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw it too, as PNG or SVG.")
@JSON
def stats(name: str, plot: Path | None, as_json: bool) -> None:
    """Count a corpus by agent, model, format, language, label, drift, ..."""
    from corpora.load import load
    from reports.statistics.corpus_counts import count_properties, most_frequent

    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise UsageError(f"{plot} is neither .png nor .svg", "Name the picture so.")
    found = count_properties(load(name))
    n_samples = next(iter(found.values())).total()
    if as_json:
        numbers = {key: dict(counts.most_common()) for key, counts in found.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": n_samples, "counts": numbers}
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo(f"{n_samples:,} samples")
        for key, counts in found.items():
            _print_bars(key, most_frequent(counts), n_samples)
    if plot is not None:
        from reports.views.plots import bars, save

        save(bars({key: most_frequent(counts) for key, counts in found.items()}), plot)
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
@JSON
def check(name: str, as_json: bool) -> None:
    """Check a corpus: ids, labels, targets, twins, secrets; and show its balance.

    Labels of generated samples are judged again, by a referee of their own. Exit code 1 where something is wrong.
    """
    from corpora.check import check as checked

    done = checked(name)
    if as_json:
        problems = {what: {"n": n, "samples": done.examples[what]} for what, n in sorted(done.problems.items())}
        balance = {key: dict(counts.most_common()) for key, counts in done.balance.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": done.n_samples, "problems": problems}
        click.echo(json.dumps(document | {"balance": balance}, indent=2))
    else:
        for key, counts in done.balance.items():
            _print_bars(key, counts.most_common(), done.n_samples)
        click.echo("")
        for what, n in sorted(done.problems.items()):
            click.echo(
                printable(
                    f"{n:,}  {what}: {', '.join(done.examples[what])}{', ...' if n > len(done.examples[what]) else ''}"
                )
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
@seed("Seed of the repositories drawn.")
@REPLACE_FILE
def split(name: str, folder: Path, share: float, seed: int, replace: bool) -> None:
    """Cut a corpus in two, DIR/dev and DIR/test, no repository on both sides."""
    from corpora.split import split as cut

    n_dev, n_test = cut(name, folder, share=share, seed=seed, replace=replace)
    click.echo(f"dev {n_dev:,}, test {n_test:,} samples")
    click.echo(f"corpora: {printable(str(folder))}", err=True)


@corpus.command()
@click.argument("names", nargs=-1, required=True, metavar="CORPUS...")
@CORPUS_FILE
@REPLACE_FILE
def merge(names: Sequence[str], out: Path, replace: bool) -> None:
    """Put several corpora into one file; also turns .jsonl into .parquet, and back."""
    from corpora.merge import merge as joined

    n_written, n_same = joined(names, out, replace=replace)
    click.echo(f"{n_written:,} samples{f', {n_same:,} stood there already' if n_same else ''}")
    click.echo(f"corpus: {printable(str(out))}", err=True)
