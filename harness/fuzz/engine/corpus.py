"""The inputs of a fuzz target on the disk: the seeds that it starts from, the corpus that grows, and its coverage."""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path

from editcore.errors import UsageError, check_installed
from harness.fuzz.engine.worker import COMMAND, WorkerJob
from harness.fuzz.inputs import bytes_of, shipped_seeds, slug
from harness.fuzz.target import Target
from harness.scratch import scratch


def seed_folders(target: Target, scratch: Path, more: Path | None = None) -> tuple[str, ...]:
    """The folders with the inputs that a target starts from, one input a file, as libFuzzer reads them.

    The seeds that ship, for the target and for its format, are written to `scratch`. `more` is a folder of the user's:
    its subfolder for the target if there is one, else the folder itself.
    """
    folders = []
    if seeds := {**shipped_seeds(target.name), **shipped_seeds(target.format or target.name)}:
        folders.append(scratch / "seeds")
        folders[0].mkdir()
        for name, fields in seeds.items():
            (folders[0] / name).write_bytes(bytes_of(fields))
    if more is not None:
        below = more / slug(target.name)
        folders.append(below if below.is_dir() else more)
    return tuple(str(one) for one in folders)


def corpus_folder(folder: Path, target: str) -> Path:
    """The folder with the inputs of a target that reached something new."""
    return folder / "corpus" / slug(target)


def write_coverage(target: Target, folder: Path, html: Path) -> str:
    """Run a target on its seeds and its corpus, write the pages to `html`, and return a line with the coverage."""
    check_installed("coverage", extra="fuzz", needed_by="the coverage of a corpus")
    corpus = corpus_folder(folder, target.name)
    with scratch() as name:
        seeds = (*([str(corpus)] if corpus.is_dir() else []), *seed_folders(target, name))
        job = WorkerJob(target.name, "coverage", target.specs, corpus=str(html), seeds=seeds, artifacts=str(name))
        done = subprocess.run(COMMAND, input=pickle.dumps(job), env=job.environment, capture_output=True, check=False)
    stderr = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise UsageError(
            f"The coverage of {target.name} cannot be measured: {' '.join(stderr.split())[-300:]}",
            "Try with another -o, then remove the newest inputs.",
        )
    return stderr.rpartition("\n")[2]
