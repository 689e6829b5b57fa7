"""`fuzz minimize`: keep the few inputs of a corpus that reach everything it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.fuzzing.options import FOLDER, STRATEGIES, TARGETS, selected_targets


@click.command()
@TARGETS
@STRATEGIES
@FOLDER
def minimize(names: Sequence[str], specs: Sequence[str], folder: Path) -> None:
    """Remove the inputs of a corpus that reach nothing more.

    The few that are kept reach every edge that all inputs reach. Needs atheris. Of several targets, those that have no
    corpus in -o are left out.
    """
    from harness.fuzz.engine.campaign import chosen_engine
    from harness.fuzz.engine.input_corpus import corpus_folder
    from harness.fuzz.engine.minimize import minimize_corpus

    targets = selected_targets(names, specs)
    chosen_engine("atheris")
    for target in targets:
        corpus = corpus_folder(folder, target.name)
        if corpus.is_dir() or len(targets) == 1:
            n_before, n_after = minimize_corpus(target, folder)
            click.echo(f"{target.name}: {n_before:,} inputs, {n_after:,} kept in {corpus}")
