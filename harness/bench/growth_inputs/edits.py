"""Families of inputs of any size: a file text and a search text, in shapes that made programs like this one hang.

Each family has its own unit of size, mostly lines; growth is measured over the number of characters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

EditInput = tuple[str, str]
"""A file text, and a search text that occurs in it or not."""


def code(n_lines: int) -> str:
    """Different lines that look like code."""
    return "\n".join(f"    value_{n} = compute(item_{n % 7}, {n % 13}) or default_{n}" for n in range(n_lines))


def noise(n: int, seed: int) -> str:
    """`n` random characters without a line feed, with an x at each end."""
    return "x" + "".join(random.Random(seed).choices("abcdefgh (),.=", k=n - 2)) + "x"


def _misremembered(n: int) -> EditInput:
    """A search text with one wrong line in the middle, in a text twice as long."""
    return code(2 * n), code(n).replace(f"value_{n // 2} ", "value_x ")


def _twins(n: int) -> EditInput:
    """Blocks that differ in one number, and a search text that is nearly one of them."""
    blocks = [f"def get_{k}(self):\n    value = self.load({k})\n    check(value)\n    return value" for k in range(n)]
    return "\n\n".join(blocks), blocks[n // 2].replace("check(value)", "check(values)")


def _functions(n: int) -> EditInput:
    """Many pairs of anchors, and a search text whose middle is unlike all of theirs."""
    blocks = [f"def f():\n    total = {k}\n    log({k * 7})\n    return total" for k in range(n)]
    return "\n\n".join(blocks), "def f():\n    import os\n    yield from os.walk('.')\n    return total"


def _own_blanks(n: int) -> EditInput:
    """Lines that each have different trailing whitespace, and all of them twice."""
    lines = [f"x = 1{''.join(' ' if k >> bit & 1 else chr(9) for bit in range(20))}" for k in range(n)]
    return "\n".join(lines * 2), "x = 1"


def _braces(n: int) -> EditInput:
    deep = [f"{' ' * (k % 40)}{{" for k in range(n)]
    return "\n".join([*deep, "x = 1", *(line.replace("{", "}") for line in deep[::-1])]), "{\n  x = 2\n}"


EDIT_FAMILIES: Mapping[str, Callable[[int], EditInput]] = MappingProxyType(
    {
        # Anchors
        "every line is the first anchor": lambda n: ("}\n" * n, "}\nx = 1\nend\n"),
        "every line is a blank first anchor": lambda n: ("\n" * n, "\nx = 1\nend\n"),
        "first anchors share one last anchor": lambda n: ("}\n" * n + "end\n", "}\n" + "x = 1\n" * 48 + "end\n"),
        "first anchors share one last anchor, big find": lambda n: (
            "}\n" * n + "end\n",
            "}\n" + "x = 1\n" * (n // 2) + "end\n",
        ),
        "first anchors above other lines share one last anchor, big find": lambda n: (
            "A\n" * n + "z\n" * n + "B\n",
            "A\n" + "y\n" * n + "B",
        ),
        "half first anchors, half last ones": lambda n: ("if x:\n" * n + "end\n" * n, "if x:\n    y = 1\nend"),
        "many pairs of anchors": _functions,
        "near twins": _twins,
        "nested braces": _braces,
        # Equal lines
        "identical lines, ambiguous find": lambda n: ("    x = 1\n" * n, "x = 1"),
        "identical lines, ambiguous block": lambda n: ("    x = 1\n" * n, "x = 1\n" * 50),
        "identical lines, big ambiguous find": lambda n: ("    x = 1\n" * n, "x = 1\n" * (n // 2)),
        "identical lines, big find that ends otherwise": lambda n: ("    x = 1\n" * n, "x = 1\n" * (n // 2) + "y = 2"),
        "identical lines, big find that begins otherwise": lambda n: (
            "    x = 1\n" * n,
            "y = 2\n" + "x = 1\n" * (n // 2),
        ),
        "two lines in turn, big find": lambda n: ("a = 1\n  b = 2\n" * n, "a = 1\nb = 2\n" * (n // 2) + "a = 1\nend"),
        "every line blank in its own way": _own_blanks,
        # Long lines
        "two lines of many characters": lambda n: (
            f"start\n{'ab' * (n // 2)}\nend\n" * 2,
            f"start\n{'ba' * (n // 2)}\nend\n",
        ),
        "two unlike lines of many characters": lambda n: (
            f"start\n{noise(n, 1)}\nend\n" * 2,
            f"start\n{noise(n, 2)}\nend\n",
        ),
        "one long line": lambda n: ("abc def, " * (n // 9), "def,  abc xyz"),
        "one long line, found": lambda n: ("abc def, " * (n // 9) + "xyz", "def,  xyz"),
        "one long line, big find": lambda n: ("abc def, " * (n // 9), "abc  def, " * (n // 20) + "xyz"),
        "one character": lambda n: ("a" * n, "a" * (n // 2)),
        "one character, absent": lambda n: ("a" * n, "a" * (n // 2) + "b"),
        "two characters, absent": lambda n: ("ab" * (n // 2), "b" + "ab" * (n // 4) + "b"),
        # Big finds
        "50-line find, absent": lambda n: (code(n), code(50).replace("item", "thing")),
        "big find, found": lambda n: (code(2 * n), code(n)),
        "big find, absent": _misremembered,
        "big find, re-indented": lambda n: (code(2 * n), code(n).replace("    value", "\tvalue")),
        "big find, blanks": lambda n: (code(2 * n), code(n).replace(" = ", "  =\t")),
        "big find, its lines the other way round": lambda n: (code(n), "\n".join(code(n).split("\n")[::-1])),
        "find larger than the text": lambda n: (code(n // 4), code(n)),
        # Blanks
        "spaces": lambda n: (" " * n, " x "),
        "lines of spaces": lambda n: (f"{' ' * 40}\n" * (n // 40), "  \n  x\n"),
        "a find of spaces": lambda n: (f"{' ' * 40}x\n" * (n // 40), " " * (n // 4)),
        "blank lines": lambda n: ("\n" * n, "\n \n  x\n"),
        "blank lines, big blank find": lambda n: ("\n" * n, " \n" * (n // 4)),
        "blank lines round the find": lambda n: ("\n" * n + "x = 1" + "\n" * n, "\n" * n + "  x  =  1" + "\n" * n),
        "tabs and blanks in turn": lambda n: ("\t x = 1\n \ty = 2\n" * n, " x = 1\n y = 2\n z = 3"),
        # Words and escapes
        "many words": lambda n: ("alpha beta gamma\n" * n, "alpha  beta\ngamma delta"),
        "many words, big find": lambda n: ("alpha beta gamma\n" * n, "alpha\nbeta\ngamma\n" * (n // 2) + "delta"),
        "one word a line, on one line in the find": lambda n: ("word\n" * n, "word " * (n // 2)),
        "escapes on every line": lambda n: ('s = "a\\\\tb\\n"\n' * n, 's = \\"a\\\\tb\\n\\"\nend'),
        "backslashes": lambda n: ("\\" * n, "\\" * (n // 2) + "x"),
        "lines of backslashes": lambda n: ("\\\n" * n, "\\\n" * (n // 2) + "\\x"),
        "big escaped find": lambda n: (code(2 * n), code(n).replace("\n", "\\n").replace("=", "==")),
        # Files
        "carriage returns": lambda n: (code(n).replace("\n", "\r\n"), code(n // 2).replace("default_", "fallback_")),
        "wide characters": lambda n: ("    名前 = 🐍\n    値 = 🦀\n" * n, "名前 = 🐍\n値 = 🐍\n  名前 = 🐍"),
        "white space that is not Python's": lambda n: ("\ufeff x = 1\x1c\n\x85y = 2\n" * n, "x = 1\ny = 2\n"),
        "unique lines, one sought": lambda n: (code(n), f"value_{n - 1}  = compute"),
        "unique lines, one sought that is like all": lambda n: (code(n), "    value_ = compute(item, 0) or default_"),
    }
)
"""Family -> what makes the file text and the search text of a size."""
