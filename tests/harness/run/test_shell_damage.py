"""The kinds of damage of shell commands, each by an example."""

from __future__ import annotations

import pytest

from corpora.sample import Sample
from editcore.types import Applied, File
from harness.run.scoring import Judge
from reports.runs.rows import Damage, Verdict

BEFORE = {"a.py": "one\ntwo\nthree\nfour\n"}
MEANT = {"a.py": "one\nTWO\nthree\nFOUR\n"}


def files(texts: dict[str, str]) -> tuple[File, ...]:
    return tuple(File(*one) for one in texts.items())


@pytest.mark.parametrize(
    ("damage", "given"),
    [
        (Damage.NO_OP, BEFORE),
        (Damage.EMPTIED, {"a.py": ""}),
        (Damage.HALF_MADE, {"a.py": "one\nTWO\nthree\nfour\n"}),
        (Damage.TOO_MANY, {"a.py": "ONE\nTWO\nthree\nFOUR\n"}),
        (Damage.GARBLED, {"a.py": "one\n$TWO\nthree\nFOUR\\\n"}),
        (Damage.TEXT, {"a.py": "one\nTWO\nthree\nFIVE\n"}),
        (Damage.WRONG_FOLDER, {**BEFORE, "src/a.py": "one\nTWO\nthree\nFOUR\n"}),
    ],
)
def test_a_wrong_result_of_a_shell_command_has_a_kind(damage: Damage, given: dict[str, str]) -> None:
    sample = Sample("s", "shell", files(BEFORE), "apply", patch="perl -pi -e x a.py", target=files(MEANT))
    score = Judge(sample).score(Applied(files=given))
    assert (score.verdict, score.damage) == (Verdict.WRONG_EDIT, damage)


@pytest.mark.parametrize(
    ("damage", "command", "given"),
    [
        (Damage.NO_OP, "sed -i s/absent/x/ a.py", BEFORE),
        (Damage.UNASKED, "sed -i 2s/two/x/ a.py", {"a.py": "one\nx\nthree\nfour\n"}),
        (
            Damage.DIALECT,
            r"sed -i '' '1a\''\n\tx' a.py".replace(r"''\n", "\n"),
            {"a.py": "one\ntx\ntwo\nthree\nfour\n"},
        ),
    ],
)
def test_a_shell_command_that_must_be_refused_has_a_kind(damage: Damage, command: str, given: dict[str, str]) -> None:
    sample = Sample("s", "shell", files(BEFORE), "refuse", patch=command)
    score = Judge(sample).score(Applied(files=given))
    assert (score.verdict, score.damage) == (Verdict.WRONG_EDIT, damage)
