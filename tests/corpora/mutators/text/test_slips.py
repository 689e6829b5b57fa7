"""Finds with slips of the pen in the middle."""

from __future__ import annotations

import pytest

from corpora.mutators.text.slips import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
wrong_identifier 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.draft_size  # in whole bytes
find -            return join(path, limit)
find +            return join(packet, limit)

wrong_number 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 11 + self.max_size  # in whole bytes

wrong_operator 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 - self.max_size  # in whole bytes
find -        if not path == "a-b":
find +        if not path = "a-b":

transposed_letters 2
find -        if not path == "a-b":
find +        if not ptah == "a-b":
find -            return join(path, limit)
find +            return jion(path, limit)

letter_case 2
find -            return join(path, limit)
find +            return Join(path, Limit)

paraphrased_comment 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # whole

reordered_lines 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
