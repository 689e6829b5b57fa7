"""Line endings, final line feeds and byte order marks."""

from __future__ import annotations

from corpora.mutators.text.line_endings import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import damage, edit


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
