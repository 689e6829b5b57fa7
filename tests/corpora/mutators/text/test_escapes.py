"""Search texts encoded once too often, or not often enough."""

from __future__ import annotations

import pytest

from corpora.mutators.text.escapes import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import damage, edit


@pytest.mark.parametrize(
    ("name", "find", "new"),
    [
        ("over_escaped", r"a(\"b\")\n\tc", 'd("e")'),
        ("over_escaped_both", r"a(\"b\")\n\tc", r"d(\"e\")"),
        ("twice_escaped", r"a(\\\"b\\\")\\n\\tc", 'd("e")'),
    ],
)
def test_the_whole_text_is_escaped(name: str, find: str, new: str) -> None:
    damaged = damage(MUTATORS, name, clean=edit('«a("b")\n\tc»\n', 'd("e")'))
    assert damaged is not None
    assert damaged.edits == (Edit(find, new),)
    assert damaged.target == (File("a.py", 'd("e")\n'),)
