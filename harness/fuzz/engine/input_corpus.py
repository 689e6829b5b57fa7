"""Where the inputs of a fuzz target are stored: the seeds that it starts from, and the corpus that grows."""

from __future__ import annotations

from pathlib import Path

from harness.fuzz.inputs import bytes_of, shipped_seeds, slug
from harness.fuzz.target import Target


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
