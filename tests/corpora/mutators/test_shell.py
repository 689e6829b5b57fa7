"""The right answers of the mutators of shell commands are those of the real bash and sed."""

from __future__ import annotations

from random import Random

import pytest

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.shell import SHELL_MUTATORS
from corpora.sample import Sample
from editcore.errors import Unmeasured
from editcore.types import Applied
from harness.strategies.registry import strategy
from harness.strategies.strategy import by_path

CONTENT = "def total(items):\n    amount = 0  # [start] & $x\n    return sum(items)\n"
OLD = "    amount = 0  # [start] & $x"
CLEAN = CleanEdit(
    "src/a b.py", CONTENT, CONTENT.index(OLD), CONTENT.index(OLD) + len(OLD), "    amount = '1'  # a/b & \\n"
)


@pytest.mark.parametrize("mutator", SHELL_MUTATORS, ids=lambda one: one.name)
def test_a_command_is_right_or_refused_by_careful(mutator) -> None:  # type: ignore[no-untyped-def]
    damaged = mutator.damaged(CLEAN, 1, Random(0))
    assert damaged
    sample = Sample("s", "shell", damaged.before, "unlabelled", patch=damaged.patch)
    careful = strategy("shell/careful").apply(sample, None)
    assert isinstance(careful, Applied) is (mutator.truth == "apply")
    try:
        real = strategy("shell/bash").apply(sample, None)
    except Unmeasured as error:
        pytest.skip(str(error))
    if damaged.target:
        assert isinstance(real, Applied)
        assert dict(real.files or {}) == by_path(damaged.target)
