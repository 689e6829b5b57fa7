"""The text cases of `tests/cases/tiers`: what each tier forgives and refuses, in the format of `tests/cases/replace`.

An outcome is that of the cascade `recommended`, or of the tier that `in TIER` names, alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editcore import Applied, Cascade, Edit, Rejected, replace
from editcore.cascade import CASCADES
from editcore.tiers import TIERS
from tests.editcore.replacers.test_cases import read_case

CASES = Path(__file__).parents[2] / "cases" / "tiers"
FILES = sorted(CASES.glob("*.txt"))


def _cascade(name: str) -> Cascade:
    return CASCADES[name] if name in CASCADES else Cascade(name, tiers=(name,))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tier(path: Path) -> None:
    case = read_case(path.read_text("utf-8"), usually=("recommended",))
    texts = case.texts
    results = {
        name: replace(
            texts["content"], texts["old"], texts["new"], replace_all=case.replace_all, cascade=_cascade(name)
        )
        for name in case.outcomes
    }
    outcomes = {
        name: (result.replacer, result.content) if isinstance(result, Applied) else ("rejected", result.reason)
        for name, result in results.items()
    }
    assert outcomes == case.outcomes
    for result in results.values():
        if isinstance(result, Rejected):
            _advice_is_applied(texts["content"], result.advice)


def _advice_is_applied(content: str, advice: tuple[Edit, ...]) -> None:
    for edit in advice:
        assert isinstance(replace(content, edit.old_string, edit.new_string, cascade="recommended"), Applied)


def test_every_tier_has_a_case_that_it_decides_and_every_file_name_is_a_sentence() -> None:
    cases = [read_case(path.read_text("utf-8"), usually=("recommended",)) for path in FILES]
    decided = {case.outcomes["recommended"][0] for case in cases if "recommended" in case.outcomes}
    assert decided == {*TIERS, "append", "rejected"}
    assert [path.name for path in FILES if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
