"""The simulation of sed beside GNU sed: `python -m docs.sed_oracle [N] [SEED]` draws N commands, 50,000 by default.

Each command is drawn from a seed of its own, runs on a drawn text, and both must leave the same bytes or both refuse.
What the simulation declares as not worked out is counted by its reason; everything else that differs is printed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from editcore.errors import Unmeasured
from editcore.shell.regexes import SedError
from editcore.shell.sed import Run
from editcore.shell.sed_scripts import options_of

_WORDS = (
    "foo",
    "bar",
    "x",
    "foo.bar",
    "a",
    "é",
    "if (a)",
    "[0]",
    "  foo",
    "\tbar",
    "foo(x, y)",
    "a*b",
    "",
    "1 + 2",
    "$x",
    "&a",
)
_ATOMS = (
    "f",
    "o",
    "foo",
    "bar",
    "a",
    "x",
    ".",
    "[a-f]",
    "[^a ]",
    "[[:space:]]",
    "[0-9]",
    "é",
    r"\.",
    r"\*",
    r"\[",
    "(",
    "{a",
    "/",
)
_GNU = (r"\b", r"\w", r"\s", r"\t", r"\W", r"\S", r"\<f", r"o\>", r"\n", r"\$", "+", "?", r"\B", r"\x41")
_FLAGS = ("", "", "g", "g", "2", "I", "gI", "2g", "p", "M")
_NEW = ("X", "&", r"\&", "[&]", r"\1", r"\2", r"a\tb", r"\n", r"\\", "$x", "", r"é", r"\/", "/", r"\U&")


def text(random: Random) -> str:
    lines = [" ".join(random.choice(_WORDS) for _ in range(random.randint(0, 4))) for _ in range(random.randint(0, 7))]
    return "\n".join(lines) + random.choice(["\n", "\n", "\n", ""])


def _pattern(random: Random, extended: bool) -> str:
    parts = []
    for _ in range(random.randint(1, 4)):
        atom = random.choice(_ATOMS if random.random() < 0.8 else _GNU)
        draw = random.random()
        if draw < 0.15:
            atom = f"({atom})" if extended else rf"\({atom}\)"
        elif draw < 0.2:
            atom = f"({atom}|o)" if extended else rf"\({atom}\|o\)"
        parts.append(atom + random.choice(["", "", "", "", "*", r"\+", r"\{1,2\}", "+", "?", r"\?", "{2}"]))
    found = "".join(parts)
    return random.choice(["", "", "", "^"]) + found + random.choice(["", "", "", "$"])


def _regex(random: Random, extended: bool) -> str:
    found = "".join([rf"\{one}" if one == "/" else one for one in _pattern(random, extended)])
    return f"/{found}/{random.choice(['', '', '', 'I'])}"


def _address(random: Random, extended: bool) -> str:
    draw = random.random()
    if draw < 0.35:
        return ""
    first = random.choice(
        [
            str(random.randint(1, 8)),
            "$",
            _regex(random, extended),
            _regex(random, extended),
            f"{random.randint(0, 3)}~2",
        ]
    )
    if draw < 0.7:
        return first
    if draw < 0.72:
        return "0," + _regex(random, extended)
    second = random.choice(
        [
            str(random.randint(1, 8)),
            "$",
            _regex(random, extended),
            f"+{random.randint(0, 3)}",
            f"~{random.randint(0, 3)}",
        ]
    )
    return f"{first},{second}"


def _command(random: Random, extended: bool) -> str:
    address = _address(random, extended) + random.choice(["", "", "", "", "!"])
    draw = random.random()
    if draw < 0.6:
        delimiter = random.choice("///|#,@")
        new = "".join(random.choice(_NEW) for _ in range(random.randint(0, 3)))
        pattern = _pattern(random, extended)
        if delimiter == "/":
            pattern = pattern.replace("/", r"\/")
            new = new.replace(r"\/", "/").replace("/", r"\/")
        return f"{address}s{delimiter}{pattern}{delimiter}{new}{delimiter}{random.choice(_FLAGS)}"
    if draw < 0.7:
        return address + "d"
    if draw < 0.85:
        written = random.choice(["new", r"\tnew", "  two words", r"a\nb", r"\  kept", r"a\tb\\", "$x"])
        return address + random.choice("aic") + random.choice(["\\\n", "\\\n", " ", "", "\\"]) + written
    if draw < 0.9:
        return address + random.choice(["y/abf/xyz/", "y/o/é/", r"y/a/\n/", "y/ab/c/"])
    return address + random.choice(["p", "n", "N", "q", "=", "{s/a/b/;s/b/c/}", "n;d", "N;s/\\n/,/", "$!N"])


def call(random: Random) -> list[str]:
    """The arguments of a sed that edits the file f in place."""
    extended = random.random() < 0.4
    commands = [_command(random, extended) for _ in range(random.choice([1, 1, 1, 2, 3]))]
    options = [
        "-i",
        *(["-E"] if extended else []),
        *(["-z"] if random.random() < 0.05 else []),
        *(["-n"] if random.random() < 0.04 else []),
    ]
    if random.random() < 0.3:
        return [*options, *[word for one in commands for word in ("-e", one)], "f"]
    return [*options, random.choice([";", "\n", "; "]).join(commands), "f"]


def simulated(words: list[str], before: str) -> str | None:
    """The text afterwards; None if sed refuses. Raises Unmeasured."""
    try:
        return Run(options_of(words, gnu=True), gnu=True).edited(before)
    except SedError:
        return None


def real(words: list[str], before: str, folder: Path) -> str | None:
    file = folder / "f"
    file.write_bytes(before.encode())
    done = subprocess.run(
        ["sed", *words],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    return file.read_bytes().decode("utf-8", "replace") if done.returncode == 0 else None


def differing(n: int, seed: int, reasons: Counter[str]) -> Iterator[tuple[list[str], str, str | None, str | None]]:
    """The drawn calls whose results differ: arguments, text, result of the simulation, result of GNU sed."""
    with tempfile.TemporaryDirectory() as name:
        for number in range(n):
            random = Random(f"{seed}.{number}")
            words, before = call(random), text(random)
            try:
                ours = simulated(words, before)
            except Unmeasured as error:
                reasons[str(error).split(" in the pattern")[0][:48]] += 1
                continue
            theirs = real(words, before, Path(name))
            reasons["both refuse" if ours is None and theirs is None else "compared"] += 1
            if ours != theirs:
                yield words, before, ours, theirs


def main(n: int = 50_000, seed: int = 0) -> int:
    reasons: Counter[str] = Counter()
    found = 0
    for words, before, ours, theirs in differing(n, seed, reasons):
        found += 1
        if found <= 20:
            print(f"sed {words!r}\n  before {before!r}\n  ours   {ours!r}\n  GNU    {theirs!r}")
    for reason, count in reasons.most_common():
        print(f"{count:7,}  {reason}")
    print(f"{n:,} drawn, {found:,} unexplained")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
