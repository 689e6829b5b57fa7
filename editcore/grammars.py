"""The tree-sitter grammars that are used, by language: a table; each is a package of its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language

_PLAIN = (
    "bash", "c", "cpp", "css", "go", "html", "java", "javascript", "json", "markdown", "python", "ruby", "rust", "toml",
    "yaml",
)  # fmt: skip
GRAMMARS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **{name: (f"tree_sitter_{name}", "language") for name in _PLAIN},
        "csharp": ("tree_sitter_c_sharp", "language"),
        "jsx": ("tree_sitter_javascript", "language"),
        "php": ("tree_sitter_php", "language_php"),
        "tsx": ("tree_sitter_typescript", "language_tsx"),
        "typescript": ("tree_sitter_typescript", "language_typescript"),
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
