"""Calls in anchored formats: right ones, such with wrong numbers, torn ones, for texts that have changed since."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random

from editcore.anchors.calls import Change
from editcore.anchors.views import ended_lines, write_call
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.edits import changed
from harness.fuzz.inputs import PATH, Fields

HUNK_PIECES = (
    "PUT 1.=2:", "PUT 2.=2:", "PUT <1:", "PUT >1:", "PUT >$:", "PUT 1*:", "CUT 1.=1",
    "CUT 2.=3 @r", "CUT 1*", "PUT >1 @r",
    "PUT >2", "PUT 1.=1: @r", "+a", "+", "a", "-a", "- a", "", "2:a", "PUT 1-2:", "PUT 3.=1:", "1.=2:", "REM", "MV g",
    "[f#0000]", "*** Begin Patch", "*** End Patch", "*** Abort", "# a",
)  # fmt: skip
JSON_PIECES = (
    '"lines": null',
    '"lines": [""]',
    '"op": "append"',
    '"op": "prepend"',
    '"pos": "1#ZZ"',
    '"new_text": ""',
    '["0|AA|", "a", "x"]',
    '["$", "d"]',
    '"%"',
    "{",
)


def _changes(text: str, rng: Random) -> list[Change]:
    """One to three changes of a text, mostly apart, with new lines that may repeat those around them."""
    lines, found, at = ended_lines(text) or [""], list[Change](), 1
    for n in range(rng.choice((1, 1, 1, 2, 3))):
        if at > len(lines):
            break
        first = rng.randint(at, len(lines))
        last = min(first + rng.choice((0, 0, 1, 3)), len(lines))
        around = lines[max(first - 2, 0) : last + 1]
        new = [rng.choice((line(rng).rstrip("\r"), line(rng).rstrip("\r"), rng.choice(around)))
               for _ in range(rng.choice((0, 1, 1, 2, 3)))]  # fmt: skip
        kind = rng.choice(("replace", "replace", "replace", "after", "before"))
        if kind == "replace":
            found.append(Change("replace", first, last, tuple(new), n))
        else:
            is_anchored = rng.random() < 0.8
            found.append(
                Change("after" if kind == "after" else "before", first, first, tuple(new or ["N"]), n,
                       is_anchored=is_anchored)
            )  # fmt: skip
        at = last + 1 if rng.random() < 0.9 else first
    return found


def _slipped(call: str, rng: Random) -> str:
    """The call with a number that is one too low or too high."""
    places = [found.span() for found in re.finditer(r"\d+(?=[#:.=*|\"])", call)]
    if not places:
        return call
    start, end = rng.choice(places)
    return f"{call[:start]}{int(call[start:end]) + rng.choice((-1, 1))}{call[end:]}"


def _torn(call: str, rng: Random, format: str) -> str:
    """The call with a piece of its grammar in a place where none was, or without some characters."""
    if format == "hashline_h4":
        rows = call.split("\n")
        rows.insert(rng.randint(1, len(rows)), rng.choice(HUNK_PIECES))
        return "\n".join(rows)
    start = rng.randrange(len(call) + 1)
    return call[:start] + rng.choice(("", *JSON_PIECES)) + call[start + rng.randint(0, 6) :]


def _anchored(format: str, rng: Random) -> Fields:
    seen = document(rng)
    path = PATH if rng.random() < 0.97 else f"d/{PATH}"
    call = write_call(format, seen, _changes(seen, rng), path=path)
    if rng.random() < 0.2:
        call = _slipped(call, rng)
    if rng.random() < 0.2:
        call = _torn(call, rng, format)
    return (call, seen) if rng.random() < 0.6 else (call, changed(seen, rng), seen)


def anchored(format: str) -> Callable[[Random], Fields]:
    """The generator of calls in a format, with the text of now and, where it is another, the text that was seen."""
    return partial(_anchored, format)
