"""Families of growing texts for scrubbing: repeated beginnings of secrets, and many secrets.

As in `harness.bench.growth_inputs.edits`, each takes its size in a unit of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

from corpora.scrubbing import RULES
from corpora.scrubbing.rule import example_of
from harness.bench.growth_inputs.edits import code

_BEGIN, _END = ("-----" + edge + " PRIVATE KEY-----\n" for edge in ("BEGIN", "END"))
_EXAMPLES = "\n".join(example_of(rule.example, Random(7)).text for rule in RULES)
_HALVES = "\n".join(line[: len(line) // 2] for line in _EXAMPLES.split("\n"))
_NEEDLES = "".join(needle for rule in RULES for needle in rule.needles)
_REPEATED = (
    *(
        "token",
        "secret.",
        "a.",
        "sk-",
        "a",
        "A1b2",
        " ",
        "\\",
        "\\n",
        "=",
        "token=",
        "password: '",
        "://",
        "://a:",
        "@",
    ),
    *("a@", "a@a.", "@h:~", "/home/", "/home/a", "home\\", "%2F", ".local", "-home-a", "eyJ", "eyJ.", "eyJ-", "AAAA"),
    *("M.", "login a ", "mysql ", "mysql -p", " -u a:", "x.atlasv1.", "1:AA", "Private-Lines: 1\n", "mnemonic: aaa "),
    *(
        "password>",
        "password=\n ",
        'password a="b" ',
        '--password", ',
        "PASSWORD='aa ",
        "account a ",
        "://a:b@x@",
        "@h a",
    ),
)


def _repeat(piece: str) -> Callable[[int], str]:
    return lambda n: (piece * (n // len(piece) + 1))[:n] + " ://"


SECRET_FAMILIES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        **{f"{piece!r}, repeated": _repeat(piece) for piece in _REPEATED},
        "headers of private keys": lambda n: _BEGIN * (n // 28),
        "footers of private keys": lambda n: _END * (n // 26),
        "one private key without end": lambda n: (
            _BEGIN + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n" * (n // 49)
        ),
        "prefixes of all keys": lambda n: (_NEEDLES * (n // len(_NEEDLES) + 1))[:n],
        "halves of all secrets": lambda n: (_HALVES * (n // len(_HALVES) + 1))[:n],
        "all secrets": lambda n: (_EXAMPLES * (n // len(_EXAMPLES) + 1))[:n],
        "different secrets": lambda n: "\n".join(example_of("ghp_{A36}", Random(k)).text for k in range(n // 40)),
        "code": code,
        "one long line": lambda n: "abc def, " * (n // 9),
        "one long word": lambda n: "aB3dE5fG7" * (n // 9),
        "wide characters": lambda n: "    名前 = 🐍\n" * (n // 11),
    }
)
"""Description -> the text of a size."""
