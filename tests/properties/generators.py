"""Generators of documents, of finds cut from them and drifted, and of cascades.

Documents are small and full of repetition: what goes wrong goes wrong where places are nearly alike.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from editcore import CASCADES, REPLACERS, Cascade, Guards, SizeGuard

anything = st.text(st.characters())
"""Any code points, lone surrogates too; `st.text()` would leave those out."""

_WORDS = [
    "a", "x", "go()", "return x", "x = 1", "x = 2", "name_of_it", "name_of_them", "{", "}", "f(a, b)", '"q"', "'it'",
    "`$v`", "$&", "\\", "\\n", "\\t", '\\"', "\\\\", "\\d", "end", "(*.)+?^|[", "é", "\U0001f600", "\ud83d", "\0",
    "\x1c", "\x85", "a\x1fb"
]  # fmt: skip
_BLANKS = [" ", "  ", "\t", "\xa0", "\u3000", "\ufeff", "\v", "\r"]
_INDENTS = ["", "", "", "    ", "  ", "\t", "\u3000", "\ufeff", "        "]
_ENDS = ["", "", "", "", " ", "\t", "\r", "\x85", "\\"]


@st.composite
def _lines(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.sampled_from(_WORDS), max_size=4))
    line = draw(st.sampled_from(_INDENTS))
    for n, word in enumerate(words):
        line += (draw(st.sampled_from(_BLANKS)) if n else "") + word
    return line + draw(st.sampled_from(_ENDS))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Texts of few distinct lines, repeated, some of them as blocks and some with near twins."""
    pool = draw(st.lists(_lines(), min_size=1, max_size=5))
    lines = draw(st.lists(st.sampled_from(pool), max_size=14))
    if draw(st.booleans()) and lines:
        start = draw(st.integers(0, len(lines) - 1))
        block = lines[start : start + draw(st.integers(1, 6))]
        twin = [draw(st.sampled_from([line, line, line, "    " + line, line.strip(), line + "s"])) for line in block]
        at = draw(st.integers(0, len(lines)))
        lines[at:at] = twin
    ending = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
    return ending.join(lines) + draw(st.sampled_from(["", ending, ending * 2]))


def _drifted_line(draw: st.DrawFn, line: str) -> str:
    kind = draw(st.sampled_from(["strip", "indent", "dedent", "end", "squeeze", "widen", "letter"]))
    if kind == "strip":
        return line.strip()
    if kind == "indent":
        return draw(st.sampled_from(_BLANKS)) + line
    if kind == "dedent":
        return line[1:] if line[:1].isspace() else line
    if kind == "end":
        return line + draw(st.sampled_from(_BLANKS))
    if kind == "squeeze":
        return re.sub(r"[ \t]+", " ", line)
    if kind == "widen":
        return line.replace(" ", "  ")
    at = draw(st.integers(0, len(line)))
    return line[:at] + draw(st.sampled_from(["", "z", "1"])) + line[at + 1 :]


_DRIFTS = ["lines"] * 3 + ["escape", "unescape", "drop", "double", "join", "split", "blank", "edges"]


def _drifted(draw: st.DrawFn, find: str) -> str:
    kind = draw(st.sampled_from(_DRIFTS))
    lines = find.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    if kind == "lines":
        shift = draw(st.booleans())
        return "\n".join([_drifted_line(draw, line) if shift or n == at else line for n, line in enumerate(lines)])
    if kind == "escape":
        table = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "'": "\\'", "`": "\\`", "$": "\\$", "\\": "\\\\"}
        some = draw(st.sets(st.sampled_from(sorted(table))))
        return "".join([table[letter] if letter in some else letter for letter in find])
    if kind == "unescape":
        return find.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if kind == "join":
        return " ".join(lines)
    if kind == "split":
        return find.replace(" ", "\n", 1)
    if kind == "edges":
        edge = st.sampled_from(["", " ", "\n", "\n\n", "\t", " \n"])
        return draw(edge) + find + draw(edge)
    lines[at : at + 1] = {"drop": [], "double": [lines[at], lines[at]], "blank": [lines[at], ""]}[kind]
    return "\n".join(lines)


@st.composite
def finds(draw: st.DrawFn, content: str) -> str:
    """Something to look for in a document: cut from it, mostly as whole lines, and drifted or not."""
    lines = content.split("\n")
    if draw(st.integers(0, 3)):
        start = draw(st.integers(0, len(lines) - 1))
        find = "\n".join(lines[start : start + draw(st.integers(1, 7))]) + draw(st.sampled_from(["", "", "\n"]))
    elif draw(st.integers(0, 3)):
        start = draw(st.integers(0, len(content)))
        find = content[start : start + draw(st.integers(1, 30))]
    else:
        find = draw(
            st.sampled_from(["", " ", "\n", " \n", "\n\n\n", "\\", "\\\\", "\\n", "a", "\x85", "\x1c"]) | anything
        )
    for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
        find = _drifted(draw, find)
    return find


@st.composite
def contents_and_finds(draw: st.DrawFn) -> tuple[str, str]:
    content = draw(documents())
    return content, draw(finds(content))


@st.composite
def contents_and_finds_of_blocks(draw: st.DrawFn) -> tuple[str, str]:
    """Many blocks between the same anchors, with middles that are more or less that of the find."""
    letters = st.text("ab", min_size=1, max_size=6)
    middles = st.lists(st.sampled_from(["", " ", *draw(st.lists(letters, min_size=1, max_size=4))]), max_size=5)
    first, last = draw(st.sampled_from([("in", "out"), ("in", "in"), ("in", ""), ("", "out")]))
    blocks = draw(st.lists(middles, min_size=1, max_size=8))
    content = "\n".join(["\n".join([first, *middle, last]) for middle in blocks])
    return content, "\n".join([first, *draw(middles | st.sampled_from(blocks)), last])


shares = st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.65, 2 / 3, 0.75, 0.9, 1.0]) | st.floats(0, 1)
size_windows = st.none() | st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 2)


@st.composite
def cascades(draw: st.DrawFn) -> Cascade:
    """A named cascade of replacers, or replacers in any order and number under any guards."""
    if draw(st.booleans()):
        return draw(st.sampled_from([cascade for cascade in CASCADES.values() if cascade.replacers]))
    names = draw(st.lists(st.sampled_from(list(REPLACERS)), unique=True))
    guards = Guards(
        single_similarity=draw(shares),
        several_similarity=draw(shares),
        size_window=draw(size_windows),
        size_guard=draw(st.none() | st.just(SizeGuard())),
    )
    return Cascade("drawn", tuple(names), guards=guards)
