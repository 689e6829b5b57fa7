"""`mutate`: make a corpus of damaged edits whose right answers are known."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from corpora.generation.build import BuildSettings, build_corpus, file_units
from corpora.generation.pairs import anchored_format, pairs
from corpora.importers.git_history.concurrent import build_from_git
from corpora.load import load, named_files, segments
from corpora.mutators.mutator import DEGREES
from corpora.write import SampleWriter
from editcore.errors import UsageError
from harness.commands.options import CORPUS_FILE, JOBS, JSON, QUIET, REPLACE_FILE, seed
from harness.progress import show_progress
from harness.terminal import print_json, tell


@click.command()
@click.argument("places", nargs=-1, metavar="CORPUS | PATH... | REPOSITORY")
@click.option("--from-files", is_flag=True, help="The arguments are source files or folders.")
@click.option("--from-git", is_flag=True, help="The argument is a git repository: edits and changes are its commits'.")
@CORPUS_FILE
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="TOTAL", help="Stop at this many samples.")
@click.option(
    "--per-sample", type=click.IntRange(min=1), default=8, show_default=True, metavar="N",
    help="Samples per clean edit.",
)  # fmt: skip
@click.option(
    "--as", "formats", multiple=True, metavar="FORMAT",
    help="Instead of damage: each correct sample of a CORPUS written in this anchored format; repeat for more.",
)  # fmt: skip
@click.option(
    "-m", "--mutator", "patterns", multiple=True, metavar="NAME",
    help="A mutator or a glob; repeat for more. Default: all of them.",
)  # fmt: skip
@click.option(
    "--degree", "degrees", multiple=True, type=click.IntRange(1, 5), metavar="1..5",
    help="How strong the damage is; repeat for more. Default: all of them.",
)  # fmt: skip
@seed("Seed of the damage.")
@JOBS
@REPLACE_FILE
@JSON
@QUIET
def mutate(
    places: Sequence[str], from_files: bool, from_git: bool, out: Path, limit: int | None, per_sample: int,
    formats: Sequence[str], patterns: Sequence[str], degrees: Sequence[int], seed: int, jobs: int | None,
    replace: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Make a corpus of damaged edits whose right answers are known.

    The clean edits are the correct samples of a CORPUS or, with --from-files, are made from source files. Mutators
    damage how each edit is written, so its right answer stays certain. The same sources and seed give the same
    corpus, whatever -j.

    The mutators since_* make stale edits: the file was changed by another hand since the model saw it. With
    --from-git both changes are hunks of commits: one is the edit, the other is another hand's change, from the same
    commit or from the one before. The right answer has both changes if an unchanged line lies between them. The edit
    must be refused if it replaces lines that the other change replaced. Nothing is checked out, and nothing of the
    repository is run.
    """
    if not places or (len(places) > 1 and not from_files):
        raise UsageError(
            "Name one corpus, --from-files and source files or folders, or --from-git and a repository",
            "See `editgauge mutate --help`.",
        )
    if formats:
        if from_files or from_git or patterns or degrees:
            raise UsageError("--as takes a CORPUS and no damage", "Damage what it makes: `editgauge mutate OUT ...`.")
        _write_pairs(places[0], formats, out, limit=limit, replace=replace, as_json=as_json)
        return
    if from_git and (from_files or patterns or degrees):
        raise UsageError("--from-git takes no --from-files, -m and --degree", "It damages nothing: leave them out.")
    units = file_units(list(map(Path, places)), seed) if from_files else [] if from_git else list(segments(places[0]))
    sources = [path for unit in units if isinstance(unit, tuple) for _, path in unit]
    settings = BuildSettings(tuple(patterns), tuple(degrees) or DEGREES, seed, per_sample, limit)
    with (
        SampleWriter(out, inputs=sources if from_files or from_git else named_files(places), replace=replace) as writer,
        show_progress("samples" if limit else "units", quiet=quiet) as report,
    ):
        if from_git:
            built = build_from_git(Path(places[0]), settings, writer, report)
        else:
            built = build_corpus(units, settings, writer, jobs=jobs or os.cpu_count() or 1, on_progress=report)
    if as_json:
        print_json(_document(built, out))
    else:
        labels = ", ".join(f"{label} {n:,}" for label, n in sorted(built.labels.items()))
        click.echo(
            f"{built.n_samples:,} samples from {built.n_clean:,} clean edits by {len(built.mutators)} mutators "
            f"({labels}); {built.dropped.total():,} dropped as uncertain ({100 * built.dropped_rate:.1f} %)"
        )
    if limit and built.n_samples < limit:
        tell("these sources give no more samples: name more sources, or raise --per-sample")
    tell(f"corpus: {out}")


def _write_pairs(
    corpus: str, formats: Sequence[str], out: Path, *, limit: int | None, replace: bool, as_json: bool
) -> None:
    dropped: Counter[str] = Counter()
    chosen = [anchored_format(name) for name in dict.fromkeys(formats)]
    n_samples = 0
    with SampleWriter(out, inputs=named_files([corpus]), replace=replace) as writer:
        for sample in islice(pairs(load(corpus), chosen, dropped), limit):
            writer.add(sample)
            n_samples += 1
        if not n_samples:
            raise UsageError("No sample was made", f"None of {corpus} has a target in whole lines of files that exist.")
    if as_json:
        print_json({"schema_version": 1, "corpus": str(out), "n_samples": n_samples, "dropped": dict(dropped)})
    else:
        reasons = ", ".join(f"{why} {n:,}" for why, n in sorted(dropped.items()))
        click.echo(f"{n_samples:,} samples in {', '.join(chosen)}; not written: {reasons or 'none'}")
    tell(f"corpus: {out}")


def _document(built: Any, out: Path) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "corpus": str(out),
        "n_samples": built.n_samples,
        "n_clean_edits": built.n_clean,
        "labels": dict(sorted(built.labels.items())),
        "mutators": dict(sorted(built.mutators.items())),
        "dropped": dict(sorted(built.dropped.items())),
        "dropped_rate": built.dropped_rate,
    }
