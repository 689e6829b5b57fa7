"""Commands that are called once for each sample, with a time limit of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from corpora.sample import Sample
from corpora.write import SampleWriter
from editcore.errors import UsageError
from editcore.types import Edit, File
from harness.strategies.registry import strategy
from tests.harness.program import call

_PROGRAM = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    with open(sys.argv[1], "a") as log:
        log.write("call\\n")
    time.sleep(0.6)
    print(json.dumps({"id": asked["id"], "status": "rejected", "reason": "no_match"}), flush=True)
"""


def test_it_is_asked_once_and_has_its_own_time(tmp_path: Path) -> None:
    program, log, corpus = tmp_path / "slow.py", tmp_path / "log", tmp_path / "c.jsonl"
    program.write_text(_PROGRAM)
    with SampleWriter(corpus) as writer:
        for n in range(2):
            writer.add(Sample(str(n), "str_replace", (File("a", "x\n"),), "refuse", edits=(Edit("y", "z"),)))
    spec = f"cmd:slow[once=20]={sys.executable} {program} {log}"
    done = call("run", corpus, "-s", spec, "--timeout", 0.2, "-o", tmp_path / "run", "-q", "-j", 1)
    assert done.exit_code == 0, done.output
    assert len(log.read_text().splitlines()) == 2
    assert "2 refused" in done.stdout, done.stdout


def test_formats_may_stand_beside_it() -> None:
    one = strategy("cmd:slow[unified_diff,once=2.5]=cat")
    assert (one.once_s, one.formats) == (2.5, frozenset({"unified_diff"}))
    assert strategy("cmd:slow[once=3]=cat").formats == frozenset({"str_replace", "search_replace"})
    assert strategy("cmd:slow=cat").once_s is None


@pytest.mark.parametrize("option", ["once", "once=", "once=0", "once=-1", "once=nan", "once=1e9"])
def test_a_time_limit_is_a_number_of_seconds(option: str) -> None:
    with pytest.raises(UsageError, match="is no time limit"):
        strategy(f"cmd:slow[{option}]=cat")
