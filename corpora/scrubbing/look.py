"""Scrubbing of one text by the table of rules, in which each rule has an example and a near miss."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from corpora.scrubbing.keys import ISSUED_KEYS, PRIVATE_KEY, STRUCTURED_KEYS, WEB_TOKEN
from corpora.scrubbing.named import placeholders
from corpora.scrubbing.personal import PERSONAL
from corpora.scrubbing.rule import REDACTED, Rule, Span
from corpora.scrubbing.values import NAMED_VALUES, UNNAMED_VALUE
from editcore.text.lines import pieces_with

RULES: tuple[Rule, ...] = (
    PRIVATE_KEY,
    *ISSUED_KEYS,
    *STRUCTURED_KEYS,
    WEB_TOKEN,
    *NAMED_VALUES,
    UNNAMED_VALUE,
    *PERSONAL,
)
"""In the order in which they are tried: keys with a prefix before values that are secret by their name only."""
_RUN = re.compile(r"\\?[A-Za-z0-9_.+/=%-]{16,}+")
_WRITTEN = re.compile(r"[a-z_./=-]+|[\d.]+|[_.+/=%-]+")
"""Runs of characters that cannot contain a key: lower case only, or digits only."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_TIMES = 4
"""The greatest number of passes over a text. Stand-ins change the context, so another pass follows each change."""
_SHORT = 256
_LEAST_SECRET = 6
"""The least length of a secret that is replaced in the whole sample."""


class Look(NamedTuple):
    """The result of scrubbing one text."""

    text: str
    found: tuple[str, ...]
    """The kind of each replacement."""
    secrets: frozenset[str]
    """The secrets that must be replaced in the whole sample."""
    left: str | None
    """The kind of a secret that is still found in the scrubbed text; None if there is none."""
    placeholders: frozenset[str]
    """The values that look like passwords, and are kept because they contain a word such as `example`."""


def look(text: str) -> Look:
    """Scrub one text. Scrubbing the result again changes nothing, unless `left` is set.

    Results are cached: the text after one edit of a session is the text before the next.
    """
    return _short(text) if len(text) < _SHORT else _long(text)


def _look(text: str) -> Look:
    found: list[str] = []
    secrets: set[str] = set()
    for _ in range(_TIMES):
        once = _replaced(text, found, secrets)
        if once == text:
            break
        text = once
    left = None
    if found and (again := _spans(text)):
        left = again[0][0].kind
    if not text.isascii():
        text, n_surrogates = _SURROGATE.subn("\ufffd", text)
        found += ["surrogate"] * n_surrogates
    return Look(text, tuple(found), frozenset(secrets), left, frozenset(placeholders(text)))


_short = lru_cache(maxsize=4096)(_look)
_long = lru_cache(maxsize=16)(_look)


def forget() -> None:
    """Clear the caches, for measurements."""
    _short.cache_clear()
    _long.cache_clear()


def _replaced(text: str, found: list[str], secrets: set[str]) -> str:
    """The text after one pass of the rules."""
    for rule in _candidates(text):
        spans = list(rule.find(text))
        found += [rule.kind] * len(spans)
        for span in spans:
            if span.stand_in == REDACTED and span.end - span.start >= _LEAST_SECRET:
                secrets.add(text[span.start : span.end])
        text = "".join(pieces_with(text, spans)) if spans else text
    return text


def _spans(text: str) -> list[tuple[Rule, Span]]:
    return [(rule, span) for rule in _candidates(text) for span in rule.find(text)]


def _candidates(text: str) -> list[Rule]:
    """The rules with a needle in the text. Other rules cannot match."""
    lower = text.lower()
    runs = "\n".join([run for run in set(_RUN.findall(text)) if not _WRITTEN.fullmatch(run)])
    lower_runs = runs.lower()
    found = []
    for rule in RULES:
        where = lower_runs if rule.in_runs else lower
        is_near = not rule.needles or any(needle in where for needle in rule.needles)
        if is_near and (not rule.in_runs or any(True for _ in rule.find(runs))):
            found.append(rule)
    return found
