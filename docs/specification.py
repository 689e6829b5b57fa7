"""The tables of docs/recommended.md that come from the code, and the numbers that its prose quotes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from editcore import Rejected, replace
from editcore.cascade import RECOMMENDED
from editcore.quoting import first_line
from editcore.replacers.size_guard import SizeGuard
from editcore.text.whitespace import WHITESPACE
from editcore.tiers import THRESHOLDS, TIERS

_WHERE: Mapping[str, str] = MappingProxyType(
    {
        "MAX_CANDIDATES": "editcore.types",
        "MOST_OCCURRENCES": "editcore.text.nearby",
        "MOST_WORDS": "editcore.tiers.query",
        "LONGEST_SEARCHED": "editcore.tiers.query",
        "SHORTEST": "editcore.tiers.squeezed",
        "SHORTEST_PIECE": "editcore.tiers.repaired",
        "MOST_SIGNS": "editcore.tiers.repaired",
        "MOST_TRIES": "editcore.tiers.merging.outcome",
        "MOST_CELLS": "editcore.tiers.merging.merge",
        "LONGEST": "editcore.text.three_way",
        "MOST_PAIRS": "editcore.text.three_way",
        "ANOTHER_LINE": "editcore.text.three_way",
        "TOO_LARGE": "editcore.text.diff",
        "MOST_ELIDED": "editcore.tiers.elision",
        "MOST_PLACES": "editcore.tiers.votes",
        "MOST_LINES": "editcore.tiers.votes",
        "SLACK": "editcore.tiers.votes",
        "LEAST_EQUAL": "editcore.tiers.drift",
        "FAR": "editcore.tiers.drift",
        "APART": "editcore.stale.places",
        "ENOUGH": "editcore.stale.places",
        "TOGETHER": "editcore.stale.places",
        "CONTEXT": "editcore.stale.formatted",
        "NEAR": "editcore.stale.places",
    }
)
"""Name of a number in the prose -> the module that defines it, with or without a leading underscore."""


def numbers() -> Mapping[str, float]:
    """The numbers that the prose may quote, as the code has them now."""
    found: dict[str, float] = {}
    for name, where in _WHERE.items():
        module = import_module(where)
        found[name] = getattr(module, name, None) or getattr(module, f"_{name}")
    repetitive = import_module("editcore.text.diff")._REPETITIVE
    found |= {"REPETITIVE_CELLS": repetitive[0], "REPETITIVE_EQUAL": repetitive[1]}
    guard = SizeGuard()
    found |= {"EXTRA_LINES": guard.extra_lines, "LINE_FACTOR": guard.line_factor}
    found |= {"EXTRA_CHARACTERS": guard.extra_characters, "CHARACTER_FACTOR": guard.character_factor}
    defaults = import_module("editcore.tiers.drift").drift.__kwdefaults__
    return found | {one.name.upper(): defaults[one.name] for one in THRESHOLDS["drift"]}


def tier_order() -> str:
    """The tiers in their order, with the first line of their docstrings."""
    rows = [f"| {n} | `{name}` | {_summary(name)} |" for n, name in enumerate(RECOMMENDED.order, 1)]
    return "\n".join(["| | tier | what it accepts |", "|---|---|---|", *rows]) + "\n"


def _summary(tier: str) -> str:
    return (
        first_line(TIERS[tier].__doc__ or "").removeprefix("The tier for ").partition("; see ")[0].removesuffix(".")
        + "."
    )


def whitespace_table() -> str:
    """The code points that are whitespace."""
    rows = [f"| U+{ord(one):04X} | {_name(one)} |" for one in sorted(WHITESPACE)]
    return "\n".join(["| code point | name |", "|---|---|", *rows]) + "\n"


def folds_table() -> str:
    """The code points that the fold replaces, by replacement, without the regular full-width ones."""
    others: dict[str, list[int]] = {}
    for code, plain in import_module("editcore.text.keys")._FOLDED.items():
        is_regular = 0xFF01 <= code <= 0xFF5E and plain == chr(code - 0xFEE0)
        if not is_regular:
            others.setdefault(plain, []).append(code)
    rows = [
        f"| {f'`{plain}` ({_codes(plain)})' if plain.strip() else _codes(plain) or 'nothing'} | "
        f"{', '.join(f'U+{code:04X}' for code in sorted(codes))} |"
        for plain, codes in others.items()
    ]
    return "\n".join(["| becomes | code points |", "|---|---|", *rows]) + "\n"


def _codes(text: str) -> str:
    return " ".join(f"U+{ord(one):04X}" for one in text)


def _name(character: str) -> str:
    names = {"\t": "tab", "\n": "line feed", "\v": "line tabulation", "\f": "form feed", "\r": "carriage return"}
    return names.get(character) or unicodedata.name(character).lower()


REFUSED: tuple[tuple[str, str, str, str, int | None], ...] = (
    ("search text and new text are equal", "a\n", "a", "a", None),
    ("the search text is empty", "a\n", "", "b", None),
    ("the search text is blank", "a\n", " \n", "b", None),
    ("the search text has several exact matches", "a = 1\nb\na = 1\n", "a = 1", "a = 2", None),
    (
        "a tier finds several places",
        "    go(a)\n    end()\nx\n        go(a)\n        end()\n",
        "\tgo(a)\n\tend()",
        "\tgo(b)\n\tend()",
        None,
    ),
    ("several places are equal without whitespace", "call(a, b)\nx\ncall(a,  b)\n", "call( a,b )", "call(c)", None),
    ("the occurrence does not exist", "a\n", "a", "b", 3),
    ("the insertion was already applied", "import os\nimport sys\n", "import os", "import os\nimport sys", None),
    ("the merge changes nothing", "  x = 2\n  y\n", "x = 2\ny", "  x = 2\n  y", None),
    ("the edit would apply again", "say(\u201ca\u201d)\n", 'say("a")', 'say("a")\nsay("a")', None),
    (
        "the indentation of a new line is not certain",
        "    total = 1\n",
        "\ttotal = 1",
        "      total = 2\n   go()",
        None,
    ),
    (
        "the edit changes text that only looks alike",
        "if len(children) == 1:\n    go()\n",
        "if len(children) \uff1d= 1\uff1a\n    go()",
        "if size(children) == 1:\n    go()",
        None,
    ),
    (
        "the added lines are already next to a loose place",
        "y = get(x)\nz = f(a, b)\nreturn z\n",
        "z = f( a,b )\nreturn z",
        "y = get(x)\nz = f( a,b )\nreturn z * y",
        None,
    ),
    ("the edit changes only whitespace at a loose place", "f(a, bc, d)\n", "f( a,bc,d )", "f(a ,bc ,d)", None),
    ("nothing is found, but a place is similar", "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 3\nc = 3", "x", None),
    ("nothing is found, and no line is similar", "a\n", "entirely other", "x", None),
)
"""When, file text, search text, new text, occurrence."""


def refusals_table() -> str:
    """Refusals with the reason and the message that an example of each gets."""
    rows = []
    for when, content, old, new, more in REFUSED:
        result = replace(content, old, new, occurrence=more)
        assert isinstance(result, Rejected), when
        message = result.message.replace("|", "\\|")
        rows.append(f"| {when} | `{result.reason}` | {message} |")
    return "\n".join(["| when | reason | message of an example |", "|---|---|---|", *rows]) + "\n"


PARTS = {
    "tier_order": tier_order,
    "whitespace": whitespace_table,
    "folds": folds_table,
    "refusals": refusals_table,
}
"""Name of a part of docs/recommended.md -> its generator."""
