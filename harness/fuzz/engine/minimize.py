"""Minimization of a corpus: keep the few inputs that reach every edge that all of them reach."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from editcore.errors import UsageError
from harness.fuzz.engine.input_corpus import corpus_folder
from harness.fuzz.engine.worker import WorkerJob
from harness.fuzz.target import Target
from harness.scratch import scratch


def minimize_corpus(target: Target, folder: Path) -> tuple[int, int]:
    """Remove the inputs of a target's corpus that reach nothing more; return the numbers before and after.

    Raises UsageError if there is no corpus, or if libFuzzer fails; the corpus is then unchanged.
    """
    corpus = corpus_folder(folder, target.name)
    if corpus.is_symlink():
        raise UsageError(f"{corpus} is a link", "Name the folder it leads to.")
    inputs = [path for path in corpus.glob("*") if path.is_file() and not path.is_symlink()]
    n_before = len(inputs)
    if not n_before:
        raise UsageError(
            f"There is no corpus of {target.name} in {folder}",
            f"Fuzz it first: editgauge fuzz {target.name} -o {folder}.",
        )
    with scratch() as name:
        small = name / "small"
        small.mkdir()
        job = WorkerJob(
            target.name, "minimize", target.specs, corpus=str(small), seeds=(str(corpus),), artifacts=str(name)
        )  # fmt: skip
        done = subprocess.run(job.command, env=job.environment, capture_output=True, check=False)
        kept = list(small.iterdir())
        if done.returncode or not kept:
            stderr = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
            raise UsageError(f"The corpus of {target.name} cannot be minimized: {stderr}", "Remove its newest inputs.")
        for path in inputs:
            path.unlink()
        for path in kept:
            shutil.copy(path, corpus / path.name)
    return n_before, len(kept)
