"""docs/recommended.md and the code say the same: its tables, numbers, tiers, reasons and cases."""

from __future__ import annotations

import re

import pytest

from docs import specification
from editcore import Rejected, replace
from editcore.cascade import RECOMMENDED
from editcore.types import Reason
from tests.harness.program import ROOT

PAGE = ROOT / "docs" / "recommended.md"
CASES = ROOT / "tests" / "cases"
TEXT = PAGE.read_text(encoding="utf-8")
_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s+\(`([A-Z_]+)`\)")
_NUMBER_BEHIND = re.compile(r"`([A-Z_]+)`\s+\((\d[\d,]*(?:\.\d+)?)\)")
_CASE = re.compile(r"`((?:[a-z_]+/)?[a-z0-9]+(?:_[a-z0-9]+){3,})`")


def _cases() -> list[str]:
    blocks = re.findall(r"^Cases: .*?(?=\n\n|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    return [name for block in blocks for name in _CASE.findall(block)]


def test_cases_exist() -> None:
    named = [name if "/" in name else f"tiers/{name}" for name in _cases()]
    assert len(named) > 80
    assert [name for name in named if not (CASES / f"{name}.txt").is_file()] == []


def test_all_cases_of_tiers_are_named() -> None:
    """Each says something that the page has to say."""
    assert {path.stem for path in (CASES / "tiers").glob("*.txt")} - set(_cases()) == set()


def test_numbers_are_those_of_the_code() -> None:
    quoted = [(name, value) for value, name in _NUMBER.findall(TEXT)] + _NUMBER_BEHIND.findall(TEXT)
    numbers = specification.numbers()
    assert len(quoted) > 30
    assert [(name, value) for name, value in quoted if float(value.replace(",", "")) != numbers[name]] == []
    assert set(numbers) == {name for name, _ in quoted}


@pytest.mark.parametrize("tier", RECOMMENDED.order)
def test_each_tier_has_its_part(tier: str) -> None:
    assert f"`{tier}`" in re.sub(r"<!-- begin tier_order -->.*?<!-- end", "", TEXT, flags=re.DOTALL)


def test_each_refusal_of_the_table_is_one_and_its_reason_is_named() -> None:
    reasons = set()
    for when, content, old, new, more in specification.REFUSED:
        result = replace(content, old, new, occurrence=more)
        assert isinstance(result, Rejected), when
        reasons.add(result.reason)
    assert reasons == {Reason.NO_MATCH, Reason.AMBIGUOUS, Reason.IDENTICAL, Reason.EMPTY}
    assert all(f"`{reason}`" in TEXT for reason in reasons)


def test_the_version_is_that_of_the_cascade() -> None:
    assert f"It is version {RECOMMENDED.version} of the rule." in TEXT
