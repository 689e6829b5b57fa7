"""Stale edits of lines that mean something else by now."""

from __future__ import annotations

import pytest

from corpora.mutators.text.changed_facts import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
flipped_sign 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 - self.max_size  # in whole bytes
file -        if not path == "a-b":
file +        if not path != "a-b":

flipped_boolean 2
file -        return [limit, True]
file +        return [limit, False]

not_dropped 2
file -        if not path == "a-b":
file +        if path == "a-b":

changed_number 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 17 + self.max_size  # in whole bytes

changed_string 2
file -        if not path == "a-b":
file +        if not path == "a-amount":

swapped_arguments 2
file -    def load(self, path):
file +    def load(path, self):
file -            return join(path, limit)
file +            return join(limit, path)

swapped_lines 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes

guard_deleted 2
file -        if not path == "a-b":

guard_added 2
file +        store_field(amount_35)
file +        notify_field(packet_40)
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
