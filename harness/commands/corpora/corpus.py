"""`corpus`: list, describe, check, split and merge corpora, and apply the labels that readers gave."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from corpora.check import check as check_corpus
from corpora.load import load
from corpora.readings.labelled import Agreement, agreement, label_corpus
from corpora.readings.reading import Reading
from corpora.readings.readings_file import answers
from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import CORPUS_FILE, JSON, REPLACE_FILE, Number, Output, seed
from harness.commands.strategies.ls import print_listing
from harness.terminal import print_json, print_lines, tell
from reports.measurements.interval import percent
from reports.statistics.corpus_counts import StaleShare, count_properties, most_frequent, stale_shares
from reports.wording import counted

# The agreement of two readers


def agreement_lines(found: Agreement) -> Iterator[str]:
    """Counts and kappa of two readers, and a line for each disagreement."""
    yield f"{found.n:,} samples answered by both; {found.n_only_first:,} by A only, {found.n_only_second:,} by B only"
    if found.n_other:
        yield f"{found.n_other:,} more were read in different versions and do not count"
    if not found.n:
        return
    kappa = "undefined, both always gave one label" if found.kappa is None else f"{found.kappa:.2f}"
    yield f"same label: {found.n_same_label:,} ({percent(found.n_same_label / found.n)}), Cohen's kappa {kappa}"
    yield f"same label and same result: {found.n_same:,} ({percent(found.n_same / found.n)})"
    if found.disagreements:
        yield ""
    for one, other in found.disagreements:
        yield f"{one.sample_id}: A {_answer(one)}; B {_answer(other)}"


def _answer(reading: Reading) -> str:
    if reading.answer == "refuse":
        return f"refuse ({reading.reason})"
    return f"apply ({', '.join(reading.strategies) or 'own result'})"


def agreement_document(found: Agreement) -> dict[str, Any]:
    """Counts and kappa of two readers, and their disagreements, as JSON. The results they chose are in their files."""
    names = ("n", "n_same_label", "n_same", "kappa", "n_only_first", "n_only_second", "n_other")
    pairs = [{"sample_id": one.sample_id, "a": _plain(one), "b": _plain(other)} for one, other in found.disagreements]
    return {"schema_version": 1, **{name: getattr(found, name) for name in names}, "disagreements": pairs}


def _plain(reading: Reading) -> dict[str, Any]:
    return {
        "answer": reading.answer,
        "reason": reading.reason,
        "strategies": list(reading.strategies),
        "reader": reading.reader,
        "at": reading.at,
    }


@click.group()
def corpus() -> None:
    """List, describe, check, split and merge corpora; apply labels."""


@corpus.command("ls")
@JSON
def corpus_ls(as_json: bool) -> None:
    """List the named corpora, one per line."""
    print_listing("corpora", as_json=as_json)


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.option("--plot", type=Output(), metavar="FILE", help="Also draw the counts, as PNG or SVG.")
@JSON
def stats(name: str, plot: Path | None, as_json: bool) -> None:
    """Count the samples of a corpus by agent, model, format, language, label, drift and more.

    Where it is known what agents had seen of the files, also the share of stale edits, by agent. An edit is stale if
    its file was changed since the agent saw it.
    """
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise UsageError(f"{plot} is neither .png nor .svg", "Give the picture one of these suffixes.")
    found = count_properties(load(name))
    n_samples = next(iter(found.values())).total()
    shares = stale_shares(load(name)) if "seen" in found else []
    if as_json:
        numbers = {key: dict(counts.most_common()) for key, counts in found.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": n_samples, "counts": numbers}
        print_json(document | {"stale": [one._asdict() for one in shares]})
    else:
        click.echo(f"{n_samples:,} samples")
        for key, counts in found.items():
            _print_bars(key, most_frequent(counts), n_samples)
        _print_stale(shares)
    if plot is not None:
        from reports.views.plots import bars, save

        save(bars({key: most_frequent(counts) for key, counts in found.items()}), plot)
        tell(f"picture: {plot}")


def _print_stale(shares: Sequence[StaleShare]) -> None:
    if not shares:
        return
    click.echo("\nstale edits, of those for which it is known what was seen")
    width = min(max(len(one.agent) for one in shares), 48)
    for one in shares:
        share = f"{one.n_stale:>8,} of {one.n_known:>8,}  {100 * one.n_stale / one.n_known:5.1f} %"
        click.echo(f"  {printable(one.agent)[:48]:<{width}}  {share}  ({one.n_edits:,} edits)")


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
    """Check the ids, labels, targets, twins and secrets of a corpus, and show its balance.

    An independent referee judges the labels of generated samples again. Exit code 1 means that there are problems.
    """
    report = check_corpus(name)
    if as_json:
        problems = {what: {"n": n, "samples": report.examples[what]} for what, n in sorted(report.problems.items())}
        balance = {key: dict(counts.most_common()) for key, counts in report.balance.items()}
        document = {"schema_version": 1, "corpus": name, "n_samples": report.n_samples, "problems": problems}
        print_json(document | {"near_duplicates": len(report.near_duplicates), "balance": balance})
    else:
        for key, counts in report.balance.items():
            _print_bars(key, counts.most_common(), report.n_samples)
        click.echo("")
        for what, n in sorted(report.problems.items()):
            examples = [*report.examples[what], *(["..."] if n > len(report.examples[what]) else [])]
            click.echo(printable(f"{n:,}  {what}: {', '.join(examples)}"))
        if alike := report.near_duplicates:
            examples = [*alike[:3], *(["..."] if len(alike) > 3 else [])]
            click.echo(
                printable(f"{len(alike):,}  alike to a sample from elsewhere, counted once: {', '.join(examples)}")
            )
        n_problems = report.problems.total()
        click.echo(f"{report.n_samples:,} samples, {counted(n_problems, 'problem')}")
    sys.exit(1 if report.problems else 0)


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--share", type=Number(0, 1, min_open=True, max_open=True), default=0.4, show_default=True, metavar="S",
    help="Approximate share of samples for test.",
)  # fmt: skip
@seed("Seed for drawing repositories.")
@click.option("--replace", is_flag=True, help="Overwrite the files dev and test in DIR if they exist.")
def split(name: str, folder: Path, share: float, seed: int, replace: bool) -> None:
    """Split a corpus into DIR/dev and DIR/test, with no repository in both."""
    from corpora.merge import split as split_corpus

    n_dev, n_test = split_corpus(name, folder, share=share, seed=seed, replace=replace)
    click.echo(f"dev {n_dev:,}, test {n_test:,} samples")
    tell(f"corpora: {folder}")


@corpus.command()
@click.argument("names", nargs=-1, required=True, metavar="CORPUS...")
@CORPUS_FILE
@REPLACE_FILE
def merge(names: Sequence[str], out: Path, replace: bool) -> None:
    """Merge corpora into one file; also converts between .jsonl and .parquet."""
    from corpora.merge import merge as merge_corpora

    n_written, n_same = merge_corpora(names, out, replace=replace)
    click.echo(f"{n_written:,} samples{f', {n_same:,} duplicates left out' if n_same else ''}")
    tell(f"corpus: {out}")


@corpus.command()
@click.argument("name", metavar="CORPUS")
@click.argument(
    "readings", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="READINGS..."
)
@CORPUS_FILE
@REPLACE_FILE
def apply(name: str, readings: Sequence[Path], out: Path, replace: bool) -> None:
    """Write a corpus with the labels that readers gave its samples.

    READINGS are the files of `editgauge label`. A sample on which readers disagree stays as it was. The labels have the
    source `read`, and the samples tags that say who read them and when. CORPUS itself is never written over.
    """
    found = label_corpus(name, readings, out, replace_out=replace)
    click.echo(f"{found.n_samples:,} samples, {found.n_labelled:,} labelled by reading")
    for n, what in (
        (found.n_changed, "had another label or result before"),
        (found.n_disputed, "stay as they were: the readers disagree (editgauge corpus agree)"),
        (found.n_other, "stay as they were: the corpus has other files or another edit than were read"),
        (found.n_unknown, "readings are of samples that the corpus does not have"),
    ):
        if n:
            click.echo(f"{n:,} {what}")
    tell(f"corpus: {out}")


@corpus.command()
@click.argument("first", type=click.Path(path_type=Path, dir_okay=False), metavar="A")
@click.argument("second", type=click.Path(path_type=Path, dir_okay=False), metavar="B")
@JSON
def agree(first: Path, second: Path, as_json: bool) -> None:
    """Show how far two readers agree, and the samples on which they do not.

    A and B are files of `editgauge label`. Prints the share of equal answers and Cohen's kappa of apply and refuse.
    """
    found = agreement(answers(first), answers(second))
    if as_json:
        print_json(agreement_document(found))
        return
    print_lines(agreement_lines(found))
