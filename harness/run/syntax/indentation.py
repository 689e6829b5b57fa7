"""Python's indentation, which its grammar takes more lightly than Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = frozenset({"module", "block"})
_WITH_BLOCKS = _BLOCKS | {
    "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement", "except_clause",
    "except_group_clause", "finally_clause", "with_statement", "function_definition", "class_definition",
    "decorated_definition", "match_statement", "case_clause",
}  # fmt: skip
"""The nodes below which there may be statements."""


Spans = Sequence[tuple[int, int]]
"""Ranges of bytes, (start, end) each; a place between two bytes is a range too."""


def misplaced_statements(root: Node, data: bytes, changed: Spans | None = None) -> int:
    """The number of statements, and of empty blocks, that Python would refuse for their indentation.

    The grammar of tree-sitter-python 0.25 takes a statement that is indented further than the one above it, one at no
    level of the blocks around it, and a block without statements. As in Python 3.11, the statements of a block begin
    with the same spaces and tabs, which are those of the block around it and more.

    Where the text came from one without such statements, `changed` are the whole lines that differ, and the ranges in
    which the tree does: statements elsewhere are not looked into.
    """
    n = 0
    waiting: list[tuple[Node, bytes | None]] = [(root, None)]
    while waiting:
        node, outer = waiting.pop()
        if node.type not in _BLOCKS:
            waiting += [(child, outer) for child in node.children if child.type in _WITH_BLOCKS]
            continue
        statements = _statements(node) if _is_in(changed, node) else _first_statement(node)
        n += not statements and node.type == "block"
        inner = b"" if outer is None else None
        for child in statements:
            before = _before(child, data)
            if not before.strip():  # Else it follows another statement, or the colon, on the same line.
                n += inner is not None and before != inner
                if inner is None:
                    inner = before
                    n += not (before.startswith(outer or b"") and before != outer)
            if child.type in _WITH_BLOCKS and _is_in(changed, child):
                waiting.append((child, outer or b"" if inner is None else inner))
    return n


def _statements(block: Node) -> list[Node]:
    return [child for child in block.children if child.is_named and child.type != "comment"]


def _first_statement(block: Node) -> list[Node]:
    first = block.named_child(0) if block.named_child_count else None
    return [first] if first and first.type != "comment" else _statements(block)[:1]


def _is_in(changed: Spans | None, node: Node) -> bool:
    """Whether a node touches what has changed."""
    return changed is None or any(node.start_byte <= end and start <= node.end_byte for start, end in changed)


def _before(node: Node, data: bytes) -> bytes:
    """The text between the start of a node's line and the node."""
    return data[data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].replace(b"\f", b"")
