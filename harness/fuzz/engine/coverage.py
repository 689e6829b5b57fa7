"""Coverage of a target's seeds and corpus, as pages of coverage.py."""

from __future__ import annotations

import subprocess
from pathlib import Path

from editcore.errors import UsageError, check_installed
from harness.fuzz.engine.input_corpus import corpus_folder, seed_folders
from harness.fuzz.engine.worker import WorkerJob
from harness.fuzz.target import Target
from harness.scratch import scratch


def write_coverage(target: Target, folder: Path, html: Path) -> str:
    """Run a target on its seeds and its corpus, write the pages to `html`, and return a line with the coverage."""
    check_installed("coverage", extra="fuzz", needed_by="the coverage of a corpus")
    corpus = corpus_folder(folder, target.name)
    with scratch() as name:
        seeds = (*([str(corpus)] if corpus.is_dir() else []), *seed_folders(target, name))
        job = WorkerJob(target.name, "coverage", target.specs, corpus=str(html), seeds=seeds, artifacts=str(name))
        done = subprocess.run(job.command, env=job.environment, capture_output=True, check=False)
    if done.returncode:
        stderr = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
        raise UsageError(
            f"The coverage of {target.name} cannot be measured: {stderr}",
            "Try with another -o, then remove the newest inputs.",
        )
    return done.stdout.decode().strip()
