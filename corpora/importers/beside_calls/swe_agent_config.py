"""SWE-agent: the model that the configuration of a run names, in a file of YAML beside the log or in the folder above.

`args.yaml` before 1.0, then `<instance>.config.yaml` and `run_batch.config.yaml`; the name is in a block `model:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_NAMES = ("args.yaml", "run_single.config.yaml", "run_batch.config.yaml", "config.yaml")
_MODEL = re.compile(r"( *)model:\s*")
_NAME = re.compile(r"( *)(?:model_)?name: *([^\s#].*)")
_MOST_LINES = 20_000
_LONGEST = 4096


def configured_model(log: Path | None) -> str | None:
    """The model's name in the run's configuration; None without one."""
    found = (name for file in _files(log) if (name := _model(file))) if log else iter(())
    return next(found, None)


def _files(log: Path) -> Iterator[Path]:
    yield log.with_name(log.name.partition(".traj")[0] + ".config.yaml")
    for folder in (log.parent, log.parent.parent):
        yield from (folder / name for name in _NAMES)


def _model(file: Path) -> str | None:
    """The name in the first block `model:` of a file."""
    if not file.is_file():
        return None
    indentation: int | None = None
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in islice(iter(lambda: lines.readline(_LONGEST), ""), _MOST_LINES):
            if block := _MODEL.fullmatch(line):
                indentation = len(block[1])
            elif indentation is not None and (name := _NAME.fullmatch(line.rstrip())) and len(name[1]) > indentation:
                return name[2].strip().strip("'\"")
            elif indentation is not None and line.strip() and len(line) - len(line.lstrip()) <= indentation:
                indentation = None
    return None
