"""Steps behind a match: ours write what the match gave, and one's own that does not is found."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest

from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.types import Edit, File
from harness.fuzz.target import observe
from harness.fuzz.targets import differential_targets
from harness.strategies.registry import strategy
from harness.strategies.step_strategies import STEPS
from harness.strategies.strategy import files_after
from tests.harness.program import ROOT
from tests.results import applied

BEFORE = "a = 0  \nb = 0\nc = 0\n"
SAMPLE = Sample("x", "str_replace", (File("f", BEFORE),), "unlabelled", edits=(Edit("b = 0", "b = 1 \nb = 2"),))
FLAWED = '''
from editcore.text.diff import common_ends

def minimise(before, after):
    """The text that differs is looked for again."""
    start, end = common_ends(before, after)
    return before.replace(before[start : len(before) - end], after[start : len(after) - end], 1)
'''


def _written(spec: str) -> str:
    return files_after(SAMPLE, applied(strategy(spec).apply(SAMPLE, None)))["f"]


@pytest.mark.parametrize("name", STEPS)
def test_a_step_of_the_table_is_an_option_of_any_strategy(name: str) -> None:
    wanted = "a = 0  \nb = 1\nb = 2\nc = 0\n" if name == "formatted" else "a = 0  \nb = 1 \nb = 2\nc = 0\n"
    program = f"cmd:exact={sys.executable} {ROOT / 'tests/harness/exact.py'}"
    for spec in ("cascade/exact", "tool/edit", program):
        assert _written(f"{spec}@step={name}") == wanted
    assert strategy(f"{program}@step={name}").name == f"cmd/exact@step={name}"


def test_a_refusal_has_no_step_behind_it() -> None:
    spec = "cascade/exact@step=minimised"
    refused = Sample("x", "str_replace", (File("f", "x = 0\n"),), "unlabelled", edits=SAMPLE.edits)
    assert strategy(spec).apply(refused, None) == strategy("cascade/exact").apply(refused, None)


def test_a_step_of_ones_own_that_breaks_a_right_match_is_found(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FLAWED)
    spec = f"cascade/exact@step={tmp_path / 'mine.py'}:minimise"
    assert _written(spec) == "a = 1 \nb = 2  \nb = 0\nc = 0\n"
    target = next(one for one in differential_targets(["cascade/exact", spec]) if one.format == "str_replace")
    found = {one.property for seed in range(200) for one in observe(target, target.generate(Random(seed)))}
    assert found == {"another_result"}


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("minimized", r"There is no step 'minimized'.*Did you mean minimised.*minimised, streamed, formatted"),
        ("none.py:cut", r"There is no none.py"),
    ],
)
def test_a_step_that_is_not_there_is_one_line_with_what_to_do(step: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        strategy(f"cascade/exact@step={step}")
    assert re.search(said, f"{error.value.message} {error.value.tip}")
