"""Inputs that other programs write: paths, answers over the protocol, agents' logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from harness.fuzz.inputs import Fields, shipped_seeds


def path(rng: Random) -> Fields:
    """A path, mostly an odd one."""
    parts = ("a", "b.py", "..", ".", "", "~", "C:", "\\", "x" * 300, "é", "\0", " ", "-", "...", "\ud800", "con")
    return (
        rng.choice(("", "", "/", "\\", "./"))
        + rng.choice(("/", "/", "\\", "//")).join(rng.choices(parts, k=rng.randint(1, 5))),
    )


def answer(rng: Random) -> Fields:
    """An answer of the protocol with one part wrong."""
    sent = {"id": "1", "status": "applied", "after": [{"path": "f", "content": "x\n"}], "replacer": "mine"}
    if rng.random() < 0.3:
        sent = {"id": "1", "status": "rejected", "reason": "no_match", "message": "m"}
    return (json.dumps(damaged_json(sent, rng)),)


def log_generator(name: str) -> Callable[[Random], Fields]:
    """A generator of one importer's logs: a seed with some of its JSON replaced."""

    def generate(rng: Random) -> Fields:
        lines = rng.choice([fields[0] for fields in shipped_seeds(name).values()] or ["{}\n"]).split("\n")
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(lines))
            try:
                lines[at] = json.dumps(damaged_json(json.loads(lines[at]), rng))
            except ValueError:
                lines[at : at + 1] = rng.choice(([], [lines[at], lines[at]], [lines[at][: len(lines[at]) // 2]]))
        return ("\n".join(lines),)

    return generate


_ODD: tuple[object, ...] = (None, True, 0, -1, 1e308, "", "x", [], {}, [None], {"": None}, "\ud800", 10**30)


def damaged_json(value: object, rng: Random) -> object:
    """The JSON value with one node replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {other: one for other, one in value.items() if other != key}
        return {**value, key: damaged_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], damaged_json(value[at], rng), *value[at + 1 :]]
    return rng.choice(_ODD)
