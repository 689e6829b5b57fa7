"""One text without what is nobody's business."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from corpora.scrubbing import RULES
from corpora.scrubbing.rule import REDACTED, Rule, Span

_RUN = re.compile(r"\\?[A-Za-z0-9_.+/=%-]{16,}+")
_WRITTEN = re.compile(r"[a-z_./=-]+|[\d.]+|[_.+/=%-]+")
"""Runs that are no keys, whatever stands before them: those without a change of case, and without digits."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_TIMES = 4
"""Rules are tried again while they change a text: what one puts down may show another one something."""
_SHORT = 256
_LEAST_SECRET = 6
"""Characters from which a secret is replaced wherever it stands, whatever is beside it."""


class Look(NamedTuple):
    """One text, scrubbed."""

    text: str
    found: tuple[str, ...]
    """The kinds of what was replaced, one each time."""
    secrets: frozenset[str]
    """What is to be replaced wherever it stands."""
    left: str | None
    """A kind that is still found in what was scrubbed."""


def look(text: str) -> Look:
    """A text with stand-ins, and what they stand for. Its result stays as it is, unless `left` says otherwise."""
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
    return Look(text, tuple(found), frozenset(secrets), left)


_short = lru_cache(maxsize=4096)(_look)
# What one edit of a session leaves is what the next one finds.
_long = lru_cache(maxsize=16)(_look)


def forget() -> None:
    """Clear the caches, for measurements."""
    _short.cache_clear()
    _long.cache_clear()


def _replaced(text: str, found: list[str], secrets: set[str]) -> str:
    """The text after each rule was tried once."""
    for rule in _candidates(text):
        spans = list(rule.find(text))
        if not spans:
            continue
        pieces, at = [], 0
        for span in spans:
            pieces += [text[at : span.start], span.stand_in]
            at = span.end
            found.append(rule.kind)
            if span.stand_in == REDACTED and span.end - span.start >= _LEAST_SECRET:
                secrets.add(text[span.start : span.end])
        text = "".join([*pieces, text[at:]])
    return text


def _spans(text: str) -> list[tuple[Rule, Span]]:
    """What the rules find in a text."""
    return [(rule, span) for rule in _candidates(text) for span in rule.find(text)]


def _candidates(text: str) -> list[Rule]:
    """The rules that may find something: those of which a needle is there."""
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
