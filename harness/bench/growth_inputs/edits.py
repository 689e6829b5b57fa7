"""Families of inputs of any size: a file text and a search text, in shapes that made similar programs hang.

Each family has its own unit of size, mostly lines. Growth is measured over the number of characters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from random import Random
from typing import Any

from corpora.mutators import MUTATORS
from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Mutator

EditInput = tuple[str, str]


def code(n_lines: int) -> str:
    """Different lines that look like code."""
    return "\n".join(f"    value_{n} = compute(item_{n % 7}, {n % 13}) or default_{n}" for n in range(n_lines))


def noise(n: int, seed: int) -> str:
    """`n` random characters without a line feed, with an x at each end."""
    return "x" + "".join(random.Random(seed).choices("abcdefgh (),.=", k=n - 2)) + "x"


def _misremembered(n: int) -> EditInput:
    """A search text with one wrong line in the middle, and a file twice as long."""
    return code(2 * n), code(n).replace(f"value_{n // 2} ", "value_x ")


def _twins(n: int) -> EditInput:
    """Blocks that differ in one number, and a search text that nearly equals one of them."""
    blocks = [f"def get_{k}(self):\n    value = self.load({k})\n    check(value)\n    return value" for k in range(n)]
    return "\n\n".join(blocks), blocks[n // 2].replace("check(value)", "check(values)")


def _functions(n: int) -> EditInput:
    """Many pairs of anchors, and a search text whose middle resembles no middle of theirs."""
    blocks = [f"def f():\n    total = {k}\n    log({k * 7})\n    return total" for k in range(n)]
    return "\n\n".join(blocks), "def f():\n    import os\n    yield from os.walk('.')\n    return total"


def _own_blanks(n: int) -> EditInput:
    """Lines with different trailing whitespace, each of them twice."""
    lines = [f"x = 1{''.join(' ' if k >> bit & 1 else chr(9) for bit in range(20))}" for k in range(n)]
    return "\n".join(lines * 2), "x = 1"


def _braces(n: int) -> EditInput:
    deep = [f"{' ' * (k % 40)}{{" for k in range(n)]
    return "\n".join([*deep, "x = 1", *(line.replace("{", "}") for line in deep[::-1])]), "{\n  x = 2\n}"


EDIT_FAMILIES: Mapping[str, Callable[[int], EditInput]] = {
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
    "identical lines, big find that begins otherwise": lambda n: ("    x = 1\n" * n, "y = 2\n" + "x = 1\n" * (n // 2)),
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
"""Family -> a function from a size to the file text and the search text."""


# Families of edits that each reach one tier of `recommended`, or pass all of them.

TierInput = tuple[str, str, str]


def _changed(text: str, search: str, old: str, new: str) -> TierInput:
    """An edit that replaces the first `old` of its search text by `new`."""
    return text, search, search.replace(old, new, 1)


def _of_code(n: int, write: Callable[[str], str], n_lines: int = 12) -> TierInput:
    """An edit of a few lines in the middle of code, whose search text `write` changes."""
    lines = code(n).split("\n")
    search = "\n".join(lines[n // 2 : n // 2 + n_lines])
    return "\n".join(lines), write(search), write(search.replace(f"default_{n // 2}", "fallback", 1))


def _outdented(text: str) -> str:
    return "\n".join([line.removeprefix("  ") for line in text.split("\n")])


def _numbered(text: str) -> str:
    return "\n".join([f"{n:>6}\t{line}" for n, line in enumerate(text.split("\n"), 1)])


def _elided(n: int) -> TierInput:
    lines = code(n).split("\n")
    search = "\n".join([*lines[n // 2 : n // 2 + 3], "    # ...", *lines[n // 2 + 50 : n // 2 + 53]])
    return _changed("\n".join(lines), search, "or", "and")


def _drifted(n: int, there: str, written: str) -> TierInput:
    """A search text in which one line differs from the file."""
    lines = code(n).split("\n")
    lines[n // 2 + 1] = there
    search = "\n".join([lines[n // 2], written, *lines[n // 2 + 2 : n // 2 + 12]])
    return _changed("\n".join(lines), search, f"default_{n // 2 + 8}", "fallback")


def _accented(n: int) -> TierInput:
    text = code(n).replace("default", "“défaut”")
    search = text[text.index(f"    value_{n // 2} ") :][:400].rpartition("\n")[0]
    return _changed(text, search.replace("“", '"'), "or", "and")


def _periodic(n: int) -> TierInput:
    """Lines that repeat with a period, and a search text of as many periods with another end."""
    text = "    a = load()\n    b = check(a)\n    store(b)\n" * n
    search = "a = load()\nb = check(a)\nstore(b)\n" * (n // 3) + "done(a, b)"
    return text, search, search + "\nend()"


def _flat(n: int, change: Callable[[list[str]], list[str]]) -> TierInput:
    """A block whose indentation both texts of the edit lost."""
    lines = ["if ready:", *(f"    call_{k}()" for k in range(n)), "done()"]
    old = [line.strip() for line in lines]
    return "\n".join(lines), "\n".join(old[:-1]), "\n".join(change(old[:-1]))


TIER_FAMILIES: Mapping[str, Callable[[int], TierInput]] = {
    "exact, once": lambda n: _of_code(n, str),
    "exact, an insertion made before": lambda n: (code(n), f"value_{n // 2} =", f"    value_{n // 2} ="),
    "exact, long insertion": lambda n: (code(n), code(1), code(n).replace("item", "thing")),
    "blank lines in the search text": lambda n: _of_code(n, lambda text: text.replace("\n", "\n\n")),
    "blank lines in the file": lambda n: (
        code(n).replace("\n", "\n\n\n"),
        code(n // 2),
        code(n // 2).replace("item_3", "item_8"),
    ),
    "indentation": lambda n: _of_code(n, _outdented),
    "indentation, all of the file": lambda n: (code(n), _outdented(code(n)), _outdented(code(n)) + "\n  end()"),
    "indentation, CRLF": lambda n: (
        code(n).replace("\n", "\r\n"),
        f"value_{n - 1} = compute(item_{(n - 1) % 7}, {(n - 1) % 13}) or default_{n - 1}\n",
        "end()\n",
    ),
    "indentation, a line that is everywhere": lambda n: ("    }\n" * n + "    x = 1\n    }\n", "x = 1\n}", "x = 2\n}"),
    "indentation lost, lines added everywhere": lambda n: _flat(
        n, lambda old: [*old[:2], *(line for k, one in enumerate(old[2:]) for line in (f"x_{k} = 2", one))]
    ),
    "indentation lost, many lines added": lambda n: _flat(
        n, lambda old: [*old[:2], *(f"x_{k} = 2" for k in range(n)), *old[2:]]
    ),
    "indentation lost, half of the lines others": lambda n: _flat(
        n, lambda old: [*old[: n // 4], *(f"x_{k} = 2" for k in range(n // 2)), *old[n // 4 + n // 2 :]]
    ),
    "look-alikes on all lines": _accented,
    "combining marks out of order": lambda n: (
        "a" + "\u0301\u0316" * n + "b\nfoo",
        "a" + "\u0316\u0301" * n + "b\nfoo",
        "q",
    ),
    "spaces": lambda n: _of_code(n, lambda text: text.replace("(", "( ")),
    "spaces, words that are everywhere": lambda n: (
        code(n),
        "    value_7  = compute(item_0, 7) or default_7",
        "    value_7  = compute(item_0, 8) or default_7",
    ),
    "line breaks": lambda n: _of_code(n, lambda text: text.replace(" or ", "\n        or ")),
    "line breaks, all of the file": lambda n: (
        code(n),
        code(n).replace(" or ", "\n        or "),
        code(n).replace(" or ", "\n        or ").replace("item_3", "item_8"),
    ),
    "escapes": lambda n: _of_code(n, lambda text: text.replace("\n", "\\n") + "\\n"),
    "line numbers": lambda n: _of_code(n, _numbered),
    "an elision": _elided,
    "a comment that drifted": lambda n: _drifted(n, "    # the limit, in bytes", "    # limit in bytes"),
    "a line that differs": lambda n: _drifted(n, "    limit = 20", "    limit = 10"),
    "near twins that differ": lambda n: (
        "\n".join([f"def get_{k}(self):\n    load({k})\n    check()\n    log()\n    return value" for k in range(n)]),
        "def get(self):\n    load()\n    check()\n    log()\n    return value",
        "def get(self):\n    return value",
    ),
    "periods, ends otherwise": _periodic,
}
"""Family -> a function from a size to the file text, the search text and the new text."""


# Families of edits as models write them: the mutators of intents and contradictions, on long spans.

_SMALL = 40
_TRIES = 50
"""The most draws of a mutator: some draws leave it nothing to damage."""


def _damaged(mutator: Mutator[Any], n: int) -> TierInput | None:
    """An edit of the middle half of code, damaged by the mutator; None if the mutator finds nothing to damage."""
    lines = code(n).replace("item_", '"item" < count_').split("\n")
    first, last = n // 4, n - n // 4
    start, old = sum(len(line) + 1 for line in lines[:first]), "\n".join(lines[first:last])
    new = old.replace(f"default_{n // 2}", "fallback", 1)
    clean = CleanEdit("f.py", "\n".join(lines), start, start + len(old), new)
    chances = product(sorted(mutator.degrees), range(_TRIES))
    tries = (mutator.damaged(clean, degree, Random(seed)) for degree, seed in chances)
    damaged = next((one for one in tries if one is not None), None)
    if damaged is None or not damaged.edits:
        return None
    (file,), edit = damaged.before, damaged.edits[0]
    return file.content, edit.old_string, edit.new_string


def _made(mutator: Mutator[Any], n: int) -> TierInput:
    made = _damaged(mutator, n)
    assert made is not None, mutator.name  # It has something to damage in the same code of any size.
    return made


INTENT_FAMILIES: Mapping[str, Callable[[int], TierInput]] = {
    name: partial(_made, mutator)
    for name, mutator in MUTATORS.items()
    if name.startswith(("intent_", "contradiction_")) and mutator.format == "str_replace"
    if _damaged(mutator, _SMALL) is not None
}
