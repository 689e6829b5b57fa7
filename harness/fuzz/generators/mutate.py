"""The structure-aware mutator: changes an input by line and by field.

Mutated bytes hardly ever pass the first line of a patch format; mutated lines do. Blocks are copied from one field to
another because a search text has to occur in its file text. A changed input has no answer: that is what the choices
of an engine are for. Generators use it too, for small errors in a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from harness.fuzz.inputs import Fields, bytes_of, fields_in

_SEPARATOR = b"\x1e"
_LONGEST = 1 << 20
_INDENTS = (b"    ", b"  ", b"\t", b" ")
_TAILS = (b" ", b"\t", b"\r", b"  ", b"\\", b"\x00", b"\xc2\xa0")

_ESCAPED = {b"\n": b"\\n", b"\t": b"\\t", b'"': b'\\"', b"\\": b"\\\\"}

Noise = Callable[[bytes, int], bytes]
"""(bytes, most bytes of the result) -> the bytes with random changes."""


class Mutator:
    """Mutates the inputs of one target by line and by field."""

    def __init__(self, tokens: Sequence[str], rng: Random, noise: Noise | None = None) -> None:
        self._tokens = _encoded(tuple(tokens))
        self._chance, self._noise = rng.random, noise or self._other_letter

    def __call__(self, data: bytes, max_size: int) -> bytes:
        """Another input of at most `max_size` bytes; the same for the same state of the generator if `noise` is too."""
        chance = self._chance
        fields = data.split(_SEPARATOR)
        for _ in range(1 if chance() < 0.6 else 2 if chance() < 0.7 else 4):
            at = int(chance() * len(fields))
            fields[at] = self._changed(fields, at)
        return _SEPARATOR.join(fields)[:max_size]

    def _other_letter(self, line: bytes, _: int) -> bytes:
        at = int(self._chance() * len(line))
        return line[:at] + bytes([int(self._chance() * 128)]) + line[at + int(self._chance() * 2) :]

    def _changed(self, fields: list[bytes], at: int) -> bytes:
        """One field, changed once."""
        chance = self._chance
        lines = fields[at].split(b"\n")
        here = int(chance() * len(lines))
        line = lines[here]
        kind = int(chance() * 20)
        if kind == 0:
            lines[here:here] = lines[here : here + 1 + int(chance() * 3)]
        elif kind == 1:
            del lines[here : here + 1 + int(chance() * 2)]
        elif kind == 2:
            other = int(chance() * len(lines))
            lines[here], lines[other] = lines[other], line
        elif kind == 3:
            lines[here] = self._tokens[int(chance() * len(self._tokens))]
        elif kind == 4:
            lines.insert(here, self._tokens[int(chance() * len(self._tokens))])
        elif kind == 5:
            lines[here] = _INDENTS[int(chance() * len(_INDENTS))] + line
        elif kind == 6:
            lines[here] = line.lstrip() if chance() < 0.5 else line[1:]
        elif kind == 7:
            lines[here] = line + _TAILS[int(chance() * len(_TAILS))]
        elif kind in (8, 9, 10) and len(fields) > 1:
            # A block of another field, instead of the whole field or of some lines, or inserted.
            there = fields[int(chance() * len(fields))].split(b"\n")
            start = int(chance() * len(there))
            block = there[start : start + 1 + int(chance() * 5)]
            if kind == 8:
                return b"\n".join(block)
            lines[here : here + (kind == 9) * len(block)] = block
        elif kind == 11:
            indent = _INDENTS[int(chance() * len(_INDENTS))]
            lines = [indent + one if one else one for one in lines]
        elif kind == 12:
            lines = [one[1:] if one[:1] in b" \t" else one for one in lines]
        elif kind == 13:
            return b"\n".join(lines[: here + 1])[: -int(chance() * 3) or None]
        elif kind == 14:
            # Another diff marker in front of the line: context becomes a change, or the other way round.
            lines[here] = b" +-@"[int(chance() * 4) :][:1] + line[1:]
        elif kind == 15:
            # More spaces between two words.
            behind = line.find(b" ", int(chance() * len(line))) + 1
            lines[here] = line[:behind] + b" " * (1 + int(chance() * 4)) + line[behind:]
        elif kind == 16:
            # Other line endings: models send an LF patch for a CRLF file, and the other way round.
            field = fields[at].replace(b"\r", b"")
            return field if field != fields[at] else field.replace(b"\n", b"\r\n")
        elif kind == 17:
            # Escapes, as in a string of a program, or none where they belong.
            new, old = list(_ESCAPED.items())[int(chance() * len(_ESCAPED))][:: 1 if chance() < 0.5 else -1]
            return fields[at].replace(old, new)
        elif kind == 18:
            lines = [one.strip() for one in lines]
        else:
            lines[here] = self._noise(line, len(line) + 8) if line else b"a"
        return b"\n".join(lines).replace(_SEPARATOR, b"")


@cache
def _encoded(tokens: Sequence[str]) -> list[bytes]:
    return [token.encode("utf-8", "surrogatepass") for token in tokens] or [b""]


def with_errors(fields: Fields, rng: Random, tokens: tuple[str, ...] = ()) -> Fields:
    """The fields with no, one or a few small errors, as models make them."""
    if rng.random() < 0.25:
        return fields
    changed = fields_in(Mutator(tokens, rng)(bytes_of(fields), _LONGEST))
    return changed if len(changed) == len(fields) else fields


def drifted(text: str, rng: Random) -> str:
    """A text with no, one or a few small errors."""
    return with_errors((text,), rng)[0]
