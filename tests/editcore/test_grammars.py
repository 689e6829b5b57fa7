"""Grammars by the name of their language."""

from __future__ import annotations

import pytest

from editcore.grammars import GRAMMARS, grammar


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_grammar_of_the_table_parses(language: str) -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    found = grammar(language)
    assert found is not None
    assert tree_sitter.Parser(found).parse(b"").root_node.end_byte == 0


def test_a_language_without_a_grammar_has_none() -> None:
    assert grammar("klingon") is None
