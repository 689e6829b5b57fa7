"""`label`: read samples whose right answer is not known, in a terminal."""

from __future__ import annotations

import getpass
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from corpora.expression import expression
from corpora.load import CORPUS_NAMES, load
from corpora.readings.readings_file import SUFFIX, ReadingsFile
from corpora.sample import is_name
from corpora.segments import HUB
from editcore.errors import UsageError, importing
from harness.commands.options import MATCHING, QUIET, STRATEGIES, Output
from harness.progress import show_progress
from harness.strategies.registry import select
from harness.strategies.strategy import Strategy
from harness.terminal import tell


@click.command()
@click.argument("name", metavar="CORPUS")
@STRATEGIES
@MATCHING
@click.option(
    "--which", type=click.Choice(["unlabelled", "disagreeing"]), default="unlabelled", show_default=True,
    help="Samples without a label, or all on which the strategies differ.",
)  # fmt: skip
@click.option(
    "--sort", type=click.Choice(["disagreement", "corpus"]), default="disagreement", show_default=True,
    help="Samples that decide between most pairs of strategies first, or the order of the corpus.",
)  # fmt: skip
@click.option("--reader", metavar="NAME", help="Who reads. Default: the user's name on this machine.")
@click.option(
    "--readings", "out", type=Output(dir_okay=False), metavar="FILE",
    help="File that keeps the answers. Default: beside the corpus, CORPUS.READER.readings.",
)  # fmt: skip
@QUIET
def label(
    name: str, patterns: Sequence[str], matching: str | None, which: str, sort: str, reader: str | None,
    out: Path | None, quiet: bool,
) -> None:  # fmt: skip
    """Label samples by reading them, in a terminal.

    Shows the edit, the places of the file that it resembles, and what each strategy makes of it as a diff. Keys say
    which result is right, that the edit should be refused and why, or open the right result in $EDITOR; undo takes an
    answer back. Every answer is on disk before the next sample is shown, and the next sitting goes on where this one
    ended. The corpus is never written to: `editgauge corpus apply` writes a new one with the answers.
    """
    with importing("label", needed_by="editgauge label"):
        from harness.labelling.page import Page
    from harness.labelling.sitting import Sitting, candidates, queue

    who = _reader(reader)
    path = out or _beside(name, who)
    test = expression(matching) if matching is not None else None
    strategies = _strategies(patterns)
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise UsageError("editgauge label needs a terminal", "Run it in one, with none of its streams redirected.")
    with ReadingsFile(path) as readings:
        if readings.n_dropped_bytes:
            tell(f"note: {path}: an answer that was cut off while it was written is dropped")
        known = readings.readings.by_sample()
        skipped = {sample_id for sample_id, one in known.items() if one.answer == "skip"}
        with show_progress(quiet=quiet) as report:
            samples = queue(
                candidates(load(name), test),
                strategies,
                disagreeing=which == "disagreeing",
                sort=sort,
                skipped=skipped,
                report=report,
            )
        if not samples:
            raise UsageError(f"{name} has no sample to label", "Try --which disagreeing, or loosen -k.")
        sitting = Sitting(samples, strategies, readings, who)
        Page(sitting).run()
        n = sitting.n_answered
    click.echo(f"{n:,} of {len(samples):,} samples answered")
    tell(f"readings: {path}")
    if n:
        tell(f"to make labels of them: editgauge corpus apply {shlex.join([name, str(path)])} -o labelled.jsonl")


def _reader(name: str | None) -> str:
    """The reader's name. Raises UsageError for a name that cannot be part of a file name and of a tag."""
    try:
        found = name if name is not None else getpass.getuser()
    except (OSError, KeyError):
        raise UsageError("This machine does not know the user's name", "Give one: --reader NAME.") from None
    if not found or len(found) > 60 or not is_name(found) or "/" in found or found.startswith("."):
        raise UsageError(f"{found!r} cannot name a reader", "Give 1 to 60 letters, digits, hyphens: --reader NAME.")
    return found


def _beside(name: str, reader: str) -> Path:
    """Path of the readings file beside a corpus. Raises UsageError for a corpus that is no path of the user."""
    if name in CORPUS_NAMES or name.startswith(HUB):
        raise UsageError(f"There is no place beside {name} for the answers", "Name a file: --readings FILE.")
    path = Path(name).absolute()
    return path.with_name(f"{path.name if path.is_dir() else path.stem}.{reader}{SUFFIX}")


def _strategies(patterns: Sequence[str]) -> list[Strategy]:
    """The chosen strategies; by default the families that read edits and patches."""
    from harness.labelling.sitting import DEFAULT_FAMILIES

    chosen = select(patterns)
    return chosen if patterns else [one for one in chosen if one.name.partition("/")[0] in DEFAULT_FAMILIES]
