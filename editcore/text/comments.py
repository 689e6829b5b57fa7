"""Comments for people, recognised by the name of the file.

`#header {` is a selector in CSS, `#ifdef X` is code in C, `## Windows` is a heading in Markdown, and all three are
comments in a shell script: only the file's name tells. Where the name tells nothing, a line that begins with `//`,
`/*` or `<!--` counts as a comment, since no language in use begins a statement so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename, splitext
from types import MappingProxyType

_HASH, _SLASHES, _DASHES, _SEMICOLON, _PERCENT, _ANGLE = ("#",), ("//", "/*"), ("--",), (";",), ("%",), ("<!--",)
_ANYWHERE = (*_SLASHES, *_ANGLE)
_FAMILIES: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        _HASH: ".py .pyi .rb .sh .bash .zsh .fish .yml .yaml .toml .pl .pm .r .jl .ex .exs .tf .mk .cmake .ps1 .nix "
        ".awk makefile dockerfile gemfile rakefile .env .gitignore .dockerignore",
        _SLASHES: ".c .h .cc .cpp .cxx .hpp .hh .m .mm .java .js .jsx .mjs .cjs .ts .tsx .go .rs .swift .kt .kts "
        ".scala .cs .dart .scss .less .proto .zig .groovy .gradle .css .sol",
        (*_SLASHES, *_HASH): ".php",
        _DASHES: ".sql .lua .hs .elm .adb .ads",
        _SEMICOLON: ".lisp .cl .clj .cljs .el .scm .rkt .asm .ini",
        _PERCENT: ".tex .sty .erl .hrl",
        _ANGLE: ".html .htm .xml .svg .md .markdown",
        (*_SLASHES, *_ANGLE): ".vue .svelte .astro",
    }
)
_SIGNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: signs for signs, names in _FAMILIES.items() for name in names.split()}
)
_FOR_A_TOOL = re.compile(
    r"[!@]|-\*-|#?(?:region|endregion)\b|(?:type|fmt|mypy|ruff|isort|yapf|flake8|pylint|coding|pragma|rubocop|jshint)\s*[:=-]|"
    r"(?:noqa|nosec|nolint|eslint|tslint|prettier|biome|istanbul|(?:c8|v8) ignore|clang-\w+|shellcheck|webpack\w*:|"
    r"frozen_string_literal)\b",
    re.IGNORECASE,
)
"""The start of a comment that a tool reads."""


def is_comment(line: str, path: str | None = None) -> bool:
    """True if `line` is nothing but a comment for people: no directive for a tool, no interpreter line, no heading."""
    text = line.strip()
    name = basename(path or "").lower()
    signs = _SIGNS.get(splitext(name)[1], _SIGNS.get(name, _ANYWHERE))
    sign = next((one for one in signs if text.startswith(one)), None)
    if sign is None:
        return False
    said = text[len(sign) :].lstrip(sign[-1])
    return (not said or said[0].isspace()) and not _FOR_A_TOOL.match(said.strip())


def comment(text: str, path: str) -> str | None:
    """A comment line with `text`, in the syntax of the file `path`; None for an unknown kind of file."""
    name = basename(path).lower()
    signs = _SIGNS.get(splitext(name)[1], _SIGNS.get(name))
    if signs is None:
        return None
    return f"<!-- {text} -->" if signs == _ANGLE else f"{signs[0]} {text}"
