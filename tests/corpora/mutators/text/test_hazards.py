"""Edits that find, to the letter, what nobody would want replaced."""

from __future__ import annotations

import pytest

from corpora.mutators.text.hazards import MUTATORS
from editcore.types import File
from tests.corpora.mutators.search_text import cases, damage, described, edit

_DAMAGE = r'''
partial_identifier 1
find +max
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]
new +amount
new -    def load(self, path):
new -        return path

copy_in_docstring 1
file +    """
file +    """

replayed_insertion 1
file +        trace_field(packet_55)
new -        return path
new +        limit = 10 + self.max_size  # in whole bytes
new +        if not path == "a-b":
new +            return join(path, limit)
new +        return [limit, True]
new +        trace_field(packet_55)
'''


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines


def test_the_start_of_a_longer_name_is_replaced_to_the_letter() -> None:
    damaged = damage(MUTATORS, "partial_identifier", clean=edit("«max_retries_default = 3»\n", "x"))
    assert damaged is not None
    assert damaged.edits is not None
    assert damaged.edits[0].old_string == "max_retries"
    assert damaged.target == (File("a.py", f"{damaged.edits[0].new_string}_default = 3\n"),)
