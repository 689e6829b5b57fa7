"""The tree-sitter grammars that are used, by language: a table; each is a package of its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language

GRAMMARS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "bash": ("tree_sitter_bash", "language"),
        "c": ("tree_sitter_c", "language"),
        "cpp": ("tree_sitter_cpp", "language"),
        "csharp": ("tree_sitter_c_sharp", "language"),
        "css": ("tree_sitter_css", "language"),
        "go": ("tree_sitter_go", "language"),
        "html": ("tree_sitter_html", "language"),
        "java": ("tree_sitter_java", "language"),
        "javascript": ("tree_sitter_javascript", "language"),
        "json": ("tree_sitter_json", "language"),
        "jsx": ("tree_sitter_javascript", "language"),
        "markdown": ("tree_sitter_markdown", "language"),
        "php": ("tree_sitter_php", "language_php"),
        "python": ("tree_sitter_python", "language"),
        "ruby": ("tree_sitter_ruby", "language"),
        "rust": ("tree_sitter_rust", "language"),
        "toml": ("tree_sitter_toml", "language"),
        "tsx": ("tree_sitter_typescript", "language_tsx"),
        "typescript": ("tree_sitter_typescript", "language_typescript"),
        "yaml": ("tree_sitter_yaml", "language"),
    }
)
"""Language, as `corpora.languages` calls it -> the module of its grammar, and the function there that yields it."""


@cache
def grammar(language: str) -> Language | None:
    """The grammar of a language; None where there is none, or tree-sitter or the grammar is not installed."""
    if language not in GRAMMARS:
        return None
    module, function = GRAMMARS[language]
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(module), function)())
    except ImportError:
        return None
