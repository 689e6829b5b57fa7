"""Private keys in PEM, OpenSSH, PGP and PuTTY files: their lines are replaced; header and footer are kept.

A block without a header or footer extends as far as its lines do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.scrubbing.rule import REDACTED, Rule, Span, looks_random

_EDGE = re.compile(
    r"-----(?P<which>BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
    r"|(?P<putty>Private-Lines: \d)|(?P<putty_end>Private-MAC:)"
)
_FARTHEST = 20_000
"""The most characters of a block; a key of 16,384 bits has 13,000."""
_RUN = re.compile(r"\\+[nrt]|(?<=\n)[+ -]|(?P<run>[A-Za-z0-9+/]{4,}+={0,2})")
_GAP = 40
"""The most characters between two lines of an incomplete block: quotes, indentation, escapes."""
_LONE = re.compile(r"(?:^|[\n\"'`-]|\\+[nr])[ \t+]*$")
_ENDS = re.compile(r"[ \t]*(?:$|[\n\r\\\"'`-])")


def _lines(text: str, start: int, end: int, *, is_whole: bool) -> list[Span]:
    """The lines of a key between two offsets."""
    found: list[Span] = []
    last = start
    for match in _RUN.finditer(text, start, end):
        run = match["run"]
        if run is None or run == REDACTED:
            continue
        if not is_whole and match.start() - last > _GAP:
            break
        if looks_random(run) or _is_line(text, match, start, end):
            found.append(Span(match.start(), match.end()))
            last = match.end()
    return found


def _is_line(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """Whether a run fills a line."""
    before = text[max(start, match.start() - 16) : match.start()]
    return bool(_LONE.search(before) and _ENDS.match(text, match.end(), min(end, match.end() + 16)))


def _before_footer(text: str, start: int, end: int) -> list[Span]:
    """The lines of a block without a header, backwards from its footer."""
    found: list[Span] = []
    last = end
    for span in reversed(_lines(text, start, end, is_whole=True)):
        if last - span.end > _GAP:
            break
        found.append(span)
        last = span.start
    return found[::-1]


def private_keys(text: str) -> Iterator[Span]:
    """The lines of all private keys of a text."""
    edges = list(_EDGE.finditer(text))
    for at, edge in enumerate(edges):
        begins = edge["which"] == "BEGIN" or edge["putty"]
        after = edges[at + 1] if at + 1 < len(edges) else None
        if begins:
            closed = after is not None and bool(after["which"] == "END" or after["putty_end"])
            end = min(after.start() if after else len(text), edge.end() + _FARTHEST)
            yield from _lines(text, edge.end(), end, is_whole=closed)
        elif not at or edges[at - 1]["which"] == "END" or edges[at - 1]["putty_end"]:
            start = max(edges[at - 1].end() if at else 0, edge.start() - _FARTHEST)
            yield from _before_footer(text, start, edge.start())


PRIVATE_KEY = Rule(
    "private_key",
    "private_key",
    "a private key in PEM, OpenSSH, PGP or PuTTY armour, whole or cut",
    ("private key", "private-lines:"),
    private_keys,
    "-----BEGIN RSA PRIVATE KEY-----\n«{B64}»\n{B40}==\n-----END RSA PRIVATE KEY-----",
    'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"): return load_private_key_from_text(text)',
)
