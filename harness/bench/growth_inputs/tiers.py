"""Families of edits of any size that reach one tier of `recommended` each, or pass all of them.

As in `harness.bench.growth_inputs.edits`, each family has its own unit of size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from harness.bench.growth_inputs.edits import code

TierInput = tuple[str, str, str]
"""A file text, a search text and a new text."""


def _changed(text: str, search: str, old: str, new: str) -> TierInput:
    """An edit of the first line of a search text that has `old`."""
    return text, search, search.replace(old, new, 1)


def _of_code(n: int, write: Callable[[str], str], n_lines: int = 12) -> TierInput:
    """An edit of a few lines in the middle of code, written otherwise than in the file."""
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
    """A search text of which one line is another in the file."""
    lines = code(n).split("\n")
    lines[n // 2 + 1] = there
    search = "\n".join([lines[n // 2], written, *lines[n // 2 + 2 : n // 2 + 12]])
    return _changed("\n".join(lines), search, f"default_{n // 2 + 8}", "fallback")


def _accented(n: int) -> TierInput:
    text = code(n).replace("default", "“défaut”")
    search = text[text.index(f"    value_{n // 2} ") :][:400].rpartition("\n")[0]
    return _changed(text, search.replace("“", '"'), "or", "and")


def _periodic(n: int) -> TierInput:
    """Lines that repeat with a period, and a search text of as many periods that ends otherwise."""
    text = "    a = load()\n    b = check(a)\n    store(b)\n" * n
    search = "a = load()\nb = check(a)\nstore(b)\n" * (n // 3) + "done(a, b)"
    return text, search, search + "\nend()"


def _flat(n: int, change: Callable[[list[str]], list[str]]) -> TierInput:
    """A block whose indentation both texts lost, and what an edit makes of its lines."""
    lines = ["if ready:", *(f"    call_{k}()" for k in range(n)), "done()"]
    old = [line.strip() for line in lines]
    return "\n".join(lines), "\n".join(old[:-1]), "\n".join(change(old[:-1]))


TIER_FAMILIES: Mapping[str, Callable[[int], TierInput]] = MappingProxyType(
    {
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
        "indentation, a line that is everywhere": lambda n: (
            "    }\n" * n + "    x = 1\n    }\n",
            "x = 1\n}",
            "x = 2\n}",
        ),
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
            "\n".join(
                [f"def get_{k}(self):\n    load({k})\n    check()\n    log()\n    return value" for k in range(n)]
            ),
            "def get(self):\n    load()\n    check()\n    log()\n    return value",
            "def get(self):\n    return value",
        ),
        "periods, ends otherwise": _periodic,
    }
)
"""Family -> what makes the file text, the search text and the new text of a size."""
