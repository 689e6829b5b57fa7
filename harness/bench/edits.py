"""CPU time of `recommended` on edits that no exact place takes, in real files: by kind, and by what became of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from editcore.apply import replace
from editcore.types import Applied
from harness.bench.cpu_time import best_of
from harness.bench.replacers import standard_library

FOUND, REFUSED = "found", "refused"


@dataclass(frozen=True, slots=True)
class WrittenEdit:
    """An edit as a model writes it, of lines of a file."""

    kind: str
    text: str
    old: str
    new: str


def _absent(lines: list[str], _: random.Random) -> list[str]:
    return [line[: len(line) - len(line.lstrip())] + line.strip()[::-1] for line in lines]


def _with_extra_word(lines: list[str], rng: random.Random) -> list[str]:
    at = rng.choice([n for n, line in enumerate(lines) if line.strip()])
    words = lines[at].split(" ")
    words.insert(rng.randint(0, len(words)), "extra")
    return [*lines[:at], " ".join(words), *lines[at + 1 :]]


def _indented(lines: list[str], _: random.Random) -> list[str]:
    return [f"  {line}" if line.strip() else line for line in lines]


def _with_other_spaces(lines: list[str], _: random.Random) -> list[str]:
    return [line.replace(" = ", "  =  ").replace(", ", ",") for line in lines]


_KINDS: Mapping[str, tuple[int, Callable[[list[str], random.Random], list[str]]]] = {
    "absent": (7, _absent),
    "an extra word": (5, _with_extra_word),
    "indented by two": (4, _indented),
    "other spaces": (4, _with_other_spaces),
}
"""Kind -> how many of twenty edits are of it, and how lines are written."""


def written_edits(n: int, seed: int) -> Iterator[WrittenEdit]:
    """Edits of 2 to 12 lines of the standard library's modules of 500 to 2000 lines, none of them exact."""
    rng = random.Random(f"{seed}/edits")
    texts = standard_library()
    kinds = [kind for kind, (share, _) in _KINDS.items() for _ in range(share)]
    for number in range(n):
        kind = kinds[number % len(kinds)]
        old, text = "", ""
        while old in text:
            text = rng.choice(texts)
            lines = text.split("\n")
            start = rng.randrange(len(lines) - 12)
            block = lines[start : start + rng.randint(2, 12)]
            if any(line.strip() for line in block):
                old = "\n".join(_KINDS[kind][1](block, rng))
        yield WrittenEdit(kind, text, old, f"{old}  # changed")


def time_edits(n: int, seed: int, report: Callable[[int], None] = lambda _: None) -> dict[str, list[float]]:
    """The CPU seconds of each edit, best of three: of those found, those refused, and of each kind."""
    times: dict[str, list[float]] = {name: [] for name in (FOUND, REFUSED, *_KINDS)}
    for number, edit in enumerate(written_edits(n, seed), 1):
        call = partial(replace, edit.text, edit.old, edit.new)
        [seconds] = best_of([call])
        for name in (FOUND if isinstance(call(), Applied) else REFUSED, edit.kind):
            times[name].append(seconds)
        report(number)
    return {name: seconds for name, seconds in times.items() if seconds}
