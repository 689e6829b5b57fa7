"""Syntax trees: their errors, and whether two trees are equal but for layout and comments. Nothing recurses."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editcore.grammars import grammar
from editcore.text.diff import common_ends

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


_TEXTUAL = re.compile(r"string|text|heredoc|regex|char|scalar|content|^inline$")
"""In the names of nodes whose whitespace is part of a value, not layout."""
_LAID_OUT = re.compile(r"^concatenated_string$|substitution|^interpolation$|context")
"""In the names of nodes that `_TEXTUAL` matches and that are code."""
_FLOWING = ("jsx_text", "text")
"""Nodes of text in which any run of whitespace equals a space."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and its syntax tree."""

    language: str
    data: bytes
    tree: Tree
    n_errors: int
    """Errors of the grammar; in Python also an indentation that Python refuses."""


def parsed(language: str, data: bytes) -> Parsed | None:
    """The tree of a text, as `source` returns it; None if the language has no grammar here."""
    from tree_sitter import Parser

    found = grammar(language)
    if found is None:
        return None
    return _with_errors(language, data, Parser(found).parse(data))


def parsed_like(other: Parsed, data: bytes) -> Parsed:
    """The tree of a text in the same language, made from the other tree if that certainly gives the same tree."""
    from tree_sitter import Parser

    found = grammar(other.language)
    assert found is not None
    parser = Parser(found)
    if not other.tree.root_node.has_error:
        tree = parser.parse(data, _edited(other.tree, other.data, data))
        # Around an error, the tree depends on what was known before.
        if not tree.root_node.has_error:
            return _with_errors(other.language, data, tree)
    return _with_errors(other.language, data, parser.parse(data))


def likeness(one: Parsed, data: bytes) -> float:
    """The share of the longer text that both have in common at their starts and ends."""
    return sum(common_ends(one.data, data)) / max(len(one.data), len(data), 1)


def source(text: str) -> bytes:
    """The text as it is parsed: UTF-8, with LF for CRLF and without a byte order mark, which are layout."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").encode("utf-8", "surrogatepass")


def _with_errors(language: str, data: bytes, tree: Tree) -> Parsed:
    n_errors = sum(1 for _ in _errors(tree.root_node))
    if language == "python" and not n_errors:
        n_errors = int(_is_misindented(data))
    return Parsed(language, data, tree, n_errors)


def _is_misindented(data: bytes) -> bool:
    """True if Python refuses the text for its indentation, of which tree-sitter's grammar accepts more.

    A text that Python refuses for another reason, such as one in Python 2, is not misindented.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(data)
    except IndentationError:
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return False


def _edited(tree: Tree, before: bytes, after: bytes) -> Tree:
    """A copy of the tree with a note of the place where the text changed."""
    head, tail = common_ends(before, after)
    ends = len(before) - tail, len(after) - tail
    copy = tree.copy()
    copy.edit(head, *ends, _point(before, head), _point(before, ends[0]), _point(after, ends[1]))
    return copy


def _point(data: bytes, at: int) -> tuple[int, int]:
    return data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1


def _errors(root: Node) -> Iterator[Node]:
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        waiting += [child for child in node.children if child.has_error]


def is_same(one: Parsed, other: Parsed) -> bool:
    """True if two trees of one language, both without errors, are equal but for layout and comments.

    Text between tokens is layout, except in strings and the like. In languages such as Python and YAML, indentation
    is part of the tree.
    """
    head, tail = common_ends(one.data, other.data)
    ends = len(one.data) - tail, len(other.data) - tail
    waiting = [(one.tree.root_node, other.tree.root_node)]
    while waiting:
        left, right = waiting.pop()
        if left.kind_id != right.kind_id:
            return False
        if _is_unchanged(left, right, head, ends):
            continue
        above, below = _tokens(left), _tokens(right)
        if len(above) != len(below) or _own_text(left, one.data) != _own_text(right, other.data):
            return False
        waiting += zip(above, below, strict=True)
    return True


def _is_unchanged(left: Node, right: Node, head: int, ends: tuple[int, int]) -> bool:
    """True if two nodes of one kind have the same text at the same place and were parsed in the same state."""
    is_above = left.end_byte <= head and left.byte_range == right.byte_range
    is_below = (
        left.start_byte >= ends[0]
        and left.start_byte - ends[0] == right.start_byte - ends[1]
        and left.end_byte - ends[0] == right.end_byte - ends[1]
    )
    return (is_above or is_below) and left.parse_state == right.parse_state


def _tokens(node: Node) -> list[Node]:
    """The children with a meaning: no comments, line continuations or line feeds."""
    return [child for child in node.children if not _is_layout(child)]


def _is_layout(node: Node) -> bool:
    kind = node.type
    return kind.endswith("comment") or kind == "line_continuation" or (not node.is_named and not kind.strip())


def _own_text(node: Node, data: bytes) -> bytes:
    """The text of a node outside its tokens, without comments; empty if it is layout."""
    if not node.child_count:
        text = data[node.start_byte : node.end_byte] if node.is_named else b""
        return b" ".join(text.split()) if node.type in _FLOWING else text
    pieces, at = [], node.start_byte
    for child in node.children:
        pieces.append(data[at : child.start_byte])
        at = child.end_byte
    own = b"\0".join([*pieces, data[at : node.end_byte]])
    is_text = _TEXTUAL.search(node.type) and not _LAID_OUT.search(node.type)
    return own if is_text or own.replace(b"\0", b"").strip() else b""
