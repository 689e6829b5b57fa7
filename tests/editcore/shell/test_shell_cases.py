"""Text cases of shell commands, in `tests/cases/shell`: one behaviour per file, whose name says it.

`=== command` is the command and `=== before PATH` a file. `=== STRATEGIES: PATH` is a file afterwards, `=== STRATEGIES:
unchanged`, `rejected REASON` and `unmeasured` are other outcomes; strategies are `gnu`, `bsd` and `careful`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpora.sample import Sample
from editcore.errors import Unmeasured
from editcore.types import Applied, File
from harness.strategies.registry import strategy
from harness.strategies.strategy import by_path

CASES = sorted((Path(__file__).parents[2] / "cases" / "shell").glob("*.txt"))
NAMES = {"gnu": "shell/sed_gnu", "bsd": "shell/sed_bsd", "careful": "shell/careful", "bash": "shell/bash"}


def outcome(name: str, sample: Sample) -> str | dict[str, str]:
    try:
        result = strategy(NAMES[name]).apply(sample, None)
    except Unmeasured:
        return "unmeasured"
    if not isinstance(result, Applied):
        return f"rejected {result.reason}"
    return "unchanged" if result.files == by_path(sample.before) else dict(result.files or {})


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_command_does_as_the_case_says(path: Path) -> None:
    parts = re.split(r"^=== (.*)\n", path.read_bytes().decode(), flags=re.MULTILINE)
    sections = list(zip(parts[1::2], parts[2::2], strict=True))
    command = next(text for head, text in sections if head == "command").removesuffix("\n")
    tags = tuple(head.removeprefix("tag ") for head, _ in sections if head.startswith("tag "))
    before = {head.removeprefix("before "): text for head, text in sections if head.startswith("before ")}
    files = tuple(File(*one) for one in before.items())
    sample = Sample(path.stem, "shell", files, "unlabelled", patch=command, tags=tags)
    wanted: dict[str, str | dict[str, str]] = {}
    for head, text in sections:
        names, colon, what = head.partition(": ")
        for name in names.split(", ") if colon else ():
            if what.startswith(("rejected", "unmeasured", "unchanged")):
                wanted[name] = what
            else:
                found = wanted.setdefault(name, dict(before))
                assert isinstance(found, dict)
                found[what] = text
    assert wanted
    assert {name: outcome(name, sample) for name in wanted} == wanted
