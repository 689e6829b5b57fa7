"""The gate as SARIF 2.1.0, which code hosts show beside a file: each reason why it failed, at the program's file.

Of the strategies only commands (`cmd:NAME=COMMAND`) have a file of their own; the others' failures have no place.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from editcore import __version__
from editcore.quoting import printable
from reports.compare.gate import Failure
from reports.runs.manifest import Manifest, command_spec

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_COMMAND = re.compile(r"cmd:[^=\[]*(?:\[[^]]*\])?=")
"""What stands before the command line."""
_MOST_RESULTS = 1_000
_LONGEST = 1_000


def sarif(failures: Sequence[Failure], files: Mapping[str, str]) -> dict[str, Any]:
    """The document; `files` has the path of a strategy's program, relative to the repository."""
    rules = sorted({str(one.kind) for one in failures})
    results = []
    for one in failures[:_MOST_RESULTS]:
        text = f"{one.strategy}: {one.message}" + (f" ({', '.join(one.sample_ids[:5])})" if one.sample_ids else "")
        result: dict[str, Any] = {
            "ruleId": str(one.kind), "level": "error", "message": {"text": printable(text)[:_LONGEST]},
        }  # fmt: skip
        if one.strategy in files:
            place = {"artifactLocation": {"uri": files[one.strategy]}, "region": {"startLine": 1}}
            result["locations"] = [{"physicalLocation": place}]
        results.append(result)
    driver = {"name": "editgauge", "version": __version__, "rules": [{"id": rule} for rule in rules]}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def program_files(manifest: Manifest, folder: Path) -> dict[str, str]:
    """Strategy -> the file of its program, of those whose command names one below a folder, which need not be run.

    Of several, the first: `./edit`, or `edit.js` of `node edit.js`.
    """
    found: dict[str, str] = {}
    for one in manifest.strategies:
        spec = command_spec(manifest, one.name)
        try:
            words = shlex.split(_COMMAND.sub("", spec or "", count=1))
        except ValueError:
            continue
        for word in words:
            path = PurePosixPath(os.path.normpath(word))
            if not path.is_absolute() and ".." not in path.parts and (folder / path).is_file():
                found[one.name] = path.as_posix()
                break
    return found
