"""Line ends, final line feeds and byte order marks."""

from __future__ import annotations

import pytest

from corpora.mutators.text.line_endings import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import cases, damage, described, edit

_DAMAGE = r"""
crlf_find 1
find -    def load(self, path):
find +    def load(self, path):␍
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes␍
find -        if not path == "a-b":
find +        if not path == "a-b":␍
find -            return join(path, limit)
find +            return join(path, limit)␍
new -    def load(self, path):
new +    def load(self, path):␍

mixed_line_ends 2
file -import os
file +import os␍
file -
file +␍
file -        write(self)
file +        write(self)␍
file -        pass
file +        pass␍

bom_in_file 1
file -import os
file -
file -
file -class Store:
file -    def load(self, path):
file +<feff>    def load(self, path):

bom_in_find 1
file -import os
file -
file -
file -class Store:
find -    def load(self, path):
find +<feff>    def load(self, path):

final_newline_added 1
find +
new +

final_newline_missing 1
file -
file -    def save(self):
file -        write(self)
file -
file -    def close(self):
file -        pass
file -
find +

newline_only_in_find 1
find +

newline_only_in_new 1
new +
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines


def test_a_file_with_crlf_keeps_it_and_gets_it_in_new_lines() -> None:
    damaged = damage(MUTATORS, "crlf_file", clean=edit("a\n«b»\nc\n", "x\ny"))
    assert damaged is not None
    assert damaged.before == (File("a.py", "a\r\nb\r\nc\r\n"),)
    assert damaged.target == (File("a.py", "a\r\nx\r\ny\r\nc\r\n"),)
    assert damaged.edits == (Edit("b", "x\ny"),)


def test_a_file_with_lf_keeps_it_whatever_the_edit_has() -> None:
    damaged = damage(MUTATORS, "crlf_find", clean=edit("a\n«b\nc»\nd", "x\ny"))
    assert damaged is not None
    assert damaged.target == (File("a.py", "a\nx\ny\nd"),)
    assert damaged.edits == (Edit("b\r\nc", "x\r\ny"),)


def test_a_byte_order_mark_stays() -> None:
    damaged = damage(MUTATORS, "bom_in_file", clean=edit("«a»\nb\n", "x"))
    assert damaged is not None
    assert damaged.before == (File("a.py", "\ufeffa\nb\n"),)
    assert damaged.target == (File("a.py", "\ufeffx\nb\n"),)


def test_a_line_feed_in_the_find_only_glues_the_next_line() -> None:
    damaged = damage(MUTATORS, "newline_only_in_find", clean=edit("«a»\nb\n", "x"))
    assert damaged is not None
    assert damaged.target == (File("a.py", "xb\n"),)
