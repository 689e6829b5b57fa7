from __future__ import annotations

import pytest
from pygments.lexers import find_lexer_class_for_filename, get_all_lexers

from corpora.languages import _language_of, language
from tests.rows import rows


@pytest.mark.parametrize(("path", "expected"), rows("a_language_is_told_by_the_name"))
def test_a_language_is_told_by_the_name(path: str, expected: str) -> None:
    assert language(path) == expected


@pytest.mark.slow
def test_every_language_is_the_one_that_pygments_finds() -> None:
    for pattern in sorted({pattern for _, _, patterns, _ in get_all_lexers() for pattern in patterns}):
        for name in (pattern.replace("*", "x"), pattern.translate(str.maketrans("*[]", "y__"))):
            lexer = find_lexer_class_for_filename(name)
            assert _language_of(name) == (lexer.aliases[0] if lexer and lexer.aliases else "other"), name
