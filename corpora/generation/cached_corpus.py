"""The corpus `generated`: damaged edits of the source code installed here, built on first use; without stale edits.

The installed packages decide the samples: another machine has another corpus, with another fingerprint.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib.metadata import distributions
from itertools import zip_longest
from pathlib import Path

import xxhash

from corpora.cache_folder import cache_folder
from corpora.generation.build import BuildSettings, Unit, build_corpus, file_units, group_files
from corpora.generation.mutate import VERSION
from corpora.languages import language
from corpora.mutators import PATCH_MUTATORS, TEXT_MUTATORS
from corpora.write import SampleWriter
from editcore import __version__

N_SAMPLES = 20_000
_MUTATORS = tuple(one.name for one in (*TEXT_MUTATORS, *PATCH_MUTATORS))
"""The mutators of edits that are written against the current file. Stale edits ask another question."""
_SKIPPED_FOLDERS = ("site-packages", "dist-packages", "test", "tests", "encodings", "__pycache__", "idlelib", "lib2to3")
_OTHER_LANGUAGES = (".js", ".ts", ".tsx", ".c", ".h", ".pyx", ".css", ".sh", ".toml", ".yaml", ".yml")


def generated_corpus_file() -> Path:
    """The corpus file. Builds a missing file in about ten seconds, and reports that."""
    path = cache_folder() / f"generated-{_environment_hash()}.parquet"
    if not path.exists():
        print(f"making the corpus generated, {N_SAMPLES:,} samples: {path}", file=sys.stderr)
        with SampleWriter(path, replace=True) as writer:
            build_corpus(
                _installed_units(), BuildSettings(_MUTATORS, total=N_SAMPLES), writer, jobs=os.cpu_count() or 1
            )
    return path


def _environment_hash() -> str:
    """A hash of everything that decides the corpus: generator, Python and installed packages."""
    packages = sorted(f"{one.name} {one.version}" for one in distributions())
    identity = "\n".join([f"{__version__} {VERSION} {N_SAMPLES} {sys.version}", *packages])
    return xxhash.xxh3_64_hexdigest(identity.encode())[:12]


def _installed_units() -> list[Unit]:
    """Units of the standard library, Python's headers, and files of other languages in packages, languages in turn."""
    purelib = Path(sysconfig.get_path("purelib"))
    folders = {Path(sysconfig.get_path(name)) for name in ("stdlib", "include")} | {purelib}
    by_language: dict[str, list[tuple[str, Path]]] = {}
    for unit in file_units(sorted(folder for folder in folders if folder.is_dir()), 0):
        assert isinstance(unit, tuple)
        for name, path in unit:
            if _is_wanted(name, path.is_relative_to(purelib)):
                by_language.setdefault(language(name), []).append((name, path))
    in_turn = zip_longest(*(group_files(by_language[name]) for name in sorted(by_language)))
    return [unit for units in in_turn for unit in units if unit is not None]


def _is_wanted(name: str, of_package: bool) -> bool:
    if of_package:
        return name.endswith(_OTHER_LANGUAGES) and ".min." not in name
    return not any(part in _SKIPPED_FOLDERS for part in name.split("/"))
